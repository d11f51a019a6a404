// How many records of each type a credential sees, for whoever explains a key.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { type Viewer, visibleTo } from '../viewer.ts';

/** By the number of the type; types without such records are left out. */
export async function countVisible(transaction: Transaction, viewer: Viewer): Promise<ReadonlyMap<number, number>> {
  const rows = await transaction.query<{ typeId: number; records: string }>(sql`
    select r.type_id as "typeId", count(*) as records from orrery.record as r where ${visibleTo(viewer)}
    group by r.type_id`);
  return new Map(rows.map(({ typeId, records }) => [typeId, Number(records)]));
}
