// Checks of a schema file that need the new catalog: everything that the file refers to must exist.
import { pointerStep } from '../../base/json.ts';
import { limits } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import type { Fault } from '../../base/problem.ts';
import type { Catalog } from '../catalog.ts';
import type { EndDeclaration, SchemaFile } from './custom-schema.ts';

/** Checks types, kinds, title properties and labelled properties, and the size of each type. */
export function checkReferences(catalog: Catalog, file: SchemaFile, faults: Fault[]): void {
  for (const [index, type] of (file.object_types ?? []).entries()) {
    const at = `/object_types/${index}`;
    const known = catalog.objectTypes.get(type.name);
    const title = type.title_property === undefined ? undefined : known?.properties.get(type.title_property);
    if (type.title_property !== undefined && (title === undefined || title.multiValued)) {
      const names = [...(known?.properties.values() ?? [])].filter((each) => !each.multiValued);
      faults.push(
        unknownName(
          `${at}/title_property`,
          'single-valued property',
          type.title_property,
          names.map((each) => each.name),
        ),
      );
    }
  }
  for (const name of Object.keys(file.properties ?? {}))
    checkType(catalog, name, `/properties${pointerStep(name)}`, faults);
  for (const [name, labels] of Object.entries(file.labels ?? {})) {
    const at = `/labels${pointerStep(name)}`;
    checkType(catalog, name, at, faults);
    const properties = catalog.objectTypes.get(name)?.properties;
    for (const property of Object.keys(labels.properties ?? {})) {
      if (properties !== undefined && !properties.has(property)) {
        faults.push(unknownName(`${at}/properties${pointerStep(property)}`, 'property', property, properties.keys()));
      }
    }
  }
  const kinds = new Set([...catalog.objectTypes.values()].flatMap((type) => (type.kind === null ? [] : [type.kind])));
  for (const [index, type] of (file.association_types ?? []).entries()) {
    checkEnd(catalog, kinds, type.source, `/association_types/${index}/source`, faults);
    checkEnd(catalog, kinds, type.target, `/association_types/${index}/target`, faults);
  }
  checkSizes(catalog, faults);
}

function checkEnd(
  catalog: Catalog,
  kinds: ReadonlySet<string>,
  end: EndDeclaration,
  at: string,
  faults: Fault[],
): void {
  if (typeof end === 'string') checkType(catalog, end, at, faults);
  else if (!kinds.has(end.kind)) faults.push(unknownName(`${at}/kind`, 'kind', end.kind, kinds));
}

function checkType(catalog: Catalog, name: string, at: string, faults: Fault[]): void {
  if (!catalog.objectTypes.has(name)) faults.push(unknownName(at, 'object type', name, catalog.objectTypes.keys()));
}

function checkSizes(catalog: Catalog, faults: Fault[]): void {
  for (const type of catalog.objectTypes.values()) {
    if (type.properties.size > limits.propertiesPerType) {
      faults.push({
        pointer: '',
        reason: 'invalid_member',
        detail: `${type.name} would have more than ${limits.propertiesPerType} properties.`,
      });
    }
  }
}

function unknownName(pointer: string, what: string, name: string, known: Iterable<string>): Fault {
  const near = nearest(name, known);
  return {
    pointer,
    reason: 'invalid_member',
    detail: `There is no ${what} ${JSON.stringify(name)}.`,
    ...(near === undefined ? {} : { nearest: near }),
  };
}
