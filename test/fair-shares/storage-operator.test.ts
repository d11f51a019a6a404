// Storage as the operator sees it: quotas on the command line, what orgs store in lists, doctor and metrics, and imports
// that stop at a full org and continue when it has room.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Sql, sql } from '../../src/base/sql.ts';
import { checkOpenDatabase } from '../../src/cli/doctor/check-database.ts';
import { readConfig } from '../../src/config.ts';
import { changeOrg } from '../../src/engine/admin/orgs.ts';
import { openEngine } from '../../src/engine/process/engine.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import type { Database } from '../../src/store/database.ts';
import { countStorage } from '../../src/store/org/count-storage.ts';
import { findStorage } from '../../src/store/org/storage.ts';
import { type CommandEnd, runCommand } from '../support/command.ts';
import { until, withinASecond } from '../support/eventually.ts';
import { fillOrg, newStoringOrg, note, storedBytes, storeSumsSoon } from '../support/fair-shares/storage.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { waitingForLocks } from '../support/records/held-rows.ts';
import { contacts, make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
const reset = storeSumsSoon();
let folder: ImportFolder;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
  reset();
});

function run(name: string, argument: string, options: Readonly<Record<string, unknown>> = {}): Promise<CommandEnd> {
  return runCommand(service.databaseUrl, name, argument, options);
}

async function listed(orgId: number): Promise<Record<string, unknown> | undefined> {
  const { value } = await run('org list', '');
  return (value as Record<string, unknown>[]).find((org) => org['org_id'] === orgId);
}

test.each([
  ['500MB', 500_000_000],
  ['10GB', 10_000_000_000],
  ['1.5tb', 1_500_000_000_000],
  ['64kB', 64_000],
  ['1048576', 1_048_576],
  ['8.2TB', 8_200_000_000_000],
  ['64.1MB', 64_100_000],
  ['1.005GB', 1_005_000_000],
])('an org is created with a quota of %s', async (size, bytes) => {
  const { value, failure } = await run('org create', 'Small', { storageQuota: size });
  expect(failure).toBeUndefined();
  const { org_id: orgId, ...rest } = value as { org_id: number };
  expect(rest).toEqual({ name: 'Small' });
  expect(await listed(orgId)).toMatchObject({ storage: { bytes: expect.any(Number), quota: bytes } });
});

test.each(['10', '0', '-1', '10 GB', '10GiB', '1.5', 'much', '', '99999TB'])(
  'a quota of %j is a number of bytes or refused with an example',
  async (size) => {
    const orgId = await service.createOrg();
    const { failure } = await run('org update', String(orgId), { storageQuota: size });
    if (size === '10') expect(failure).toBeUndefined();
    else {
      expect(failure).toMatchObject({ kind: 'usage', message: expect.stringContaining(JSON.stringify(size)) });
      expect(failure?.fix).toContain('10GB');
    }
  },
);

test('an update changes what it names, within a second, and nothing else', async () => {
  const { orgId, client } = await newStoringOrg(service);
  const before = await listed(orgId);
  expect(before).toMatchObject({ storage: { quota: null } });
  const renamed = await run('org update', String(orgId), { name: 'New name', rateLimit: '500/10' });
  // Meanwhile the use of the key may have been noted, which takes a few bytes.
  expect(renamed.value).toEqual({
    ...before,
    name: 'New name',
    rate_limit: { quota: 500, window_seconds: 10 },
    storage: { quota: null, bytes: expect.any(Number) },
  });
  const bounded = await run('org update', String(orgId), { storageQuota: '2GB' });
  expect(bounded.value).toMatchObject({ name: 'New name', rate_limit: { quota: 500 }, storage: { quota: 2e9 } });
  expect(bounded.text).toMatch(/STORED +QUOTA.*\n.* 2 GB /);
  const self = await withinASecond(
    () => client.get('/self/'),
    ({ body }) => body.data.limits.rate_limit.quota === 500,
  );
  expect(self.body.data.limits.rate_limit).toEqual({ quota: 500, window_seconds: 10 });
  const free = await run('org update', String(orgId), { storageQuota: 'none' });
  expect(free.value).toMatchObject({ storage: { quota: null } });
});

test.each([
  ['1', {}, 'There is nothing to change.'],
  ['one', { name: 'x' }, 'must be the number of an org; got "one"'],
  ['99999', { name: 'x' }, 'There is no org 99999.'],
  ['1', { rateLimit: 'fast' }, '--rate-limit must be'],
])('org update %s %j is refused', async (argument, options, sentence) => {
  await service.createOrg();
  const { failure } = await run('org update', argument, options);
  expect(failure?.message).toContain(sentence);
});

test('an org that was never counted is counted when it gets a quota', async () => {
  const { orgId, client } = await newStoringOrg(service);
  await make(client, 'svc_note', note('x'.repeat(50_000)));
  const stored = await storedBytes(service, orgId);
  await service.database.script(`update orrery.storage set bytes = 0, counted_at = null where org_id = ${orgId}`);
  const { value } = await run('org update', String(orgId), { storageQuota: '1GB' });
  const { bytes } = (value as { storage: { bytes: number } }).storage;
  // The change itself is in the audit of the org.
  expect(Math.abs(bytes - stored) / stored).toBeLessThan(0.05);
});

