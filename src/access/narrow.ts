// A credential never filters, it narrows: the org's catalog and the grants give a smaller catalog of the same shape.
// What is not in it does not exist for the caller: no list entry, no 403, no other answer than an unknown name gets.
import { isHiddenType } from '../schema/association-type.ts';
import { Catalog } from '../schema/catalog.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';
import { selectedTypes } from '../schema/type-selector.ts';
import { type Grant, permitted } from './grant.ts';

export function narrow(catalog: Catalog, grants: readonly Grant[]): Catalog {
  const visible = new Map<string, ObjectType>();
  for (const type of catalog.objectTypes.values()) {
    const operations = permitted(grants, type.name);
    if (operations === undefined) continue;
    const writableOperations = type.writableOperations.filter((operation) => operations.has(operation));
    visible.set(type.name, type.with({ writableOperations }));
  }
  // A computed value tells of the records it is computed from, so it needs `read` on all their types (contract 6).
  const derivable = (property: Property) =>
    property.computedFrom.every((end) =>
      selectedTypes(end, catalog.objectTypes.values(), []).every((feeding) => visible.has(feeding)),
    );
  const objectTypes = new Map(
    [...visible.values()].map((type) => [
      type.name,
      type.with({ properties: new Map([...type.properties].filter(([, property]) => derivable(property))) }),
    ]),
  );
  const pairs = catalog.pairs.filter(
    (pair) => objectTypes.has(pair.sourceType) && (objectTypes.has(pair.targetType) || isHiddenType(pair.targetType)),
  );
  return new Catalog(objectTypes, pairs, timedTypes(catalog, visible));
}

/**
 * Timers tell how long records were in a stage, so the timers of a type are visible only together with the type.
 * Undefined if no timer is hidden by this: the catalog has all types with stages, or no timers at all.
 */
function timedTypes(catalog: Catalog, visible: ReadonlyMap<string, ObjectType>): readonly number[] | undefined {
  if (!visible.has('svc_stage_timer')) return undefined;
  const ids = new Set([...visible.values()].map(({ id }) => id));
  const timed = catalog.timedTypes ?? typesWithStages(catalog);
  const seen = timed.filter((id) => ids.has(id));
  return seen.length === timed.length ? catalog.timedTypes : seen;
}

function typesWithStages({ pairs, objectTypes }: Catalog): readonly number[] {
  const names = new Set(pairs.filter(({ stage }) => stage).map(({ sourceType }) => sourceType));
  return [...names].flatMap((name) => objectTypes.get(name)?.id ?? []);
}
