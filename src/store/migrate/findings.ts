// What only shows once all rows of an org are there: references to records that are not, ids that are used twice, and second
// links of records that can have one.

import type { Json } from '../../base/json.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { activityDates } from '../../schema/builtin/core-types.ts';
import { definitionTypeIds, platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Reads } from '../database.ts';
import { ids, numbers } from '../row-parameters.ts';

/** The first thing that is wrong; undefined if nothing is. */
export async function findWrong(
  connection: Reads,
  orgId: number,
  toOne: readonly number[],
): Promise<string | undefined> {
  for (const [what, rows] of checks(orgId, toOne)) {
    const [found] = await connection.query<{ id: string }>(sql`select f.id from (${rows}) as f limit 1`);
    if (found !== undefined) return what(found.id);
  }
  return undefined;
}

type Check = readonly [sentence: (id: string) => string, rows: Sql];

function checks(orgId: number, toOne: readonly number[]): readonly Check[] {
  const isNowhere = (typeId: string, id: string) => sql`
    not exists (select from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${raw(typeId)} and r.id = ${raw(id)})
    and not exists (select from orrery.trash as t
      where t.org_id = ${orgId} and t.type_id = ${raw(typeId)} and t.id = ${raw(id)})`;
  return [
    [
      (id) => `Two records have the id ${id}.`,
      sql`select e.id from (
          select r.id from orrery.record as r where r.org_id = ${orgId}
          union all select t.id from orrery.trash as t where t.org_id = ${orgId}) as e
        group by e.id having count(*) > 1`,
    ],
    [
      (id) => `A link begins at record ${id}, which is not there.`,
      sql`select a.source_id as id from orrery.association as a
        where a.org_id = ${orgId} and ${isNowhere('a.source_type_id', 'a.source_id')}`,
    ],
    [
      (id) => `A link ends at record ${id}, which is not there.`,
      sql`select a.target_id as id from orrery.association as a
        where a.org_id = ${orgId} and ${isNowhere('a.target_type_id', 'a.target_id')}`,
    ],
    [
      (id) => `Record ${id} has two links of an association type that allows one.`,
      sql`select a.source_id as id from orrery.association as a
        where a.org_id = ${orgId} and a.association_type_id = any (${numbers(toOne)}::integer[])
        group by a.source_id, a.association_type_id having count(*) > 1`,
    ],
    [
      (id) => `Record ${id} has an owner, and is not there.`,
      sql`select u.record_id as id from orrery.record_user as u
        where u.org_id = ${orgId} and ${isNowhere('u.type_id', 'u.record_id')}`,
    ],
    [
      (id) => `Record ${id} has an external id, and is not there.`,
      sql`select e.record_id as id from orrery.external_id as e
        where e.org_id = ${orgId} and ${isNowhere('e.type_id', 'e.record_id')}`,
    ],
    [
      (id) => `Something was merged into record ${id}, which is not there.`,
      sql`select m.kept_id as id from orrery.merged as m
        where m.org_id = ${orgId} and ${isNowhere('m.type_id', 'm.kept_id')}`,
    ],
  ];
}

/** A record that defines a part of the schema, live or in the trash, with the record that it belongs to. */
export interface Definition {
  readonly typeId: number;
  readonly id: string;
  readonly place: 'live' | 'trash';
  readonly values: Readonly<Record<string, Json>>;
  readonly owner: string | null;
}

export async function listAllDefinitions(connection: Reads, orgId: number): Promise<readonly Definition[]> {
  const links = numbers([platformLinks.propertyToType, platformLinks.optionToProperty]);
  return connection.query<Definition>(sql`
    select d.type_id as "typeId", d.id, d.place, d.properties as values, (
      select a.target_id from orrery.association as a
      where a.org_id = ${orgId} and a.source_id = d.id and a.association_type_id = any (${links}::integer[]) limit 1) as owner
    from (
      select r.type_id, r.id, 'live' as place, r.properties from orrery.record as r where r.org_id = ${orgId}
      union all select t.type_id, t.id, 'trash', t.properties from orrery.trash as t where t.org_id = ${orgId}) as d
    where d.type_id = any (${numbers(definitionTypeIds)}::integer[])`);
}

/** How many live roles have the name. */
export async function countRoles(connection: Reads, orgId: number, name: string): Promise<number> {
  const rows = await connection.query(sql`
    select 1 as found from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.role} and r.properties ->> 'svc_name' = ${name} limit 2`);
  return rows.length;
}

/** The date of the latest live activity of each of these records that has one, as it was sent: activities are looked up by links. */
export async function findLatestOf(
  connection: Reads,
  orgId: number,
  recordIds: readonly string[],
  associationTypeIds: readonly number[],
): Promise<ReadonlyMap<string, string>> {
  const [first, second] = activityDates;
  const rows = await connection.query<{ id: string; at: string }>(sql`
    select distinct on (l.id) l.id, d.at from (
      select k.id, a.source_type_id, a.source_id from unnest(${ids(recordIds)}::uuid[]) as k (id)
      cross join lateral (
        select a.source_type_id, a.source_id from orrery.association as a
        where a.org_id = ${orgId} and a.target_id = k.id
          and a.association_type_id = any (${numbers(associationTypeIds)}::integer[]) offset 0) as a offset 0) as l
    cross join lateral (
      select coalesce(s.properties ->> ${first}::text, s.properties ->> ${second}::text) as at from orrery.record as s
      where s.org_id = ${orgId} and s.type_id = l.source_type_id and s.id = l.source_id offset 0) as d
    order by l.id, d.at::timestamptz desc, l.source_id`);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

interface LinkEnd {
  readonly sourceId: string;
  readonly associationTypeId: number;
  readonly targetId: string;
}

/** The targets of these records by association types that allow one. */
export async function findEnds(
  connection: Reads,
  orgId: number,
  recordIds: readonly string[],
  associationTypeIds: readonly number[],
): Promise<readonly LinkEnd[]> {
  if (associationTypeIds.length === 0) return [];
  return connection.query<LinkEnd>(sql`
    select k.id as "sourceId", a.association_type_id as "associationTypeId", a.target_id as "targetId"
    from unnest(${ids(recordIds)}::uuid[]) as k (id)
    cross join lateral (
      select a.association_type_id, a.target_id from orrery.association as a
      where a.org_id = ${orgId} and a.source_id = k.id
        and a.association_type_id = any (${numbers(associationTypeIds)}::integer[]) offset 0) as a`);
}