test('an import stops at a full org without refusing a row, and continues when there is room', async () => {
  const org = await newStoringOrg(service);
  const { orgId } = org;
  // Small batches: those under way when the quota is reached are written.
  onTestFinished(lowerBounds({ engine: { importedAtOnce: 100 } }));
  const rows = Array.from({ length: 2_000 }, (_, n) => `Company ${n},${'z'.repeat(900)}`);
  const path = await folder.write(['Name,Description', ...rows, ''].join('\n'));
  const quota = (await storedBytes(service, orgId)) + 1_000_000;
  await run('org update', String(orgId), { storageQuota: String(quota) });
  const stopped = await folder.runFile(service.databaseUrl, orgId, 'svc_company', path);
  expect(stopped.failure?.kind).toBe('storage_quota');
  expect(stopped.failure?.message).toMatch(/its quota is [0-9,]+ bytes\..* Finished so far: [0-9,]+ rows\.$/);
  expect(stopped.failure?.fix).toContain('run the same command');
  const again = await folder.runFile(service.databaseUrl, orgId, 'svc_company', path);
  expect(again.failure?.kind).toBe('storage_quota');
  await run('org update', String(orgId), { storageQuota: '1GB' });
  const end = await folder.runFile(service.databaseUrl, orgId, 'svc_company', path);
  expect(end.failure).toBeUndefined();
  expect(end.result).toMatchObject({ rows: 2_000, created: 2_000, refused: 0, resumed_at: expect.any(Number) });
});

test('ingest and a restore by the operator are refused by a full org', async () => {
  const org = await newStoringOrg(service);
  const deleted = await make(org.client, 'svc_note', note('gone'));
  await org.client.delete(pathOfRecord(deleted));
  await fillOrg(service, org);
  const line = { external_id: 'm1', properties: { svc_subject: 'Meeting' } };
  await expect(ingest(service.database, org.orgId, 'svc_meeting', [line])).rejects.toMatchObject({
    reason: 'storage_quota',
  });
  const { failure } = await run('trash restore', deleted.id, { org: String(org.orgId) });
  expect(failure).toMatchObject({ kind: 'storage_quota', message: expect.stringContaining('its quota is') });
  const purged = await run('trash purge', deleted.id, { org: String(org.orgId) });
  expect(purged.failure).toBeUndefined();
});

test('doctor lists what the largest orgs store, and names those that are nearly full', async () => {
  const org = await newStoringOrg(service);
  await make(org.client, 'svc_note', note('x'.repeat(60_000)));
  await fillOrg(service, org);
  const config = readConfig({ databaseUrl: service.databaseUrl }, {});
  const { findings, storage } = await checkOpenDatabase(config, service.database);
  const found = findings.find(({ check }) => check === 'storage');
  expect(found).toMatchObject({ ok: true, fix: expect.stringContaining('orrery org update') });
  expect(found?.detail).toMatch(new RegExp(`Nearly full: .*org ${org.orgId} [0-9.]+ kB of [0-9.]+ kB \\(100 %\\)`));
  expect(storage.length).toBeLessThanOrEqual(10);
  expect(storage).toContainEqual(expect.objectContaining({ orgId: org.orgId }));
});

test('the metrics show what the fullest orgs store and may store', async () => {
  const [free, bounded] = [await newStoringOrg(service), await newStoringOrg(service)];
  await run('org update', String(bounded.orgId), { storageQuota: '3GB' });
  const bytes = await storedBytes(service, bounded.orgId);
  // A new process has no numbers from before.
  const engine = openEngine(service.database, () => {});
  try {
    const { text } = await createMetrics({ ...engine, release: '0.0.0-test' }).print();
    expect(text).toContain(`orrery_org_storage_bytes{org="${bounded.orgId}"} ${bytes}\n`);
    expect(text).toContain(`orrery_org_storage_bytes{org="${free.orgId}"} `);
    expect(text).toContain(`orrery_org_storage_quota_bytes{org="${bounded.orgId}"} 3000000000\n`);
    expect(text).not.toContain(`orrery_org_storage_quota_bytes{org="${free.orgId}"}`);
  } finally {
    await engine.close();
  }
  expect((await service.client(free.client.key).get(contacts)).status).toBe(200);
});

test('a quota that is set while the org is being counted waits for that count, and then counts itself', async () => {
  const orgId = await service.createOrg();
  const { database } = service;
  await database.query(sql`update orrery.storage set counted_at = null where org_id = ${orgId}`);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isCounting = false;
  // The first count ends in the middle, as that of a process that is stopped.
  const stopped: Database = {
    ...database,
    connect: async () => {
      const connection = await database.connect();
      return {
        ...connection,
        query: async <Row extends object>(statement: Sql) => {
          if (!statement.text.includes('from orrery.record ')) return connection.query<Row>(statement);
          isCounting = true;
          await ended;
          throw new Error('stopped');
        },
      };
    },
  };
  const counting = expect(countStorage(stopped, orgId)).rejects.toThrow('stopped');
  await until(async () => isCounting);
  let isChanged = false;
  const changing = changeOrg(database, orgId, { storageQuota: 1_000_000_000 }).finally(() => {
    isChanged = true;
  });
  await until(async () => isChanged || (await waitingForLocks(service.databaseUrl)).length > 0);
  end();
  await Promise.all([counting, changing]);
  expect((await findStorage(database, orgId))?.isCounted).toBe(true);
});
