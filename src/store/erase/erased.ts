// The list of erased records. It outlives a restore, as the list of closed keys does: a backup may be older than an erasure,
// which is then repeated before anybody can read the restored tables.
import { raw, sql } from '../../base/sql.ts';
import type { OwnConnection, Reads, Transaction } from '../database.ts';
import { insertion } from '../insert-rows.ts';
import type { RecordRef } from '../record-ref.ts';
import { ids } from '../row-parameters.ts';

/** Adds records to the list. `unfinished` says that values may be left in their history. */
export async function noteErased(
  transaction: Transaction,
  orgId: number,
  refs: readonly RecordRef[],
  state: 'finished' | 'unfinished',
): Promise<void> {
  const rows = refs.map((ref) => ({ ...ref, isUnfinished: state === 'unfinished' }));
  await transaction.query(sql`${insertErased(orgId, rows)}
    on conflict (org_id, record_id) do update set unfinished = excluded.unfinished`);
}

const insertErased = insertion<RecordRef & { readonly isUnfinished: boolean }>(
  'erased',
  ['record_id', 'uuid', (row) => row.id],
  ['type_id', 'integer', (row) => row.typeId],
  ['unfinished', 'boolean', (row) => row.isUnfinished],
);

/** Whether the feed has entries of a record that was not erased: of one that was purged, they may have values. */
export async function hasHistory(transaction: Reads, orgId: number, { typeId, id }: RecordRef): Promise<boolean> {
  const rows = await transaction.query(sql`
    select 1 as found from orrery.change as c
    where c.org_id = ${orgId} and c.record_id = ${id} and c.type_id = ${typeId}
      and not exists (select 1 from orrery.erased as e where e.org_id = ${orgId} and e.record_id = c.record_id)
    limit 1`);
  return rows.length > 0;
}

/** Erased records in whose history values may be left, a bounded number, the oldest first. */
export async function findUnfinished(transaction: Reads, orgId: number, limit: number): Promise<readonly RecordRef[]> {
  return transaction.query<RecordRef>(sql`
    select e.type_id as "typeId", e.record_id as id from orrery.erased as e
    where e.org_id = ${orgId} and e.unfinished order by e.erased_at, e.record_id limit ${limit}`);
}

export async function noteFinished(transaction: Transaction, orgId: number, refs: readonly RecordRef[]): Promise<void> {
  await transaction.query(sql`
    update orrery.erased as e set unfinished = false
    where e.org_id = ${orgId} and e.record_id = any (${ids(refs.map(({ id }) => id))}::uuid[])`);
}

/** The orgs that have unfinished erasures: for the service itself and for a restore, never in a request. */
export async function findOrgsWithErasures(transaction: Reads): Promise<readonly number[]> {
  const rows = await transaction.query<{ orgId: number }>(
    sql`select o.org_id as "orgId" from orrery.org as o
      where exists (select from orrery.erased as e where e.org_id = o.org_id and e.unfinished) order by o.org_id`,
  );
  return rows.map(({ orgId }) => orgId);
}

/**
 * Adds what the replaced tables list and the restored ones do not. These records are to be erased again, so they are
 * unfinished. Returns how many of them the restored tables have, live, in the trash, or in the feed.
 */
export async function learnErased(connection: OwnConnection, schema: string): Promise<number> {
  const [row] = await connection.query<{ count: number }>(sql`
    with learnt as (
      insert into orrery.erased (org_id, record_id, type_id, erased_at, unfinished)
      select b.org_id, b.record_id, b.type_id, b.erased_at, true from ${raw(schema)}.erased as b
      on conflict do nothing returning org_id, record_id, type_id)
    select count(*)::integer as count from learnt as l
    where exists (select 1 from orrery.record as r
        where r.org_id = l.org_id and r.type_id = l.type_id and r.id = l.record_id)
      or exists (select 1 from orrery.trash as t
        where t.org_id = l.org_id and t.type_id = l.type_id and t.id = l.record_id)
      or exists (select 1 from orrery.change as c where c.org_id = l.org_id and c.record_id = l.record_id)`);
  return row?.count ?? 0;
}
