// Fills the table of facts from records that are older than it, org by org and type by type, as part of its migration.
import { firstId } from '../base/id.ts';
import { bounds } from '../base/limits.ts';
import { join, raw, type Sql, sql } from '../base/sql.ts';
import { buildCatalog } from '../schema/custom/build-catalog.ts';
import { type CustomSchema, emptyCustomSchema } from '../schema/custom/custom-schema.ts';
import type { FactKind, TypeSlots } from '../schema/slots.ts';
import type { Transaction } from './database.ts';
import { factTypes } from './fact-types.ts';

export async function fillFacts(transaction: Transaction): Promise<void> {
  const orgs = await transaction.query<{ orgId: number }>(
    sql`select org_id as "orgId" from orrery.org order by org_id`,
  );
  for (const { orgId } of orgs) {
    const [custom] = await transaction.query<{ document: CustomSchema }>(sql`
      select s.document from orrery.custom_schema as s where s.org_id = ${orgId}`);
    const { objectTypes } = buildCatalog(custom?.document ?? emptyCustomSchema);
    for (const { id, slots } of objectTypes.values()) await fillType(transaction, orgId, id, slots);
  }
}

async function fillType(transaction: Transaction, orgId: number, typeId: number, slots: TypeSlots): Promise<void> {
  const columns = columnsOf(orgId, slots);
  const names = columns.map(([name]) => sql`, ${name}`);
  const values = columns.map(([, value]) => sql`, ${value}`);
  let after: string | undefined = firstId;
  while (after !== undefined) {
    const rows: readonly { id: string }[] = await transaction.query<{ id: string }>(sql`
      with page as materialized (
        select r.* from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id > ${after}
        order by r.id limit ${bounds.store.filledFacts}),
      filled as (
        insert into orrery.fact (org_id, type_id, id, org_visible${join(names, '')})
        select r.org_id, r.type_id, r.id, r.org_visible${join(values, '')} from page as r
        cross join lateral (select r.properties || '{}' as read offset 0) as p)
      select r.id from page as r order by r.id desc limit 1`);
    after = rows[0]?.id;
  }
}

function columnsOf(orgId: number, { properties, links }: TypeSlots): readonly (readonly [Sql, Sql])[] {
  return [
    ...[...properties.values()].flatMap(({ key, kind, column, unit }): readonly (readonly [Sql, Sql])[] => {
      // Read once for all columns: a long record is stored in parts.
      const value = sql`p.read -> ${key}::text`;
      if (unit === undefined) return [[raw(column), sql`(${value} #>> '{}')${cast(kind)}`]];
      return [
        [raw(column), sql`(${value} ->> 'amount')${cast(kind)}`],
        [raw(unit), sql`${value} ->> 'unit'`],
      ];
    }),
    ...[...links].map(([associationTypeId, column]): readonly [Sql, Sql] => [
      raw(column),
      sql`(select a.target_id from orrery.association as a
        where a.org_id = ${orgId} and a.source_id = r.id and a.association_type_id = ${associationTypeId} limit 1)`,
    ]),
  ];
}

function cast(kind: FactKind): Sql {
  return raw(`::${factTypes[kind]}`);
}
