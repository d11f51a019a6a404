// Finds records by their titles, as an import names the ends of links. One statement reads for all titles of a batch: along
// the index of the property if it has one, otherwise each record of the type.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids, numbers } from '../row-parameters.ts';

interface TitledRequest {
  readonly typeId: number;
  /** The member under which records keep their title. */
  readonly key: string;
  /** In lower case. */
  readonly titles: readonly string[];
  /** The ids of records that do not count. */
  readonly except?: readonly string[];
  /** Of stages: the association type that leads to their pipeline, and the title of that pipeline in lower case. */
  readonly within?: { readonly associationTypeIds: readonly number[]; readonly key: string; readonly title: string };
}

export interface Titled {
  readonly id: string;
  readonly title: string;
}

/** At most two records of each title, the oldest first: more are not told apart. */
export async function findTitled(
  transaction: Transaction,
  orgId: number,
  { typeId, key, titles, except = [], within }: TitledRequest,
): Promise<readonly Titled[]> {
  return transaction.query<Titled>(sql`
    select t.id, t.title from (
      select r.id, ${titleOf('r', key)} as title,
        row_number() over (partition by ${titleOf('r', key)} order by r.id) as number
      from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId}
        and ${titleOf('r', key)} in (select json_array_elements_text(${JSON.stringify(titles)}::json))
        ${except.length === 0 ? raw('') : sql`and r.id <> all (${ids(except)}::uuid[])`}
        ${within === undefined ? raw('') : inPipeline(orgId, within)}) as t
    where t.number <= 2 order by t.number`);
}

function inPipeline(orgId: number, { associationTypeIds, key, title }: NonNullable<TitledRequest['within']>): Sql {
  return sql`and exists (
    select 1 from orrery.association as a
    join orrery.record as p on p.org_id = a.org_id and p.type_id = a.target_type_id and p.id = a.target_id
    where a.org_id = ${orgId} and a.source_id = r.id
      and a.association_type_id = any (${numbers(associationTypeIds)}::integer[]) and ${titleOf('p', key)} = ${title})`;
}

function titleOf(table: 'r' | 'p', key: string): Sql {
  const row = raw(table);
  return sql`coalesce(${row}.folded ->> ${key}, ${row}.properties ->> ${key})`;
}
