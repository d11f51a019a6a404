// Which long values are kept for the feed and for repeated requests: those that an entry or an answer needs, whatever the
// property is named. A value that is missing all the same is left out and reported, not replaced by another one.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { purgeSelected } from '../../src/store/records/trash.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { waitingForLocks } from '../support/records/held-rows.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const long = 'x'.repeat(5_000);
let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

async function formerValues({ id }: RecordData): Promise<readonly string[]> {
  const rows = await service.database.query<{ property: string }>(sql`
    select property from orrery.former_value where org_id = ${orgId} and record_id = ${id} order by property, version`);
  return rows.map(({ property }) => property);
}

/** Makes everything that the org has done old, but not old enough to be purged. */
async function passDays(): Promise<void> {
  await service.database.query(sql`update orrery.change set at = at - interval '5 days' where org_id = ${orgId}`);
}

test('a property may be named null', async () => {
  await service.applySchema(orgId, {
    properties: { svc_company: [{ name: 'null', label: 'Nothing', field_type: 'long_text' }] },
  });
  const since = await endOfFeed(client);
  await make(client, 'svc_company', { null: long });
  const folder = await ImportFolder.make();
  const end = await folder.run(service, orgId, 'svc_company', `Name,null\nImported,${long}\n`);
  await folder.remove();
  expect(end.result?.created).toBe(1);
  const entries = await changesSince(client, since);
  expect(entries.map(({ changed }) => changed?.['null'])).toEqual([{ new: long }, { new: long }]);
});

test('of a purged record only the long values stay that an entry reports', async () => {
  const record = await make(client, 'svc_company', { svc_name: 'Acme', svc_description: long });
  await service.database.query(sql`delete from orrery.change where org_id = ${orgId}`);
  await client.patch(pathOfRecord(record), { properties: { svc_name: 'Other' } });
  await client.delete(pathOfRecord(record));
  await passDays();
  await runCommand(service.databaseUrl, 'trash purge', record.id, { org: String(orgId) });
  expect(await formerValues(record)).toEqual([]);

  const reported = await make(client, 'svc_company', { svc_name: 'Acme', svc_description: long });
  await client.delete(pathOfRecord(reported));
  await passDays();
  await runCommand(service.databaseUrl, 'trash purge', reported.id, { org: String(orgId) });
  expect(await formerValues(reported)).toEqual(['svc_description']);
});

test('a purge of the trash beside housekeeping leaves no value behind that nobody reports', async () => {
  const record = await make(client, 'svc_company', { svc_description: long });
  await client.delete(pathOfRecord(record));
  const [found] = await service.database.query<{ typeId: number }>(sql`
    select type_id as "typeId" from orrery.trash where org_id = ${orgId} and id = ${record.id}`);
  let letCommit = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    letCommit = resolve;
  });
  let purged = false;
  const purging = service.database.transaction(async (transaction) => {
    await purgeSelected(transaction, orgId, { typeIds: [found?.typeId ?? 0], id: record.id });
    purged = true;
    await mayCommit;
  });
  await until(async () => purged);
  let kept = false;
  const keeping = keepHouse(service.database, { trashSeconds: 1_000_000, changesSeconds: 0 }).finally(() => {
    kept = true;
  });
  await until(async () => kept || (await waitingForLocks(service.databaseUrl)).length > 0);
  letCommit();
  await Promise.all([purging, keeping]);
  await keepHouse(service.database, { trashSeconds: 1_000_000, changesSeconds: 0 });
  expect(await formerValues(record)).toEqual([]);
});

test('a value that is missing is left out of entries and repeated answers, and reported', async () => {
  const body = { properties: { svc_name: 'Acme', svc_description: long } };
  const created = await client.post(recordsPath('svc_company'), body, { 'idempotency-key': 'missing' });
  const record: RecordData = created.body.data;
  await client.patch(pathOfRecord(record), { properties: { svc_description: 'short' } });
  await service.database.query(sql`delete from orrery.former_value where org_id = ${orgId}`);
  const before = service.logLines.length;
  const entries = await changesSince(client, 'earliest', { record_id: record.id });
  expect(entries.map(({ changed }) => changed?.['svc_description'])).toEqual([{}, { new: 'short' }]);
  const again = await client.post(recordsPath('svc_company'), body, { 'idempotency-key': 'missing' });
  expect(again.headers.get('svc-idempotent-replay')).toBe('true');
  expect(again.body.data.properties).toMatchObject({ svc_name: 'Acme' });
  expect(again.body.data.properties).not.toHaveProperty('svc_description');
  const reported = service.logLines.slice(before).filter((line) => line.includes('has no stored value'));
  expect(reported).toHaveLength(3);
  expect(reported.join()).toContain(`Record ${record.id} has no stored value of svc_description for version 1.`);
});
