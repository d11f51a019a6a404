// Answers that are kept for clients who repeat a request with the same Idempotency-Key. A request under a key holds a
// lock on it until its transaction ends in any way, so a crash leaves nothing behind.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { tryLockIdempotencyKey } from '../locks.ts';

interface IdempotencyKey {
  readonly orgId: number;
  readonly credentialId: string;
  /** A digest of method, path and query. */
  readonly target: Buffer;
  readonly key: string;
}

interface KeptAnswer {
  readonly bodyDigest: Buffer;
  readonly answer: string;
}

interface NewAnswer extends KeptAnswer {
  /** Whether it repeats values that were refused. */
  readonly quotes: boolean;
}

/** False while another request runs under the same key. */
export function lockIdempotencyKey(
  transaction: Transaction,
  { orgId, credentialId, target, key }: IdempotencyKey,
): Promise<boolean> {
  return tryLockIdempotencyKey(transaction, orgId, credentialId, target.toString('hex'), key);
}

/** A separate statement after the lock: only then does it see what the last holder has committed. */
export async function findAnswer(
  transaction: Transaction,
  { orgId, credentialId, target, key }: IdempotencyKey,
  keptSeconds: number,
): Promise<KeptAnswer | undefined> {
  const [kept] = await transaction.query<KeptAnswer>(sql`
    select body_digest as "bodyDigest", answer from orrery.idempotency
    where org_id = ${orgId} and credential_id = ${credentialId} and target = ${target} and key = ${key}
      and created_at > now() - make_interval(secs => ${keptSeconds})`);
  return kept;
}

export async function keepAnswer(
  transaction: Transaction,
  { orgId, credentialId, target, key }: IdempotencyKey,
  { bodyDigest, answer, quotes }: NewAnswer,
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.idempotency (org_id, credential_id, target, key, body_digest, answer, quotes)
    values (${orgId}, ${credentialId}, ${target}, ${key}, ${bodyDigest}, ${answer}, ${quotes})
    on conflict (org_id, credential_id, target, key)
    do update set body_digest = excluded.body_digest, answer = excluded.answer, quotes = excluded.quotes,
      created_at = excluded.created_at`);
}
