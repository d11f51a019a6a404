// How processes share an org's window: exactly, at any cost of requests, and without a statement for each of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RatePolicy } from '../../src/access/rate-limit.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Sql } from '../../src/base/sql.ts';
import { type OrgRateLimit, openOrgRateLimit } from '../../src/engine/shares/org-rate-limit.ts';
import type { Transaction } from '../../src/store/database.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Process {
  readonly limiter: OrgRateLimit;
  asked: number;
}

/** A process of its own, as far as the limiter is concerned, with a count of its questions to the database. */
function newProcess(): Process {
  const counting: Transaction = {
    query: <Row extends object>(statement: Sql) => {
      process.asked++;
      return service.database.query<Row>(statement);
    },
    script: (text) => service.database.script(text),
  };
  const process: Process = { limiter: openOrgRateLimit(counting, systemClock), asked: 0 };
  return process;
}

async function newOrg(quota: number): Promise<{ orgId: number; policy: RatePolicy }> {
  const orgId = await service.createOrg({ quota, windowSeconds: 60 });
  return { orgId, policy: { name: 'org', quota, windowSeconds: 60 } };
}

test('eight processes share the units that may stay unspent, and none asks the database for every request', async () => {
  const { orgId, policy } = await newOrg(100_000);
  const processes = Array.from({ length: 8 }, newProcess);
  for (let round = 0; round < 200; round++) {
    for (const { limiter } of processes) expect((await limiter.spend(orgId, policy, 1)).granted).toBe(true);
  }
  for (const { asked } of processes) expect(asked).toBeLessThan(20);
});

test('units that were spent while a larger request leased are not counted a second time', async () => {
  const { orgId, policy } = await newOrg(1_000);
  const { limiter } = newProcess();
  let granted = 0;
  for (let round = 0; round < 60; round++) {
    const costs = [20, ...Array.from({ length: 30 }, () => 1)];
    const spent = await Promise.all(
      costs.map(async (cost) => ((await limiter.spend(orgId, policy, cost)).granted ? cost : 0)),
    );
    granted += spent.reduce((sum, cost) => sum + cost, 0);
  }
  expect(granted).toBeLessThanOrEqual(1_000);
  expect(granted).toBeGreaterThanOrEqual(950);
});

test('a large request that is refused leaves the rest to the small ones of other processes', async () => {
  const { orgId, policy } = await newOrg(100);
  const [large, small] = [newProcess(), newProcess()];
  for (let unit = 0; unit < 95; unit++) await small.limiter.spend(orgId, policy, 1);
  expect((await large.limiter.spend(orgId, policy, 20)).granted).toBe(false);
  const rest = [];
  for (let unit = 0; unit < 6; unit++) rest.push((await small.limiter.spend(orgId, policy, 1)).granted);
  expect(rest).toEqual([true, true, true, true, true, false]);
});

test('a lease that waited for its lock does not move the window back', async () => {
  const { orgId, policy } = await newOrg(10);
  const { limiter } = newProcess();
  for (let unit = 0; unit < 10; unit++) expect((await limiter.spend(orgId, policy, 1)).granted).toBe(true);
  // As a statement sees it that began three seconds before the window did and got the row's lock only now.
  await service.database.script(`update orrery.rate_window set started_at = started_at + interval '3 seconds'
    where org_id = ${orgId}`);
  expect((await newProcess().limiter.spend(orgId, policy, 1)).granted).toBe(false);
});
