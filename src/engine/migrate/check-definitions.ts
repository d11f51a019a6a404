// Checks that the records of definitions say what the schema says: whoever changes one of them later relies on it. Every
// declaration has its record, live or in the trash as itself, and every live record declares something.
import type { Catalog } from '../../schema/catalog.ts';
import { endText } from '../../schema/custom/change-schema.ts';
import type { CustomSchema, StoredProperty } from '../../schema/custom/custom-schema.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Definition } from '../../store/migrate/findings.ts';

interface Declared {
  readonly name: string;
  readonly record: string | undefined;
  readonly place: Definition['place'];
  readonly typeId: number;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** The record that it belongs to, if the schema knows it. */
  readonly owner?: string | undefined;
}

/** The first thing that is wrong; undefined if nothing is. */
export function definitionFault(
  schema: CustomSchema,
  catalog: Catalog,
  definitions: readonly Definition[],
): string | undefined {
  const byId = new Map(definitions.map((each) => [each.id, each]));
  const declared = declaredIn(schema);
  const own = new Set(declared.map(({ record }) => record));
  for (const each of declared) {
    const fault = ownFault(each, byId.get(each.record ?? ''));
    if (fault !== undefined) return fault;
  }
  return builtInFault(
    definitions.filter(({ id, place }) => place === 'live' && !own.has(id)),
    byId,
    catalog,
  );
}

function ownFault({ name, place, typeId, values, owner }: Declared, found: Definition | undefined): string | undefined {
  if (found === undefined || found.typeId !== typeId) return `No record defines ${name}, which the schema has.`;
  if (found.place !== place)
    return `The schema has ${name} ${places[place]}, and its record is ${places[found.place]}.`;
  for (const [member, value] of Object.entries(values)) {
    if (found.values[member] !== value) return `The schema and the record of ${name} differ in ${member}.`;
  }
  const isMisplaced = typeId !== platformTypes.objectType && typeId !== platformTypes.associationType;
  if (isMisplaced && (found.owner === null || (owner !== undefined && found.owner !== owner))) {
    return `The record of ${name} belongs to another one than the schema says.`;
  }
  return undefined;
}

const places = { live: 'live', trash: 'in the trash' } as const;

/** What is built in has one record each, with the label that the org gives it. */
function builtInFault(
  definitions: readonly Definition[],
  byId: ReadonlyMap<string, Definition>,
  catalog: Catalog,
): string | undefined {
  const labels = labelsOf(catalog);
  const seen = new Set<string>();
  for (const definition of definitions) {
    const name = nameOf(definition, byId);
    if (!labels.has(name)) return `A record defines ${name}, which the schema does not have.`;
    if (seen.has(name)) return `Two records define ${name}.`;
    seen.add(name);
    if (labels.get(name) !== definition.values['svc_label'])
      return `The schema and the record of ${name} differ in svc_label.`;
  }
  return undefined;
}

function nameOf({ typeId, values, owner }: Definition, byId: ReadonlyMap<string, Definition>): string {
  const own = (values['svc_name'] ?? values['svc_value']) as string;
  const parent = owner === null ? undefined : byId.get(owner);
  if (typeId === platformTypes.property) return `${parent === undefined ? '?' : nameOf(parent, new Map())}.${own}`;
  if (typeId === platformTypes.propertyOption) return `${parent === undefined ? '?' : nameOf(parent, byId)}=${own}`;
  return own;
}

function labelsOf({ objectTypes, pairs }: Catalog): ReadonlyMap<string, string> {
  const labels = new Map<string, string>(pairs.map(({ name, label }) => [name, label]));
  for (const type of objectTypes.values()) {
    labels.set(type.name, type.label);
    for (const property of type.properties.values()) {
      const name = `${type.name}.${property.name}`;
      labels.set(name, property.label);
      for (const { value, label } of property.options) labels.set(`${name}=${value}`, label);
    }
  }
  return labels;
}

function declaredIn({ object_types, properties, association_types }: CustomSchema): readonly Declared[] {
  return [
    ...object_types.flatMap((type): readonly Declared[] => {
      const place = placeOf(type);
      const { name, record } = type;
      const values = { svc_name: name, svc_label: type.label, svc_kind: type.kind, svc_category: 'custom' };
      const own = { name, record, place, typeId: platformTypes.objectType, values };
      return [own, ...type.properties.flatMap((each) => declaredBy(name, each, place, record))];
    }),
    ...Object.entries(properties).flatMap(([typeName, list]) =>
      list.flatMap((each) => declaredBy(typeName, each, 'live')),
    ),
    ...association_types.map((each): Declared => {
      const values = {
        svc_name: each.name,
        svc_label: each.label,
        svc_source: endText(each.source),
        svc_target: endText(each.target),
        svc_cardinality: each.cardinality,
        svc_stage: each.stage ?? false,
      };
      const { name, record } = each;
      return { name, record, place: placeOf(each), typeId: platformTypes.associationType, values };
    }),
  ];
}

function declaredBy(
  typeName: string,
  property: StoredProperty,
  typePlace: Declared['place'],
  owner?: string,
): readonly Declared[] {
  const name = `${typeName}.${property.name}`;
  const place = typePlace === 'live' ? placeOf(property) : typePlace;
  const values = {
    svc_name: property.name,
    svc_label: property.label,
    svc_field_type: property.field_type,
    svc_multi_valued: property.multi_valued ?? false,
    svc_unique: property.unique ?? false,
    svc_required: property.required ?? false,
    svc_custom: true,
  };
  const { record } = property;
  return [
    { name, record, place, typeId: platformTypes.property, values, owner },
    ...(property.options ?? []).map((option): Declared => {
      const optionValues = { svc_value: option.value, svc_label: option.label };
      const optionName = `${name}=${option.value}`;
      const typeId = platformTypes.propertyOption;
      return { name: optionName, record: option.record, place, typeId, values: optionValues, owner: record };
    }),
  ];
}

function placeOf({ removed }: { readonly removed?: unknown }): Declared['place'] {
  return removed === undefined ? 'live' : 'trash';
}
