// Changes of an org's schema, one definition at a time: functions from one schema to the next. What may change is decided by
// the rules of definitions (engine/platform/definitions).
import { isObject } from '../../base/json.ts';
import { everyTypesProperties } from '../builtin/declare.ts';
import { builtinObjectTypes } from '../builtin/object-types.ts';
import { fieldTypes } from '../fields/all.ts';
import { isSlotted } from '../indexing/fact-slots.ts';
import { ObjectType } from '../object-type.ts';
import { buildCatalog, lastId } from './build-catalog.ts';
import type {
  CustomSchema,
  EndDeclaration,
  StoredAssociationType,
  StoredLabels,
  StoredOption,
  StoredProperty,
  StoredType,
} from './custom-schema.ts';

/** Members to set; undefined removes one. */
type Changed<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Without the members that are undefined: they would not be stored. */
function cleaned<T extends object>(value: object): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

function nextId(schema: CustomSchema): Pick<Required<CustomSchema>, 'last_id'> {
  return { last_id: lastId(schema) + 1 };
}

/** The live custom type of that name. */
export function customType({ object_types }: CustomSchema, name: string): StoredType | undefined {
  return object_types.find((type) => type.name === name && type.removed === undefined);
}

export function addType(schema: CustomSchema, type: Changed<Omit<StoredType, 'id' | 'properties'>>): CustomSchema {
  const { last_id } = nextId(schema);
  const added = cleaned<StoredType>({ ...type, id: last_id, properties: [] });
  return { ...schema, last_id, object_types: [...schema.object_types, added] };
}

export function changeType(schema: CustomSchema, id: number, changes: Changed<StoredType>): CustomSchema {
  return {
    ...schema,
    object_types: schema.object_types.map((type) => (type.id === id ? cleaned({ ...type, ...changes }) : type)),
  };
}

/** The type goes, with the association types that begin or end at it. */
export function removeType(schema: CustomSchema, { id, name }: StoredType): CustomSchema {
  const without = changeType(schema, id, { removed: true });
  return {
    ...without,
    association_types: schema.association_types.map((association) =>
      association.removed === undefined && endsAt(association, name)
        ? cleaned({ ...association, removed: id, columns: undefined })
        : association,
    ),
  };
}

/** The type comes back with the association types that went with it; one whose other end is gone goes with that. */
export function restoreType(schema: CustomSchema, { id }: StoredType): CustomSchema {
  const restored = changeType(schema, id, { removed: undefined });
  const goneTypes = restored.object_types.filter(({ removed }) => removed !== undefined);
  return {
    ...restored,
    association_types: restored.association_types.map((association) => {
      if (association.removed !== id) return association;
      const other = goneTypes.find(({ name }) => endsAt(association, name) && customType(restored, name) === undefined);
      return cleaned({ ...association, removed: other?.id });
    }),
  };
}

function endsAt({ source, target }: StoredAssociationType, typeName: string): boolean {
  return source === typeName || target === typeName;
}

/** The properties that the org has added to a type, those in the trash included. */
export function addedProperties(schema: CustomSchema, typeName: string): readonly StoredProperty[] {
  const custom = customType(schema, typeName);
  if (custom !== undefined) return custom.properties;
  return Object.hasOwn(schema.properties, typeName) ? (schema.properties[typeName] as readonly StoredProperty[]) : [];
}

/** A type of the org, built in or its own. */
interface DeclaredType {
  readonly id: number;
  /** Those in the trash included. */
  readonly propertyCount: number;
  /** Whether it has a live property of that name. */
  has(name: string): boolean;
}

/** A catalog would tell the same, but takes longer to make. */
export function declaredType(schema: CustomSchema, typeName: string): DeclaredType | undefined {
  const type = customType(schema, typeName) ?? builtinObjectTypes.find(({ name }) => name === typeName);
  if (type === undefined) return undefined;
  const added = addedProperties(schema, typeName);
  const own =
    type instanceof ObjectType ? type.properties : new Map(everyTypesProperties.map((each) => [each.name, each]));
  return {
    id: type.id,
    propertyCount: own.size + added.length,
    has: (name) => own.has(name) || added.some((each) => each.name === name && each.removed === undefined),
  };
}

