// Checks that the stored schema of an org is what its records of definitions say.
import { sql } from '../../../src/base/sql.ts';
import { endText } from '../../../src/schema/custom/change-schema.ts';
import type { CustomSchema, StoredProperty } from '../../../src/schema/custom/custom-schema.ts';
import { platformLinks, platformTypes } from '../../../src/schema/roles/platform.ts';
import type { Transaction } from '../../../src/store/database.ts';
import { findCustomSchema } from '../../../src/store/org/custom-schemas.ts';

interface Definition {
  readonly typeId: number;
  readonly id: string;
  readonly place: 'live' | 'trash';
  readonly values: Readonly<Record<string, unknown>>;
  readonly owner: string | null;
}

/** The findings, in sentences. */
export async function definitionFindings(transaction: Transaction, orgId: number): Promise<readonly string[]> {
  const schema = await findCustomSchema(transaction, orgId);
  if (schema.recorded === undefined) return [];
  const records = await readDefinitions(transaction, orgId);
  const expected = new Map(expectedDefinitions(schema).map((each) => [each.id, each]));
  const findings: string[] = [];
  for (const { id, place, line } of expected.values()) {
    const found = records.get(id);
    if (found === undefined) findings.push(`No record defines ${line}.`);
    else if (found.place !== place) findings.push(`${line} is ${place}, its record ${found.place}.`);
    // The schema does not know the records of built-in types, to which additions belong.
    else if (lineOf(found) !== line && lineOf({ ...found, owner: null }) !== line)
      findings.push(`The schema says ${line}, the record ${lineOf(found)}.`);
  }
  for (const record of records.values()) {
    if (record.place === 'live' && isOwn(record) && !expected.has(record.id)) {
      findings.push(`The schema lacks ${lineOf(record)}.`);
    }
  }
  return findings;
}

/** Whether it is a definition of the org itself. */
function isOwn({ typeId, values }: Definition): boolean {
  if (typeId === platformTypes.objectType) return values['svc_category'] === 'custom';
  if (typeId === platformTypes.property) return values['svc_custom'] === true;
  return typeId === platformTypes.associationType && !String(values['svc_name']).startsWith('svc_');
}

async function readDefinitions(transaction: Transaction, orgId: number): Promise<ReadonlyMap<string, Definition>> {
  const links = [platformLinks.propertyToType, platformLinks.optionToProperty];
  const rows = await transaction.query<Definition>(sql`
    select d.type_id as "typeId", d.id, d.place, d.properties as values, (
      select a.target_id from orrery.association as a
      where a.org_id = ${orgId} and a.source_id = d.id and a.association_type_id = any (${links}::integer[])) as owner
    from (
      select r.type_id, r.id, 'live' as place, r.properties from orrery.record as r where r.org_id = ${orgId}
      union all select t.type_id, t.id, 'trash', t.properties from orrery.trash as t where t.org_id = ${orgId}) as d
    where d.type_id between ${platformTypes.objectType} and ${platformTypes.associationType}`);
  return new Map(rows.map((row) => [row.id, row]));
}

interface Expected {
  readonly id: string;
  readonly place: Definition['place'];
  readonly line: string;
}

function expectedDefinitions(schema: CustomSchema): readonly Expected[] {
  const types = schema.object_types.flatMap((type) => [
    {
      id: type.record ?? '',
      place: placed(type.removed),
      line: lineFrom({
        svc_name: type.name,
        svc_label: type.label,
        svc_plural_label: type.plural_label,
        svc_description: type.description,
        svc_kind: type.kind,
        svc_title_property: type.title_property,
        svc_category: 'custom',
      }),
    },
    ...type.properties.flatMap((property) => ofProperty(property, type.record, placed(type.removed))),
  ]);
  const additions = Object.values(schema.properties).flatMap((list) =>
    list.flatMap((property) => ofProperty(property, undefined, 'live')),
  );
  const associations = schema.association_types.map((each) => ({
    id: each.record ?? '',
    place: placed(each.removed),
    line: lineFrom({
      svc_name: each.name,
      svc_label: each.label,
      svc_source: endText(each.source),
      svc_target: endText(each.target),
      svc_cardinality: each.cardinality,
      svc_stage: each.stage ?? false,
    }),
  }));
  return [...types, ...additions, ...associations];
}

function placed(removed: unknown): Definition['place'] {
  return removed === undefined ? 'live' : 'trash';
}

function ofProperty(property: StoredProperty, owner: string | undefined, of: Definition['place']): readonly Expected[] {
  const place = of === 'trash' ? 'trash' : placed(property.removed);
  return [
    {
      id: property.record ?? '',
      place,
      line: lineFrom(
        {
          svc_name: property.name,
          svc_label: property.label,
          svc_description: property.description,
          svc_field_type: property.field_type,
          svc_multi_valued: property.multi_valued ?? false,
          svc_unique: property.unique ?? false,
          svc_required: property.required ?? false,
          svc_position: property.position,
          svc_custom: true,
        },
        owner,
      ),
    },
    ...(property.options ?? []).map(({ value, label, position, record = '' }) => ({
      id: record,
      place,
      line: lineFrom({ svc_value: value, svc_label: label, svc_position: position }, property.record),
    })),
  ];
}

const dates = new Set(['svc_created_at', 'svc_updated_at']);

function lineOf({ values, owner }: Definition): string {
  return lineFrom(values, owner ?? undefined);
}

function lineFrom(values: Readonly<Record<string, unknown>>, owner?: string): string {
  const set = Object.entries(values).filter(([name, value]) => value !== undefined && !dates.has(name));
  return JSON.stringify([set.toSorted(([left], [right]) => (left < right ? -1 : 1)), owner ?? null]);
}
