// A schema file can name what the org has declared itself under "labels", too. Such labels belong to the declarations.
import type { CustomSchema, StoredLabels, StoredProperty, StoredType } from './custom-schema.ts';

/** The schema with these labels in its declarations; those that are left are about what is built in. */
export function withOwnLabels(schema: CustomSchema): CustomSchema {
  const labels = new Map(Object.entries(schema.labels));
  const relabelled = (typeName: string) => {
    const names = new Map(Object.entries(labels.get(typeName)?.properties ?? {}));
    return (property: StoredProperty): StoredProperty => ({
      ...property,
      label: names.get(property.name) ?? property.label,
    });
  };
  const object_types = schema.object_types.map((type): StoredType => {
    const own = type.removed === undefined ? labels.get(type.name) : undefined;
    return {
      ...type,
      label: own?.label ?? type.label,
      ...(own?.plural_label === undefined ? {} : { plural_label: own.plural_label }),
      properties: own === undefined ? type.properties : type.properties.map(relabelled(type.name)),
    };
  });
  const properties = Object.entries(schema.properties).map(
    ([typeName, list]) => [typeName, list.map(relabelled(typeName))] as const,
  );
  const custom = new Set(object_types.map(({ name }) => name));
  const left = [...labels]
    .filter(([name]) => !custom.has(name))
    .map(([name, own]) => [name, withoutAdditions(own, schema.properties, name)] as const);
  return { ...schema, object_types, properties: Object.fromEntries(properties), labels: Object.fromEntries(left) };
}

function withoutAdditions(
  labels: StoredLabels,
  properties: CustomSchema['properties'],
  typeName: string,
): StoredLabels {
  if (labels.properties === undefined || !Object.hasOwn(properties, typeName)) return labels;
  const added = new Set(properties[typeName]?.map(({ name }) => name));
  const kept = Object.entries(labels.properties).filter(([name]) => !added.has(name));
  return { ...labels, properties: Object.fromEntries(kept) };
}
