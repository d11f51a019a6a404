// Removes what has expired: records in the trash with their links, entries of the change feed, and answers kept for
// idempotency. Each statement takes a bounded number of rows of one org, so none runs long, however much has piled up.
import { bounds } from '../../base/limits.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { ids } from '../row-parameters.ts';

/** Any constant works, as long as it never changes. */
const advisoryLock = 0x6f727279 + 1;

/** True for one process at a time, until its transaction ends. */
export async function lockHousekeeping(transaction: Transaction): Promise<boolean> {
  const [row] = await transaction.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${advisoryLock}) as locked`,
  );
  return row?.locked === true;
}

/**
 * Purges records that have been in the trash for too long, links first; returns whether there may be more. Due records
 * are locked first: a record that is being restored is left alone, with its links and values.
 */
export async function purgeTrash(transaction: Transaction, orgId: number, keptSeconds: number): Promise<boolean> {
  const due = await transaction.query<RecordRef>(sql`
    select type_id as "typeId", id from orrery.trash
    where org_id = ${orgId} and deleted_at < now() - make_interval(secs => ${keptSeconds})
    order by deleted_at, id limit ${bounds.store.purgedRecordsAtOnce} for update skip locked`);
  if (due.length === 0) return false;
  return !(await purgeRecords(transaction, orgId, due)) || due.length >= bounds.store.purgedRecordsAtOnce;
}

/**
 * Removes these records from the trash, which the transaction has locked, with their links and values. Returns whether
 * they are gone: very many links are removed in portions, and the records stay until the last link is removed.
 */
export async function purgeRecords(
  transaction: Transaction,
  orgId: number,
  due: readonly RecordRef[],
): Promise<boolean> {
  const dueIds = ids(due.map((ref) => ref.id));
  for (const end of [raw('a.source_id'), raw('a.target_id')]) {
    const links = await transaction.query<{ gone: number }>(sql`
      with doomed as (
        select a.source_id, a.association_type_id, a.target_id from orrery.association as a
        where a.org_id = ${orgId} and ${end} = any (${dueIds}::uuid[]) limit ${bounds.store.purgedRowsAtOnce})
      delete from orrery.association as a using doomed as d
      where a.org_id = ${orgId} and a.source_id = d.source_id and a.association_type_id = d.association_type_id
        and a.target_id = d.target_id
      returning 1 as gone`);
    if (links.length >= bounds.store.purgedRowsAtOnce) return false;
  }
  await transaction.query(sql`
    with users as (
      delete from orrery.record_user as u using ${refSource(due)}
      where u.org_id = ${orgId} and u.type_id = k.type_id and u.record_id = k.id),
    external_ids as (
      delete from orrery.external_id as e using ${refSource(due)}
      where e.org_id = ${orgId} and e.type_id = k.type_id and e.record_id = k.id)
    delete from orrery.trash as t using ${refSource(due)}
    where t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id`);
  return true;
}

/** Returns whether there may be more. */
export async function purgeAnswers(transaction: Transaction, orgId: number, keptSeconds: number): Promise<boolean> {
  const rows = await transaction.query<{ gone: number }>(sql`
    with due as (
      select credential_id, target, key from orrery.idempotency
      where org_id = ${orgId} and created_at < now() - make_interval(secs => ${keptSeconds})
      order by created_at limit ${bounds.store.purgedRowsAtOnce})
    delete from orrery.idempotency as i using due
    where i.org_id = ${orgId} and i.credential_id = due.credential_id and i.target = due.target and i.key = due.key
    returning 1 as gone`);
  return rows.length >= bounds.store.purgedRowsAtOnce;
}

/**
 * Removes the oldest entries of the feed and notes how far: a reader whose position is before that must start over.
 * They are all entries up to the last one that is due, so they are deleted as a range: PostgreSQL might plan a join with
 * them as if the table were still empty. Returns whether there may be more.
 */
export async function purgeFeed(transaction: Transaction, orgId: number, keptSeconds: number): Promise<boolean> {
  const rows = await transaction.query<{ gone: number }>(sql`
    with oldest as (
      select c.seq, c.xid, c.at from orrery.change as c where c.org_id = ${orgId}
      order by c.seq limit ${bounds.store.purgedRowsAtOnce}),
    due as (
      select o.seq, o.xid from oldest as o
      where o.seq < coalesce((select min(k.seq) from oldest as k
        where k.at >= now() - make_interval(secs => ${keptSeconds})), o.seq + 1)),
    start as (
      insert into orrery.change_start (org_id, purged_seq, purged_xid)
      select ${orgId}::integer, (select d.seq from due as d order by d.seq desc limit 1), d.xid
      from due as d order by d.xid desc limit 1
      on conflict (org_id) do update set purged_seq = greatest(change_start.purged_seq, excluded.purged_seq),
        purged_xid = greatest(change_start.purged_xid, excluded.purged_xid))
    delete from orrery.change as c
    where c.org_id = ${orgId} and c.seq <= (select d.seq from due as d order by d.seq desc limit 1)
    returning 1 as gone`);
  return rows.length >= bounds.store.purgedRowsAtOnce;
}
