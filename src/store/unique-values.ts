// Who holds a unique value. The table's key decides every race; here it is asked before one is lost.
import { sql } from '../base/sql.ts';
import { numbers, texts } from './columns.ts';
import type { Transaction } from './database.ts';

export interface UniqueValue {
  readonly typeId: number;
  readonly propertyId: number;
  readonly value: string;
}

export interface Holder extends UniqueValue {
  readonly recordId: string;
}

export async function findHolders(
  transaction: Transaction,
  orgId: number,
  keys: readonly UniqueValue[],
): Promise<readonly Holder[]> {
  return transaction.query<Holder>(sql`
    select u.type_id as "typeId", u.property_id as "propertyId", u.value, u.record_id as "recordId"
    from orrery.unique_value as u
    join rows from (
      unnest(${numbers(keys.map((key) => key.typeId))}::integer[]),
      unnest(${numbers(keys.map((key) => key.propertyId))}::integer[]),
      json_array_elements_text(${texts(keys.map((key) => key.value))}::json)
    ) as k (type_id, property_id, value)
      on u.type_id = k.type_id and u.property_id = k.property_id and u.value = k.value
    where u.org_id = ${orgId}`);
}
