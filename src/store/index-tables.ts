// For each kind of index: its table, the type of its values, and the value in the row of an unset property.
import { raw } from '../base/sql.ts';
import type { IndexKind } from '../schema/field-type.ts';

export const indexTables = {
  text: indexTable('index_text', 'text', ''),
  number: indexTable('index_number', 'numeric', '0'),
  time: indexTable('index_time', 'timestamptz', '-infinity'),
} as const satisfies Record<IndexKind, unknown>;

function indexTable<Type extends string>(name: string, type: Type, unset: string) {
  return { name, table: raw(`orrery.${name}`), type, cast: raw(`::${type}`), unset };
}
