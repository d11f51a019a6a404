// Long values that records had. A long value is stored once: in its record while the record has it, and here once it is
// replaced, with the version that replaced it. Feed entries and kept answers leave long values out and look them up.
import type { Json } from '../../base/json.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { insertion } from '../insert-rows.ts';
import type { RecordRef } from '../record-ref.ts';
import { rowSource } from '../row-parameters.ts';
import { type HiddenKeys, isSeenKey } from './hidden-values.ts';

/** A value that a record had until a version replaced it. */
export interface FormerValue {
  readonly recordId: string;
  readonly property: string;
  readonly version: number;
  /** JSON text. */
  readonly value: string;
}

/** The part of a writing statement that keeps the long values that it replaces. */
export const insertFormerValues = insertion<FormerValue>(
  'former_value',
  ['record_id', 'uuid', (row) => row.recordId],
  ['property', 'text', (row) => row.property],
  ['version', 'bigint', (row) => row.version],
  ['value', 'lines', (row) => row.value],
);

/**
 * The values that the entry `c` leaves out and the caller sees: by property, the former and the new value. Null if there are
 * none.
 */
export function leftOutValues(orgId: number, hidden: HiddenKeys = {}): Sql {
  const before = sql`(select f.value::json from orrery.former_value as f
    where f.org_id = ${orgId} and f.record_id = c.record_id and f.property = n.property and f.version = c.version)`;
  return sql`case when c.left_out is not null then (
    select json_object_agg(n.property, json_build_object('old', ${before}, 'new', ${valueSince(orgId, raw('c'))}))
    from unnest(c.left_out) as n (property) where ${isSeenKey(hidden, raw('n.property'))}) end`;
}

/** The value of `n.property` that a record has had since a version: `place` has its type_id, record_id and version. */
function valueSince(orgId: number, place: Sql): Sql {
  const present = (table: Sql) => sql`(select (r.properties -> n.property)::text::json from ${table} as r
    where r.org_id = ${orgId} and r.type_id = ${place}.type_id and r.id = ${place}.record_id)`;
  return sql`coalesce(
    (select f.value::json from orrery.former_value as f
      where f.org_id = ${orgId} and f.record_id = ${place}.record_id and f.property = n.property
        and f.version > ${place}.version
      order by f.version limit 1),
    ${present(raw('orrery.record'))}, ${present(raw('orrery.trash'))})`;
}

/** A record as it was at one of its versions. */
export interface RecordVersion extends RecordRef {
  readonly version: string;
}

/** The long values that the record had at that version. */
export async function findLongValues(
  transaction: Transaction,
  orgId: number,
  { typeId, id, version }: RecordVersion,
  properties: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
  const names = rowSource<string>(['property', 'text', (name) => name])(properties);
  const rows = await transaction.query<{ property: string; value: Json }>(sql`
    select n.property, ${valueSince(orgId, raw('p'))} as value
    from (select k.property from ${names}) as n
    cross join (select ${typeId}::integer as type_id, ${id}::uuid as record_id, ${version}::bigint as version) as p`);
  return new Map(rows.map(({ property, value }) => [property, value]));
}
