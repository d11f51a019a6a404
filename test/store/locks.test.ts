// Advisory locks: no use of them can meet another one, and least of all the keys that clients choose.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Transaction } from '../../src/store/database.ts';
import { type AdvisoryLock, tryLock } from '../../src/store/locks.ts';
import { lockIdempotencyKey } from '../../src/store/records/idempotency.ts';
import { backUpTo, createBackupFolder } from '../support/backup/backups.ts';
import { holdRow } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A record, so that the compiler finds a use that is missing here. */
const uses: Readonly<Record<AdvisoryLock['use'], true>> = {
  migration: true,
  housekeeping: true,
  purge: true,
  indexBuilding: true,
  indexSlots: true,
  backup: true,
  firstOrg: true,
  storageCount: true,
  import: true,
  revert: true,
  erasure: true,
  distribution: true,
};
const useNames = Object.keys(uses) as readonly AdvisoryLock['use'][];

interface HeldLock {
  readonly space: number;
  readonly first: string;
  readonly second: string;
}

/** The locks of this transaction. PostgreSQL keeps two spaces: 1 of a single number of 64 bits, 2 of two numbers. */
async function heldBy(transaction: Transaction): Promise<readonly HeldLock[]> {
  return transaction.query<HeldLock>(sql`
    select objsubid as space, classid::text as first, objid::text as second from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid()`);
}

test('every use has a class of its own, and idempotency keys have a space of their own', async () => {
  await service.database.transaction(async (transaction) => {
    for (const use of useNames) expect(await tryLock(transaction, { use, key: 7 })).toBe(true);
    const held = await heldBy(transaction);
    expect(held.map(({ space }) => space)).toEqual(useNames.map(() => 2));
    expect(new Set(held.map(({ first }) => first)).size).toBe(useNames.length);
    const key = { orgId: 7, credentialId: 'a', target: Buffer.from('b'), key: 'c' };
    expect(await lockIdempotencyKey(transaction, key)).toBe(true);
    const all = await heldBy(transaction);
    expect(all.filter(({ space }) => space === 1)).toHaveLength(1);
    expect(all).toHaveLength(useNames.length + 1);
  });
});

/** The numbers that locks had when they shared one space, and those that the numbers of today's locks make together. */
async function reachableNumbers(): Promise<readonly string[]> {
  const former = Array.from({ length: 8 }, (_, index) => String(0x6f727279 + index));
  const held = await service.database.transaction(async (transaction) => {
    for (const use of useNames) await tryLock(transaction, { use });
    return heldBy(transaction);
  });
  return [...former, ...held.map(({ first, second }) => String((BigInt(first) << 32n) + BigInt(second)))];
}

test('a request under a key whose lock is any of these numbers stops neither a backup nor anything else', async () => {
  const numbers = await reachableNumbers();
  const release = await holdRow(
    service.databaseUrl,
    `select ${numbers.map((number) => `pg_advisory_xact_lock(${number}::bigint)`).join()}`,
  );
  const folder = await createBackupFolder();
  try {
    await backUpTo(service.database, folder.path('crafted.backup'));
    await keepHouse(service.database, { trashSeconds: 86_400, changesSeconds: 86_400 });
    await service.database.transaction(async (transaction) => {
      for (const use of useNames) expect([use, await tryLock(transaction, { use })]).toEqual([use, true]);
    });
  } finally {
    await release();
    await folder.remove();
  }
});
