// Removes what has expired: records in the trash with their links, entries of the change feed, and answers kept for
// idempotency. Each statement takes a bounded number of rows and bytes of one org, so none runs long, however much has piled
// up.
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import { databaseTime } from '../database-time.ts';
import { entryKinds } from '../feed/entries.ts';
import { tryLock, waitForLock } from '../locks.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { rowBytes } from '../row-bytes.ts';
import { ids, numbers, rowSource } from '../row-parameters.ts';

/** True for one process at a time, until its transaction ends. */
export function lockHousekeeping(transaction: Transaction): Promise<boolean> {
  return tryLock(transaction, { use: 'housekeeping' });
}

/** What a step of purging has done: the estimated bytes that it freed, and whether there may be more to purge. */
export interface Purged {
  readonly bytes: number;
  readonly more: boolean;
}

interface PurgedRecords extends Purged {
  /** How many records are gone. */
  readonly records: number;
}

/**
 * Until the transaction ends, nobody else purges this org. Otherwise the values of a record could be kept for entries of
 * the feed that are being purged at the same moment, and would stay for ever.
 */
export function lockPurges(transaction: Transaction, orgId: number): Promise<void> {
  return waitForLock(transaction, { use: 'purge', key: orgId });
}

/** Purges records that have been in the trash for too long, links first; definitions are purged with what they define. */
export async function purgeTrash(transaction: Transaction, orgId: number, keptSeconds: number): Promise<PurgedRecords> {
  const { due, others } = await lockDue(
    transaction,
    orgId,
    sql`t.deleted_at < now() - make_interval(secs => ${keptSeconds})
      and t.type_id <> all (${numbers(definitionTypeIds)}::integer[])`,
  );
  if (due.length === 0) return { bytes: 0, more: false, records: 0 };
  const { bytes, more } = await purgeRecords(transaction, orgId, due);
  return { bytes, more: more || others, records: more ? 0 : due.length };
}

/**
 * Locks the records in the trash for which a condition on `t` holds, the oldest first: as many as one step removes, and
 * whether there may be others. A record that is being restored is left alone, with its links and values.
 */
export async function lockDue(
  transaction: Transaction,
  orgId: number,
  condition: Sql,
): Promise<{ readonly due: readonly RecordRef[]; readonly others: boolean }> {
  const { purgedRecordsAtOnce, purgedBytesAtOnce } = bounds.store;
  const rows = await transaction.query<RecordRef & { readonly fits: boolean }>(sql`
    select t."typeId", t.id, sum(t.bytes) over (rows unbounded preceding) - t.bytes < ${purgedBytesAtOnce} as fits from (
      select t.type_id as "typeId", t.id, pg_column_size(t.properties) as bytes from orrery.trash as t
      where t.org_id = ${orgId} and ${condition}
      order by t.deleted_at, t.id limit ${purgedRecordsAtOnce} for update skip locked) as t`);
  const due = rows.filter(({ fits }) => fits);
  return { due, others: due.length < rows.length || rows.length >= purgedRecordsAtOnce };
}

/**
 * Removes these records from the trash, which the transaction has locked, with their links and values. If `more` is true
 * they are still there: very many links are removed in portions, and the records stay until the last link is removed.
 */
export async function purgeRecords(
  transaction: Transaction,
  orgId: number,
  due: readonly RecordRef[],
): Promise<Purged> {
  const links = await purgeLinks(transaction, orgId, due);
  return links.more ? links : { bytes: links.bytes + (await removeTrashed(transaction, orgId, due)), more: false };
}

/** Removes a bounded number of links of these records, in both directions. */
export async function purgeLinks(transaction: Transaction, orgId: number, due: readonly RecordRef[]): Promise<Purged> {
  const dueIds = ids(due.map((ref) => ref.id));
  let bytes = 0;
  for (const end of [raw('a.source_id'), raw('a.target_id')]) {
    const links = await transaction.query<{ gone: number }>(sql`
      with doomed as (
        select a.source_id, a.association_type_id, a.target_id from orrery.association as a
        where a.org_id = ${orgId} and ${end} = any (${dueIds}::uuid[]) limit ${bounds.store.purgedRowsAtOnce})
      delete from orrery.association as a using doomed as d
      where a.org_id = ${orgId} and a.source_id = d.source_id and a.association_type_id = d.association_type_id
        and a.target_id = d.target_id
      returning 1 as gone`);
    bytes += links.length * rowBytes.link;
    if (links.length >= bounds.store.purgedRowsAtOnce) return { bytes, more: true };
  }
  return { bytes, more: false };
}

