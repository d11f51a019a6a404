// Erases the values of a property that is gone: from records, from the trash, from what was written beside them, and from the
// history. Each step takes a bounded number of rows; what it erases was visible to nobody, so records get no new version.
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { FactColumn } from '../../schema/slots.ts';
import type { Transaction } from '../database.ts';
import { indexTables } from '../index-tables.ts';
import { ids } from '../row-parameters.ts';
import { deleteSearchRows, type SearchRow, upsertSearchRows } from './index-rows.ts';

/** The property whose values are erased. */
interface ErasedProperty {
  readonly orgId: number;
  readonly typeId: number;
  readonly propertyId: number;
  /** The member of records' values. */
  readonly key: string;
  /** The columns of facts. */
  readonly columns: readonly FactColumn[];
  /** The words of a record, by its other values. */
  readonly wordsOf: (values: Readonly<Record<string, Json>>) => string;
}

/** Where the next step begins; undefined at the end. */
type Next = string | undefined;

/** Erases the values of the next live records after an id. */
export async function eraseFromRecords(transaction: Transaction, erased: ErasedProperty, after: string): Promise<Next> {
  const { orgId, typeId, key, columns, wordsOf } = erased;
  const rows = await eraseIn(transaction, erased, raw('orrery.record'), after, raw(', folded = r.folded - e.key'));
  const found = rows.map(({ id }) => id);
  if (found.length === 0) return undefined;
  if (columns.length > 0) {
    const cleared = columns.map((column) => raw(`${column} = null`));
    await transaction.query(sql`update orrery.fact as f set ${join(cleared, ', ')}
      where f.org_id = ${orgId} and f.type_id = ${typeId} and f.id = any (${ids(found)}::uuid[])`);
  }
  const words = rows.map(({ id, values }): SearchRow => ({ typeId, id, words: wordsOf(values) }));
  const [kept, empty] = [words.filter((row) => row.words !== ''), words.filter((row) => row.words === '')];
  if (kept.length > 0) await transaction.query(upsertSearchRows(orgId, kept));
  if (empty.length > 0) await transaction.query(deleteSearchRows(orgId, empty));
  await eraseFormer(transaction, orgId, key, found);
  return found.at(-1);
}

/** The same in the trash. */
export async function eraseFromTrash(transaction: Transaction, erased: ErasedProperty, after: string): Promise<Next> {
  const rows = await eraseIn(transaction, erased, raw('orrery.trash'), after, raw(''));
  const found = rows.map(({ id }) => id);
  await eraseFormer(transaction, erased.orgId, erased.key, found);
  return found.at(-1);
}

async function eraseIn(
  transaction: Transaction,
  { orgId, typeId, key }: ErasedProperty,
  table: Sql,
  after: string,
  more: Sql,
): Promise<readonly { readonly id: string; readonly values: Readonly<Record<string, Json>> }[]> {
  const rows = await transaction.query<{ id: string; values: Readonly<Record<string, Json>> }>(sql`
    update ${table} as r set properties = r.properties - e.key${more}
    from (select o.id, ${key}::text as key from ${table} as o
      where o.org_id = ${orgId} and o.type_id = ${typeId} and o.id > ${after} and jsonb_exists(o.properties, ${key})
      order by o.id limit ${bounds.store.erasedRecordsAtOnce} for update of o) as e
    where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id = e.id
    returning r.id, r.properties as values`);
  return rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

async function eraseFormer(transaction: Transaction, orgId: number, key: string, records: readonly string[]) {
  if (records.length === 0) return;
  await transaction.query(sql`delete from orrery.former_value as f
    where f.org_id = ${orgId} and f.property = ${key} and f.record_id = any (${ids(records)}::uuid[])`);
}

/** Erases the values in the entries of the feed after one, with the long values that they report. */
export async function eraseFromFeed(
  transaction: Transaction,
  { orgId, typeId, key }: ErasedProperty,
  after: string,
): Promise<Next> {
  const rows = await transaction.query<{ seq: string; id: string }>(sql`
    with page as (
      select c.seq, c.type_id, c.changed, c.left_out from orrery.change as c
      where c.org_id = ${orgId} and c.seq > ${after}::bigint order by c.seq limit ${bounds.store.purgedRowsAtOnce}),
    erased as (
      update orrery.change as c set changed = (c.changed::jsonb - ${key}::text)::text,
        left_out = array_remove(c.left_out, ${key}::text)
      from page as p
      where c.org_id = ${orgId} and c.seq = p.seq and p.type_id = ${typeId} and left(p.changed, 1) = '{'
        and (jsonb_exists(p.changed::jsonb, ${key}) or ${key} = any (p.left_out))
      returning c.seq, c.record_id as id)
    select p.seq::text as seq, e.id from page as p left join erased as e on e.seq = p.seq order by p.seq`);
  const records = [...new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])))];
  await eraseFormer(transaction, orgId, key, records);
  return rows.at(-1)?.seq;
}

/** Removes rows that were written beside the values; true if there may be more. */
export async function eraseRows(
  transaction: Transaction,
  { orgId, typeId, propertyId }: Omit<ErasedProperty, 'wordsOf'>,
): Promise<boolean> {
  let more = false;
  const tables = [raw('orrery.unique_value'), ...Object.values(indexTables).map(({ table }) => table)];
  for (const table of tables) {
    const gone = await transaction.query(sql`
      delete from ${table} as i where i.org_id = ${orgId} and i.ctid = any (array(
        select d.ctid from ${table} as d
        where d.org_id = ${orgId} and d.type_id = ${typeId} and d.property_id = ${propertyId}
        limit ${bounds.store.purgedRowsAtOnce}))
      returning 1 as gone`);
    more ||= gone.length >= bounds.store.purgedRowsAtOnce;
  }
  if (!more) {
    await transaction.query(sql`delete from orrery.property_index as p
      where p.org_id = ${orgId} and p.type_id = ${typeId} and p.property_id = ${propertyId}`);
  }
  return more;
}
