// The latest activities that are linked to records, as they appear among the records' values.
import { sql } from '../../base/sql.ts';
import { activityDates } from '../../schema/builtin/core-types.ts';
import type { Transaction } from '../database.ts';
import type { RecordRef } from '../record-ref.ts';
import { ids, numbers } from '../row-parameters.ts';

interface ActivityTarget extends RecordRef {
  readonly activityId: string;
}

/** The records that these activities are linked to by these association types. */
export async function findActivityTargets(
  transaction: Transaction,
  orgId: number,
  activityIds: readonly string[],
  associationTypeIds: readonly number[],
): Promise<readonly ActivityTarget[]> {
  return transaction.query<ActivityTarget>(sql`
    select distinct a.source_id as "activityId", a.target_type_id as "typeId", a.target_id as id
    from orrery.association as a
    where a.org_id = ${orgId} and a.source_id = any (${ids(activityIds)}::uuid[])
      and a.association_type_id = any (${numbers(associationTypeIds)}::integer[])`);
}

/** The date of the latest live activity of each record that has one, as it was sent. */
export async function findLatestActivities(
  transaction: Transaction,
  orgId: number,
  recordIds: readonly string[],
  associationTypeIds: readonly number[],
  activityTypeIds: readonly number[],
): Promise<ReadonlyMap<string, string>> {
  const [first, second] = activityDates;
  const rows = await transaction.query<{ id: string; at: string }>(sql`
    select k.id, latest.at from unnest(${ids(recordIds)}::uuid[]) as k (id)
    cross join lateral (
      select d.at from orrery.association as a
      join orrery.record as s on s.org_id = ${orgId} and s.type_id = a.source_type_id and s.id = a.source_id
      cross join lateral (select coalesce(s.properties ->> ${first}::text, s.properties ->> ${second}::text) as at) as d
      where a.org_id = ${orgId} and a.target_id = k.id
        and a.association_type_id = any (${numbers(associationTypeIds)}::integer[])
        and a.source_type_id = any (${numbers(activityTypeIds)}::integer[])
      order by d.at::timestamptz desc, s.id limit 1) as latest`);
  return new Map(rows.map(({ id, at }) => [id, at]));
}
