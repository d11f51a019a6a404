// Real processes that are killed while twelve clients write: the service, its PostgreSQL, and both at once. What was
// acknowledged is stored, once; no batch is half stored; a copy that follows the feed is exact; and what is derived from
// the records agrees with them. `npm run soak` does the same with 50 kills.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { issueKey } from '../../src/engine/admin/keys.ts';
import { createOrg } from '../../src/engine/admin/orgs.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { type ServeProcess, startServe } from '../support/cli.ts';
import { cleanUp, isRunning, newFolder, processesNaming } from '../support/embedded/harness.ts';
import { type FeedEntry, linkText } from '../support/feed/copy.ts';
import { Random } from '../support/random.ts';
import { compareOwned, compareWrites } from '../support/records/kept-writes.ts';
import { runKills } from '../support/records/kill-run.ts';
import { KillableHost, type Victim } from '../support/records/killable-host.ts';
import { createOf, type Write, worksAt } from '../support/records/marked-writes.ts';

let dataDir: string;
const orgs: { readonly orgId: number; readonly key: string }[] = [];
beforeAll(async () => {
  dataDir = join(newFolder(), 'data');
  const database = await openMigrated({ engine: 'embedded', dataDir });
  const policy = { rateQuota: 1_000_000, rateWindowSeconds: 60, storageQuota: null };
  for (let count = 0; count < 3; count++) {
    const orgId = await createOrg(database, { name: 'Crash', currency: 'USD', ...policy });
    const issued = { orgId, name: 'crash', userId: null, reach: 'org', grants: [fullGrant], expiresAt: null } as const;
    orgs.push({ orgId, key: (await issueKey(database, issued)).key });
  }
  await database.close();
});

const started: ServeProcess[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop('SIGKILL');
});
afterAll(cleanUp);

async function serve(): Promise<ServeProcess> {
  const service = await startServe(['--data-dir', dataDir]);
  started.push(service);
  return service;
}

/** A run in an org of its own, after which the service ends as it should. */
async function runIn(org: number, kills: readonly Victim[]) {
  const host = new KillableHost(dataDir, serve);
  const { orgId, key } = orgs[org] ?? { orgId: 0, key: '' };
  const report = await runKills({ host, orgId, key, kills, seed: 20_263 + org, writesBetween: [20, 79] });
  expect(report.findings.slice(0, 20)).toEqual([]);
  expect([report.lost, report.doubled]).toEqual([0, 0]);
  expect(report.recoveriesMs).toHaveLength(kills.length);
  expect(report.counts.acknowledged).toBeGreaterThan(100);
  return { report, host };
}

async function expectCleanEnd(host: KillableHost): Promise<void> {
  await host.stop();
  expect(started.at(-1)?.child.exitCode).toBe(0);
  await expect.poll(() => processesNaming(dataDir)).toEqual([]);
}

test('a service that is killed while clients write has lost nothing that it acknowledged', async () => {
  const { report, host } = await runIn(0, ['service', 'service']);
  expect(report.counts.unanswered).toBeGreaterThan(0);
  await expectCleanEnd(host);
});

test('a PostgreSQL that is killed while clients write is restarted automatically and has lost nothing', async () => {
  const { report, host } = await runIn(1, ['postgres', 'postgres']);
  expect(report.counts.unavailable).toBeGreaterThan(0);
  // It is the same service, and no request was left without an answer.
  const [only, ...others] = started;
  expect([others.length, isRunning(only?.pid ?? 0), report.counts.unanswered]).toEqual([0, true, 0]);
  await expectCleanEnd(host);
});

test('a service and its PostgreSQL that are killed at once have lost nothing', async () => {
  const { host } = await runIn(2, ['both', 'both']);
  await expectCleanEnd(host);
});

describe('the comparison finds', () => {
  const random = new Random(1);
  const acknowledged = (mark: string, more: Partial<Write> = {}): Write => {
    const { company: _, ...plan } = createOf(random, mark, ['c1']);
    return { ...plan, mark, state: 'acknowledged', records: [{ id: `id of ${mark}`, version: '1' }], ...more };
  };
  const entry = (mark: string, version = '1', record_id = `id of ${mark}`): FeedEntry => ({
    ...{ id: 'entry', type: 'record.created', object_type: 'svc_contact', record_id, version },
    ...{ at: '', principal_id: '', request_id: '', changed: { svc_last_name: { new: mark } } },
  });
  const found = (writes: readonly Write[], entries: readonly FeedEntry[]) => {
    const { lost, doubled, others } = compareWrites(writes, entries);
    return [lost.length, doubled.length, others.length];
  };

  test('nothing if every write is stored once', () => {
    const unknown = acknowledged('w0n2', { state: 'unknown', records: [] });
    expect(found([acknowledged('w0n1'), unknown], [entry('w0n1')])).toEqual([0, 0, 0]);
    expect(found([acknowledged('w0n1'), unknown], [entry('w0n1'), entry('w0n2')])).toEqual([0, 0, 0]);
  });

  test('a write that was acknowledged and is not stored, or in another version', () => {
    expect(found([acknowledged('w0n1')], [])).toEqual([1, 0, 0]);
    expect(found([acknowledged('w0n1')], [entry('w0n1', '2')])).toEqual([1, 0, 0]);
    expect(found([acknowledged('w0n1')], [entry('w0n1', '1', 'another')])).toEqual([1, 0, 0]);
  });

  test('a write that is stored twice, whether it was answered or not', () => {
    for (const state of ['acknowledged', 'unknown'] as const) {
      expect(found([acknowledged('w0n1', { state })], [entry('w0n1'), entry('w0n1', '1', 'another')])).toEqual([
        0, 1, 0,
      ]);
    }
  });

  test('a batch of which a half is stored, and an entry of a write that nobody has sent', () => {
    const half = acknowledged('w0n1', { state: 'unknown', records: [], entries: 5 });
    expect(found([half], [entry('w0n1')])).toEqual([0, 0, 1]);
    expect(found([], [entry('w0n1')])).toEqual([0, 0, 1]);
  });

  test('a record with another version, without its link, or with a link too many', () => {
    const own = { id: 'a', version: 2, companies: new Set(['c1']) };
    const linked = (...companies: readonly string[]) => new Set(companies.map((each) => linkText(worksAt, 'a', each)));
    expect(compareOwned([own], new Map([['a', '2']]), linked('c1'))).toEqual([]);
    expect(compareOwned([own], new Map([['a', '3']]), linked('c1'))).toHaveLength(1);
    expect(compareOwned([own], new Map(), linked('c1'))).toHaveLength(1);
    expect(compareOwned([own], new Map([['a', '2']]), linked())).toHaveLength(1);
    expect(compareOwned([own], new Map([['a', '2']]), linked('c1', 'c2'))).toHaveLength(1);
  });
});
