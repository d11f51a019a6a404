// How an object type of the narrowed catalog is found and how it is written, for the operations that do so.
import { Problem } from '../base/problem.ts';
import type { Session } from '../engine/session.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';
import { basePath } from './operation.ts';

/** The type of that name in the caller's catalog. Unknown, hidden and not granted are one and the same here. */
export function requireObjectType({ catalog }: Session, name: string): ObjectType {
  const type = catalog.objectTypes.get(name);
  if (type !== undefined) return type;
  const asked = JSON.stringify(name.slice(0, 64));
  throw new Problem(
    'not_found',
    'object_type_unknown',
    `There is no object type ${asked} that this key can see. GET ${basePath}/objects/ lists those that it can.`,
  );
}

export function objectTypeEntry(type: ObjectType) {
  return {
    name: type.name,
    label: type.label,
    plural_label: type.pluralLabel,
    description: type.description,
    category: type.category,
    kind: type.kind,
    writable_operations: type.writableOperations,
    title_property: type.titleProperty,
    unique_properties: [...type.properties.values()].filter((each) => each.unique).map((each) => each.name),
  };
}

export function propertyEntry(property: Property) {
  return {
    name: property.name,
    label: property.label,
    description: property.description,
    field_type: property.fieldType.name,
    multi_valued: property.multiValued,
    read_only: property.readOnly,
    required: property.required,
    unique: property.unique,
    ...(property.options.length > 0 ? { options: property.options } : {}),
    custom: property.custom,
  };
}