export function addProperty(
  schema: CustomSchema,
  typeName: string,
  property: Changed<Omit<StoredProperty, 'id'>> & { readonly name: string },
): CustomSchema {
  const { last_id } = nextId(schema);
  const list = addedProperties(schema, typeName);
  const isTaken = list.some(({ key, name }) => (key ?? name) === property.name);
  const key = isTaken ? `~${last_id}` : undefined;
  const added = cleaned<StoredProperty>({ ...property, id: last_id, key });
  return { ...withProperties(schema, typeName, [...list, added]), last_id };
}

function withProperties(schema: CustomSchema, typeName: string, properties: readonly StoredProperty[]): CustomSchema {
  const custom = customType(schema, typeName);
  if (custom !== undefined) return changeType(schema, custom.id, { properties });
  return { ...schema, properties: { ...schema.properties, [typeName]: properties } };
}

export interface PlacedProperty {
  readonly typeName: string;
  readonly property: StoredProperty;
}

/** The property that a record defines, live or in the trash, of a type that is live. */
export function propertyOf(schema: CustomSchema, record: string): PlacedProperty | undefined {
  for (const { name, properties, removed } of schema.object_types) {
    const property = removed === undefined ? properties.find((each) => each.record === record) : undefined;
    if (property !== undefined) return { typeName: name, property };
  }
  for (const [typeName, properties] of Object.entries(schema.properties)) {
    const property = properties.find((each) => each.record === record);
    if (property !== undefined) return { typeName, property };
  }
  return undefined;
}

export function changeProperty(
  schema: CustomSchema,
  { typeName, property: { id } }: PlacedProperty,
  changes: Changed<StoredProperty>,
): CustomSchema {
  const list = addedProperties(schema, typeName);
  return withProperties(
    schema,
    typeName,
    list.map((each) => (each.id === id ? cleaned<StoredProperty>({ ...each, ...changes }) : each)),
  );
}

/** The schema without what a record defines; its numbers are not given again. */
export function withoutDefinition(schema: CustomSchema, record: string): CustomSchema {
  const isOther = (each: { readonly record?: string }) => each.record !== record;
  const list = (properties: readonly StoredProperty[]) => properties.filter(isOther);
  return {
    ...schema,
    last_id: lastId(schema),
    object_types: schema.object_types.filter(isOther).map((type) => ({ ...type, properties: list(type.properties) })),
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, all]) => [name, list(all)])),
    association_types: schema.association_types.filter(isOther),
  };
}

interface PlacedOption extends PlacedProperty {
  readonly option: StoredOption;
}

/** The option that a record defines, of a property that is live. */
export function optionOf(schema: CustomSchema, record: string): PlacedOption | undefined {
  const lists = [
    ...schema.object_types.flatMap(({ name, properties, removed }) =>
      removed === undefined ? [[name, properties] as const] : [],
    ),
    ...Object.entries(schema.properties),
  ];
  for (const [typeName, properties] of lists) {
    for (const property of properties) {
      const option = property.options?.find((each) => each.record === record);
      if (option !== undefined && property.removed === undefined) return { typeName, property, option };
    }
  }
  return undefined;
}

export function addOption(schema: CustomSchema, place: PlacedProperty, option: Changed<StoredOption>): CustomSchema {
  const options = [...(place.property.options ?? []), cleaned<StoredOption>(option)];
  return changeProperty(schema, place, { options });
}

export function changeOption(schema: CustomSchema, place: PlacedOption, changes: Changed<StoredOption>): CustomSchema {
  const options = (place.property.options ?? []).map((each) =>
    each.record === place.option.record ? cleaned<StoredOption>({ ...each, ...changes }) : each,
  );
  return changeProperty(schema, place, { options });
}

