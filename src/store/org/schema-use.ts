// Whether anything relies on a definition: records of a type, links of an association type, values of a property.
import { type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

/** Whether the type has a record, live or in the trash. */
export function hasRecords(transaction: Transaction, orgId: number, typeId: number): Promise<boolean> {
  return exists(
    transaction,
    sql`select 1 from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId}
      union all select 1 from orrery.trash as t where t.org_id = ${orgId} and t.type_id = ${typeId}`,
  );
}

/** Whether there is a link of the association type, be it between records in the trash. */
export function hasLinks(transaction: Transaction, orgId: number, associationTypeId: number): Promise<boolean> {
  return exists(
    transaction,
    sql`select 1 from orrery.association as a
      where a.org_id = ${orgId} and a.association_type_id = ${associationTypeId}`,
  );
}

/** The values of a property, as records have them. */
interface ValuePlace {
  readonly typeId: number;
  readonly key: string;
}

/** Whether a live record has no value of the property. */
export function lacksValue(transaction: Transaction, orgId: number, { typeId, key }: ValuePlace): Promise<boolean> {
  return exists(
    transaction,
    sql`select 1 from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId} and not jsonb_exists(r.properties, ${key})`,
  );
}

/** Whether a live record has the value, alone or in a list. */
export function hasValue(
  transaction: Transaction,
  orgId: number,
  { typeId, key }: ValuePlace,
  value: string,
): Promise<boolean> {
  return exists(
    transaction,
    sql`select 1 from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId}
        and jsonb_exists(case jsonb_typeof(r.properties -> ${key}::text) when 'array' then r.properties -> ${key}::text
          else jsonb_build_array(r.properties -> ${key}::text) end, ${value})`,
  );
}

async function exists(transaction: Transaction, rows: Sql): Promise<boolean> {
  const [row] = await transaction.query<{ found: boolean }>(sql`select exists (${rows}) as found`);
  return row?.found === true;
}
