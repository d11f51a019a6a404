// How an object type of the narrowed catalog is written, for the operations that do so.
import type { ObjectType, Property } from '../../schema/object-type.ts';

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
