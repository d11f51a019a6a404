// A whole org goes into a folder and comes back into an empty org as the same records: ids, versions, times, values, links both
// ways, stages, schema, members and trash, by the API, by the rows behind it, and by the files of a second export.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { snapshotOf } from '../support/migrate/snapshot.ts';
import { adminOf, makeWholeOrg, type WholeOrg } from '../support/migrate/world.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: string;
let source: WholeOrg;
let orgId: number;
let copy: Client;
let cursor: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'orrery-folder-'));
  source = await makeWholeOrg(service, new Random(seedFrom('FOLDER_SEED')));
  orgId = await service.createOrg();
  copy = await adminOf(service, orgId);
  const { body } = await copy.get('/changes/?cursor=latest');
  cursor = body.pagination?.next_cursor ?? '';
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function run(name: string, argument: string, options: Readonly<Record<string, unknown>>) {
  return runCommand(service.databaseUrl, name, argument, options);
}

async function filesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return new Map(
    await Promise.all(
      files.toSorted().map(async (file) => [file.slice(path.length + 1), await readFile(file, 'utf8')] as const),
    ),
  );
}

test('a dry run checks the folder and leaves the org as it was', async () => {
  const exported = await run('export', '', { org: String(source.orgId), all: join(folder, 'first') });
  expect(exported.failure).toBeUndefined();
  const before = await snapshotOf(copy);
  const { failure, value } = await run('migrate', join(folder, 'first'), {
    org: String(orgId),
    from: 'folder',
    dryRun: true,
  });
  expect(failure).toBeUndefined();
  expect(value).toMatchObject({ job_id: null, dry_run: true });
  expect(await snapshotOf(copy)).toEqual(before);
});

test('the org comes back into an empty one as the same, beside the one that it was', async () => {
  const { failure, value } = await run('migrate', join(folder, 'first'), { org: String(orgId), from: 'folder' });
  expect(failure).toBeUndefined();
  expect(value).toMatchObject({ org_id: orgId, dry_run: false });
  // The service has the new schema within a second.
  await expect.poll(async () => (await copy.get('/objects/specimen/')).status, { timeout: 5_000 }).toBe(200);
  expect(await snapshotOf(copy)).toEqual(await snapshotOf(source.client));
  expect(await findingsIn(service.database, source.orgId)).toEqual([]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('an export of the copy has the same files, and only their owner can read them', async () => {
  await run('export', '', { org: String(orgId), all: join(folder, 'second') });
  const [first, second] = [await filesIn(join(folder, 'first')), await filesIn(join(folder, 'second'))];
  expect([...second.keys()]).toEqual([...first.keys()]);
  for (const [name, text] of first) if (name !== 'manifest.json') expect(second.get(name), name).toBe(text);
  const without = (text = '') => ({ ...JSON.parse(text), exported_at: '', org: { ...JSON.parse(text).org, id: 0 } });
  expect(without(second.get('manifest.json'))).toEqual(without(first.get('manifest.json')));
  for (const name of first.keys()) expect((await stat(join(folder, 'first', name))).mode & 0o777, name).toBe(0o600);
  expect((await stat(join(folder, 'first', 'records'))).mode & 0o777).toBe(0o700);
  expect([...first.keys()].filter((name) => /access_key|audit|job/.test(name))).toEqual([]);
});

test('search, sorted queries and aggregations find the same in the copy', async () => {
  const query = '/objects/svc_contact/records/query/';
  const requests: readonly (readonly [string, object])[] = [
    [query, { search: 'angstrom' }],
    [query, { sort: [{ property: 'svc_last_activity_at', direction: 'desc' }] }],
    [query, { filter: { property: 'svc_email', operator: 'eq', value: 'p4@a.example' } }],
    [
      '/objects/svc_deal/records/aggregate/',
      {
        group_by: [{ association: 'svc_deal_to_company' }],
        aggregations: [{ function: 'sum', property: 'svc_amount' }],
      },
    ],
    [
      '/objects/specimen/records/aggregate/',
      { group_by: [{ property: 'select_one' }], aggregations: [{ function: 'count' }] },
    ],
  ];
  for (const [path, body] of requests) {
    const [there, here] = [await source.client.post(path, body), await copy.post(path, body)];
    expect(here.body.data, path).toEqual(there.body.data);
    expect(here.body.data, path).not.toEqual([]);
  }
});

test('a copy of the org must be loaded again, and then follows', async () => {
  const expired = async () => {
    const old = await copy.get(`/changes/?cursor=${encodeURIComponent(cursor)}`);
    return old.status === 410 && old.body.reason === 'cursor_expired';
  };
  await until(expired);
  // The feed begins once every transaction that is older than the org's has ended, those of other orgs too.
  let tries = 0;
  await until(async () => {
    const page = await copy.get('/objects/svc_company/records/?limit=1');
    const from = encodeURIComponent(page.body.pagination?.changes_cursor ?? '');
    const [company] = page.body.data;
    const path = `/objects/svc_company/records/${company.id}/`;
    expect((await copy.patch(path, { properties: { svc_name: `Renamed ${++tries}` } })).status).toBe(200);
    const { status, body } = await copy.get(`/changes/?cursor=${from}&object_type=svc_company`);
    if (status !== 200) return false;
    expect(body.data).toMatchObject([{ type: 'record.updated', record_id: company.id }]);
    return true;
  });
});

test('what was in the trash comes back with its values and links', async () => {
  const operations = source.trashed.map(({ object_type, id }) => ({ operation: 'restore', object_type, id }));
  const [there, here] = [
    await source.client.post('/batch/', { operations }),
    await copy.post('/batch/', { operations }),
  ];
  expect([there.status, here.status], here.text).toEqual([200, 200]);
  const undated = (lines: readonly string[]) =>
    lines
      .filter((line) => !line.includes('Renamed') && !line.includes('Company 0'))
      .map((line) => line.replace(/\d{4}-\d\d-\d\dT[^" ]*/g, ''));
  expect(undated(await snapshotOf(copy))).toEqual(undated(await snapshotOf(source.client)));
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  const [left] = await service.database.query<{ n: number }>(sql`
    select count(*)::int as n from orrery.merged where org_id = ${orgId}`);
  expect(left?.n).toBe(1);
});
