// orrery revert, as an operator runs it: imports and requests of any size, in steps, after a kill, and as a dry run.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { item, runBatch } from '../support/batch.ts';
import { createFolder, ended, spawnOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { type CommandEnd, runCommand } from '../support/command.ts';
import { holdRow } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { requestOf, sendRevert, toldBy } from '../support/undo/revert.ts';

let service: TestService;
let folder: string;
let orgId: number;
let org: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await createFolder();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});
let resetBounds = () => {};
afterEach(async () => {
  resetBounds();
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

async function newOrg(): Promise<void> {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 3_600 });
  org = String(orgId);
  const { adminGrant, fullGrant } = await import('../../src/access/grant.ts');
  client = service.client((await service.createKey(orgId, { grants: [fullGrant, adminGrant] })).key);
}

async function command(name: string, argument: string, options: object): Promise<CommandEnd> {
  const end = await runCommand(service.databaseUrl, name, argument, { org, ...options });
  if (end.failure !== undefined) throw end.failure;
  return end;
}

interface Reverted {
  readonly job_id: string;
  readonly dry_run: boolean;
  readonly reverted: readonly { readonly id: string }[];
  readonly counts: { readonly reverted: number; readonly kept: number; readonly refused: number };
}

async function revert(options: object): Promise<Reverted> {
  return (await command('revert', '', options)).value as Reverted;
}

let files = 0;
async function importRows(rows: readonly string[], options: object = {}): Promise<string> {
  const path = join(folder, `file-${++files}.csv`);
  await writeFile(path, ['Email,First name', ...rows].join('\n'));
  const { value } = await command('import', path, { type: 'svc_contact', ...options });
  return (value as { job_id: string }).job_id;
}

const rowsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `p${index}@${org}.example,${name}`);

async function countOf(table: 'record' | 'trash'): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    table === 'record'
      ? sql`select count(*)::int as n from orrery.record where org_id = ${orgId} and type_id = 1`
      : sql`select count(*)::int as n from orrery.trash where org_id = ${orgId} and type_id = 1`,
  );
  return row?.n ?? -1;
}

test('an import that created and updated records is taken back in steps, and what somebody changed stays', async () => {
  await newOrg();
  resetBounds = lowerBounds({ engine: { revertsPlannedAtOnce: 40 } });
  await importRows(rowsOf(60, 'First'));
  const job = await importRows(rowsOf(200, 'Second'), { match: 'svc_email' });
  const named = async (name: string) => {
    const filter = { property: 'svc_first_name', operator: 'eq', value: name };
    return (await client.post(`${recordsPath('svc_contact')}query/`, { filter, limit: 500 })).body.data as RecordData[];
  };
  const [touched, other] = await named('Second');
  await client.patch(pathOfRecord(touched as RecordData), { properties: { svc_first_name: 'Third' } });
  await client.patch(pathOfRecord(other as RecordData), { properties: { svc_last_name: 'Else' } });
  const wanted = { reverted: 0, kept: 0, refused: 0 };
  wanted.kept = 1;
  wanted.reverted = 199;
  const dry = await revert({ job, dryRun: true });
  expect([dry.dry_run, dry.counts]).toEqual([true, wanted]);
  expect([await countOf('record'), await countOf('trash')]).toEqual([200, 0]);

  const done = await revert({ job });
  expect([done.dry_run, done.counts, done.reverted.length]).toEqual([false, wanted, 199]);
  // The first of the updated ones was changed since; the 140 new ones are in the trash.
  expect([(await named('First')).length, (await named('Second')).length, (await named('Third')).length]).toEqual([
    59, 0, 1,
  ]);
  expect(await countOf('trash')).toBe(140);
  const record = await read(client, { object_type: 'svc_job', id: done.job_id });
  expect(record.properties).toMatchObject({ svc_kind: 'revert', svc_state: 'done', svc_done: '199', svc_failed: '0' });
  const audit = await client.get(`${recordsPath('svc_audit_entry')}?limit=200`);
  const noted = (audit.body.data as RecordData[]).filter(
    ({ properties }) => properties['svc_action'] === 'request.reverted',
  );
  expect(noted.map(({ properties }) => properties['svc_detail'])).toEqual([`job ${job}`]);

  // A revert can be taken back, by the id of its own job, also with a key.
  expect(toldBy(await sendRevert(client, { job_id: done.job_id })).reverted).toHaveLength(199);
  expect([await countOf('record'), await countOf('trash')]).toEqual([200, 0]);
});

test('a merge of very many links is taken back: records come back before the links to them', async () => {
  await newOrg();
  const [kept, duplicate] = [
    await make(client, 'svc_company'),
    await make(client, 'svc_company', { svc_name: 'Twin' }),
  ];
  const link = [{ association_type: 'svc_contact_to_company', target_id: duplicate.id }];
  await runBatch(
    client,
    Array.from({ length: 50 }, () => item('create', 'svc_contact', { properties: {}, associations: link })),
  );
  const merged = await runBatch(client, [item('merge', 'svc_company', { id: kept.id, duplicate_id: duplicate.id })]);
  resetBounds = lowerBounds({ engine: { revertsPlannedAtOnce: 7 } });
  const request = requestOf(merged);
  const counts = { reverted: 52, kept: 0, refused: 0 };
  expect((await revert({ request, dryRun: true })).counts).toEqual(counts);
  expect((await revert({ request })).counts).toEqual(counts);
  const linked = await client.get(`${pathOfRecord(duplicate)}associations/svc_contact_to_company/?limit=100`);
  expect(linked.body.data).toHaveLength(50);
  expect((await read(client, duplicate)).properties['svc_name']).toBe('Twin');
  expect((await read(client, kept)).properties['svc_name']).toBeUndefined();
});

