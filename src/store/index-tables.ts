// For each kind of index: its table, the type of its values, and the value in the row of an unset property.
import { raw, type Sql } from '../base/sql.ts';
import type { IndexKind } from '../schema/field-type.ts';

export const indexTables = {
  text: { table: raw('orrery.index_text'), cast: raw('::text'), unset: '' },
  number: { table: raw('orrery.index_number'), cast: raw('::numeric'), unset: '0' },
  time: { table: raw('orrery.index_time'), cast: raw('::timestamptz'), unset: '-infinity' },
} as const satisfies Record<IndexKind, { table: Sql; cast: Sql; unset: string }>;
