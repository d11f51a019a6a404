// Parses the JSON of `sort` into sort keys, resolved in the caller's catalog.
import { describe } from '../../client/import/described.ts';
import { limits } from '../base/limits.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { type FaultList, type Members, objectsIn } from './fault-list.ts';
import type { SortKey } from './plan.ts';

export const sortDirections = ['asc', 'desc'] as const;

export function parseSort(type: ObjectType, sort: unknown, faults: FaultList): readonly SortKey[] {
  const keys: SortKey[] = [];
  for (const [index, entry] of sortEntries(sort, faults)) {
    const pointer = `/sort/${index}`;
    faults.unknownMembers(pointer, entry, ['property', 'direction']);
    const direction = parseDirection(entry, pointer, faults);
    const { property: name } = entry;
    const property = typeof name === 'string' ? type.properties.get(name) : undefined;
    if (typeof name !== 'string')
      faults.invalidMember(`${pointer}/property`, `Expected a name; got ${describe(name)}.`);
    else if (property === undefined) faults.unknownProperty(`${pointer}/property`, [type], name);
    else if (!property.fieldType.sortable || property.multiValued) {
      const why = property.multiValued ? 'It can have several values' : `Its field type is ${property.fieldType.name}`;
      const detail = `Records cannot be sorted by ${property.name}. ${why}.`;
      faults.add({ pointer: `${pointer}/property`, property: property.name, reason: 'not_sortable', detail });
    } else if (keys.some((key) => key.property === property)) {
      faults.invalidMember(`${pointer}/property`, `${property.name} is repeated.`);
    } else if (direction !== undefined) keys.push({ property, direction });
  }
  return keys;
}

/** The entries that are objects, up to the number that is allowed. */
export function sortEntries(sort: unknown, faults: FaultList): ReturnType<typeof objectsIn> {
  if (Array.isArray(sort) && sort.length > limits.sortKeys) {
    faults.invalidMember('/sort', `There can be at most ${limits.sortKeys} sort keys; got ${sort.length}.`);
  }
  return objectsIn(sort, limits.sortKeys);
}

export function parseDirection(entry: Members, pointer: string, faults: FaultList): SortKey['direction'] | undefined {
  const found = sortDirections.find((each) => each === entry['direction']);
  if (found === undefined) {
    faults.notAmong(`${pointer}/direction`, 'invalid_member', sortDirections, entry['direction']);
  }
  return found;
}
