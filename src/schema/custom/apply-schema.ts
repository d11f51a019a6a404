// Applies a schema file to an org's custom schema. Changes only add, and the file is applied as a whole or not at all.
// Existing declarations can get new labels, options, properties and requirements, but everything that records rely on
// (field types, uniqueness, ends) stays as it is.
import { counted } from '../../base/counted.ts';
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
import { type Doubts, noDoubts } from './repair-file.ts';

export interface Applied {
  readonly schema: CustomSchema;
  readonly catalog: Catalog;
  readonly faults: readonly Fault[];
}

/**
 * The new schema and its catalog, with every error; if there is an error, the schema must not be stored. `doubts` are about
 * a file that had to be repaired.
 */
export function applySchema(current: CustomSchema, file: SchemaFile, doubts: Doubts = noDoubts): Applied {
  const faults: Fault[] = [];
  const objectTypes = growObjectTypes(current.object_types, file.object_types ?? [], faults);
  // Properties that the file adds to a custom type join the type's own list, so that their numbers cannot collide.
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
      fault(
        '/association_types',
        `The association types expand to more than ${counted(most)} pairs of types. Name single types instead of kinds.`,
      ),
    );
    return { schema: current, catalog: buildCatalog(current), faults };
  }
  const catalog = buildCatalog(schema);
  checkReferences(catalog, file, faults, doubts);
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
    if (addition.name === 'platform') {
      faults.push(fault(`${pointer}/name`, '"platform" means all platform types in a grant. Choose another name.'));
    }
    const existing = types.get(addition.name);
    if (existing !== undefined && addition.kind !== undefined && addition.kind !== existing.kind) {
      faults.push(fixed(`${pointer}/kind`, 'The kind of a type', existing.kind ?? 'none'));
    }
    const properties = growPropertyList(
      existing?.properties ?? [],
      addition.properties,
      `${pointer}/properties`,
      faults,
    );
    types.set(addition.name, { ...existing, ...addition, id: existing?.id ?? nextId(types.values()), properties });
  }
  if (types.size > bounds.schema.objectTypesPerOrg) {
    faults.push(
      fault('/object_types', `An org can have at most ${bounds.schema.objectTypesPerOrg} custom object types.`),
    );
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
    const existing = properties.get(addition.name);
    checkProperty(addition, existing, at, faults);
    if (existing === undefined) {
      properties.set(addition.name, { ...addition, id: nextId(properties.values()) });
    } else {
      properties.set(addition.name, growProperty(existing, addition, at, faults));
    }
  }
  return [...properties.values()];
}

/** An existing property can get new labels, options and a requirement. What its stored values rely on cannot change. */
function growProperty(
  existing: StoredProperty,
  addition: PropertyDeclaration,
  at: string,
  faults: Fault[],
): StoredProperty {
  if (addition.field_type !== existing.field_type) {
    faults.push(fixed(`${at}/field_type`, 'The field type of a property', existing.field_type));
  }
  for (const member of ['multi_valued', 'unique'] as const) {
    if (addition[member] !== undefined && addition[member] !== (existing[member] ?? false)) {
      faults.push(fixed(`${at}/${member}`, `The ${member} of a property`, String(existing[member] ?? false)));
    }
  }
  const options = new Map([...(existing.options ?? []), ...(addition.options ?? [])].map((each) => [each.value, each]));
  if (options.size > bounds.schema.optionsPerProperty) {
    faults.push(fault(`${at}/options`, `A property can have at most ${bounds.schema.optionsPerProperty} options.`));
  }
  return { ...existing, ...addition, id: existing.id, ...(options.size > 0 ? { options: [...options.values()] } : {}) };
}

function checkProperty(
  property: PropertyDeclaration,
  existing: StoredProperty | undefined,
  at: string,
  faults: Fault[],
): void {
  const takesOptions = fieldTypes.get(property.field_type)?.shapeFor !== undefined;
  // One that was created by the API may have none yet.
  if (takesOptions && property.options === undefined && existing === undefined) {
    faults.push(fault(`${at}/options`, `A ${property.field_type} property requires options.`));
  }
  if (!takesOptions && property.options !== undefined) {
    faults.push(fault(`${at}/options`, `A ${property.field_type} property cannot have options.`));
  }
  const values = (property.options ?? []).map((option) => option.value);
  if (new Set(values).size < values.length) faults.push(fault(`${at}/options`, 'An option value is repeated.'));
  if (property.unique === true && fieldTypes.get(property.field_type)?.operators.includes('eq') !== true) {
    faults.push(
      fault(`${at}/unique`, `A ${property.field_type} property cannot be unique: its values cannot be compared.`),
    );
  }
}

function growLabels(current: CustomSchema['labels'], additions: CustomSchema['labels']): CustomSchema['labels'] {
  const labels = new Map(Object.entries(current));
  for (const [type, addition] of Object.entries(additions)) {
    const existing = labels.get(type);
    labels.set(type, {
      ...existing,
      ...addition,
      properties: { ...existing?.properties, ...addition.properties },
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
    const existing = types.get(addition.name);
    if (existing !== undefined) {
      for (const member of ['source', 'target', 'cardinality'] as const) {
        if (JSON.stringify(addition[member]) !== JSON.stringify(existing[member])) {
          faults.push(
            fixed(`${at}/${member}`, `The ${member} of an association type`, JSON.stringify(existing[member])),
          );
        }
      }
      if ((addition.stage ?? false) !== (existing.stage ?? false)) {
        faults.push(fixed(`${at}/stage`, 'Whether an association type is a stage', String(existing.stage ?? false)));
      }
    }
    if (addition.stage === true && addition.cardinality !== 'many_to_one') {
      faults.push(
        fault(`${at}/cardinality`, 'A record is in one stage at a time: a stage association type must be many_to_one.'),
      );
    }
    types.set(addition.name, { ...existing, ...addition, id: existing?.id ?? nextId(types.values()) });
  }
  if (types.size > bounds.schema.associationTypesPerOrg) {
    faults.push(
      fault(
        '/association_types',
        `An org can have at most ${bounds.schema.associationTypesPerOrg} custom association types.`,
      ),
    );
  }
  return [...types.values()];
}

function checkRepeats(declarations: readonly { readonly name: string }[], pointer: string, faults: Fault[]): void {
  const seen = new Set<string>();
  for (const [index, { name }] of declarations.entries()) {
    if (seen.has(name)) faults.push(fault(`${pointer}/${index}/name`, `${name} is repeated.`));
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
  return fault(pointer, `${what} cannot change. It is ${value}.`);
}
