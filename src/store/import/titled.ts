// Finds records by their titles, as an import names the ends of links. One statement reads for all titles of a batch: along
// the index of the property if it has one, otherwise each record of the type.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids, numbers, rowSource } from '../row-parameters.ts';

interface TitledRequest {
  readonly typeId: number;
  /** The member under which records keep their title. */
  readonly key: string;
  /** In lower case. */
  readonly titles: readonly string[];
  /** The index of the property, if it has one, and the titles as it has them. */
  readonly index?: { readonly propertyId: number; readonly keys: readonly string[] };
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
  { typeId, key, titles, index, except = [], within }: TitledRequest,
): Promise<readonly Titled[]> {
  const counts = sql`
    ${except.length === 0 ? raw('') : sql`and r.id <> all (${ids(except)}::uuid[])`}
    ${within === undefined ? raw('') : inPipeline(orgId, within)}`;
  if (index !== undefined) {
    const { propertyId, keys } = index;
    const wanted = titles.map((title, place) => ({ title, key: keys[place] ?? '' }));
    return transaction.query<Titled>(sql`
      select t.id, k.title from ${keySource(wanted)} cross join lateral (
        select r.id from orrery.index_text as i
        join orrery.record as r on r.org_id = i.org_id and r.type_id = i.type_id and r.id = i.record_id
        where i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId} and not i.unset
          and i.value = k.key ${counts}
        order by r.id limit 2) as t
      order by t.id`);
  }
  return transaction.query<Titled>(sql`
    select t.id, t.title from (
      select r.id, ${titleOf('r', key)} as title,
        row_number() over (partition by ${titleOf('r', key)} order by r.id) as number
      from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${typeId}
        and ${titleOf('r', key)} in (select json_array_elements_text(${JSON.stringify(titles)}::json)) ${counts}) as t
    where t.number <= 2 order by t.number`);
}

const keySource = rowSource<{ readonly title: string; readonly key: string }>(
  ['title', 'text', (row) => row.title],
  ['key', 'text', (row) => row.key],
);

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
