// Who may erase, and what cannot be erased: every refusal leaves everything as it was, and so does a dry run.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Grant, parseGrant } from '../../src/access/grant.ts';
import type { Answer } from '../support/answer.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { adminOf } from '../support/platform/administrator.ts';
import { make, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

let service: TestService;
let orgId: number;
let admin: Client;
let contact: string;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  admin = await adminOf(service, orgId);
});
afterAll(() => service.stop());
beforeEach(async () => {
  contact = (await make(admin, 'svc_contact', { svc_first_name: 'Ada', svc_email: [`a${Math.random()}@x.example`] }))
    .id;
});

async function keyWith(grants: readonly string[], reach: 'org' | 'user' = 'org'): Promise<Client> {
  const more = reach === 'user' ? { userId: await service.createUser(orgId) } : {};
  const plain = grants.map((grant) => parseGrant(grant.split(';')[0] ?? '')) as readonly Grant[];
  const { key, credentialId } = await service.createKey(orgId, { grants: plain, reach, ...more });
  // Nobody can give a key such grants yet.
  await rawQuery(
    service.databaseUrl,
    `update orrery.record set properties = jsonb_set(properties, '{svc_grants}', $2)
     where org_id = $1 and properties ->> 'svc_key_id' = $3`,
    [orgId, JSON.stringify(grants), credentialId],
  );
  return service.client(key);
}

const erasing = (id: unknown, type = 'svc_contact', more: object = {}) => item('erase', type, { id, ...more });

/** The answer, which must have changed nothing. */
async function unchangedBy(run: () => Promise<Answer>): Promise<Answer> {
  const before = await snapshotOf(service);
  const answer = await run();
  expect(await snapshotOf(service)).toEqual(before);
  return answer;
}

async function refusalOf(caller: Client, operation: object): Promise<string> {
  const answer = await unchangedBy(() => runBatch(caller, [operation]));
  const [result] = resultsOf(answer);
  return `${result?.status} ${result?.problem?.reason}`;
}

test('a caller needs delete, the reach of the org, and every property of the type', async () => {
  const all = 'svc_contact:read,create,update,delete,associate';
  const cases = [
    [await keyWith(['svc_company:delete']), '404 object_type_unknown'],
    [await keyWith(['svc_contact:read,create,update,associate']), '403 operation_not_granted'],
    [await keyWith([all], 'user'), '403 operation_not_granted'],
    [await keyWith([`${all};hide=svc_phone_number`]), '403 operation_not_granted'],
    [await keyWith([`${all};lock=svc_summary`]), '403 operation_not_granted'],
  ] as const;
  for (const [caller, reason] of cases) expect(await refusalOf(caller, erasing(contact))).toBe(reason);
  // Another grant that does not hide it, and types whose values are only computed from, make no difference.
  for (const grants of [[`${all};hide=svc_phone_number`, all], ['svc_contact:delete']]) {
    const { id } = await make(admin, 'svc_contact', { svc_first_name: 'Eve' });
    const answer = await runBatch(await keyWith(grants), [erasing(id)]);
    expect(resultsOf(answer)).toMatchObject([{ status: 200, id }]);
  }
});

test('the note counts only what the caller may read', async () => {
  const noteOf = async (caller: Client) => {
    const { id } = await make(admin, 'svc_contact', { svc_first_name: 'Eve' });
    const links = (name: string) => [{ association_type: name, target_id: id }];
    for (let count = 0; count < 2; count++) await make(admin, 'svc_note', {}, links('svc_note_to_contact'));
    await make(admin, 'svc_call', {}, links('svc_activity_to_contact'));
    const [result] = resultsOf(await runBatch(caller, [erasing(id)])) as readonly { note?: string }[];
    return result?.note?.split('. ')[0];
  };
  expect(await noteOf(admin)).toBe('2 notes and 1 activity linked to it are not erased');
  expect(await noteOf(await keyWith(['svc_contact:delete', 'svc_note:read']))).toBe(
    '2 notes linked to it are not erased',
  );
  expect(await noteOf(await keyWith(['svc_contact:delete']))).toBe('No notes or activities were linked to it');
});

test('platform records are not erased, except views', async () => {
  const { body } = await admin.get('/objects/');
  const types = (body.data as readonly { name: string; category: string }[])
    .filter(({ category, name }) => category === 'platform' && name !== 'svc_view')
    .map(({ name }) => name);
  expect(types.length).toBeGreaterThan(8);
  for (const type of types) {
    const [record] = (await admin.get(`${recordsPath(type)}?limit=1`)).body.data as readonly { id: string }[];
    expect(await refusalOf(admin, erasing(record?.id ?? contact, type))).toBe('403 type_is_read_only');
  }
  const view = await make(admin, 'svc_view', {
    svc_name: 'Mine',
    svc_view_kind: 'table',
    svc_object_type: 'svc_contact',
  });
  expect(resultsOf(await runBatch(admin, [erasing(view.id, 'svc_view')]))).toMatchObject([{ status: 200 }]);
});

