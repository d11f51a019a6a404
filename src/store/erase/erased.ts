// The list of erased records. It outlives a restore, as the list of closed keys does: a backup may be older than an erasure,
// which is then repeated before anybody can read the restored tables.
import { raw, sql } from '../../base/sql.ts';
import type { OwnConnection, Reads, Transaction } from '../database.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { ids } from '../row-parameters.ts';

/** Adds records to the list. `unfinished` says that values may be left in their history. */
export async function noteErased(
  transaction: Transaction,
  orgId: number,
  refs: readonly RecordRef[],
  state: 'finished' | 'unfinished',
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.erased (org_id, record_id, type_id, unfinished)
    select ${orgId}::integer, k.id, k.type_id, ${state === 'unfinished'}::boolean from ${refSource(refs)}
    on conflict (org_id, record_id) do update set unfinished = excluded.unfinished`);
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
 * unfinished. Returns how many they are.
 */
export async function learnErased(connection: OwnConnection, schema: string): Promise<number> {
  const learnt = await connection.query(sql`
    insert into orrery.erased (org_id, record_id, type_id, erased_at, unfinished)
    select b.org_id, b.record_id, b.type_id, b.erased_at, true from ${raw(schema)}.erased as b
    on conflict do nothing returning 1 as learnt`);
  return learnt.length;
}