export function removeOption(schema: CustomSchema, place: PlacedOption): CustomSchema {
  const options = (place.property.options ?? []).filter(({ record }) => record !== place.option.record);
  return changeProperty(schema, place, { options });
}

/** Labels to set, and undefined for those that are not the org's own any more. */
type ChangedLabels = Changed<Pick<StoredLabels, 'label' | 'plural_label' | 'description'>> & {
  readonly [Part in 'properties' | 'descriptions']?: Readonly<Record<string, string | undefined>>;
} & { readonly options?: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> };

/** What an org calls something built in; labels of its members are added to those that there are. */
export function changeLabels(schema: CustomSchema, typeName: string, changes: ChangedLabels): CustomSchema {
  const labels = Object.hasOwn(schema.labels, typeName) ? (schema.labels[typeName] as StoredLabels) : {};
  return { ...schema, labels: { ...schema.labels, [typeName]: merged(labels, changes) } };
}

function merged(before: object, changes: object): object {
  const all: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    const known = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value === undefined) delete all[name];
    else all[name] = isObject(value) ? merged(isObject(known) ? known : {}, value) : value;
  }
  return all;
}

export function addAssociationType(
  schema: CustomSchema,
  association: Changed<Omit<StoredAssociationType, 'id'>>,
): CustomSchema {
  const { last_id } = nextId(schema);
  const added = cleaned<StoredAssociationType>({ ...association, id: last_id });
  return { ...schema, last_id, association_types: [...schema.association_types, added] };
}

export function changeAssociationType(
  schema: CustomSchema,
  id: number,
  changes: Changed<StoredAssociationType>,
): CustomSchema {
  return {
    ...schema,
    association_types: schema.association_types.map((each) =>
      each.id === id ? cleaned<StoredAssociationType>({ ...each, ...changes }) : each,
    ),
  };
}

/** The end as text: the name of a type, or `kind:` and that of a kind. */
export function endText(end: EndDeclaration): string {
  return typeof end === 'string' ? end : `kind:${end.kind}`;
}

export function endFrom(text: string): EndDeclaration {
  return text.startsWith('kind:') ? { kind: text.slice('kind:'.length) } : text;
}

function takesSlot({ field_type, multi_valued }: StoredProperty): boolean {
  const fieldType = fieldTypes.get(field_type);
  return multi_valued !== true && fieldType !== undefined && isSlotted(fieldType);
}

/** The schema with the columns of facts that everything in it has, so that nothing moves when something goes. */
export function withColumns(schema: CustomSchema): CustomSchema {
  const { objectTypes, pairs } = buildCatalog(schema);
  const placed = (typeName: string, properties: readonly StoredProperty[]) =>
    properties.map((property): StoredProperty => {
      if (property.slot !== undefined || !takesSlot(property)) return property;
      const { column, unit } = objectTypes.get(typeName)?.slots.properties.get(property.id) ?? {};
      return { ...property, slot: [column, unit].filter((each) => each !== undefined) };
    });
  const columnsOf = ({ id, columns = {} }: StoredAssociationType) => {
    const sources = pairs.filter((pair) => pair.id === id && pair.cardinality === 'many_to_one');
    const found = sources.map(({ sourceType }) => {
      const column = objectTypes.get(sourceType)?.slots.links.get(id);
      return [sourceType, column === undefined ? [] : [column]] as const;
    });
    return found.length === 0 ? {} : { columns: { ...columns, ...Object.fromEntries(found) } };
  };
  return {
    ...schema,
    object_types: schema.object_types.map((type) =>
      type.removed === undefined ? { ...type, properties: placed(type.name, type.properties) } : type,
    ),
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([typeName, list]) => [typeName, placed(typeName, list)]),
    ),
    association_types: schema.association_types.map((each) =>
      each.removed === undefined ? { ...each, ...columnsOf(each) } : each,
    ),
  };
}
