// An org's catalog: the built-in vocabulary, grown by the org's own object types, properties, labels and association
// types.
import { type AssociationDeclaration, type AssociationPair, isHiddenType } from '../association-type.ts';
import { builtinAssociationTypes } from '../builtin/association-types.ts';
import { everyTypesProperties } from '../builtin/declare.ts';
import { builtinObjectTypes } from '../builtin/object-types.ts';
import { Catalog } from '../catalog.ts';
import { fieldTypes } from '../fields/all.ts';
import { assignSlots } from '../indexing/fact-slots.ts';
import { natures, ObjectType, type Property } from '../object-type.ts';
import { noSlots } from '../slots.ts';
import { selectedTypes, type TypeSelector } from '../type-selector.ts';
import { type CustomSchema, type EndDeclaration, emptyCustomSchema, type StoredProperty } from './custom-schema.ts';

export function buildCatalog(custom: CustomSchema): Catalog {
  const labels = new Map(Object.entries(custom.labels));
  const additions = new Map(Object.entries(custom.properties));
  const declared = [...builtinObjectTypes, ...custom.object_types.map(customObjectType)];
  const objectTypes = new Map(
    declared.map((type) => {
      const typeLabels = labels.get(type.name);
      const propertyLabels = new Map(Object.entries(typeLabels?.properties ?? {}));
      const properties = [...type.properties.values(), ...(additions.get(type.name) ?? []).map(customProperty)];
      const labelled = type.with({
        label: typeLabels?.label ?? type.label,
        pluralLabel: typeLabels?.plural_label ?? type.pluralLabel,
        properties: new Map(
          properties.map((each) => [each.name, { ...each, label: propertyLabels.get(each.name) ?? each.label }]),
        ),
      });
      return [type.name, labelled];
    }),
  );
  const associations = [...builtinAssociationTypes, ...custom.association_types.map(customAssociationType)];
  const pairs = expandPairs(associations, objectTypes);
  return new Catalog(withSlots(objectTypes, pairs), pairs);
}

function withSlots(
  objectTypes: ReadonlyMap<string, ObjectType>,
  pairs: readonly AssociationPair[],
): ReadonlyMap<string, ObjectType> {
  const outgoing = new Map<string, AssociationPair[]>([...objectTypes.keys()].map((name) => [name, []]));
  for (const pair of pairs) if (!isHiddenType(pair.targetType)) outgoing.get(pair.sourceType)?.push(pair);
  return new Map(
    [...objectTypes].map(([name, type]) => [
      name,
      type.with({ slots: assignSlots(type.properties.values(), outgoing.get(name) ?? []) }),
    ]),
  );
}

export const builtinCatalog: Catalog = buildCatalog(emptyCustomSchema);

/** The number of pairs that the custom association types would expand to. They are not expanded for this. */
export function countCustomPairs(custom: CustomSchema): number {
  const types = [...builtinObjectTypes, ...custom.object_types.map(customObjectType)];
  return custom.association_types
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

function customObjectType(type: CustomSchema['object_types'][number]): ObjectType {
  const properties = [...type.properties.map(customProperty), ...everyTypesProperties];
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
    titleProperty: type.title_property ?? null,
    properties: new Map(properties.map((each) => [each.name, each])),
    writableOperations: natures.open.accepts,
  });
}

function customProperty(declaration: StoredProperty): Property {
  const fieldType = fieldTypes.get(declaration.field_type);
  if (fieldType === undefined)
    throw new TypeError(`The stored schema names an unknown field type, ${declaration.field_type}.`);
  return {
    id: declaration.id,
    name: declaration.name,
    label: declaration.label,
    description: declaration.description ?? '',
    fieldType,
    multiValued: declaration.multi_valued ?? false,
    readOnly: false,
    required: declaration.required ?? false,
    unique: declaration.unique ?? false,
    index: 'none',
    options: declaration.options ?? [],
    custom: true,
    computedFrom: [],
  };
}

function customAssociationType(declaration: CustomSchema['association_types'][number]): AssociationDeclaration {
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
