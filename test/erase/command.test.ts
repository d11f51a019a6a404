// orrery erase as an operator runs it: records of every type but timers and platform records, beside a running service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { item, succeed } from '../support/batch.ts';
import { orreryJson, runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { Secrets } from '../support/erase/life.ts';
import { tablesWith } from '../support/erase/search.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { administeredOrg, auditOf } from '../support/platform/administrator.ts';
import { make, pathOfRecord, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

const run = (id: string, type = 'svc_contact') =>
  runCommand(service.databaseUrl, 'erase', id, { org: String(orgId), type });

test('it erases a live record and one in the trash, and the service knows at once', async () => {
  const secrets = new Secrets('amy');
  const [live, trashed] = [
    await make(admin, 'svc_contact', { svc_first_name: secrets.word('live') }),
    await make(admin, 'svc_contact', { svc_first_name: secrets.word('trashed') }),
  ];
  await succeed(admin, [item('delete', 'svc_contact', { id: trashed.id })]);
  const args = ['--org', String(orgId), '--type', 'svc_contact', '--database-url', service.databaseUrl];
  const { status, stdout, stderr } = await runOrrery(['erase', ...args, live.id]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    `Erased record ${live.id} of svc_contact.\nNo notes or activities were linked to it. ` +
      'Backups made before still hold the values; restoring one into this database repeats the erasure.\n',
  );
  expect((await admin.get(pathOfRecord(live))).status).toBe(404);
  expect(await orreryJson(['erase', ...args, trashed.id])).toEqual({
    id: trashed.id,
    object_type: 'svc_contact',
    erased: true,
    duplicates: [],
    note: expect.stringContaining('Backups'),
  });
  expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
  const erased = (await auditOf(admin)).map(({ properties }) => properties);
  expect(erased.filter(({ svc_action }) => svc_action === 'record.erased')).toEqual(
    [live, trashed].map(({ id }) =>
      expect.objectContaining({ svc_record_id: id, svc_object_type: 'svc_contact', svc_principal_id: 'svc_system' }),
    ),
  );
});

test('records of connected systems are erased with their external ids, and come back as new ones', async () => {
  const secrets = new Secrets('bob');
  const contact = await make(admin, 'svc_contact', { svc_first_name: 'Stays' });
  const line = {
    external_id: secrets.word('calendar'),
    properties: { svc_subject: secrets.word('subject'), svc_started_at: '2026-03-04T05:06:07Z' },
    associations: [{ association_type: 'svc_activity_to_contact', target_id: contact.id }],
  };
  await ingest(service.database, orgId, 'svc_meeting', [line]);
  const [meeting] = (await admin.get(recordsPath('svc_meeting'))).body.data as readonly { id: string }[];
  expect((await read(admin, contact)).properties).toHaveProperty('svc_last_activity_at');
  const { value } = await run(meeting?.id ?? '', 'svc_meeting');
  expect(value).toMatchObject({ erased: true });
  expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
  // What was derived from it is derived again.
  expect((await read(admin, contact)).properties).not.toHaveProperty('svc_last_activity_at');
  expect(await ingest(service.database, orgId, 'svc_meeting', [line])).toMatchObject({ created: 1, updated: 0 });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a record that was merged into another one is erased alone, and the note names the other one', async () => {
  const secrets = new Secrets('cat');
  const kept = await make(admin, 'svc_contact', { svc_first_name: 'Kept' });
  const duplicate = await make(admin, 'svc_contact', { svc_headline: secrets.word('headline') });
  await succeed(admin, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
  const { value } = await run(duplicate.id);
  expect(value).toMatchObject({
    note: expect.stringContaining(`It was merged into record ${kept.id}, which keeps the values that it got from it.`),
  });
  expect((await read(admin, kept)).properties).toMatchObject({ svc_headline: secrets.values[0] });
  const { rows } = await rawQuery(service.databaseUrl, 'select 1 from orrery.merged where org_id = $1', [orgId]);
  expect(rows).toEqual([]);
});

test('a duplicate that was restored is a record of its own, also when it is deleted later', async () => {
  const secrets = new Secrets('dee');
  const kept = await make(admin, 'svc_contact', { svc_first_name: 'Kept' });
  const duplicate = await make(admin, 'svc_contact', { svc_first_name: secrets.word('own') });
  const on = (operation: string) => item(operation, 'svc_contact', { id: duplicate.id });
  await succeed(admin, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id }), on('restore')]);
  await succeed(admin, [on('delete')]);
  expect((await run(kept.id)).value).toMatchObject({ duplicates: [] });
  await succeed(admin, [on('restore')]);
  expect((await read(admin, duplicate)).properties).toMatchObject({ svc_first_name: secrets.values[0] });
});