/**
 * Removes records without links. Long values stay as long as the record has entries in the feed, if one of them reports the
 * value. So do all long values of a record that has changed on the last day: a kept answer may need them.
 */
async function removeTrashed(transaction: Transaction, orgId: number, due: readonly RecordRef[]): Promise<number> {
  const users = await transaction.query(sql`
    delete from orrery.record_user as u using ${refSource(due)}
    where u.org_id = ${orgId} and u.type_id = k.type_id and u.record_id = k.id returning 1 as gone`);
  const externalIds = await transaction.query(sql`
    delete from orrery.external_id as e using ${refSource(due)}
    where e.org_id = ${orgId} and e.type_id = k.type_id and e.record_id = k.id returning 1 as gone`);
  const answeredSince = new Date(
    (await databaseTime(transaction)).getTime() - bounds.engine.idempotencyKeptSeconds * 1_000,
  );
  const former = await transaction.query<{ bytes: number }>(sql`
    insert into orrery.former_value as f (org_id, record_id, property, version, value)
    select t.org_id, t.id, v.key, t.version + 1, v.value::text
    from ${refSource(due)} join orrery.trash as t on t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id
    cross join lateral (
      select array_agg(distinct n.property) as properties, bool_or(c.kind <> ${entryKinds['record.deleted']}::smallint
          and c.at > ${answeredSince}::timestamptz) as answered
      from orrery.change as c left join lateral unnest(c.left_out) as n (property) on true
      where c.org_id = ${orgId} and c.record_id = t.id) as e
    cross join lateral jsonb_each(t.properties) as v
    where pg_column_size(t.properties) > ${bounds.engine.longValueCharacters}
      and octet_length(v.value::text) > ${bounds.engine.longValueCharacters}
      and (e.answered or v.key = any (e.properties))
    returning ${rowBytes.formerValue}::integer + octet_length(f.value) as bytes`);
  const trashed = await transaction.query<{ bytes: number }>(sql`
    select ${rowBytes.trash}::integer + pg_column_size(t.properties) as bytes
    from ${refSource(due)} join orrery.trash as t on t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id`);
  await transaction.query(sql`
    delete from orrery.trash as t using ${refSource(due)}
    where t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id`);
  const rows = users.length * rowBytes.user + externalIds.length * rowBytes.externalId;
  return rows + sumOf(trashed) - sumOf(former);
}

