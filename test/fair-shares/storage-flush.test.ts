// How a process stores its sums of what orgs store: many orgs in one statement, none of which keeps the others from it, and
// nothing is lost when it stops or knows too many orgs.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Sql } from '../../src/base/sql.ts';
import { openStorage, type Storage } from '../../src/engine/shares/storage.ts';
import type { Transaction } from '../../src/store/database.ts';
import { findStorage } from '../../src/store/org/storage.ts';
import { holdRow } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgs: readonly number[];
beforeAll(async () => {
  service = await startService();
  orgs = await Promise.all(Array.from({ length: 5 }, () => service.createOrg()));
});
afterAll(() => service.stop());

async function stored(): Promise<readonly number[]> {
  return Promise.all(orgs.map(async (orgId) => (await findStorage(service.database, orgId))?.bytes ?? -1));
}

/** A storage of its own, whose statements pass through the hook. */
function open(
  flushMs: number,
  hook: (statement: Sql, number: number) => Promise<void>,
  faults: unknown[] = [],
): Storage {
  onTestFinished(lowerBounds({ shares: { storageFlushMs: flushMs, storageOrgsAtOnce: 2 } }));
  let number = 0;
  const hooked: Transaction = {
    ...service.database,
    query: async <Row extends object>(statement: Sql) => {
      await hook(statement, ++number);
      return service.database.query<Row>(statement);
    },
  };
  return openStorage(hooked, systemClock, (error) => faults.push(error));
}

test('the sums of many orgs are stored together, a bounded number of them in each statement', async () => {
  const before = await stored();
  let statements = 0;
  const storage = open(600_000, async () => {
    statements++;
  });
  for (const [index, orgId] of orgs.entries()) storage.grew(orgId, 100 + index);
  await storage.close();
  expect(statements).toBe(3);
  expect(await stored()).toEqual(before.map((bytes, index) => bytes + 100 + index));
});

test('an org that somebody else changes, or a statement that fails, does not keep the others from it', async () => {
  const before = await stored();
  const faults: unknown[] = [];
  const release = await holdRow(
    service.databaseUrl,
    `select 1 from orrery.storage where org_id = ${orgs[0]} for update`,
  );
  const storage = open(
    20,
    async (_, number) => {
      if (number === 2) throw new Error('broken');
    },
    faults,
  );
  for (const orgId of orgs) storage.grew(orgId, 1_000);
  const others = (bytes: readonly number[]) => bytes.slice(1);
  // The statement that failed is repeated in the next round, which begins when the lock was given up or waited for.
  await until(async () => (await stored())[4] === (before[4] ?? 0) + 1_000);
  expect((await stored())[1]).toBe((before[1] ?? 0) + 1_000);
  expect((await stored())[0]).toBe(before[0]);
  expect(faults).toHaveLength(1);
  await release();
  await until(async () =>
    others(await stored()).every((bytes, index) => bytes === (others(before)[index] ?? 0) + 1_000),
  );
  await storage.close();
  expect(await stored()).toEqual(before.map((bytes) => bytes + 1_000));
});

test('a process that stops also stores what is noted while its last sums are on their way', async () => {
  const before = await stored();
  let pass = () => {};
  const mayPass = new Promise<void>((resolve) => {
    pass = resolve;
  });
  let asked = 0;
  const storage = open(600_000, (_, number) => {
    asked = number;
    return mayPass;
  });
  storage.grew(orgs[0] ?? 0, 10);
  const room = storage.requireRoom(orgs[0] ?? 0, 1e12);
  await until(async () => asked === 1);
  storage.grew(orgs[0] ?? 0, 20);
  const closing = storage.close();
  pass();
  await Promise.all([room, closing]);
  expect((await stored())[0]).toBe((before[0] ?? 0) + 30);
});

test('an org whose sum is on its way is not forgotten for another one', async () => {
  const [first = 0, second = 0, third = 0] = orgs;
  const before = await stored();
  onTestFinished(lowerBounds({ shares: { storageAccounts: 2 } }));
  let fail = () => {};
  const failure = new Promise<void>((_, reject) => {
    fail = () => reject(new Error('broken'));
  });
  const storage = open(600_000, (_, number) => (number === 1 ? failure : Promise.resolve()));
  storage.grew(first, 10);
  const refused = expect(storage.requireRoom(first, 1e12)).rejects.toThrow('broken');
  await storage.requireRoom(second, 1e12);
  await storage.requireRoom(third, 1e12);
  fail();
  await refused;
  await storage.close();
  expect((await stored())[0]).toBe((before[0] ?? 0) + 10);
});
