// An org's catalog: the built-in vocabulary, grown by the org's own object types, properties, labels and association
// types.
import { type AssociationDeclaration, type AssociationPair, isHiddenType } from '../association-type.ts';
import { builtinAssociationTypes } from '../builtin/association-types.ts';
import { everyTypesProperties } from '../builtin/declare.ts';
import { builtinObjectTypes } from '../builtin/object-types.ts';
import { Catalog } from '../catalog.ts';
import type { Option } from '../field-type.ts';
import { fieldTypes } from '../fields/all.ts';
import { assignSlots, type GivenSlots } from '../indexing/fact-slots.ts';
import { firstCustomId, natures, ObjectType, type Property } from '../object-type.ts';
import { type LinkColumn, noSlots } from '../slots.ts';
import { selectedTypes, type TypeSelector } from '../type-selector.ts';
import {
  type CustomSchema,
  type EndDeclaration,
  emptyCustomSchema,
  type StoredAssociationType,
  type StoredLabels,
  type StoredProperty,
  type StoredType,
} from './custom-schema.ts';

export function buildCatalog(custom: CustomSchema): Catalog {
  const types = custom.object_types.filter(({ removed }) => removed === undefined);
  const labels = new Map(Object.entries(custom.labels));
  const additions = new Map(Object.entries(custom.properties));
  const declared = [...builtinObjectTypes, ...types.map(customObjectType)];
  const objectTypes = new Map(
    declared.map((type) => [type.name, extended(type, labels.get(type.name), additions.get(type.name))]),
  );
  const live = custom.association_types.filter(({ removed }) => removed === undefined);
  const builtin = builtinAssociationTypes.map((each) => relabelled(each, custom.association_labels));
  const pairs = expandPairs([...builtin, ...live.map(customAssociationType)], objectTypes);
  const given = new Map(types.map(({ name, properties }) => [name, properties]));
  const slotted = withSlots(objectTypes, pairs, (name) => ({
    properties: givenColumns(given.get(name) ?? additions.get(name) ?? []),
    links: givenLinks(live, name),
  }));
  return new Catalog(slotted, pairs, undefined, lastId(custom));
}

/** The last number that the schema has given to anything. */
export function lastId({
  last_id = firstCustomId - 1,
  object_types,
  properties,
  association_types,
}: CustomSchema): number {
  const lists = [...object_types.map((type) => type.properties), ...Object.values(properties)];
  let last = last_id;
  for (const list of [object_types, association_types, ...lists]) for (const { id } of list) last = Math.max(last, id);
  return last;
}

/** A type with what the org calls it, and with what the org has added to it. */
function extended(type: ObjectType, labels: StoredLabels = {}, additions: readonly StoredProperty[] = []): ObjectType {
  if (Object.keys(labels).length === 0 && additions.length === 0) return type;
  const [names, descriptions, options] = [labels.properties, labels.descriptions, labels.options].map(
    (each) => new Map<string, unknown>(Object.entries(each ?? {})),
  ) as [Map<string, string>, Map<string, string>, Map<string, Readonly<Record<string, string>>>];
  const called = (property: Property): Property => ({
    ...property,
    label: names.get(property.name) ?? property.label,
    description: descriptions.get(property.name) ?? property.description,
    options: calledOptions(property.options, options.get(property.name)),
  });
  const { live, removed } = declaredProperties(additions);
  const properties = [...type.properties.values(), ...live];
  return type.with({
    label: labels.label ?? type.label,
    pluralLabel: labels.plural_label ?? type.pluralLabel,
    description: labels.description ?? type.description,
    properties: new Map(properties.map((each) => [each.name, called(each)])),
    removed: [...type.removed, ...removed],
  });
}

function calledOptions(
  options: readonly Option[],
  labels: Readonly<Record<string, string>> | undefined,
): readonly Option[] {
  if (labels === undefined) return options;
  return options.map(({ value, label }) => ({
    value,
    label: Object.hasOwn(labels, value) ? (labels[value] as string) : label,
  }));
}

function relabelled(
  association: AssociationDeclaration,
  labels: Readonly<Record<string, string>> | undefined,
): AssociationDeclaration {
  const label = labels?.[association.name];
  return label === undefined ? association : { ...association, label };
}

function givenColumns(properties: readonly StoredProperty[]): GivenSlots['properties'] {
  return new Map(properties.flatMap(({ id, slot }) => (slot === undefined ? [] : [[id, slot] as const])));
}

function givenLinks(associations: readonly StoredAssociationType[], source: string): GivenSlots['links'] {
  return new Map(
    associations.flatMap(({ id, columns = {} }) =>
      Object.hasOwn(columns, source) ? [[id, columns[source] as readonly LinkColumn[]] as const] : [],
    ),
  );
}

