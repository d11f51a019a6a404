// The custom schema of each org, as one document.
import { sql } from '../../base/sql.ts';
import { type CustomSchema, emptyCustomSchema } from '../../schema/custom/custom-schema.ts';
import type { Transaction } from '../database.ts';

export async function findCustomSchema(transaction: Transaction, orgId: number): Promise<CustomSchema> {
  const [row] = await transaction.query<{ document: CustomSchema }>(
    sql`select document from orrery.custom_schema where org_id = ${orgId}`,
  );
  return row?.document ?? emptyCustomSchema;
}

export async function saveCustomSchema(transaction: Transaction, orgId: number, schema: CustomSchema): Promise<void> {
  await transaction.query(sql`
    insert into orrery.custom_schema (org_id, document) values (${orgId}, ${JSON.stringify(schema)}::json)
    on conflict (org_id) do update set document = excluded.document, updated_at = excluded.updated_at`);
}
