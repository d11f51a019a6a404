// Checks the values that a request sets and clears against the properties of the object type (contract 2, 4 and 8).
// Every error says where it is, what was expected and what was received. The list is bounded: a body can have very many
// errors.

import { describe, shorten } from '../../client/import/described.ts';
import { counted } from '../base/counted.ts';
import { type Json, type JsonSchema, pointerStep } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import type { Fault } from '../base/problem.ts';
import type { ValueFault } from './field-type.ts';
import { nameCharactersMax, type ObjectType, type Property } from './object-type.ts';

/** The values that a request sets, by the keys of their properties, and null for those that it clears. */
export type Changes = ReadonlyMap<string, Json>;

interface CheckedValues {
  /** Valid only if there are no faults. */
  readonly changes: Changes;
  readonly faults: readonly Fault[];
}

/** The `properties` of a request, before they are checked. */
type Sent = Readonly<Record<string, unknown>>;

/**
 * `at` is the pointer of the object that holds `properties`: '' or '/operations/3'. Checking stops when `most` faults are
 * found.
 */
export function checkValues(
  type: ObjectType,
  properties: Sent,
  at: string,
  most: number = bounds.base.faultsReported,
): CheckedValues {
  const changes = new Map<string, Json>();
  const faults: Fault[] = [];
  for (const name of Object.keys(properties)) {
    if (faults.length >= most) break;
    const value = properties[name];
    const property = type.properties.get(name);
    if (property === undefined) {
      faults.push(unknownProperty(type, name, at, faults.length));
    } else if (property.readOnly) {
      const detail = `${name} is read-only. Leave it out.`;
      faults.push({ ...place(property, at), reason: 'read_only_property', detail });
    } else if (clears(property, value)) {
      if (property.required) faults.push(requiredMissing(property, at));
      changes.set(property.key, null);
    } else {
      const found = faults.length;
      if (property.multiValued) checkList(property, value, at, faults, most);
      else checkOne(property, value, at, faults);
      changes.set(property.key, faults.length === found ? normalValue(property, value as Json) : (value as Json));
    }
  }
  return { changes, faults };
}

function normalValue({ fieldType: { normal }, multiValued }: Property, value: Json): Json {
  if (normal === undefined) return value;
  return multiValued ? (value as readonly Json[]).map(normal) : normal(value);
}

/** The errors of required properties that are not sent at all; checkValues reports those that are cleared. */
export function checkRequired(
  type: ObjectType,
  properties: Sent,
  at: string,
  most: number = bounds.base.faultsReported,
): readonly Fault[] {
  const missing = type.groups.required.filter(({ name }) => !Object.hasOwn(properties, name));
  return missing.slice(0, most).map((property) => requiredMissing(property, at));
}

function clears({ multiValued }: Property, value: unknown): boolean {
  return value === null || (multiValued && Array.isArray(value) && value.length === 0);
}

function checkList(property: Property, value: unknown, at: string, faults: Fault[], faultsMax: number): void {
  const most = limits.valuesPerProperty;
  if (!Array.isArray(value)) {
    const detail = `Expected an array of 1 to ${most} values; got ${describe(value)}.`;
    faults.push({ ...place(property, at), reason: 'wrong_shape', detail, expected: shapeOf(property) });
    return;
  }
  if (value.length > most) {
    const detail = `Expected at most ${most} values; got ${counted(value.length)}.`;
    faults.push({ ...place(property, at), reason: 'too_many_values', detail, expected: shapeOf(property) });
  }
  for (let index = 0; index < value.length && faults.length < faultsMax; index++) {
    checkOne(property, value[index], at, faults, index);
  }
}

/** Checks the value of a property, or the element of a list at `index`. */
function checkOne(property: Property, value: unknown, at: string, faults: Fault[], index?: number): void {
  const { fieldType, options } = property;
  const found = fieldType.check(value, options) ?? checkRange(property, value as string);
  if (found === undefined) return;
  const { pointer, property: name } = place(property, at);
  faults.push({
    pointer: pointer + (index === undefined ? '' : pointerStep(index)) + found.at,
    property: name,
    reason: found.reason,
    detail: found.detail,
    expected: shapeAt(elementShape(property), found.at),
    ...(found.reason === 'unknown_option' ? { allowed: options.map((option) => option.value) } : {}),
  });
}

/** Numbers are sent as text. The bounds have few digits, so comparing them as floating-point numbers is exact. */
function checkRange({ range }: Property, value: string): ValueFault | undefined {
  if (range === undefined || (Number(value) >= range.least && Number(value) <= range.greatest)) return undefined;
  const detail = `Expected a number from ${range.least} to ${range.greatest}; got ${describe(value)}.`;
  return { reason: 'wrong_shape', at: '', detail };
}

function place({ name }: { readonly name: string }, at: string) {
  return { pointer: `${at}/properties${pointerStep(name)}`, property: name };
}

function requiredMissing(property: Property, at: string): Fault {
  const detail = `${property.name} is required. Send a value.`;
  return { ...place(property, at), reason: 'required_missing', detail, expected: shapeOf(property) };
}

function elementShape({ fieldType, options, range }: Property): JsonSchema {
  const shape = fieldType.shapeFor?.(options) ?? fieldType.shape;
  if (range === undefined) return shape;
  return { ...shape, description: `A number from ${range.least} to ${range.greatest}.` };
}

/** The shape of the member in which the error is, or of the whole value. */
function shapeAt(shape: JsonSchema, at: string): JsonSchema {
  const members = shape['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  return members?.[at.slice(1)] ?? shape;
}

/** The shape of the value as it is sent: a list, if the property is multi-valued. */
export function shapeOf(property: Property): JsonSchema {
  const items = elementShape(property);
  return property.multiValued ? { type: 'array', items, minItems: 1, maxItems: limits.valuesPerProperty } : items;
}

/** Only the first errors suggest a name: finding the nearest one costs more than all other checks. */
function unknownProperty(type: ObjectType, name: string, at: string, faultsBefore: number): Fault {
  const isSuggested = faultsBefore < bounds.base.suggestionsPerRecord && name.length <= nameCharactersMax;
  const near = isSuggested ? type.nearestProperty(name) : undefined;
  return {
    pointer: place({ name }, at).pointer,
    property: shorten(name, nameCharactersMax),
    reason: 'unknown_property',
    detail: `${type.name} has no property ${JSON.stringify(shorten(name, nameCharactersMax))}.`,
    ...(near === undefined ? {} : { nearest: near }),
  };
}
