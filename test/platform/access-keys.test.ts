// Keys as records (platform 3): made, rotated and revoked by the API, with a secret that is in one answer and nowhere else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { deleteLink, putLink } from '../support/links.ts';
import {
  actionsOf,
  administeredOrg,
  auditOf,
  keyBody,
  makeKey,
  makeMember,
} from '../support/platform/administrator.ts';
import { openConnection } from '../support/raw-connection.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { faultsOf, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const keys = recordsPath('svc_access_key');
const reading = ['svc_contact:read'];
let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

async function statusOf(key: string): Promise<number> {
  return (await service.client(key).get('/self/')).status;
}

describe('a new key', () => {
  test('works at once, with its grants, and its record says who made it', async () => {
    const key = await makeKey(admin, { grants: ['svc_contact,svc_company:read,create'] });
    const self = (await service.client(key.key).get('/self/')).body.data;
    expect(self.grants).toEqual([{ object_types: ['svc_contact', 'svc_company'], operations: ['read', 'create'] }]);
    expect(self).toMatchObject({ org_id: orgId, reach: 'org', credential: { id: key.properties['svc_key_id'] } });
    const me = (await admin.get('/self/')).body.data;
    const stored = await read(admin, key);
    expect(stored.properties).toMatchObject({ svc_reach: 'org', svc_made_by: me.principal_id });
    expect(stored.properties).not.toHaveProperty('svc_key');
    await make(service.client(key.key), 'svc_contact', {});
  });

  test('has its secret in the answer alone: not in the record, the feed, the audit, a replay or the database', async () => {
    const start = await endOfFeed(admin);
    const headers = { 'idempotency-key': 'one-secret' };
    const first = await admin.post(keys, keyBody({ grants: reading }), headers);
    const again = await admin.post(keys, keyBody({ grants: reading }), headers);
    const { svc_key: secret, ...rest } = first.body.data.properties;
    expect(secret).toMatch(/^svc_live_/);
    expect(again.headers.get('svc-idempotent-replay')).toBe('true');
    expect(again.body.data).toEqual({ ...first.body.data, properties: rest });
    const entries = await changesSince(admin, start);
    expect(entries.map(({ object_type }) => object_type)).toContain('svc_access_key');
    expect(JSON.stringify([entries, await auditOf(admin)])).not.toContain(secret);
    const tables = await rawQuery(
      service.databaseUrl,
      `select table_name from information_schema.tables where table_schema = 'orrery'`,
    );
    for (const { table_name } of tables.rows as readonly { table_name: string }[]) {
      const { rows } = await rawQuery(
        service.databaseUrl,
        `select count(*)::integer as n from orrery.${table_name} as t where t::text like '%' || $1 || '%'`,
        [String(secret).slice(22)],
      );
      expect(rows, table_name).toEqual([{ n: 0 }]);
    }
  });

  test('of a dry run has no secret, and is not there', async () => {
    const answer = await admin.post(keys, keyBody({ grants: reading }), { 'svc-dry-run': 'true' });
    expect(answer.status).toBe(201);
    expect(answer.body.data.properties).not.toHaveProperty('svc_key');
    await expectProblem(await admin.get(`${keys}${answer.body.data.id}/`), 'not_found', 'record_unknown');
  });

  test('of a batch has its secret in the result of its item', async () => {
    const answer = await runBatch(admin, [
      item('create', 'svc_contact', { properties: {} }),
      item('create', 'svc_access_key', keyBody({ grants: reading })),
    ]);
    const [contact, key] = resultsOf(answer) as readonly { properties?: { svc_key: string } }[];
    expect(contact).not.toHaveProperty('properties');
    expect(await statusOf(key?.properties?.svc_key ?? '')).toBe(200);
  });

  test.each([
    ['a grant of another form', ['svc_contact'], 'wrong_shape', '/properties/svc_grants/0'],
    ['an unknown operation', ['svc_contact:read', 'svc_contact:write'], 'wrong_shape', '/properties/svc_grants/1'],
    ['an unknown type', ['svc_contakt:read'], 'unknown_object_type', '/properties/svc_grants/0'],
    ['a hidden type', ['svc_user:read'], 'unknown_object_type', '/properties/svc_grants/0'],
    ['an unknown property', ['*:read', 'svc_deal:read;lock=svc_nam'], 'unknown_property', '/properties/svc_grants/1'],
    ['a date that is hidden', ['svc_deal:read;hide=svc_updated_at'], 'wrong_shape', '/properties/svc_grants/0'],
    [
      'a hidden value that must be given',
      ['svc_view:create;hide=svc_name'],
      'required_missing',
      '/properties/svc_grants/0',
    ],
  ])('with %s is refused', async (_, grants, reason, pointer) => {
    const answer = await admin.post(keys, keyBody({ grants }));
    await expectProblem(answer, 'validation_failed', reason);
    expect(faultsOf(answer)[0]).toMatchObject({ pointer, property: 'svc_grants' });
  });

  test('of reach user needs a member, whose id it signs with', async () => {
    const lost = await admin.post(keys, keyBody({ grants: reading, reach: 'user' }));
    await expectProblem(lost, 'validation_failed', 'required_missing');
    expect(faultsOf(lost)[0]?.pointer).toBe('/associations');
    const member = await makeMember(admin);
    const key = await makeKey(admin, { grants: reading, reach: 'user', member: member.id });
    expect((await service.client(key.key).get('/self/')).body.data.principal_id).toBe(member.id);
  });
});

