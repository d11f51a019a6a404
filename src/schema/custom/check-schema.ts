// Checks of a schema file that need the new catalog: everything that the file refers to must exist.
import { pointerStep } from '../../base/json.ts';
import { limits } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import type { Fault } from '../../base/problem.ts';
import type { Catalog } from '../catalog.ts';
import type { EndDeclaration, SchemaFile } from './custom-schema.ts';
import type { Doubts } from './repair-file.ts';

/** Checks types, kinds, title properties and labelled properties, and the size of each type. */
export function checkReferences(catalog: Catalog, file: SchemaFile, faults: Fault[], doubts: Doubts): void {
  checkTitles(catalog, file, faults, doubts);
  // What an org administers itself by is the same in every org.
  const extended = [...catalog.objectTypes.values()].filter(({ category }) => category !== 'platform');
  const types = doubts.types ? undefined : new Set(extended.map(({ name }) => name));
  const kinds = doubts.kinds
    ? undefined
    : new Set([...catalog.objectTypes.values()].flatMap((type) => (type.kind === null ? [] : [type.kind])));
  const checkType = (name: string, at: string) => checkName('object type', name, types, at, faults);
  const checkEnd = (end: EndDeclaration, at: string) =>
    typeof end === 'string' ? checkType(end, at) : checkName('kind', end.kind, kinds, `${at}/kind`, faults);
  for (const name of Object.keys(file.properties ?? {})) checkType(name, `/properties${pointerStep(name)}`);
  for (const name of Object.keys(file.labels ?? {})) checkType(name, `/labels${pointerStep(name)}`);
  checkLabels(catalog, file, faults, doubts);
  for (const [index, type] of (file.association_types ?? []).entries()) {
    checkEnd(type.source, `/association_types/${index}/source`);
    checkEnd(type.target, `/association_types/${index}/target`);
  }
  checkSizes(catalog, faults);
}

function checkTitles(catalog: Catalog, file: SchemaFile, faults: Fault[], doubts: Doubts): void {
  for (const [index, { name, title_property: title }] of (file.object_types ?? []).entries()) {
    if (title === undefined || doubts.propertiesOf(name)) continue;
    const single = [...(catalog.objectTypes.get(name)?.properties.values() ?? [])].filter((each) => !each.multiValued);
    const names = new Set(single.map((each) => each.name));
    checkName('single-valued property', title, names, `/object_types/${index}/title_property`, faults);
  }
}

function checkLabels(catalog: Catalog, file: SchemaFile, faults: Fault[], doubts: Doubts): void {
  for (const [name, labels] of Object.entries(file.labels ?? {})) {
    const properties = catalog.objectTypes.get(name)?.properties;
    if (properties === undefined || doubts.propertiesOf(name)) continue;
    for (const property of Object.keys(labels.properties ?? {})) {
      const at = `/labels${pointerStep(name)}/properties${pointerStep(property)}`;
      checkName('property', property, new Set(properties.keys()), at, faults);
    }
  }
}

/** `known` is undefined if it is not known what there is. */
function checkName(
  what: string,
  name: string,
  known: ReadonlySet<string> | undefined,
  pointer: string,
  faults: Fault[],
): void {
  if (known === undefined || known.has(name)) return;
  const near = nearest(name, known);
  const detail = `There is no ${what} ${JSON.stringify(name)}.`;
  faults.push({ pointer, reason: 'invalid_member', detail, ...(near === undefined ? {} : { nearest: near }) });
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
