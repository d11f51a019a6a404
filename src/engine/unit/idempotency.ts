// Runs a request once under an Idempotency-Key. The answer is stored in the transaction of the write, and a request that
// is repeated gets the stored answer. A request that was refused or wrote nothing stores none.
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { findLongValues, type RecordVersion } from '../../store/feed/former-values.ts';
import { findAnswer, keepAnswer, lockIdempotencyKey } from '../../store/records/idempotency.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import type { Call } from '../process/call.ts';
import type { Claims } from './holder-book.ts';
import { isLong, MissingValue } from './long-values.ts';
import { commit, inTurn, type Work } from './transact.ts';

export interface Idempotency {
  readonly key: string;
  /** A digest of method, path and query. */
  readonly target: Buffer;
  readonly bodyDigest: Buffer;
}

/** How an answer is stored for those who ask again: long values of a record are left out, and looked up again. */
export interface AnswerForm<T> {
  toText(answer: T): string;
  /** Whether it repeats values that were refused. */
  quotes(answer: T): boolean;
  fromText(text: string, longValues: LongValues): Promise<T>;
}

/** The values that the record had at that version, as far as they are stored. */
type LongValues = (at: RecordVersion, properties: readonly string[]) => Promise<ReadonlyMap<string, Json>>;

interface OnceAnswer<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

export async function transactOnce<T>(
  call: Call,
  idempotency: Idempotency,
  form: AnswerForm<T>,
  work: Work<T>,
  { claims, turns }: { readonly claims: Claims; readonly turns: readonly string[] },
): Promise<OnceAnswer<T>> {
  const { orgId, credentialId } = call.session.caller;
  const { engine } = call;
  const { bodyDigest } = idempotency;
  const key = { orgId, credentialId, ...idempotency };
  const runOnce: Work<OnceAnswer<T>> = async (unit) => {
    const { transaction } = unit;
    if (!(await lockIdempotencyKey(transaction, key))) throw inProgress();
    const kept = await findAnswer(transaction, key, bounds.engine.idempotencyKeptSeconds);
    if (kept !== undefined) {
      if (!kept.bodyDigest.equals(bodyDigest)) throw reused();
      const longValues: LongValues = async (at, properties) => {
        const found = await findLongValues(transaction, orgId, at, properties);
        const missing = properties.filter((name) => !isLong(found.get(name)));
        for (const name of missing) engine.onFault(new MissingValue({ ...at, recordId: at.id }, name));
        return new Map([...found].filter(([name]) => !missing.includes(name)));
      };
      return { answer: await form.fromText(kept.answer, longValues), replayed: true };
    }
    const answer = await work(unit);
    await unit.finish();
    if (unit.wrote) {
      const text = form.toText(answer);
      await keepAnswer(transaction, key, { bodyDigest, answer: text, quotes: form.quotes(answer) });
      unit.growth += rowBytes.answer + Buffer.byteLength(text);
    }
    return { answer, replayed: false };
  };
  // A repeated request is answered at once, even while the first one waits for its turn.
  const name = `${credentialId}/${idempotency.target.toString('hex')}/${idempotency.key}`;
  if (engine.turns.isTaken(orgId, name)) throw inProgress();
  const once = await inTurn(call, [name], () => inTurn(call, turns, () => commit(call, runOnce, claims)));
  if (!once.replayed) engine.signal.note(orgId);
  return once;
}

function inProgress(): Problem {
  return new Problem(
    'conflict',
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running. Wait for its answer, or try again in a moment.',
  );
}

function reused(): Problem {
  const detail = 'This Idempotency-Key was used with another body. A new request needs a new key.';
  return new Problem('validation_failed', 'idempotency_key_reused', detail, {
    errors: [{ parameter: 'Idempotency-Key', reason: 'idempotency_key_reused', detail }],
  });
}