function withSlots(
  objectTypes: ReadonlyMap<string, ObjectType>,
  pairs: readonly AssociationPair[],
  givenTo: (name: string) => GivenSlots,
): ReadonlyMap<string, ObjectType> {
  const outgoing = new Map<string, AssociationPair[]>([...objectTypes.keys()].map((name) => [name, []]));
  for (const pair of pairs) if (!isHiddenType(pair.targetType)) outgoing.get(pair.sourceType)?.push(pair);
  return new Map(
    [...objectTypes].map(([name, type]) => {
      const properties = [...type.properties.values(), ...type.removed];
      return [name, type.with({ slots: assignSlots(properties, outgoing.get(name) ?? [], givenTo(name)) })];
    }),
  );
}

export const builtinCatalog: Catalog = buildCatalog(emptyCustomSchema);

/** The number of pairs that the custom association types would expand to. They are not expanded for this. */
export function countCustomPairs(custom: CustomSchema): number {
  const types = [
    ...builtinObjectTypes,
    ...custom.object_types.filter(({ removed }) => removed === undefined).map(customObjectType),
  ];
  return custom.association_types
    .filter(({ removed }) => removed === undefined)
    .map(customAssociationType)
    .map(({ source, target }) => selectedTypes(source, types, []).length * selectedTypes(target, types, []).length)
    .reduce((sum, count) => sum + count, 0);
}

/** One pair for each combination of types. Custom stages come first: they decide the ends of two built-in types. */
function expandPairs(
  declarations: readonly AssociationDeclaration[],
  objectTypes: ReadonlyMap<string, ObjectType>,
): readonly AssociationPair[] {
  const expand = (declaration: AssociationDeclaration, customStages: readonly AssociationPair[]) =>
    selectedTypes(declaration.source, objectTypes.values(), customStages).flatMap((sourceType) =>
      selectedTypes(declaration.target, objectTypes.values(), customStages)
        .filter((targetType) => objectTypes.has(targetType) || isHiddenType(targetType))
        .map((targetType): AssociationPair => {
          const { id, name, label, cardinality, stage, initial, fixed } = declaration;
          const pair = { id, name, label, sourceType, targetType, cardinality, stage, initial };
          return fixed === undefined ? pair : { ...pair, fixed };
        }),
    );
  const customStages = declarations.filter((each) => each.custom && each.stage).flatMap((each) => expand(each, []));
  return declarations.flatMap((declaration) => expand(declaration, customStages));
}

function customObjectType(type: StoredType): ObjectType {
  const { live, removed } = declaredProperties(type.properties);
  const properties = new Map([...live, ...everyTypesProperties].map((each) => [each.name, each]));
  const title = properties.get(type.title_property ?? '');
  return new ObjectType({
    slots: noSlots,
    id: type.id,
    name: type.name,
    label: type.label,
    pluralLabel: type.plural_label ?? type.label,
    description: type.description ?? '',
    category: 'custom',
    kind: type.kind ?? null,
    nature: 'open',
    // The property may be in the trash.
    titleProperty: title?.name ?? null,
    properties,
    removed,
    writableOperations: natures.open.accepts,
  });
}

function declaredProperties(properties: readonly StoredProperty[]): {
  readonly live: readonly Property[];
  readonly removed: readonly Property[];
} {
  return {
    live: inOrder(properties.filter(({ removed }) => removed === undefined)).map(customProperty),
    removed: properties.filter(({ removed }) => removed !== undefined).map(customProperty),
  };
}

/** By their positions; those without one come last, as they were added. */
function inOrder<Placed extends { readonly position?: string }>(all: readonly Placed[]): readonly Placed[] {
  const places = all.map(({ position }) => (position === undefined ? Number.POSITIVE_INFINITY : Number(position)));
  // Usually they are in order, and an org can have thousands.
  if (places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))) return all;
  const placed = all.map((each, index) => ({ each, place: places[index] ?? 0 }));
  return placed.toSorted((left, right) => left.place - right.place || 0).map(({ each }) => each);
}

function customProperty(declaration: StoredProperty): Property {
  const fieldType = fieldTypes.get(declaration.field_type);
  if (fieldType === undefined)
    throw new TypeError(`The stored schema names an unknown field type, ${declaration.field_type}.`);
  return {
    id: declaration.id,
    name: declaration.name,
    key: declaration.key ?? declaration.name,
    label: declaration.label,
    description: declaration.description ?? '',
    fieldType,
    multiValued: declaration.multi_valued ?? false,
    readOnly: false,
    required: declaration.required ?? false,
    unique: declaration.unique ?? false,
    index: 'none',
    options: inOrder(declaration.options ?? []).map(({ value, label }) => ({ value, label })),
    custom: true,
    computedFrom: [],
  };
}

function customAssociationType(declaration: StoredAssociationType): AssociationDeclaration {
  return {
    id: declaration.id,
    name: declaration.name,
    label: declaration.label ?? declaration.name,
    source: toEnd(declaration.source),
    target: toEnd(declaration.target),
    cardinality: declaration.cardinality,
    stage: declaration.stage ?? false,
    initial: false,
    custom: true,
  };
}

function toEnd(end: EndDeclaration): TypeSelector {
  return typeof end === 'string' ? { type: end } : { kind: end.kind };
}
