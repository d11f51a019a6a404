// From a piece of work on a unit to one transaction: committed whole, rolled back for a dry run, answered with what was
// kept for a request that was made before, and tried again when a race was lost.
import { bounds } from '../../base/limits.ts';
import { overloaded, Problem } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';
import { findAnswer, keepAnswer, lockIdempotencyKey } from '../../store/records/idempotency.ts';
import type { Call, UnitCall } from '../process/call.ts';
import { isLostRace } from '../process/lost-race.ts';
import { finish } from '../rules/finish.ts';
import { type Claims, Unit } from './unit.ts';

/** What the request's headers ask of a write. */
export interface WriteConditions {
  readonly dryRun: boolean;
  readonly idempotency: Idempotency | undefined;
}

export interface Idempotency {
  readonly key: string;
  /** A digest of method, path and query. */
  readonly target: Buffer;
  readonly bodyDigest: Buffer;
}

/** How an answer is kept for those who ask again. */
export interface AnswerForm<T> {
  toText(answer: T): string;
  fromText(text: string): T;
}

export interface Transacted<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

type Work<T> = (unit: Unit) => Promise<T>;

export async function transact<T>(
  call: UnitCall,
  conditions: WriteConditions,
  form: AnswerForm<T>,
  work: Work<T>,
  first: Claims = 'assumed',
): Promise<Transacted<T>> {
  const { database, signal } = call.engine;
  const transacted = await untilRaceWon(first, (claims) => {
    const attempt = (transaction: Transaction) => runOnce(call, transaction, claims, conditions, form, work);
    return conditions.dryRun ? database.dryRun(attempt) : database.transaction(attempt);
  });
  if (!conditions.dryRun && !transacted.replayed) signal.note(call.session.caller.orgId);
  return transacted;
}

/** For work that asks nothing of the database and so ends in a single statement, which is a transaction by itself. */
export async function transactAlone<T>(call: Call, work: Work<T>): Promise<T> {
  const { database, writes, signal } = call.engine;
  const { orgId } = call.session.caller;
  try {
    const unit = new Unit(call, unasked, 'assumed');
    const result = await work(unit);
    await requireHolding(call);
    await writes.write(orgId, await unit.takeWriteSet(), unit.atMs);
    signal.note(orgId);
    return result;
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
  const result = await untilRaceWon('looked_up', (claims) =>
    database.transaction(async (transaction) => {
      await requireHolding(call);
      return runUnit(new Unit(call, transaction, claims), work);
    }),
  );
  signal.note(orgId);
  return result;
}

const unasked: Transaction = {
  query: () => Promise.reject(new TypeError('A write that should be one statement asks for something first.')),
  script: () => Promise.reject(new TypeError('A write that should be one statement runs a script.')),
};

async function runUnit<T>(unit: Unit, work: Work<T>): Promise<T> {
  const result = await work(unit);
  await finish(unit);
  return result;
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
  throw overloaded('Too many requests want the same unique value.');
}

async function runOnce<T>(
  call: UnitCall,
  transaction: Transaction,
  claims: Claims,
  { dryRun, idempotency }: WriteConditions,
  form: AnswerForm<T>,
  work: Work<T>,
): Promise<Transacted<T>> {
  const { orgId, credentialId } = call.session.caller;
  await requireHolding(call);
  const unit = new Unit(call, transaction, claims);
  if (idempotency === undefined || dryRun) return { answer: await runUnit(unit, work), replayed: false };
  const { bodyDigest } = idempotency;
  const key = { orgId, credentialId, ...idempotency };
  if (!(await lockIdempotencyKey(transaction, key))) throw inProgress();
  const kept = await findAnswer(transaction, key, bounds.engine.idempotencyKeptSeconds);
  if (kept !== undefined) {
    if (!kept.bodyDigest.equals(bodyDigest)) throw reused();
    return { answer: form.fromText(kept.answer), replayed: true };
  }
  const answer = await runUnit(unit, work);
  if (unit.wrote) await keepAnswer(transaction, key, { bodyDigest, answer: form.toText(answer) });
  return { answer, replayed: false };
}

/** Nobody writes by what the org was before a restore: its types and indexes may be others now. */
async function requireHolding({ engine, session }: UnitCall): Promise<void> {
  const holds = engine.directory.holds({ typesById: session.orgTypes });
  if (holds === true || (await holds)) return;
  throw overloaded('The database was replaced by a backup just now.');
}

function inProgress(): Problem {
  return new Problem(
    'conflict',
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still under way. Wait for its answer, or ask again in a moment.',
  );
}

function reused(): Problem {
  const detail = 'This Idempotency-Key was used with another body. A new request needs a new key.';
  return new Problem('validation_failed', 'idempotency_key_reused', detail, {
    errors: [{ parameter: 'Idempotency-Key', reason: 'idempotency_key_reused', detail }],
  });
}
