// The newest id of an org: ids are in the order of creation, so new ones must come after it.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { numbers } from '../row-parameters.ts';

/** The newest id that comes before the given one, among the org's records of these types, live and deleted. */
export async function findNewestId(
  transaction: Transaction,
  orgId: number,
  typeIds: readonly number[],
  before: string,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ id: string }>(sql`
    select n.id from unnest(${numbers(typeIds)}::integer[]) as t (type_id) cross join lateral (
      (select r.id from orrery.record as r
        where r.org_id = ${orgId} and r.type_id = t.type_id and r.id < ${before} order by r.id desc limit 1)
      union all
      (select r.id from orrery.trash as r
        where r.org_id = ${orgId} and r.type_id = t.type_id and r.id < ${before} order by r.id desc limit 1)) as n
    order by n.id desc limit 1`);
  return row?.id;
}
