// Ids are in the order of creation (contract 2), over restarts and processes, whatever the clocks do.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { idTimeMs } from '../../src/base/id.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { withTimeShifted } from '../support/clocks/shifted-time.ts';
import { runCommand } from '../support/command.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { movableClock } from '../support/movable-clock.ts';
import { linkPath } from '../support/plain-requests.ts';
import { make, pathOfRecord, type RecordData } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { stagedContact } from '../support/stages/history.ts';

const hour = 3_600_000;

let base: TestService;
let folder: ImportFolder;
beforeAll(async () => {
  base = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await folder.remove();
  await base.stop();
});

/** A service on the same database that sees its clock so far ahead. */
function startAhead(aheadMs: () => number, clock = systemClock): Promise<TestService> {
  const { databaseUrl } = base;
  return startService({ databaseUrl, processClock: clock, adapt: (database) => withTimeShifted(database, aheadMs) });
}

async function newOrg(): Promise<{ readonly orgId: number; readonly key: string }> {
  const orgId = await base.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  return { orgId, key: (await base.createKey(orgId)).key };
}

/** Of all records, live and deleted, in the order of their ids. */
async function storedIds(orgId: number): Promise<readonly string[]> {
  const rows = await base.database.query<{ id: string }>(sql`
    select r.id from (select id from orrery.record where org_id = ${orgId}
      union all select id from orrery.trash where org_id = ${orgId}) as r order by r.id`);
  return rows.map(({ id }) => id);
}

function contact(client: Client, name = 'Ada'): Promise<RecordData> {
  return make(client, 'svc_contact', { svc_last_name: name });
}

/** Moves a contact between stages, which writes a timer. */
async function writeTimer(client: Client, id: string): Promise<string> {
  const { body } = await client.get(`/objects/${stagedContact.stageType}/records/`);
  const [first, second] = (body.data as readonly RecordData[]).map((stage) => stage.id);
  const move = (to = '') => client.call('PUT', linkPath('svc_contact', id, stagedContact.association, to));
  await move(first);
  return (await move(second)).body.data.stage_timer_id;
}

/** Every way to make records; each must make one or more whose ids come after all others. */
const ways: Readonly<Record<string, (client: Client, orgId: number) => Promise<unknown>>> = {
  'a create': (client) => contact(client),
  'creates at once': (client) => Promise.all(Array.from({ length: 20 }, (_, index) => contact(client, `n${index}`))),
  'a batch': (client) =>
    client.post('/batch/', {
      operations: [{ operation: 'create', object_type: 'svc_contact', properties: { svc_last_name: 'Batch' } }],
    }),
  'a stage timer': async (client) => writeTimer(client, (await contact(client)).id),
  'an import': async (_, orgId) => {
    const { failure } = await folder.run(base, orgId, 'svc_contact', 'Last name\nImported\n');
    expect(failure).toBeUndefined();
  },
  'an import that matches': async (_, orgId) => {
    const csv = 'Last name,Email\nMatched,matched@example.com\n';
    const { failure } = await folder.run(base, orgId, 'svc_contact', csv, { match: 'svc_email' });
    expect(failure).toBeUndefined();
  },
  'a line of ingest': async (_, orgId) => {
    const line = JSON.stringify({ external_id: 'one', properties: {} });
    const path = await folder.write(`${line}\n`);
    const { failure } = await runCommand(base.databaseUrl, 'ingest', path, { org: String(orgId), type: 'svc_meeting' });
    expect(failure).toBeUndefined();
  },
};

test('after a restart with the clock an hour back, ids of every kind come after the older ones', async () => {
  const { orgId, key } = await newOrg();
  const before = await startAhead(() => hour);
  const deleted = await contact(before.client(key));
  await before.client(key).delete(pathOfRecord(deleted));
  await before.stop();
  expect(idTimeMs(deleted.id)).toBeGreaterThan(systemClock.nowMs() + hour / 2);
  for (const [way, run] of Object.entries(ways)) {
    // Each of them is the first one after a restart.
    const after = await startAhead(() => 0);
    const older = await storedIds(orgId);
    await run(after.client(key), orgId);
    await after.stop();
    const all = await storedIds(orgId);
    expect(all.length, way).toBeGreaterThan(older.length);
    expect(all.slice(0, older.length), way).toEqual(older);
  }
});

test('processes whose own clocks are hours off make ids at the time of the database', async () => {
  const { key } = await newOrg();
  const off = (ms: number) => ({ ...systemClock, nowMs: () => systemClock.nowMs() + ms });
  const services = await Promise.all([startAhead(() => 0, off(5 * hour)), startAhead(() => 0, off(-5 * hour))]);
  const ids: string[] = [];
  for (const service of services) ids.push((await contact(service.client(key))).id);
  await Promise.all(services.map((service) => service.stop()));
  for (const id of ids) expect(Math.abs(idTimeMs(id) - systemClock.nowMs())).toBeLessThan(hour / 2);
});

test('when the clock of the database is set back while services run, their ids still come after those of others', async () => {
  const { key } = await newOrg();
  let aheadMs = hour;
  const clocks = [movableClock(), movableClock()];
  const services = await Promise.all(clocks.map((clock) => startAhead(() => aheadMs, clock)));
  const [idle, busy] = services as [TestService, TestService];
  await contact(idle.client(key));
  const newest = await contact(busy.client(key));
  aheadMs = 0;
  for (const clock of clocks) clock.advance(1_000);
  const next = await contact(idle.client(key));
  expect(next.id > newest.id).toBe(true);
  await Promise.all(services.map((service) => service.stop()));
});

test('an id from a clock that was years ahead is not followed', async () => {
  const { orgId, key } = await newOrg();
  const older = await storedIds(orgId);
  const wrong = await startAhead(() => 50 * 365 * 24 * hour);
  const future = await contact(wrong.client(key));
  await wrong.stop();
  expect(idTimeMs(future.id)).toBeGreaterThan(systemClock.nowMs() + 40 * 365 * 24 * hour);
  const right = await startAhead(() => 0);
  const { id, properties } = await contact(right.client(key));
  await right.stop();
  expect(await storedIds(orgId)).toEqual([...older, id, future.id]);
  expect(idTimeMs(id)).toBeLessThan(systemClock.nowMs() + bounds.engine.idsAheadMs);
  expect(Date.parse(String(properties['svc_created_at']))).toBe(idTimeMs(id));
});

test('a command whose clock is hours off dates records by the database', async () => {
  const { orgId } = await newOrg();
  const real = systemClock.nowMs();
  const off = vi.spyOn(systemClock, 'nowMs').mockImplementation(() => real + 5 * hour);
  try {
    await ways['an import']?.(base.client(), orgId);
  } finally {
    off.mockRestore();
  }
  expect(idTimeMs((await storedIds(orgId)).at(-1) ?? '')).toBeLessThan(systemClock.nowMs() + 60_000);
});
