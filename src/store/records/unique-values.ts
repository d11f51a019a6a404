// Finds the record that holds a unique value, before a write claims it. The table's key decides every race.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { rowSource } from '../row-parameters.ts';

export interface UniqueValue {
  readonly typeId: number;
  readonly propertyId: number;
  readonly value: string;
}

export interface Holder extends UniqueValue {
  readonly recordId: string;
}

/** Values to look up. */
export const uniqueValueSource = rowSource<UniqueValue>(
  ['type_id', 'integer', (key) => key.typeId],
  ['property_id', 'integer', (key) => key.propertyId],
  ['value', 'text', (key) => key.value],
);

export async function findHolders(
  transaction: Transaction,
  orgId: number,
  keys: readonly UniqueValue[],
): Promise<readonly Holder[]> {
  return transaction.query<Holder>(sql`
    select u.type_id as "typeId", u.property_id as "propertyId", u.value, u.record_id as "recordId"
    from orrery.unique_value as u
    join ${uniqueValueSource(keys)} on u.type_id = k.type_id and u.property_id = k.property_id and u.value = k.value
    where u.org_id = ${orgId}`);
}
