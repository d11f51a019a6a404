// How far operators have come in taking back requests and imports. The row advances in the transaction of each step, so that
// after a kill nothing is done twice and nothing is left out.
import { raw, sql } from '../../base/sql.ts';
import type { Reads, Transaction } from '../database.ts';
import { lockKeyOf, tryKeepLock } from '../locks.ts';
import type { RecordRef } from '../record-ref.ts';
import { ids, numbers } from '../row-parameters.ts';
import { entryKinds } from './entries.ts';
import { type RequestScope, wroteIt } from './requests.ts';

/** The request of an org that is taken back. */
export interface RevertName {
  readonly orgId: number;
  readonly requestId: string;
}

export interface RevertCounts {
  readonly reverted: number;
  readonly kept: number;
  readonly refused: number;
}

/** The pass, and the number of the entry from which on everything is done in it; null at its beginning. */
export interface RevertPlace {
  readonly pass: 1 | 2;
  readonly doneFrom: string | null;
  /** Whether the first pass leaves something for the second. */
  readonly leaves: boolean;
}

interface StoredRevert extends RevertCounts, RevertPlace {
  readonly jobId: string;
}

/** True for one process at a time, for as long as the connection lasts. */
export function lockRevert(connection: Transaction, { orgId, requestId }: RevertName): Promise<boolean> {
  return tryKeepLock(connection, { use: 'revert', key: lockKeyOf(orgId, requestId) });
}

/** How far it has come; undefined if it has not begun or is finished. */
export async function findRevert(database: Reads, { orgId, requestId }: RevertName): Promise<StoredRevert | undefined> {
  const [row] = await database.query<StoredRevert>(sql`
    select job_id as "jobId", pass, done_from as "doneFrom", leaves, reverted, kept, refused
    from orrery.revert where org_id = ${orgId} and request_id = ${requestId}`);
  return row;
}

/** Begins it, or notes the job that continues it. */
export async function beginRevert(database: Reads, { orgId, requestId }: RevertName, jobId: string): Promise<void> {
  await database.query(sql`
    insert into orrery.revert (org_id, request_id, job_id) values (${orgId}, ${requestId}, ${jobId})
    on conflict (org_id, request_id) do update set job_id = excluded.job_id`);
}

export async function advanceRevert(
  database: Reads,
  { orgId, requestId }: RevertName,
  { pass, doneFrom, leaves }: RevertPlace,
  { reverted, kept, refused }: RevertCounts,
): Promise<void> {
  await database.query(sql`
    update orrery.revert set pass = ${pass}, done_from = ${doneFrom}::bigint, leaves = ${leaves}, reverted = ${reverted},
      kept = ${kept}, refused = ${refused}
    where org_id = ${orgId} and request_id = ${requestId}`);
}

export async function endRevert(transaction: Transaction, { orgId, requestId }: RevertName): Promise<void> {
  await transaction.script('set local synchronous_commit = on');
  await transaction.query(sql`delete from orrery.revert where org_id = ${orgId} and request_id = ${requestId}`);
}

/** An entry of the request, by its number and its record. */
interface WrittenEntry extends RecordRef {
  readonly seq: string;
}

/** The last entries of the request before one, from the last one back. */
export async function findEntriesBefore(
  database: Reads,
  { orgId, requestId, typeIds }: RequestScope,
  before: string | null,
  limit: number,
): Promise<readonly WrittenEntry[]> {
  const earlier = before === null ? raw('true') : sql`c.seq < ${before}::bigint`;
  return database.query<WrittenEntry>(sql`
    select c.type_id as "typeId", c.record_id as id, c.seq::text as seq from orrery.change as c
    where c.org_id = ${orgId} and c.request_id = ${requestId} and c.kind < ${entryKinds['visibility.lost']}
      and c.type_id = any (${numbers(typeIds)}::integer[]) and ${earlier}
    order by c.seq desc limit ${limit}`);
}

/** Those of the records that the request wrote. */
export async function findWrittenAmong(
  database: Reads,
  { orgId, requestId }: RevertName,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ id: string }>(sql`
    select distinct c.record_id as id from orrery.change as c
    where c.org_id = ${orgId} and c.record_id = any (${ids(recordIds)}::uuid[]) and ${wroteIt(requestId)}`);
  return new Set(rows.map(({ id }) => id));
}