function sumOf(rows: readonly { readonly bytes: number }[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes answers that have been kept for long enough. */
export async function purgeAnswers(transaction: Transaction, orgId: number, keptSeconds: number): Promise<Purged> {
  const { purgedRowsAtOnce, purgedBytesAtOnce } = bounds.store;
  const [row] = await transaction.query<{ bytes: string; more: boolean }>(sql`
    with oldest as (
      select o.*, sum(o.bytes) over (rows unbounded preceding) - o.bytes < ${purgedBytesAtOnce} as fits from (
        select credential_id, target, key, octet_length(answer) as bytes from orrery.idempotency
        where org_id = ${orgId} and created_at < now() - make_interval(secs => ${keptSeconds})
        order by created_at limit ${purgedRowsAtOnce}) as o),
    gone as (
      delete from orrery.idempotency as i using oldest as due
      where due.fits and i.org_id = ${orgId} and i.credential_id = due.credential_id and i.target = due.target and i.key = due.key
      returning ${rowBytes.answer}::integer + octet_length(i.answer) as bytes)
    select coalesce(sum(bytes), 0) as bytes,
      (select count(*) >= ${purgedRowsAtOnce} or not coalesce(bool_and(fits), true) from oldest) as more
    from gone`);
  return { bytes: Number(row?.bytes ?? 0), more: row?.more === true };
}

/**
 * Removes the oldest entries of the feed and notes how far: a reader whose position is before that must start over.
 * Long values that only these entries reported go with them. They are all entries up to the last one that is due, so they
 * are deleted as a range: PostgreSQL might plan a join with them as if the table were still empty.
 */
export async function purgeFeed(transaction: Transaction, orgId: number, keptSeconds: number): Promise<Purged> {
  const keptSince = new Date((await databaseTime(transaction)).getTime() - keptSeconds * 1_000);
  const [due] = await transaction.query<{ seq: string | null; xid: string | null }>(sql`
    with oldest as (
      select o.*, sum(o.bytes) over (order by o.seq) - o.bytes < ${bounds.store.purgedBytesAtOnce} as fits from (
        select c.seq, c.xid, c.at, ${entryBytes} as bytes from orrery.change as c where c.org_id = ${orgId}
        order by c.seq limit ${bounds.store.purgedRowsAtOnce}) as o)
    select max(o.seq)::text as seq, max(o.xid::text::numeric)::text as xid from oldest as o
    where o.fits and o.seq < coalesce((
      select min(k.seq) from oldest as k where k.at >= ${keptSince}::timestamptz), o.seq + 1)`);
  if (due?.seq == null) return { bytes: 0, more: false };
  await transaction.query(sql`
    insert into orrery.change_start (org_id, purged_seq, purged_xid)
    values (${orgId}, ${due.seq}::bigint, ${due.xid}::xid8)
    on conflict (org_id) do update set purged_seq = greatest(change_start.purged_seq, excluded.purged_seq),
      purged_xid = greatest(change_start.purged_xid, excluded.purged_xid)`);
  const gone = await transaction.query<PurgedEntry>(sql`
    delete from orrery.change as c
    where c.org_id = ${orgId} and c.seq <= ${due.seq}::bigint and c.at < ${keptSince}::timestamptz
    returning c.type_id as "typeId", c.record_id as id, c.version,
      ${rowBytes.entry}::integer + coalesce(octet_length(c.changed), 0) as bytes, ${entryBytes} as reported`);
  const reported = gone.reduce((sum, entry) => sum + entry.reported, 0);
  const bytes = sumOf(gone);
  const former = await purgeFormerValues(transaction, orgId, gone);
  const { purgedRowsAtOnce, purgedBytesAtOnce } = bounds.store;
  return { bytes: bytes + former, more: gone.length >= purgedRowsAtOnce || reported >= purgedBytesAtOnce };
}

/** The bytes of the values that an entry reports, in itself or left out. */
const entryBytes = raw('coalesce(octet_length(c.changed), 0) + coalesce(c.left_out_bytes, 0)');

interface PurgedEntry extends RecordRef {
  readonly version: string;
  readonly bytes: number;
  readonly reported: number;
}

const purgedEntries = rowSource<PurgedEntry>(
  ['type_id', 'integer', (entry) => entry.typeId],
  ['record_id', 'uuid', (entry) => entry.id],
  ['version', 'bigint', (entry) => entry.version],
);

/**
 * An entry reports values that its version replaced, or that a later one did. So values that a purged version replaced
 * are reported by no entry that is left; and if a record is gone with all its entries, nobody reports any of its values.
 */
async function purgeFormerValues(
  transaction: Transaction,
  orgId: number,
  gone: readonly PurgedEntry[],
): Promise<number> {
  const [row] = await transaction.query<{ bytes: string }>(sql`
    with gone as (
      select k.type_id, k.record_id, max(k.version) as version from ${purgedEntries(gone)} group by 1, 2),
    former as (
      delete from orrery.former_value as f using gone as g
      where f.org_id = ${orgId} and f.record_id = g.record_id and (f.version <= g.version or not exists (
        select 1 from orrery.change as c where c.org_id = ${orgId} and c.record_id = g.record_id)
        and not exists (select 1 from orrery.record as r
          where r.org_id = ${orgId} and r.type_id = g.type_id and r.id = g.record_id)
        and not exists (select 1 from orrery.trash as r
          where r.org_id = ${orgId} and r.type_id = g.type_id and r.id = g.record_id))
      returning ${rowBytes.formerValue}::integer + octet_length(f.value) as bytes)
    select coalesce(sum(bytes), 0) as bytes from former`);
  return Number(row?.bytes ?? 0);
}
