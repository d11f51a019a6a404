// Defers the indexing of words. A record has dozens of words, and indexing them one by one is two thirds of
// PostgreSQL's work for a new contact. While a large import runs, words are deferred and indexed by the thousand, for a
// third of the cost. A search also reads deferred words, so it misses nothing.
//
// Deferring is a setting of the index, for all writers. Imports share a lock; the last one to end resets the setting.
// If it was killed before that, housekeeping resets it.
import { sleep } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { type AdvisoryLock, giveUpShare, keepShare, tryKeepLock } from '../locks.ts';
import { errorCode, isLockMissed } from '../pg-error.ts';

const wordsIndex = 'orrery.search_words';
const deferring: AdvisoryLock = { use: 'deferredWords' };

/** Until the connection calls `stopDeferringWords`, or ends. */
export async function deferWords(connection: OwnConnection): Promise<void> {
  await keepShare(connection, deferring);
  await setDeferring(connection, 'on');
}

export async function stopDeferringWords(database: Database, connection: OwnConnection): Promise<void> {
  await giveUpShare(connection, deferring);
  await indexDeferredWords(database);
}

/** Resets the setting if no import runs, and indexes the deferred words. */
export async function indexDeferredWords(database: Pick<Database, 'connect' | 'query' | 'script'>): Promise<void> {
  if (!(await isDeferring(database))) return;
  const connection = await database.connect();
  try {
    if (!(await tryKeepLock(connection, deferring)) || !(await setDeferring(connection, 'off'))) return;
    await connection.query(sql`select gin_clean_pending_list(${wordsIndex}::regclass)`);
  } finally {
    await connection.close();
  }
}

async function isDeferring(transaction: Transaction): Promise<boolean> {
  const [row] = await transaction.query<{ deferring: boolean }>(sql`
    select coalesce('fastupdate=on' = any (c.reloptions), false) as deferring
    from pg_class as c where c.oid = ${wordsIndex}::regclass`);
  return row?.deferring === true;
}

/**
 * A user who does not own the index cannot defer words, nor can one who never gets its lock: imports are then slower.
 */
const unavailable = new Set(['42501', '0A000']);

async function setDeferring(connection: OwnConnection, setting: 'on' | 'off'): Promise<boolean> {
  for (let attempt = 0; attempt < bounds.store.deferredWordsAttempts; attempt++) {
    try {
      // The lock keeps everybody else from the index for a moment: nobody waits longer than we wait for it.
      await connection.script(`begin; set local lock_timeout = ${bounds.store.deferredWordsLockMs};
        alter index ${wordsIndex} set (fastupdate = ${setting}); commit`);
      return true;
    } catch (error) {
      await connection.script('rollback');
      if (unavailable.has(errorCode(error) ?? '')) return false;
      if (!isLockMissed(error)) throw error;
      await sleep(bounds.store.deferredWordsLockMs);
    }
  }
  return false;
}
