// Finds the records of definitions, one or all, by their names.
import { sql } from '../../base/sql.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';

interface WantedDefinition {
  readonly typeId: number;
  readonly name: string;
  /** What it belongs to, and by which association type. */
  readonly owner?: { readonly associationTypeId: number; readonly id: string };
}

export async function findDefinition(
  transaction: Transaction,
  orgId: number,
  { typeId, name, owner }: WantedDefinition,
): Promise<string | undefined> {
  const candidates =
    owner === undefined
      ? sql`select r.id, r.properties from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId}`
      : sql`select r.id, r.properties from orrery.association as a
          join orrery.record as r on r.org_id = a.org_id and r.type_id = ${typeId} and r.id = a.source_id
          where a.org_id = ${orgId} and a.association_type_id = ${owner.associationTypeId} and a.target_id = ${owner.id}`;
  const [found] = await transaction.query<{ id: string }>(sql`
    select d.id from (${candidates}) as d where d.properties ->> 'svc_name' = ${name} limit 1`);
  return found?.id;
}

/** The live ones by their names: `svc_deal`, `svc_note.svc_priority`, `svc_note.svc_priority=high`, `svc_deal_to_contact`. */
export async function listDefinitions(transaction: Transaction, orgId: number): Promise<ReadonlyMap<string, string>> {
  const { objectType, property, propertyOption, associationType } = platformTypes;
  const { propertyToType, optionToProperty } = platformLinks;
  const rows = await transaction.query<{ typeId: number; id: string; name: string; owner: string | null }>(sql`
    select r.type_id as "typeId", r.id, coalesce(r.properties ->> 'svc_name', r.properties ->> 'svc_value') as name,
      a.target_id as owner
    from orrery.record as r
    left join orrery.association as a on a.org_id = r.org_id and a.source_id = r.id
      and a.association_type_id in (${propertyToType}, ${optionToProperty})
    where r.org_id = ${orgId} and r.type_id in (${objectType}, ${property}, ${propertyOption}, ${associationType})
    order by r.type_id`);
  const names = new Map<string, string>();
  for (const { typeId, id, name, owner } of rows) {
    const prefix = owner === null ? '' : `${names.get(owner) ?? ''}${typeId === property ? '.' : '='}`;
    names.set(id, prefix + name);
  }
  return new Map([...names].map(([id, name]) => [name, id]));
}
