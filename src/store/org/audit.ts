// Entries of the audit, as the operator reads them.
import { firstIdAt } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';

export interface AuditEntry {
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** The last entries come first. Entries are dated by their ids, so the key has them in order. */
export async function listEntries(
  transaction: Transaction,
  orgId: number,
  seconds: number,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const [clock] = await transaction.query<{ atMs: number }>(
    sql`select (extract(epoch from now()) * 1000)::float8 as "atMs"`,
  );
  const first = firstIdAt(Math.floor((clock?.atMs ?? 0) - seconds * 1_000));
  return transaction.query<AuditEntry>(sql`
    select r.id, r.properties as values from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.auditEntry} and r.id >= ${first}
    order by r.id desc limit ${limit}`);
}
