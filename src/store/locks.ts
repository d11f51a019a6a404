// Every advisory lock of the program, and the only place that takes one. Each use has a class of its own, which is the
// first of PostgreSQL's two numbers: locks of two uses can never meet, whatever their keys. Within a class, two keys
// that happen to have the same number share a lock, so one waits while the other is held.
//
// Idempotency keys are chosen by clients and need more bits than the second number has, because a lock that is taken is
// answered with 409. They have the locks of a single 64-bit number to themselves, which PostgreSQL keeps apart from those
// of two numbers. Their digest cannot be aimed at a number.
import { hash } from 'node:crypto';
import { type Sql, sql } from '../base/sql.ts';
import type { Transaction } from './database.ts';

/** Numbers that never change and are never used again. They begin high, away from what other programs may use. */
const lockClasses = {
  /**
   * One process at a time changes tables. A process of an earlier build that migrates at the same moment holds another lock.
   * Migrations are transactions and their numbers are unique, so the later one of the two fails as a whole, and its next
   * start finds the work done.
   */
  migration: 0x6f727201,
  /** One process at a time keeps house. */
  housekeeping: 0x6f727202,
  /** Key: the org that is purged. */
  purge: 0x6f727203,
  /** One process at a time builds automatic indexes. */
  indexBuilding: 0x6f727204,
  /** Key: the org and the type whose index slots are given. */
  indexSlots: 0x6f727205,
  /** Shared by backups; held alone by a restore. */
  backup: 0x6f727206,
  /** One process at a time creates the first org. */
  firstOrg: 0x6f727207,
  /** Key: the org whose storage is counted. */
  storageCount: 0x6f727208,
  /** Key: the org and the file that are imported. */
  import: 0x6f727209,
  /** Key: the org and the request that is taken back. */
  revert: 0x6f72720a,
  /** Key: the org whose erasures one process finishes. */
  erasure: 0x6f72720b,
  /** Held alone by whoever distributes the tables over several servers; sessions wait for that when they begin. */
  distribution: 0x6f72720c,
} as const;

/** A lock of a class: for the whole database, or for one key. */
export interface AdvisoryLock {
  readonly use: keyof typeof lockClasses;
  readonly key?: number;
}

/** The key of several parts together. */
export function lockKeyOf(...parts: readonly (number | string)[]): number {
  return digestOf(parts).readInt32BE(0);
}

/** Whether the lock was free. It is held until the transaction ends. */
export function tryLock(transaction: Transaction, lock: AdvisoryLock): Promise<boolean> {
  return isTaken(transaction, sql`select pg_try_advisory_xact_lock(${numbersOf(lock)}) as taken`);
}

/** The same, shared with others who share it. */
export function tryShareLock(transaction: Transaction, lock: AdvisoryLock): Promise<boolean> {
  return isTaken(transaction, sql`select pg_try_advisory_xact_lock_shared(${numbersOf(lock)}) as taken`);
}

/** Waits for the lock. It is held until the transaction ends. */
export async function waitForLock(transaction: Transaction, lock: AdvisoryLock): Promise<void> {
  await transaction.query(sql`select pg_advisory_xact_lock(${numbersOf(lock)})`);
}

/** The same as the text of a script, which has no time limit of its own. */
export function waitForLockText({ use, key = 0 }: AdvisoryLock): string {
  return `select pg_advisory_xact_lock(${lockClasses[use]}, ${key})`;
}

/** The text of a statement that waits until nobody holds the lock alone. */
export function shareLockText({ use, key = 0 }: AdvisoryLock): string {
  return `select pg_advisory_xact_lock_shared(${lockClasses[use]}, ${key})`;
}

/** Whether the lock was free. It is held until the connection ends. */
export function tryKeepLock(connection: Transaction, lock: AdvisoryLock): Promise<boolean> {
  return isTaken(connection, sql`select pg_try_advisory_lock(${numbersOf(lock)}) as taken`);
}

/** Waits for the lock. It is held until the connection ends. */
export async function keepLock(connection: Transaction, lock: AdvisoryLock): Promise<void> {
  await connection.query(sql`select pg_advisory_lock(${numbersOf(lock)})`);
}

/** Whether nobody else runs under the idempotency key of these parts. The lock is held until the transaction ends. */
export function tryLockIdempotencyKey(
  transaction: Transaction,
  ...parts: readonly (number | string)[]
): Promise<boolean> {
  const number = digestOf(parts).readBigInt64BE(0).toString();
  return isTaken(transaction, sql`select pg_try_advisory_xact_lock(${number}::bigint) as taken`);
}

function numbersOf({ use, key = 0 }: AdvisoryLock): Sql {
  return sql`${lockClasses[use]}::integer, ${key}::integer`;
}

async function isTaken(transaction: Transaction, statement: Sql): Promise<boolean> {
  const [row] = await transaction.query<{ taken: boolean }>(statement);
  return row?.taken === true;
}

function digestOf(parts: readonly (number | string)[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}