test('a revert that is killed goes on where it stopped, as the same job', { timeout: 120_000 }, async () => {
  await newOrg();
  const job = await importRows(rowsOf(1_500, 'Killed'));
  const [first] = (await client.get(`${recordsPath('svc_contact')}?limit=1`)).body.data as RecordData[];
  // The first record of the file is taken back last, and somebody else holds it.
  const release = await holdRow(
    service.databaseUrl,
    `update orrery.record set version = version where org_id = ${orgId} and id = '${first?.id}'`,
  );
  const child = spawnOrrery(['revert', '--org', org, '--job', job, '--json', '--database-url', service.databaseUrl]);
  const end = ended(child);
  const progress = async () => {
    const [row] = await service.database.query<{ reverted: number; job: string }>(
      sql`select reverted, job_id as job from orrery.revert where org_id = ${orgId}`,
    );
    return row;
  };
  await expect
    .poll(async () => (await progress())?.reverted ?? 0, { timeout: 30_000, interval: 20 })
    .toBeGreaterThan(0);
  child.kill('SIGKILL');
  expect((await end).status).toBeNull();
  await release();
  const before = await progress();
  expect(before?.reverted).toBeLessThan(1_500);
  const done = await revert({ job });
  expect([done.job_id, done.counts]).toEqual([before?.job, { reverted: 1_500, kept: 0, refused: 0 }]);
  expect([await countOf('record'), await countOf('trash')]).toEqual([0, 1_500]);
  const [entries] = await service.database.query<{ n: number }>(sql`
    select count(*)::int as n from orrery.change where org_id = ${orgId} and request_id = ${done.job_id} and kind = 3`);
  expect(entries?.n).toBe(1_500);
  expect(await progress()).toBeUndefined();
});

test('records that came back find the values free that others have just given up', async () => {
  await newOrg();
  const mails = Array.from({ length: 60 }, (_, index) => `p${index}@${org}.example`);
  const make60 = mails.map((mail) => item('create', 'svc_contact', { properties: { svc_email: [mail] } }));
  const made = await runBatch(client, make60);
  const ids: readonly string[] = made.body.data.results.map(({ id }: { id: string }) => id);
  const replaced = await runBatch(client, [
    ...ids.map((id: string) => item('delete', 'svc_contact', { id })),
    ...make60,
  ]);
  expect(replaced.status, replaced.text).toBe(200);
  resetBounds = lowerBounds({ engine: { revertsPlannedAtOnce: 20 } });
  const request = requestOf(replaced);
  const counts = { reverted: 120, kept: 0, refused: 0 };
  expect((await revert({ request, dryRun: true })).counts).toEqual(counts);
  expect((await revert({ request })).counts).toEqual(counts);
  const live = (await client.get(`${recordsPath('svc_contact')}?limit=100`)).body.data as RecordData[];
  expect(live.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('an import has the id of its job as that of its requests, and is taken back as a whole', async () => {
  await newOrg();
  const job = await importRows(rowsOf(30, 'Whole'));
  const entries = await service.database.query<{ id: string }>(sql`
    select distinct request_id as id from orrery.change where org_id = ${orgId} and type_id = 1`);
  expect(entries).toEqual([{ id: job }]);
  expect(toldBy(await sendRevert(client, { job_id: job })).reverted).toHaveLength(30);
});

test('two processes never take back the same request at once, and what is unknown is told in a sentence', async () => {
  await newOrg();
  const job = await importRows(rowsOf(20, 'Held'));
  const [first] = (await client.get(`${recordsPath('svc_contact')}?limit=1`)).body.data as RecordData[];
  const release = await holdRow(
    service.databaseUrl,
    `update orrery.record set version = version where org_id = ${orgId} and id = '${first?.id}'`,
  );
  const running = revert({ job });
  const begun = () => service.database.query(sql`select 1 as one from orrery.revert where org_id = ${orgId}`);
  await expect.poll(async () => (await begun()).length, { interval: 20 }).toBe(1);
  await expect(revert({ job })).rejects.toThrow('This job is being taken back by another process.');
  await release();
  expect((await running).counts).toEqual({ reverted: 20, kept: 0, refused: 0 });

  await expect(revert({ job: 'x' })).rejects.toMatchObject({
    kind: 'not_found',
    message: expect.stringContaining('"x"'),
  });
  await expect(revert({ request: '01890a5d-ac96-774b-bcce-b302099a8057' })).rejects.toMatchObject({
    kind: 'not_found',
  });
  await expect(revert({})).rejects.toMatchObject({ kind: 'usage' });
  await expect(revert({ job, request: job })).rejects.toMatchObject({ kind: 'usage' });
});
