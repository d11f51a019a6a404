// Grows an org's custom schema by a schema file: additive, checked as a whole, all or nothing. What stands may get new
// labels, options, properties and requirements; what records rely on (field types, uniqueness, ends) stays as it is.
import { pointerStep } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import type { Catalog } from '../catalog.ts';
import { fieldTypes } from '../fields/all.ts';
import { firstCustomId } from '../object-type.ts';
import { buildCatalog, countCustomPairs } from './build-catalog.ts';
import { checkReferences } from './check-schema.ts';
import type {
  AssociationTypeDeclaration,
  CustomSchema,
  ObjectTypeDeclaration,
  PropertyDeclaration,
  SchemaFile,
  StoredProperty,
} from './custom-schema.ts';

export interface Applied {
  readonly schema: CustomSchema;
  readonly catalog: Catalog;
  readonly faults: readonly Fault[];
}

/** The grown schema and its catalog, with every fault; when there is a fault, the schema must not be kept. */
export function applySchema(current: CustomSchema, file: SchemaFile): Applied {
  const faults: Fault[] = [];
  const objectTypes = growObjectTypes(current.object_types, file.object_types ?? [], faults);
  // Properties that the file adds to a custom type join the type's own list, so that their numbers never collide.
  const additions = new Map(Object.entries(file.properties ?? {}));
  const withAdditions = objectTypes.map((type) => {
    const list = additions.get(type.name);
    additions.delete(type.name);
    const pointer = `/properties${pointerStep(type.name)}`;
    return list === undefined
      ? type
      : { ...type, properties: growPropertyList(type.properties, list, pointer, faults) };
  });
  const schema: CustomSchema = {
    object_types: withAdditions,
    properties: growProperties(current.properties, additions, faults),
    labels: growLabels(current.labels, file.labels ?? {}),
    association_types: growAssociationTypes(current.association_types, file.association_types ?? [], faults),
  };
  if (countCustomPairs(schema) > bounds.schema.associationPairsPerOrg) {
    const most = bounds.schema.associationPairsPerOrg;
    faults.push(
      fault('/association_types', `Kinds with so many types make more than ${most} pairs; name single types.`),
    );
    return { schema: current, catalog: buildCatalog(current), faults };
  }
  const catalog = buildCatalog(schema);
  checkReferences(catalog, file, faults);
  return { schema, catalog, faults };
}

function growObjectTypes(
  current: CustomSchema['object_types'],
  additions: readonly ObjectTypeDeclaration[],
  faults: Fault[],
): CustomSchema['object_types'] {
  checkRepeats(additions, '/object_types', faults);
  const types = new Map(current.map((type) => [type.name, type]));
  for (const [index, addition] of additions.entries()) {
    const pointer = `/object_types/${index}`;
    const standing = types.get(addition.name);
    if (standing !== undefined && addition.kind !== undefined && addition.kind !== standing.kind) {
      faults.push(fixed(`${pointer}/kind`, 'The kind of a type', standing.kind ?? 'none'));
    }
    const properties = growPropertyList(
      standing?.properties ?? [],
      addition.properties,
      `${pointer}/properties`,
      faults,
    );
    types.set(addition.name, { ...standing, ...addition, id: standing?.id ?? nextId(types.values()), properties });
  }
  if (types.size > bounds.schema.objectTypesPerOrg) {
    faults.push(fault('/object_types', `An org has at most ${bounds.schema.objectTypesPerOrg} custom object types.`));
  }
  return [...types.values()];
}

function growProperties(
  current: CustomSchema['properties'],
  additions: ReadonlyMap<string, readonly PropertyDeclaration[]>,
  faults: Fault[],
): CustomSchema['properties'] {
  const properties = new Map(Object.entries(current));
  for (const [type, list] of additions) {
    const pointer = `/properties${pointerStep(type)}`;
    properties.set(type, growPropertyList(properties.get(type) ?? [], list, pointer, faults));
  }
  return Object.fromEntries(properties);
}

function growPropertyList(
  current: readonly StoredProperty[],
  additions: readonly PropertyDeclaration[],
  pointer: string,
  faults: Fault[],
): readonly StoredProperty[] {
  checkRepeats(additions, pointer, faults);
  const properties = new Map(current.map((property) => [property.name, property]));
  for (const [index, addition] of additions.entries()) {
    const at = `${pointer}/${index}`;
    const standing = properties.get(addition.name);
    checkProperty(addition, at, faults);
    if (standing === undefined) {
      properties.set(addition.name, { ...addition, id: nextId(properties.values()) });
    } else {
      properties.set(addition.name, growProperty(standing, addition, at, faults));
    }
  }
  return [...properties.values()];
}

