// From a piece of work on a unit to one transaction: committed whole, or rolled back for a dry run, and tried again when
// a race was lost.
import { bounds } from '../../base/limits.ts';
import { databaseReplaced, overloaded } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { OpenTransaction, Transaction } from '../../store/database.ts';
import { seesAll } from '../../store/viewer.ts';
import { isLostRace } from '../groups/lost-race.ts';
import { type Call, type UnitCall, viewerOf } from '../process/call.ts';
import type { Claims } from './holder-book.ts';
import { Unit } from './unit.ts';

export type Work<T> = (unit: Unit) => Promise<T>;

/** Runs the work in a transaction, and wakes those who wait for changes. */
export async function transact<T>(call: UnitCall, work: Work<T>, claims: Claims = 'assumed'): Promise<T> {
  const result = await commit(call, work, claims);
  call.engine.signal.note(call.session.caller.orgId);
  return result;
}

/** The same, but wakes nobody. */
export async function commit<T>(call: UnitCall, work: Work<T>, claims: Claims): Promise<T> {
  const { result, unit } = await untilRaceWon(claims, (attempt) =>
    call.database.transaction((transaction) => run(call, transaction, attempt, work)),
  );
  const { orgId } = call.session.caller;
  if (unit.governs) call.engine.directory.forget(orgId);
  call.engine.storage.grew(orgId, unit.growth);
  return result;
}

/** Runs the work and rolls it back. */
export async function dryRun<T>(call: UnitCall, work: Work<T>, claims: Claims = 'assumed'): Promise<T> {
  const { result } = await untilRaceWon(claims, (attempt) =>
    call.database.dryRun((transaction) => run(call, transaction, attempt, work)),
  );
  return result;
}

/**
 * Waits until no other write of this process works on the same records, before a connection is asked for. See
 * `turnsOf` for the names.
 */
export function inTurn<T>({ engine, session }: Call, names: readonly string[], write: () => Promise<T>): Promise<T> {
  return names.length === 0 ? write() : engine.turns.run(session.caller.orgId, names, write);
}

/**
 * For work that usually asks nothing of the database and so ends in a single statement, which is its own transaction and
 * may be shared with others.
 */
export async function transactAlone<T>(call: Call, work: Work<T>): Promise<T> {
  const { writes, signal, storage } = call.engine;
  const { orgId } = call.session.caller;
  let claims: Claims = 'assumed';
  try {
    const unit = new Unit(call, unasked, claims);
    const result = await work(unit);
    if (!unit.hasEnding) {
      await requireSameDatabase(call);
      await writes.write(orgId, await unit.takeWriteSet(), unit.atMs);
      storage.grew(orgId, unit.growth);
      signal.note(orgId);
      return result;
    }
  } catch (error) {
    if (isLostRace(error)) claims = 'looked_up';
    else if (!(error instanceof AsksMore)) throw error;
  }
  return transact(call, work, claims);
}

/** For work on one record. It shares a transaction with others, if that record is all that it needs. */
export async function transactTogether<T>(call: Call, type: ObjectType, id: string, work: Work<T>): Promise<T> {
  const { updates, signal, storage } = call.engine;
  const { session } = call;
  const { orgId } = session.caller;
  if (!seesAll(viewerOf(call), type.id)) return transact(call, work);
  let outcome: { readonly result: T; readonly growth: number } | undefined;
  const ended = await updates.update(orgId, session.orgTypes.get(type.id) ?? type, id, async (record) => {
    await requireSameDatabase(call);
    const unit = new Unit(call, unasked, 'assumed');
    unit.records.give(record);
    unit.totals.set(id, record.totals);
    try {
      const result = await work(unit);
      if (unit.hasEnding) return undefined;
      const set = await unit.takeWriteSet();
      outcome = { result, growth: unit.growth };
      return set;
    } catch (error) {
      if (error instanceof AsksMore) return undefined;
      throw error;
    }
  });
  if (ended === 'alone' || outcome === undefined) return transact(call, work);
  storage.grew(orgId, outcome.growth);
  signal.note(orgId);
  return outcome.result;
}

class AsksMore extends TypeError {}

const unasked: Transaction = {
  query: () => Promise.reject(new AsksMore('A write that should need nothing else asks for something first.')),
  script: () => Promise.reject(new AsksMore('A write that should need nothing else runs a script.')),
};

async function run<T>(
  call: UnitCall,
  transaction: OpenTransaction,
  claims: Claims,
  work: Work<T>,
): Promise<{ readonly result: T; readonly unit: Unit }> {
  await requireSameDatabase(call);
  const unit = new Unit(call, transaction, claims);
  const result = await work(unit);
  await unit.end(transaction);
  return { result, unit };
}

async function untilRaceWon<T>(first: Claims, attempt: (claims: Claims) => Promise<T>): Promise<T> {
  let claims = first;
  for (let count = 0; count < bounds.engine.lostRaceAttempts; count++) {
    try {
      return await attempt(claims);
    } catch (error) {
      if (!isLostRace(error)) throw error;
      claims = 'looked_up';
    }
  }
  throw overloaded('Too many requests are writing the same unique value.');
}

/** An org that was loaded before a restore or a failover is not written to: its types and indexes may be different now. */
async function requireSameDatabase({ engine, session }: UnitCall): Promise<void> {
  const alive = engine.directory.isAlive(session.life);
  if (alive === true || (await alive)) return;
  throw databaseReplaced();
}
