// Takes the values of erased records out of the answers that are kept for repeated requests. The answers stay, so that no
// request runs again. How an answer is written is decided above: see `Redact`.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids, rowSource } from '../row-parameters.ts';
import type { EraseStep } from './steps.ts';

/** The key of a kept answer. */
interface AnswerKey {
  readonly credentialId: string;
  /** In hexadecimal digits. */
  readonly target: string;
  readonly key: string;
}

interface FoundKey extends AnswerKey {
  /** Whether the answer names one of the records, or repeats values that were refused. */
  readonly found: boolean;
  /** Whether so much was examined, or found, that the page ends early. */
  readonly full: boolean;
}

interface Answer extends AnswerKey {
  readonly answer: string;
}

const keySource = rowSource<AnswerKey>(
  ['credential_id', 'text', (row) => row.credentialId],
  ['target', 'text', (row) => row.target],
  ['key', 'text', (row) => row.key],
);
const answerSource = rowSource<Answer>(
  ['credential_id', 'text', (row) => row.credentialId],
  ['target', 'text', (row) => row.target],
  ['key', 'text', (row) => row.key],
  // JSON text has no line break of its own.
  ['answer', 'lines', (row) => row.answer],
);

/** Redacts some of the org's answers, in the order of their keys. The place is the last key. */
export const redactAnswers: EraseStep = async (transaction, { orgId, records, redact }, after) => {
  const recordIds = records.map(({ id }) => id);
  const page = await findAnswers(transaction, orgId, recordIds, after);
  const found = page.filter((row) => row.found);
  let bytes = 0;
  if (found.length > 0) {
    const erased = new Set(recordIds);
    const kept = await lockAnswers(transaction, orgId, found);
    const redacted = kept.map((row) => ({ ...row, answer: redact(row.answer, erased) }));
    if (redacted.length > 0) await replaceAnswers(transaction, orgId, redacted);
    bytes = bytesOf(kept) - bytesOf(redacted);
  }
  const last = page.at(-1);
  const isLast = last === undefined || (page.length < bounds.store.answersExamined && !last.full);
  return { bytes, next: isLast ? undefined : JSON.stringify([last.credentialId, last.target, last.key]) };
};

function bytesOf(rows: readonly Answer[]): number {
  return rows.reduce((sum, { answer }) => sum + Buffer.byteLength(answer), 0);
}

/**
 * The next keys, and which of their answers are concerned: as many as one statement can examine soon, and as those answers
 * fit into memory. An answer is unpacked once, however many records are looked for.
 */
async function findAnswers(
  transaction: Transaction,
  orgId: number,
  recordIds: readonly string[],
  after: string,
): Promise<readonly FoundKey[]> {
  const { answersExamined, answerBytesExamined, redactedBytes } = bounds.store;
  const [credentialId, target, key] = after === '' ? ['', '', ''] : (JSON.parse(after) as [string, string, string]);
  return transaction.query<FoundKey>(sql`
    with page as (
      select i.*, octet_length(i.answer) as length,
        sum(octet_length(i.answer)) over (order by i.credential_id, i.target, i.key) as examined from (
        select i.credential_id, i.target, i.key, i.answer, i.quotes from orrery.idempotency as i
        where i.org_id = ${orgId}
          and (i.credential_id, i.target, i.key) > (${credentialId}::text, decode(${target}::text, 'hex'), ${key}::text)
        order by i.credential_id, i.target, i.key limit ${answersExamined}) as i),
    searched as materialized (
      select p.credential_id, p.target, p.key, p.length, p.examined, p.quotes or exists (
        select 1 from unnest(${ids(recordIds)}::text[]) as k (id) where strpos(u.answer, k.id) > 0) as found
      from page as p cross join lateral (select p.answer || '' as answer offset 0) as u
      where p.examined - p.length < ${answerBytesExamined}),
    summed as (
      select s.*, case when s.found then s.length else 0 end as bytes,
        sum(case when s.found then s.length else 0 end) over (order by s.credential_id, s.target, s.key) as total
      from searched as s)
    select s.credential_id as "credentialId", encode(s.target, 'hex') as target, s.key, s.found,
      s.total >= ${redactedBytes} or s.examined >= ${answerBytesExamined} as full
    from summed as s where s.total - s.bytes < ${redactedBytes}
    order by s.credential_id, s.target, s.key`);
}

/** Locked, so that two erasures do not undo each other's work. */
async function lockAnswers(
  transaction: Transaction,
  orgId: number,
  keys: readonly AnswerKey[],
): Promise<readonly Answer[]> {
  return transaction.query<Answer>(sql`
    select i.credential_id as "credentialId", encode(i.target, 'hex') as target, i.key, i.answer
    from orrery.idempotency as i
    join ${keySource(keys)} on i.credential_id = k.credential_id and i.target = decode(k.target, 'hex') and i.key = k.key
    where i.org_id = ${orgId} order by i.credential_id, i.target, i.key for no key update of i`);
}

async function replaceAnswers(transaction: Transaction, orgId: number, rows: readonly Answer[]): Promise<void> {
  await transaction.query(sql`
    update orrery.idempotency as i set answer = k.answer, quotes = false from ${answerSource(rows)}
    where i.org_id = ${orgId} and i.credential_id = k.credential_id and i.target = decode(k.target, 'hex')
      and i.key = k.key`);
}
