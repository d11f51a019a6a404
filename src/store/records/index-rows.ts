// The rows that make records findable: typed index rows, unique values and search words, as parts of the statement that
// writes the records. Rows to be removed are named by their whole key, computed from the record's former values.
import { orDistributed, raw, type Sql, sql } from '../../base/sql.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import { indexTables } from '../index-tables.ts';
import { insertion } from '../insert-rows.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { type Column, rowSource } from '../row-parameters.ts';
import type { Holder } from './unique-values.ts';

export interface IndexRow {
  readonly kind: IndexKind;
  readonly typeId: number;
  readonly propertyId: number;
  /** null: the property is unset. */
  readonly value: string | null;
  readonly recordId: string;
}

export interface SearchRow extends RecordRef {
  /** Separated by spaces: as a list, the words of a long text would take several times its memory. */
  readonly words: string;
}

/** One part for each kind of index that has rows among these. */
export function insertIndexRows(orgId: number, rows: readonly IndexRow[]): readonly Sql[] {
  return byKind(rows).map(([kind, some]) => insertions[kind](orgId, some));
}

export function deleteIndexRows(orgId: number, rows: readonly IndexRow[]): readonly Sql[] {
  return byKind(rows).map(
    ([kind, some]) => sql`delete from ${indexTables[kind].table} as i using ${indexSources[kind](some)}
      where i.org_id = ${orgId} and i.type_id = k.type_id and i.property_id = k.property_id and i.unset = k.unset
        and i.value = k.value and i.record_id = k.record_id`,
  );
}

function byKind(rows: readonly IndexRow[]): readonly (readonly [IndexKind, readonly IndexRow[]])[] {
  if (rows.length === 0) return [];
  return (Object.keys(indexTables) as IndexKind[])
    .map((kind) => [kind, rows.filter((row) => row.kind === kind)] as const)
    .filter(([, some]) => some.length > 0);
}

const indexSources = byKinds((kind) => rowSource(...columnsOf(kind)));
const insertions = byKinds((kind) => insertion(indexTables[kind].name, ...columnsOf(kind)));

function byKinds<Value>(of: (kind: IndexKind) => Value): Readonly<Record<IndexKind, Value>> {
  return { text: of('text'), number: of('number'), time: of('time') };
}

function columnsOf(kind: IndexKind): readonly Column<IndexRow>[] {
  const { type, unset } = indexTables[kind];
  return [
    ['type_id', 'integer', (row) => row.typeId],
    ['property_id', 'integer', (row) => row.propertyId],
    ['unset', 'boolean', (row) => row.value === null],
    ['value', type, (row) => row.value ?? unset],
    ['record_id', 'uuid', (row) => row.recordId],
  ];
}

/** In the order of their keys, so that two batches that want the same values cannot wait for each other. */
export function insertUniqueValues(orgId: number, rows: readonly Holder[]): Sql {
  return insertHolders(orgId, rows, raw(' order by k.type_id, k.property_id, k.value collate "C"'));
}

export function deleteUniqueValues(orgId: number, rows: readonly Holder[]): Sql {
  return sql`delete from orrery.unique_value as u using ${holders(rows)}
    where u.org_id = ${orgId} and u.type_id = k.type_id and u.property_id = k.property_id
      and u.value = k.value and u.record_id = k.record_id`;
}

const holderColumns: readonly Column<Holder>[] = [
  ['type_id', 'integer', (row) => row.typeId],
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
  ['record_id', 'uuid', (row) => row.recordId],
];
const holders = rowSource(...holderColumns);
const insertHolders = insertion('unique_value', ...holderColumns);

const words = rowSource<SearchRow>(
  ['type_id', 'integer', (row) => row.typeId],
  ['id', 'uuid', (row) => row.id],
  ['words', 'lines', (row) => row.words],
);

/** A record's words, each prefixed with its org and type, so that the index is scoped to them by its own keys. */
export function insertSearchRows(orgId: number, rows: readonly SearchRow[]): Sql {
  const scope = sql`cross join lateral (select ${`${orgId}_`}::text || k.type_id || '_' as scope) as s`;
  return orDistributed(
    sql`${intoSearch} select ${orgId}::integer, ${scopedWords} from ${words(rows)} ${scope}`,
    () => sql`${intoSearch} select o.org_id, ${scopedWords} from orrery.org as o cross join ${words(rows)} ${scope}
      where o.org_id = ${orgId}`,
  );
}

const intoSearch = raw('insert into orrery.search (org_id, type_id, record_id, words)');
const scopedWords = raw(
  "k.type_id, k.id, array_to_tsvector(string_to_array(s.scope || replace(k.words, ' ', ' ' || s.scope), ' '))",
);

/** The same for records that may have words already. */
export function upsertSearchRows(orgId: number, rows: readonly SearchRow[]): Sql {
  return sql`${insertSearchRows(orgId, rows)}
    on conflict (org_id, type_id, record_id) do update set words = excluded.words`;
}

/** The same words as a text, separated by spaces. */
export function lexemes(orgId: number, { typeId, words: folded }: SearchRow): string {
  const scope = `${orgId}_${typeId}_`;
  // Four times as fast as to replace the spaces of a long text.
  return scope + folded.split(' ').join(` ${scope}`);
}

export function deleteSearchRows(orgId: number, refs: readonly RecordRef[]): Sql {
  return sql`delete from orrery.search as s using ${refSource(refs)}
    where s.org_id = ${orgId} and s.type_id = k.type_id and s.record_id = k.id`;
}
