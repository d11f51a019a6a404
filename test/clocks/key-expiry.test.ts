// Keys expire by the clock of the database, whatever the clock of the process shows.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { rotateKey } from '../../src/engine/admin/keys.ts';
import type { Database } from '../../src/store/database.ts';
import { withTimeShifted } from '../support/clocks/shifted-time.ts';
import { runCommand } from '../support/command.ts';
import { movableClock } from '../support/movable-clock.ts';
import { startService, type TestService } from '../support/service.ts';

const hour = 3_600_000;

/** How far the database's clock, as the services read it, is ahead. */
let aheadMs = 0;
const adapt = (database: Database) => withTimeShifted(database, () => aheadMs);

/** The clock of a process that is off. */
function clockOff(byMs: number) {
  const clock = movableClock();
  return { ...clock, nowMs: () => clock.nowMs() + byMs };
}

const clocks = [clockOff(5 * hour), clockOff(-5 * hour)] as const;
let early: TestService;
let late: TestService;
beforeAll(async () => {
  early = await startService({ adapt, processClock: clocks[0] });
  late = await startService({ adapt, processClock: clocks[1], databaseUrl: early.databaseUrl });
});
afterAll(async () => {
  await late.stop();
  await early.stop();
});

/** Sets the database's clock alone; the services read it before their next request. */
function setAhead(ms: number): void {
  aheadMs = ms;
  for (const clock of clocks) clock.advance(1_000);
}

async function reasonsOf(key: string): Promise<readonly (string | undefined)[]> {
  return Promise.all([early, late].map(async (service) => (await service.client(key).get('/self/')).body.reason));
}

const accepted = [undefined, undefined];
const expired = ['key_expired', 'key_expired'];

test('a process whose clock is hours off neither ends a valid key nor keeps an expired one alive', async () => {
  setAhead(0);
  const orgId = await early.createOrg();
  const { key } = await early.createKey(orgId, { expiresAt: new Date(systemClock.nowMs() + hour) });
  const over = await early.createKey(orgId, { expiresAt: new Date(systemClock.nowMs() - 60_000) });
  expect(await reasonsOf(over.key)).toEqual(expired);
  expect(await reasonsOf(key)).toEqual(accepted);
  setAhead(hour / 2);
  expect(await reasonsOf(key)).toEqual(accepted);
  setAhead(hour + 1_000);
  expect(await reasonsOf(key)).toEqual(expired);
});

test('the grace period of a rotated key ends by the same clock', async () => {
  setAhead(0);
  const { key, credentialId } = await early.createKey(await early.createOrg());
  await rotateKey(early.database, credentialId, 3_600);
  setAhead(hour / 2);
  expect(await reasonsOf(key)).toEqual(accepted);
  setAhead(hour + 1_000);
  expect(await reasonsOf(key)).toEqual(expired);
});

test('"key create --expires" counts from the time of the database', async () => {
  const org = String(await early.createOrg());
  const real = systemClock.nowMs();
  const off = vi.spyOn(systemClock, 'nowMs').mockImplementation(() => real - 5 * hour);
  const creating = runCommand(early.databaseUrl, 'key create', '', { org, expires: '2h' });
  const created = await creating.finally(() => off.mockRestore());
  const listed = await runCommand(early.databaseUrl, 'key list', '', { org });
  expect([created.failure, listed.failure]).toEqual([undefined, undefined]);
  const [key] = listed.value as readonly { readonly expires_at: string }[];
  expect(Math.abs(Date.parse(key?.expires_at ?? '') - systemClock.nowMs() - 2 * hour)).toBeLessThan(hour / 2);
});