/** A property that stands: labels, requirement and further options may come; what its stored values rely on may not. */
function growProperty(
  standing: StoredProperty,
  addition: PropertyDeclaration,
  at: string,
  faults: Fault[],
): StoredProperty {
  if (addition.field_type !== standing.field_type) {
    faults.push(fixed(`${at}/field_type`, 'The field type of a property', standing.field_type));
  }
  for (const member of ['multi_valued', 'unique'] as const) {
    if (addition[member] !== undefined && addition[member] !== (standing[member] ?? false)) {
      faults.push(fixed(`${at}/${member}`, `The ${member} of a property`, String(standing[member] ?? false)));
    }
  }
  const options = new Map([...(standing.options ?? []), ...(addition.options ?? [])].map((each) => [each.value, each]));
  if (options.size > bounds.schema.optionsPerProperty) {
    faults.push(fault(`${at}/options`, `A property has at most ${bounds.schema.optionsPerProperty} options.`));
  }
  return { ...standing, ...addition, id: standing.id, ...(options.size > 0 ? { options: [...options.values()] } : {}) };
}

function checkProperty(property: PropertyDeclaration, at: string, faults: Fault[]): void {
  const takesOptions = fieldTypes.get(property.field_type)?.shapeFor !== undefined;
  if (takesOptions && property.options === undefined) {
    faults.push(fault(`${at}/options`, `A ${property.field_type} property needs its options.`));
  }
  if (!takesOptions && property.options !== undefined) {
    faults.push(fault(`${at}/options`, `A ${property.field_type} property takes no options.`));
  }
  const values = (property.options ?? []).map((option) => option.value);
  if (new Set(values).size < values.length) faults.push(fault(`${at}/options`, 'An option value stands here twice.'));
  if (property.unique === true && fieldTypes.get(property.field_type)?.operators.includes('eq') !== true) {
    faults.push(fault(`${at}/unique`, `A ${property.field_type} property cannot be unique: it has no equality.`));
  }
}

function growLabels(current: CustomSchema['labels'], additions: CustomSchema['labels']): CustomSchema['labels'] {
  const labels = new Map(Object.entries(current));
  for (const [type, addition] of Object.entries(additions)) {
    const standing = labels.get(type);
    labels.set(type, {
      ...standing,
      ...addition,
      properties: { ...standing?.properties, ...addition.properties },
    });
  }
  return Object.fromEntries(labels);
}

function growAssociationTypes(
  current: CustomSchema['association_types'],
  additions: readonly AssociationTypeDeclaration[],
  faults: Fault[],
): CustomSchema['association_types'] {
  checkRepeats(additions, '/association_types', faults);
  const types = new Map(current.map((type) => [type.name, type]));
  for (const [index, addition] of additions.entries()) {
    const at = `/association_types/${index}`;
    const standing = types.get(addition.name);
    if (standing !== undefined) {
      for (const member of ['source', 'target', 'cardinality'] as const) {
        if (JSON.stringify(addition[member]) !== JSON.stringify(standing[member])) {
          faults.push(
            fixed(`${at}/${member}`, `The ${member} of an association type`, JSON.stringify(standing[member])),
          );
        }
      }
      if ((addition.stage ?? false) !== (standing.stage ?? false)) {
        faults.push(fixed(`${at}/stage`, 'Whether an association type is a stage', String(standing.stage ?? false)));
      }
    }
    if (addition.stage === true && addition.cardinality !== 'many_to_one') {
      faults.push(fault(`${at}/cardinality`, 'A stage is one at a time: its association type is many_to_one.'));
    }
    types.set(addition.name, { ...standing, ...addition, id: standing?.id ?? nextId(types.values()) });
  }
  if (types.size > bounds.schema.associationTypesPerOrg) {
    faults.push(fault('/association_types', `An org has at most ${bounds.schema.associationTypesPerOrg} of these.`));
  }
  return [...types.values()];
}

function checkRepeats(declarations: readonly { readonly name: string }[], pointer: string, faults: Fault[]): void {
  const seen = new Set<string>();
  for (const [index, { name }] of declarations.entries()) {
    if (seen.has(name)) faults.push(fault(`${pointer}/${index}/name`, `${name} stands here twice.`));
    seen.add(name);
  }
}

function nextId(taken: Iterable<{ readonly id: number }>): number {
  let last = firstCustomId - 1;
  for (const { id } of taken) last = Math.max(last, id);
  return last + 1;
}

function fault(pointer: string, detail: string): Fault {
  return { pointer, reason: 'invalid_member', detail };
}

function fixed(pointer: string, what: string, value: string): Fault {
  return fault(pointer, `${what} stays as it is: ${value}.`);
}
