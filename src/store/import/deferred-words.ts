// Words of many records at once. A word that goes into the index of words by itself costs what any word costs, and a record
// has dozens: two thirds of what PostgreSQL does for a new contact. While a large import runs, words are gathered and go in
// by the thousand, which takes a third of that. A search reads what is gathered too, so that it misses nothing.
//
// It is a setting of the index, for all who write. Whoever imports holds a lock with the others; the last to leave takes the
// setting back. Where none could, because it was killed, whoever keeps house does.
import { sleep } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { errorCode, isLockMissed } from '../pg-error.ts';

const wordsIndex = 'orrery.search_words';
/** Any constant serves, as long as it is always the same one. */
const advisoryLock = 0x6f727279 + 4;

/** Until the connection calls `stopDeferringWords`, or ends. */
export async function deferWords(connection: OwnConnection): Promise<void> {
  await connection.query(sql`select pg_advisory_lock_shared(${advisoryLock})`);
  await setDeferring(connection, 'on');
}

export async function stopDeferringWords(database: Database, connection: OwnConnection): Promise<void> {
  await connection.query(sql`select pg_advisory_unlock_shared(${advisoryLock})`);
  await indexDeferredWords(database);
}

/** Takes the setting back if nobody imports, and puts what was gathered into the index. */
export async function indexDeferredWords(database: Database): Promise<void> {
  if (!(await isDeferring(database))) return;
  const connection = await database.connect();
  try {
    if (!(await lockAlone(connection)) || !(await setDeferring(connection, 'off'))) return;
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

/** For as long as the connection lasts. */
async function lockAlone(connection: OwnConnection): Promise<boolean> {
  const [row] = await connection.query<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(${advisoryLock}) as locked`,
  );
  return row?.locked === true;
}

/** Whoever does not own the index, or never has it alone for a moment, goes without: it is slower, and nothing else. */
const unavailable = new Set(['42501', '0A000']);

async function setDeferring(connection: OwnConnection, setting: 'on' | 'off'): Promise<boolean> {
  for (let attempt = 0; attempt < bounds.store.deferredWordsAttempts; attempt++) {
    try {
      // For a moment nobody else reads or writes the index: so nobody waits for longer than this waits.
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
