// The operator's view of the trash: list it, find a record in it, empty it. How a record is removed for good, with its
// links and values, is in `purge`.
import { bounds } from '../../base/limits.ts';
import { type Sql, sql } from '../../base/sql.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import type { RecordRef } from '../record-ref.ts';
import { numbers, rowSource } from '../row-parameters.ts';
import { lockDue, lockPurges, type Purged, purgeRecords } from './purge.ts';

/** A type to list, with its title property. */
interface TitledType {
  readonly typeId: number;
  readonly title: string | null;
}

interface TrashedRecord extends RecordRef {
  readonly title: string | null;
  readonly deletedAt: Date;
}

const titled = rowSource<TitledType>(
  ['type_id', 'integer', (type) => type.typeId],
  ['title', 'text', (type) => type.title],
);

/** The latest deletion first. */
export async function listTrash(
  transaction: Transaction,
  orgId: number,
  types: readonly TitledType[],
  limit: number,
): Promise<readonly TrashedRecord[]> {
  return transaction.query<TrashedRecord>(sql`
    select t.type_id as "typeId", t.id, t.properties ->> k.title as title, t.deleted_at as "deletedAt"
    from orrery.trash as t join ${titled(types)} on k.type_id = t.type_id
    where t.org_id = ${orgId} order by t.deleted_at desc, t.id desc limit ${limit}`);
}

/** Whether a record of this id is live or in the trash, and its type. */
export async function locateRecord(
  transaction: Transaction,
  orgId: number,
  typeIds: readonly number[],
  id: string,
): Promise<{ readonly typeId: number; readonly place: 'live' | 'trash' } | undefined> {
  const [found] = await transaction.query<{ typeId: number; place: 'live' | 'trash' }>(sql`
    select t.type_id as "typeId", 'trash' as place from orrery.trash as t
    where t.org_id = ${orgId} and t.type_id = any (${numbers(typeIds)}::integer[]) and t.id = ${id}
    union all
    select r.type_id, 'live' from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = any (${numbers(typeIds)}::integer[]) and r.id = ${id}`);
  return found;
}

/** Selects the records in the trash for which all of these hold. */
interface TrashSelection {
  readonly typeIds: readonly number[];
  readonly id?: string;
  readonly deletedBefore?: Date;
}

/** Removes a bounded number of these for good. */
export async function purgeSelected(
  transaction: Transaction,
  orgId: number,
  { typeIds, id, deletedBefore }: TrashSelection,
): Promise<Purged & { readonly records: number }> {
  await lockPurges(transaction, orgId);
  const { due, others } = await lockDue(
    transaction,
    orgId,
    sql`t.type_id = any (${numbers(typeIds)}::integer[])${only(id)}${before(deletedBefore)}`,
  );
  if (due.length === 0) return { records: 0, bytes: 0, more: false };
  let bytes = 0;
  // All in this transaction: after an interrupted purge no record may come back without some of its links.
  for (let more = true; more; ) {
    const step = await purgeRecords(transaction, orgId, due);
    bytes += step.bytes;
    more = step.more;
  }
  return { records: due.length, bytes, more: others };
}

function only(id: string | undefined): Sql {
  return id === undefined ? sql`` : sql` and t.id = ${id}`;
}

function before(moment: Date | undefined): Sql {
  return moment === undefined ? sql`` : sql` and t.deleted_at < ${moment.toISOString()}::timestamptz`;
}

/** Definitions that have been in the trash since before a moment, a bounded number, the oldest first; with an id only that one. */
export function findDueDefinitions(
  transaction: Pick<Transaction, 'query'>,
  orgId: number,
  deletedBefore: Date,
  id: string | undefined,
): Promise<readonly RecordRef[]> {
  return transaction.query<RecordRef>(sql`
    select t.type_id as "typeId", t.id from orrery.trash as t
    where t.org_id = ${orgId} and t.type_id = any (${numbers(definitionTypeIds)}::integer[])${only(id)}${before(deletedBefore)}
    order by t.deleted_at, t.id limit ${bounds.store.purgedRecordsAtOnce}`);
}