describe('a key', () => {
  test('stays with its member: the link cannot change, and its pair says so', async () => {
    const [one, two] = [await makeMember(admin), await makeMember(admin)];
    const key = await makeKey(admin, { grants: reading, member: one.id });
    const fixed = 'svc_access_key_to_member';
    for (const answer of [
      await putLink(admin, key, fixed, two.id),
      await putLink(admin, key, fixed, one.id),
      await deleteLink(admin, key, fixed, one.id),
    ]) {
      await expectProblem(answer, 'validation_failed', 'fixed_property');
    }
    const pairs = (await admin.get('/objects/svc_access_key/associations/')).body.data as readonly {
      name: string;
      writable: boolean;
    }[];
    expect(pairs.filter(({ name }) => name === fixed)).toMatchObject([{ writable: false }]);
  });

  test('belongs to nobody else: who sees it is not for clients to write', async () => {
    const key = await makeKey(admin, { grants: reading });
    await expectProblem(
      await putLink(admin, key, 'svc_record_to_org', String(orgId)),
      'forbidden',
      'type_is_read_only',
    );
    const member = await makeMember(admin);
    await expectProblem(await putLink(admin, key, 'svc_record_to_user', member.id), 'forbidden', 'type_is_read_only');
  });

  test('gets a new secret by its rotation, and the old one ends after the time that was asked for', async () => {
    const key = await makeKey(admin, { grants: reading });
    const rotate = async (svc_rotation: string) => {
      const answer = await admin.patch(pathOfRecord(key), { properties: { svc_rotation } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.data.properties).not.toHaveProperty('svc_rotation');
      return String(answer.body.data.properties.svc_key);
    };
    const second = await rotate('1h');
    expect([await statusOf(key.key), await statusOf(second)]).toEqual([200, 200]);
    const third = await rotate('now');
    await sleep(1_000);
    const old = [await service.client(key.key).get('/self/'), await service.client(second).get('/self/')];
    for (const answer of old) await expectProblem(answer, 'unauthenticated', 'key_expired');
    expect(await statusOf(third)).toBe(200);
    const stored = await read(admin, key);
    expect(Date.now() - Date.parse(String(stored.properties['svc_rotated_at']))).toBeLessThan(60_000);
    expect(stored.version).toBe('3');
  });

  test('that is rotated twice in a batch has the last secret, and each result has its own', async () => {
    const key = await makeKey(admin, { grants: reading });
    const rotate = (svc_rotation: string) =>
      item('update', 'svc_access_key', { id: key.id, properties: { svc_rotation } });
    const rename = item('update', 'svc_access_key', { id: key.id, properties: { svc_name: 'Renamed' } });
    const results = resultsOf(await runBatch(admin, [rotate('now'), rotate('24h'), rename])) as readonly {
      properties?: { svc_key: string };
    }[];
    const [second, third] = results.map(({ properties }) => properties?.svc_key ?? '');
    expect(results[2]).not.toHaveProperty('properties');
    await sleep(1_000);
    expect([await statusOf(key.key), await statusOf(second ?? ''), await statusOf(third ?? '')]).toEqual([
      401, 200, 200,
    ]);
  });

  test('is made by nobody whose credential was revoked while the request waited', async () => {
    const own = await makeKey(admin, { grants: ['svc_access_key:create', ...reading] });
    const body = JSON.stringify(keyBody({ grants: reading }));
    const connection = await openConnection(service.port);
    connection.send(
      `POST /rest/v1${keys} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${own.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await sleep(300);
    await admin.delete(pathOfRecord(own));
    connection.send(body.slice(10));
    const answer = await connection.answer();
    expect(answer.status).toBe(401);
    connection.destroy();
  });

  test('has the grants that it is given later, within a second', async () => {
    const key = await makeKey(admin, { grants: reading });
    const client = service.client(key.key);
    await expectProblem(await client.post(recordsPath('svc_contact'), { properties: {} }), 'forbidden');
    await admin.patch(pathOfRecord(key), { properties: { svc_grants: ['svc_contact:create'] } });
    await make(client, 'svc_contact', {});
  });

  test('that is deleted is revoked for good', async () => {
    const key = await makeKey(admin, { grants: reading });
    expect(await statusOf(key.key)).toBe(200);
    expect((await admin.delete(pathOfRecord(key))).status).toBe(200);
    await expectProblem(await service.client(key.key).get('/self/'), 'unauthenticated', 'key_revoked');
    const [restored] = resultsOf(
      await runBatch(admin, [item('restore', 'svc_access_key', { id: key.id })]),
    ) as readonly {
      status: number;
      problem: { reason: string };
    }[];
    expect(restored).toMatchObject({ status: 409, problem: { reason: 'key_revoked' } });
    await expectProblem(await service.client(key.key).get('/self/'), 'unauthenticated', 'key_revoked');
  });

  test('cannot be merged', async () => {
    const [one, two] = [await makeKey(admin, { grants: reading }), await makeKey(admin, { grants: reading })];
    const answer = await runBatch(admin, [item('merge', 'svc_access_key', { id: one.id, duplicate_id: two.id })]);
    expect(resultsOf(answer)).toMatchObject([{ status: 403, problem: { reason: 'type_is_read_only' } }]);
  });

  test('has when it was last used, without a version of its own', async () => {
    const member = await makeMember(admin);
    const key = await makeKey(admin, { grants: reading, member: member.id });
    await statusOf(key.key);
    await expect
      .poll(async () => (await read(admin, key)).properties, { timeout: 5_000 })
      .toHaveProperty('svc_last_used_at');
    expect((await read(admin, member)).properties).toHaveProperty('svc_last_seen_at');
    expect((await read(admin, key)).version).toBe('1');
    expect((await read(admin, member)).version).toBe('1');
  });
});

test('every change of a key is in the audit, with who did it and without values', async () => {
  const own = await administeredOrg(service);
  const key = await makeKey(own.admin, { grants: reading });
  await own.admin.patch(pathOfRecord(key), { properties: { svc_name: 'Zanzibar', svc_grants: ['svc_deal:read'] } });
  await own.admin.patch(pathOfRecord(key), { properties: { svc_rotation: 'now' } });
  await own.admin.delete(pathOfRecord(key));
  const entries = (await auditOf(own.admin)).slice(-4);
  expect(entries.map(({ properties }) => properties['svc_action'])).toEqual([
    'access_key.created',
    'access_key.changed',
    'access_key.rotated',
    'access_key.revoked',
  ]);
  const me = (await own.admin.get('/self/')).body.data;
  for (const { properties } of entries) {
    expect(properties).toMatchObject({
      svc_principal_id: me.principal_id,
      svc_credential_id: me.credential.id,
      svc_object_type: 'svc_access_key',
      svc_record_id: key.id,
      svc_address: expect.stringMatching(/127\.0\.0\.1|::1/),
      svc_request_id: expect.any(String),
      svc_at: expect.any(String),
    });
  }
  expect(entries[1]?.properties['svc_detail']).toBe('svc_name, svc_grants');
  expect(JSON.stringify(entries)).not.toContain('Zanzibar');
});

test('a write that is refused, and one that changes nothing, leave no entry in the audit', async () => {
  const own = await administeredOrg(service);
  const key = await makeKey(own.admin, { grants: reading });
  const before = await actionsOf(own.admin);
  await own.admin.post(keys, keyBody({ grants: ['nothing'] }));
  await own.admin.patch(pathOfRecord(key), { properties: { svc_grants: reading } });
  await own.admin.post(keys, keyBody({ grants: reading }), { 'svc-dry-run': 'true' });
  expect(await actionsOf(own.admin)).toEqual(before);
});

test('the types are not there for a key whose grants do not name them', async () => {
  const client = await service.newClient();
  const names = ((await client.get('/objects/')).body.data as readonly { name: string; category: string }[]).filter(
    ({ category }) => category === 'platform',
  );
  expect(names).toEqual([]);
  for (const type of ['svc_object_type', 'svc_member', 'svc_role', 'svc_access_key', 'svc_view', 'svc_audit_entry']) {
    await expectProblem(await client.get(recordsPath(type)), 'not_found', 'object_type_unknown');
  }
  const listed = (await admin.get('/objects/')).body.data as readonly { name: string; category: string }[];
  expect(listed.filter(({ category }) => category === 'platform').map(({ name }) => name)).toEqual([
    'svc_object_type',
    'svc_property',
    'svc_property_option',
    'svc_association_type',
    'svc_member',
    'svc_role',
    'svc_access_key',
    'svc_view',
    'svc_audit_entry',
    'svc_job',
  ]);
});

test('to a credential of reach user, keys and entries of the audit are those of its own member only', async () => {
  const own = await administeredOrg(service);
  const [ada, bob] = [await makeMember(own.admin), await makeMember(own.admin)];
  const everything = ['svc_member,svc_audit_entry:read', 'svc_access_key:create,delete,associate', ...reading];
  const key = await makeKey(own.admin, { grants: everything, reach: 'user', member: ada.id });
  await makeKey(own.admin, { grants: reading, member: bob.id });
  await makeKey(own.admin, { grants: reading });
  const client = service.client(key.key);
  const seen = (await client.get(keys)).body.data as readonly RecordData[];
  expect(seen.map(({ id }) => id)).toEqual([key.id]);
  expect(await auditOf(client)).toEqual([]);
  const made = await makeKey(client, { grants: reading, reach: 'user', member: ada.id });
  expect((await auditOf(client)).map(({ properties }) => properties['svc_record_id'])).toEqual([made.id]);
  const forBob = await client.post(keys, keyBody({ grants: reading, reach: 'user', member: bob.id }));
  await expectProblem(forBob, 'forbidden', 'grant_exceeds_caller');
  const forNobody = await client.post(keys, keyBody({ grants: reading, reach: 'org' }));
  await expectProblem(forNobody, 'forbidden', 'grant_exceeds_caller');
});
