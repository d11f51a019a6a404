// A credential never filters, it narrows: the org's catalog and the grants give a smaller catalog of the same shape.
// Anything that is not in it does not exist for the caller: it is answered exactly like an unknown name.
import { isHiddenType } from '../schema/association-type.ts';
import { Catalog } from '../schema/catalog.ts';
import type { ObjectType, Property, ValueSource } from '../schema/object-type.ts';
import { selectedTypes } from '../schema/type-selector.ts';
import { type Grant, names, permission } from './grant.ts';

export function narrow(catalog: Catalog, grants: readonly Grant[]): Catalog {
  const visible = new Map<string, ObjectType>();
  for (const type of catalog.objectTypes.values()) {
    const permitted = permission(grants.filter((grant) => names(grant, type)));
    if (permitted !== undefined) visible.set(type.name, permittedType(type, permitted));
  }
  // A computed value reveals something about its sources, so it needs `read` on all their types (contract 6), and none of
  // the values may be hidden.
  const isSeen = ({ types, properties }: ValueSource) =>
    selectedTypes(types, catalog.objectTypes.values(), []).every((name) => {
      const whole = catalog.objectTypes.get(name);
      const seen = visible.get(name);
      return (
        seen !== undefined && properties.every((each) => !whole?.properties.has(each) || seen.properties.has(each))
      );
    });
  const isComputable = (property: Property) => property.computedFrom.every(isSeen);
  const objectTypes = new Map(
    [...visible.values()].map((type) => [
      type.name,
      withProperties(type, (each) => (isComputable(each) ? each : undefined)),
    ]),
  );
  const pairs = catalog.pairs.filter(
    (pair) => objectTypes.has(pair.sourceType) && (objectTypes.has(pair.targetType) || isHiddenType(pair.targetType)),
  );
  return new Catalog(
    objectTypes,
    pairs,
    timedTypes(catalog, visible),
    catalog.lastId,
    hiddenKeys(catalog, objectTypes),
  );
}

type Permission = NonNullable<ReturnType<typeof permission>>;

function permittedType(type: ObjectType, { operations, hidden, locked }: Permission): ObjectType {
  // Nobody creates a record without seeing what it must have.
  const mayCreate = hidden.size === 0 || type.groups.required.every(({ name }) => !hidden.has(name));
  const writableOperations = type.writableOperations.filter(
    (operation) => operations.has(operation) && (operation !== 'create' || mayCreate),
  );
  const isSame = type.removed.length === 0 && writableOperations.length === type.writableOperations.length;
  const permitted = isSame ? type : type.with({ removed: [], writableOperations });
  if (hidden.size + locked.size === 0) return permitted;
  const narrowed = withProperties(permitted, (each) => {
    if (hidden.has(each.name)) return undefined;
    return locked.has(each.name) ? { ...each, readOnly: true } : each;
  });
  return hidden.has(type.titleProperty ?? '') ? narrowed.with({ titleProperty: null }) : narrowed;
}

/** The type with other properties, or without some of them; the same if they are. An org can have thousands. */
function withProperties(type: ObjectType, change: (property: Property) => Property | undefined): ObjectType {
  const all = [...type.properties.values()];
  if (all.every((property) => change(property) === property)) return type;
  const changed = all.flatMap((property) => change(property) ?? []);
  return type.with({ properties: new Map(changed.map((each) => [each.name, each])) });
}

/** The keys of the stored values of each type that it does not have any more: hidden properties, and deleted ones. */
function hiddenKeys(
  catalog: Catalog,
  narrowed: ReadonlyMap<string, ObjectType>,
): ReadonlyMap<number, readonly string[]> {
  const hidden = new Map<number, readonly string[]>();
  for (const [name, type] of narrowed) {
    const whole = catalog.objectTypes.get(name);
    if (whole === undefined) continue;
    const { byKey } = type.groups;
    const isWhole = type.properties.size === whole.properties.size + whole.removed.length;
    const all = isWhole ? [] : [...whole.groups.byKey.values()];
    const gone = all.filter(({ key, computed }) => !byKey.has(key) && computed === undefined);
    const keys = [...(catalog.hiddenKeys.get(type.id) ?? []), ...gone.map(({ key }) => key)];
    if (keys.length > 0) hidden.set(type.id, keys);
  }
  return hidden;
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
