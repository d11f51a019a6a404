// Administration under stress (platform 1 and 3): changes that race over two processes, and a service that is killed in the
// middle of them. What was answered holds on every process; keys, secrets and the audit agree.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { sql } from '../../src/base/sql.ts';
import { startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { withinASecond } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { type AdministeredOrg, administeredOrg, keyBody, makeKey } from '../support/platform/administrator.ts';
import { pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let first: TestService;
let second: TestService;
beforeAll(async () => {
  first = await startService();
  second = await startService({ databaseUrl: first.databaseUrl });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

/** Refused keys are noted in the background; a comparison of tables must not meet that in the middle. */
const untilNotesAreWritten = () => sleep(1_500);

/** Every live key has a secret, every key that is gone is closed, and each is in the audit as often as it was changed. */
async function disagreements(orgId: number): Promise<readonly unknown[]> {
  return first.database.query(sql`
    select k.id, k.place, s.n as secrets, c.n as closings, e.created, e.revoked from (
      select r.id, r.properties ->> 'svc_key_id' as key_id, 'live' as place from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = 36
      union all
      select t.id, t.properties ->> 'svc_key_id', 'trash' from orrery.trash as t
      where t.org_id = ${orgId} and t.type_id = 36) as k
    cross join lateral (select count(*) as n from orrery.secret as s
      where s.org_id = ${orgId} and s.record_id = k.id) as s
    cross join lateral (select count(*) as n from orrery.closed_key as c
      where c.org_id = ${orgId} and c.credential_id = k.key_id and c.digest = '') as c
    cross join lateral (
      select count(*) filter (where a.properties ->> 'svc_action' = 'access_key.created') as created,
        count(*) filter (where a.properties ->> 'svc_action' = 'access_key.revoked') as revoked
      from orrery.record as a
      where a.org_id = ${orgId} and a.type_id = 38 and a.properties ->> 'svc_record_id' = k.id::text) as e
    where s.n <> 1 or e.created <> 1 or c.n <> (k.place = 'trash')::integer or e.revoked <> (k.place = 'trash')::integer`);
}

test('60 changes that race over two processes hold on both within a second', async () => {
  const { orgId, admin } = await administeredOrg(first);
  const admins = [admin, second.client(admin.key)];
  const doomed: (RecordData & { readonly key: string })[] = [];
  for (let count = 0; count < 20; count++) doomed.push(await makeKey(admin, { grants: ['svc_contact:read'] }));
  const made: string[] = [];
  const changed: string[] = [];
  const by = (index: number) => admins[index % 2] as Client;
  await Promise.all([
    ...doomed.slice(0, 10).map(async (key, index) => {
      // Both processes try to revoke it; one of them finds it gone.
      const answers = await Promise.all([by(0), by(1)].map((client) => client.delete(pathOfRecord(key))));
      expect(new Set(answers.map(({ status }) => status)), `${index}`).toEqual(new Set([200, 404]));
    }),
    ...doomed.slice(10).map(async (key, index) => {
      const properties = { svc_grants: ['svc_deal:read,create'] };
      expect((await by(index).patch(pathOfRecord(key), { properties })).status).toBe(200);
      changed.push(key.key);
    }),
    ...Array.from({ length: 40 }, async (_, index) => {
      const answer = await by(index).post(recordsPath('svc_access_key'), keyBody({ grants: ['svc_deal:read'] }));
      expect(answer.status, answer.text).toBe(201);
      made.push(String(answer.body.data.properties['svc_key']));
    }),
  ]);
  for (const service of [first, second]) {
    for (const key of made) expect((await service.client(key).get('/self/')).status).toBe(200);
    for (const { key } of doomed.slice(0, 10)) {
      const refused = await withinASecond(
        () => service.client(key).get('/self/'),
        ({ status }) => status === 401,
      );
      expect(refused.body.reason).toBe('key_revoked');
    }
    for (const key of changed) {
      const self = await withinASecond(
        () => service.client(key).get('/self/'),
        ({ body }) => body.data.grants[0].object_types[0] === 'svc_deal',
      );
      expect(self.body.data.grants).toEqual([{ object_types: ['svc_deal'], operations: ['read', 'create'] }]);
    }
  }
  await untilNotesAreWritten();
  expect(await disagreements(orgId)).toEqual([]);
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});

test('a service that is killed in the middle of changes leaves none of them half done', async () => {
  const org = await administeredOrg(first);
  for (const afterMs of [150, 490]) await killAmidChanges(org, afterMs);
  await untilNotesAreWritten();
  expect(await disagreements(org.orgId)).toEqual([]);
  expect(await findingsIn(first.database, org.orgId)).toEqual([]);
});

async function killAmidChanges({ admin }: AdministeredOrg, afterMs: number): Promise<void> {
  const service = await startServe(['--database-url', first.databaseUrl]);
  const client = new Client(service.url, admin.key);
  const answered: { readonly key: string; readonly revoked: boolean }[] = [];
  let over = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!over) {
      const made = await client.raw('POST', `/rest/v1${recordsPath('svc_access_key')}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(keyBody({ grants: ['svc_deal:read'] })),
      });
      const key = String(made.body?.data?.properties?.svc_key);
      if (made.status !== 201) continue;
      answered.push({ key, revoked: false });
      const record = made.body?.data as RecordData;
      const gone = await client.raw('DELETE', `/rest/v1${pathOfRecord(record)}`);
      if (gone.status === 200) answered.push({ key, revoked: true });
    }
  }).map((writer) => writer.catch(() => undefined));
  await sleep(afterMs);
  await service.stop('SIGKILL');
  over = true;
  await Promise.all(writers);
  for (const { key, revoked } of answered) {
    const { status, body } = await first.client(key).get('/self/');
    // A key that was answered exists; that it was revoked may have been lost with the answer.
    expect(revoked ? ['key_revoked'] : [200, 'key_revoked']).toContain(body.reason ?? status);
  }
}
