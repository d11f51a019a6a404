// The order in which keys that the process does not know are looked up. A statement ends when the test lets it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newCredentialId } from '../../access/api-key.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Sql } from '../../base/sql.ts';
import type { Transaction } from '../../store/database.ts';
import type { AnonymousRateLimit } from './anonymous-rate-limit.ts';
import { openKeyLookups } from './key-lookups.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Statement {
  readonly orgId: number;
  readonly ids: number;
  end(): void;
  fail(error: unknown): void;
}

/** Lanes on a database whose statements wait for the test, and addresses with so many requests left. */
function openLane(remaining: Readonly<Record<string, number>> = {}) {
  const statements: Statement[] = [];
  const database: Transaction = {
    query: <Row extends object>({ values: [orgId, ids] }: Sql) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        const count = String(ids).split(',').length;
        statements.push({ orgId: Number(orgId), ids: count, end: () => resolve([]), fail: reject });
      }),
    script: () => Promise.reject(new TypeError('A look-up runs no script.')),
  };
  const policy = { name: 'anonymous', quota: 300, windowSeconds: 60 } as const;
  const stateOf = (address: string) => ({ policy, remaining: remaining[address] ?? 300, resetSeconds: 60 });
  const anonymous: AnonymousRateLimit = {
    state: stateOf,
    spend: (address) => ({ granted: true, state: stateOf(address) }),
    spendProbe: (address) => ({ granted: true, state: stateOf(address) }),
    spendSignIn: (address) => ({ granted: true, state: stateOf(address) }),
    spendBehindProxy: (address) => ({ granted: true, state: stateOf(address) }),
    spendSession: (address) => ({ granted: true, state: stateOf(address) }),
  };
  const lookups = openKeyLookups(database, anonymous);
  const refused: string[] = [];
  const find = (orgId: number, address = 'a') =>
    lookups.find({ orgId, credentialId: newCredentialId(orgId) }, address).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      refused.push(`${orgId} ${error.reason}`);
    });
  return { statements, refused, find };
}

/** Ends statement after statement; returns the orgs in the order in which they were looked up. */
async function runAll(statements: readonly Statement[]): Promise<readonly number[]> {
  for (let index = 0; index < statements.length; index++) {
    statements[index]?.end();
    // The next statement begins some turns later.
    await vi.advanceTimersByTimeAsync(0);
  }
  return statements.map(({ orgId }) => orgId);
}

const atOnce = bounds.shares.keyLookupsAtOnce;

test('few look-ups run at once, and the rest in the order in which they came', async () => {
  const { statements, find } = openLane();
  for (const orgId of [1, 2, 3, 4, 5]) void find(orgId);
  expect(statements).toHaveLength(atOnce);
  expect(await runAll(statements)).toEqual([1, 2, 3, 4, 5]);
});

test('waiting look-ups of one org share a statement, up to a bound', async () => {
  const { statements, find } = openLane();
  void find(1);
  void find(2);
  const together = bounds.shares.keyLookupsTogether;
  for (let count = 0; count < together + 5; count++) void find(3, `a${count % 7}`);
  await runAll(statements);
  expect(statements.map(({ ids }) => ids)).toEqual([1, 1, together, 5]);
});

test('addresses take turns, however many of one of them wait', async () => {
  const { statements, find } = openLane();
  for (let orgId = 1; orgId <= 100; orgId++) void find(orgId, 'noisy');
  void find(1_001, 'quiet');
  void find(1_002, 'other');
  void find(1_003, 'quiet');
  const order = await runAll(statements);
  expect(order.slice(2, 8)).toEqual([3, 1_001, 1_002, 4, 1_003, 5]);
  expect(order).toHaveLength(103);
});

test('addresses of one IPv6 network are one', async () => {
  const { statements, find } = openLane();
  for (let orgId = 1; orgId <= 6; orgId++) void find(orgId, `2001:db8:1:2::${orgId}`);
  void find(7, '2001:db8:1:3::1');
  expect((await runAll(statements)).indexOf(7)).toBe(3);
});

test('an address without requests left comes after all others, and still comes', async () => {
  const { statements, find } = openLane({ spent: 0, almost: 2 });
  void find(1);
  void find(2);
  void find(10, 'spent');
  // Of these, two are covered by the requests that the address has left.
  for (const orgId of [20, 21, 22]) void find(orgId, 'almost');
  for (const orgId of [30, 31, 32]) void find(orgId, 'plenty');
  expect(await runAll(statements)).toEqual([1, 2, 20, 30, 21, 31, 32, 10, 22]);
});

test('when too many wait, those without requests left give up first, and otherwise the last to come', async () => {
  const { refused, find } = openLane({ spent: 0 });
  const waiting = bounds.shares.keyLookupsWaiting;
  for (let orgId = 1; orgId <= atOnce; orgId++) void find(orgId);
  void find(500, 'spent');
  for (let count = 0; count < waiting - 1; count++) void find(1_000 + count, `a${count}`);
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual([]);
  void find(501, 'spent');
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual(['501 overloaded']);
  void find(502, 'plenty');
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual(['501 overloaded', '500 overloaded']);
  void find(503, 'plenty');
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual(['501 overloaded', '500 overloaded', '503 overloaded']);
});

test('a look-up that waits too long gives up, and leaves its place', async () => {
  const { statements, refused, find } = openLane();
  for (const orgId of [1, 2, 3]) void find(orgId);
  await vi.advanceTimersByTimeAsync(bounds.shares.keyLookupWaitMs);
  // Those that have begun are bounded by the time of their statement.
  expect(refused).toEqual(['3 overloaded']);
  void find(4);
  expect(await runAll(statements)).toEqual([1, 2, 4]);
});

test('a statement that fails fails the look-ups that share it, and the next ones run', async () => {
  const { statements, refused, find } = openLane();
  for (const orgId of [1, 2, 3]) void find(orgId);
  statements[0]?.fail(new Problem('unavailable', 'storage_unavailable', 'Away.'));
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toEqual(['1 storage_unavailable']);
  expect(statements.map(({ orgId }) => orgId)).toEqual([1, 2, 3]);
});
