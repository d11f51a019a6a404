// Whether a draft was made by a schema that has changed meanwhile, so that its request must be checked again.
import { type Json, sameJson } from '../../base/json.ts';
import { valuesOf } from '../../schema/indexing/record-values.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Draft } from './draft.ts';

export function isOutdated(draft: Draft, types: ReadonlyMap<number, ObjectType>): boolean {
  const { type, properties, stored, place } = draft;
  const current = types.get(type.id);
  if (current === undefined) return true;
  if (current === type || place !== 'live') return false;
  const before: Readonly<Record<string, Json>> = stored?.record.properties ?? {};
  const isGone = (key: string) => isLive(type, key) && !isLive(current, key);
  const setsGone = Object.keys(properties).some(
    (key) => isGone(key) && !sameJson(before[key] ?? null, properties[key] ?? null),
  );
  const isNeeded = (key: string) => stored === undefined || Object.hasOwn(before, key);
  const lacks = current.groups.required.some(({ key }) => !Object.hasOwn(properties, key) && isNeeded(key));
  return setsGone || lacks || hasGoneOption(current, before, properties);
}

/** Whether it sets a value that is none of the options any more. */
function hasGoneOption({ groups }: ObjectType, before: Draft['properties'], after: Draft['properties']): boolean {
  return Object.keys(after).some((key) => {
    const property = groups.byKey.get(key);
    if (property?.fieldType.shapeFor === undefined || sameJson(before[key] ?? null, after[key] ?? null)) return false;
    return valuesOf(after, key).some((value) => !property.options.some((option) => option.value === value));
  });
}

function isLive({ groups, properties }: ObjectType, key: string): boolean {
  const property = groups.byKey.get(key);
  return property !== undefined && properties.get(property.name) === property;
}