test('types that no key may delete from refuse as a deletion does', async () => {
  await ingest(service.database, orgId, 'svc_meeting', [{ external_id: 'a', properties: { svc_subject: 'Kick-off' } }]);
  const [meeting] = (await admin.get(recordsPath('svc_meeting'))).body.data as readonly { id: string }[];
  const cases = [
    ['svc_meeting', meeting?.id, '403 type_is_synced'],
    ['svc_risk', contact, '403 type_is_generated'],
    ['svc_stage_timer', contact, '403 type_is_read_only'],
  ] as const;
  for (const [type, id, reason] of cases) expect(await refusalOf(admin, erasing(id, type))).toBe(reason);
});

test('what is not there, and what is in use, is refused', async () => {
  const other = await service.newClient();
  const foreign = await make(other, 'svc_contact', {});
  const [stage] = (await admin.get(recordsPath('svc_contact_lifecycle_stage'))).body.data as readonly { id: string }[];
  const path = `${recordsPath('svc_contact')}${contact}/associations/svc_contact_to_lifecycle_stage/${stage?.id}/`;
  expect((await admin.put(path, undefined)).status).toBe(200);
  const cases = [
    [erasing('01890a5d-ac96-774b-bcce-b302099a8057'), '404 record_unknown'],
    [erasing(foreign.id), '404 record_unknown'],
    [erasing('nothing'), '404 record_unknown'],
    [erasing(contact, 'svc_company'), '404 record_unknown'],
    [erasing({ ref: 'nobody' }), '422 unknown_ref'],
    [erasing(contact, 'svc_contact', { properties: {} }), '400 unknown_member'],
    [item('erase', 'svc_contact'), '400 invalid_member'],
    [erasing(stage?.id, 'svc_contact_lifecycle_stage'), '409 stage_in_use'],
  ] as const;
  for (const [operation, reason] of cases) expect(await refusalOf(admin, operation)).toBe(reason);
});

test('an atomic batch with a failure behind the erasure erases nothing', async () => {
  const operations = [erasing(contact), item('delete', 'svc_contact', { id: contact })];
  const answer = await unchangedBy(() => runBatch(admin, operations, { atomic: true }));
  expect([answer.status, answer.body.reason, answer.body.errors?.[0]?.pointer]).toEqual([
    404,
    'record_unknown',
    '/operations/1/id',
  ]);
  expect((await read(admin, { object_type: 'svc_contact', id: contact })).version).toBe('1');
});

test('a dry run says what an erasure would say, and changes nothing', async () => {
  const duplicate = await make(admin, 'svc_contact', { svc_last_name: 'Lovelace' });
  await runBatch(admin, [item('merge', 'svc_contact', { id: contact, duplicate_id: duplicate.id })]);
  await make(admin, 'svc_note', {}, [{ association_type: 'svc_note_to_contact', target_id: contact }]);
  const tried = await unchangedBy(() => runBatch(admin, [erasing(contact)], {}, { 'svc-dry-run': 'true' }));
  expect([tried.status, tried.body.dry_run]).toEqual([200, true]);
  const done = await runBatch(admin, [erasing(contact)]);
  expect(tried.body.data).toEqual(done.body.data);
});

test('a batch can create, erase, and use what an erasure has freed; later items do not find the record', async () => {
  const email = 'freed@x.example';
  const answer = await runBatch(admin, [
    item('create', 'svc_contact', { properties: { svc_email: [email] }, ref: 'one' }),
    item('delete', 'svc_contact', { id: { ref: 'one' } }),
    erasing({ ref: 'one' }),
    item('restore', 'svc_contact', { id: { ref: 'one' } }),
    erasing({ ref: 'one' }),
    item('create', 'svc_contact', { properties: { svc_email: [email] }, ref: 'two' }),
    erasing(contact),
    item('update', 'svc_contact', { id: contact, properties: { svc_last_name: 'Back' } }),
    item('create', 'svc_note', {
      properties: {},
      associations: [{ association_type: 'svc_note_to_contact', target_id: contact }],
    }),
  ]);
  const outcomes = resultsOf(answer).map(({ status, problem }) => `${status} ${problem?.reason ?? ''}`.trim());
  const gone = '404 record_unknown';
  expect(outcomes).toEqual(['201', '200', '200', gone, gone, '201', '200', gone, '404 target_unknown']);
  const { rows } = await rawQuery(
    service.databaseUrl,
    'select count(*)::integer as count from orrery.erased where org_id = $1 and not unfinished and record_id = any ($2)',
    [orgId, [contact, resultsOf(answer)[0]?.id]],
  );
  expect(rows).toEqual([{ count: 2 }]);
});
