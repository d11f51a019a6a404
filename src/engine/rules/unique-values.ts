// The rule of unique values: no two live records of a type hold the same one. A conflict names the property and the record
// that holds the value, as far as the caller can see them.
import { type Json, pointerStep } from '../../base/json.ts';
import { type Fault, Problem } from '../../base/problem.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Properties } from '../unit/draft.ts';
import type { TakenValue } from '../unit/holder-book.ts';
import type { Unit } from '../unit/unit.ts';

/** Throws a conflict when another record holds one of the values. `at` is the place of the record in the request. */
export async function refuseTaken(
  unit: Unit,
  type: ObjectType,
  keys: readonly UniqueKey[],
  recordId: string,
  properties: Properties,
  at: string,
): Promise<void> {
  const taken = keys.length === 0 ? [] : await unit.holders.taken(type, keys, recordId);
  if (taken.length === 0) return;
  const visible = unit.call.session.catalog.objectTypes.get(type.name)?.groups.byKey;
  const seen = taken.filter(({ key }) => visible?.get(key.key)?.id === key.propertyId);
  const [first] = seen;
  // A record that goes back has values that the caller does not see, and may need them to be free.
  if (first === undefined) throw new Problem('conflict', 'unique_value_taken', unseenTaken(type));
  const errors = seen.map(({ key }) => takenFault(type, key, pointerOf(type, key, properties, at)));
  throw await uniqueValueTaken(unit, type, first, errors);
}

function unseenTaken({ name }: ObjectType): string {
  return `Another record of ${name} has taken a value that no two records can share, and that this key does not see.`;
}

/** The conflict names the holder of the first value, and only if the caller can see it. */
export async function uniqueValueTaken(
  unit: Unit,
  type: ObjectType,
  { key, holder }: TakenValue,
  errors: readonly Fault[],
): Promise<Problem> {
  const visible = (await unit.records.typeOfLive([type.id], holder)) !== undefined;
  return takenProblem(type, key, errors, visible ? holder : undefined);
}

export function takenProblem(
  type: ObjectType,
  key: UniqueKey,
  errors: readonly Fault[],
  holder: string | undefined,
): Problem {
  return new Problem('conflict', 'unique_value_taken', errors[0]?.detail ?? '', {
    errors,
    conflict: {
      objectType: type.name,
      property: key.property,
      ...(holder === undefined ? {} : { existingId: holder }),
    },
  });
}

export function takenFault(type: ObjectType, { property }: UniqueKey, pointer: string): Fault {
  const detail = `Another record of ${type.name} has this ${property} already; no two records can share one.`;
  return { pointer, property, reason: 'unique_value_taken', detail };
}

/** The place of the value in the request. */
export function pointerOf(type: ObjectType, key: UniqueKey, properties: Properties, at: string): string {
  const pointer = `${at}/properties${pointerStep(key.property)}`;
  const value = properties[key.key];
  if (!Array.isArray(value)) return pointer;
  const index = value.findIndex((element: Json) => includesKey(uniqueKeys(type, { [key.key]: [element] }), key));
  return `${pointer}${pointerStep(Math.max(0, index))}`;
}

export function includesKey(keys: readonly UniqueKey[], wanted: UniqueKey): boolean {
  return keys.some((key) => key.propertyId === wanted.propertyId && key.value === wanted.value);
}