test('what cannot be erased is refused in one sentence, with the fix', async () => {
  const [stage] = (await admin.get(recordsPath('svc_contact_lifecycle_stage'))).body.data as readonly { id: string }[];
  const contact = await make(admin, 'svc_contact', {}, [
    { association_type: 'svc_contact_to_lifecycle_stage', target_id: stage?.id ?? '' },
  ]);
  const failureOf = async (id: string, type?: string) => {
    const { failure } = await run(id, type);
    return [failure?.kind, failure?.message];
  };
  expect(await failureOf(contact.id, 'svc_stage_timer')).toEqual([
    'usage',
    'Records of svc_stage_timer cannot be erased.',
  ]);
  expect((await failureOf(contact.id, 'svc_member'))[0]).toBe('usage');
  expect(await failureOf(contact.id, 'svc_company')).toEqual([
    'not_found',
    `svc_company of org ${orgId} has no record "${contact.id}", neither live nor in the trash.`,
  ]);
  expect((await failureOf('nobody'))[0]).toBe('not_found');
  expect((await failureOf(contact.id, 'svc_contct'))[0]).toBe('not_found');
  expect((await failureOf(stage?.id ?? '', 'svc_contact_lifecycle_stage'))[0]).toBe('rows_refused');
  expect((await read(admin, contact)).version).toBe('1');
});

test('a duplicate that was restored is erased alone, and the note names every record that may keep values of it', async () => {
  const secrets = new Secrets('eve');
  const [former, last] = [await make(admin, 'svc_contact', {}), await make(admin, 'svc_contact', {})];
  const duplicate = await make(admin, 'svc_contact', { svc_headline: secrets.word('headline') });
  for (const { id } of [former, last]) {
    await succeed(admin, [
      item('merge', 'svc_contact', { id, duplicate_id: duplicate.id }),
      item('restore', 'svc_contact', { id: duplicate.id }),
    ]);
  }
  const { value } = await run(duplicate.id);
  for (const { id } of [former, last]) {
    expect(value).toMatchObject({
      duplicates: [],
      note: expect.stringContaining(
        `For a while it was merged into record ${id}, which may keep values that it got from it.`,
      ),
    });
    expect((await read(admin, { object_type: 'svc_contact', id })).properties).toMatchObject({
      svc_headline: secrets.values[0],
    });
  }
});

test('of a record that was purged from the trash, its history is erased', async () => {
  const secrets = new Secrets('fay');
  const words = { svc_first_name: secrets.word('name'), svc_summary: secrets.long('summary') };
  const { id } = await make(admin, 'svc_contact', words);
  await succeed(admin, [item('delete', 'svc_contact', { id })]);
  await keepHouse(service.database, { trashSeconds: 0, changesSeconds: 3_600 });
  expect(Object.keys(await tablesWith(service.databaseUrl, secrets.values))).not.toEqual([]);
  expect((await run(id, 'svc_company')).failure?.kind).toBe('not_found');
  const { value } = await run(id);
  expect(value).toMatchObject({
    erased: true,
    note: expect.stringMatching(/^It had been purged from the trash; its history is erased\. Backups /),
  });
  expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
  const { rows } = await rawQuery(service.databaseUrl, 'select unfinished from orrery.erased where record_id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ unfinished: false }]);
  expect((await run(id)).failure?.kind).toBe('not_found');
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('merges are remembered as long as the record that stayed, or one that it was merged into', async () => {
  const [kept, second, first] = [
    await make(admin, 'svc_contact', {}),
    await make(admin, 'svc_contact', {}),
    await make(admin, 'svc_contact', {}),
  ];
  const merge = (id: string, duplicate: string) => item('merge', 'svc_contact', { id, duplicate_id: duplicate });
  await succeed(admin, [merge(second.id, first.id), merge(kept.id, second.id)]);
  const merges = async () => {
    const query = 'select duplicate_id as id from orrery.merged where org_id = $1 and duplicate_id = any ($2)';
    const { rows } = await rawQuery(service.databaseUrl, query, [orgId, [first.id, second.id]]);
    return rows.map(({ id }) => id as string).toSorted();
  };
  const keepHouseTwice = async () => {
    for (let round = 0; round < 2; round++) await keepHouse(service.database, { trashSeconds: 0, changesSeconds: 0 });
  };
  await keepHouseTwice();
  expect(await merges()).toEqual([first.id, second.id].toSorted());
  await succeed(admin, [item('delete', 'svc_contact', { id: kept.id })]);
  // The record goes, then its history, then one merge after the other.
  await keepHouseTwice();
  await keepHouseTwice();
  expect(await merges()).toEqual([]);
});
