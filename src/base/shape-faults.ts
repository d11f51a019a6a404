// Finds what is wrong with a value that does not have its shape, in our own words and in the order of the shape. It stops
// at the number of faults that is asked for: a body can have a hundred thousand, and typebox would make an error of each.
import { Compile } from 'typebox/compile';
import { describe, shorten } from '../../client/import/described.ts';
import { isObject, type JsonSchema, pointerStep } from './json.ts';
import { bounds } from './limits.ts';
import { nearest } from './nearest.ts';
import type { Fault } from './problem.ts';

/** At least one fault and at most `most`. The schema has the keywords that our shapes use, and no references. */
export function faultsOf(schema: JsonSchema, value: unknown, most: number): readonly Fault[] {
  const found = new FoundFaults(most);
  visit(found, schema, value, '');
  if (found.list.length > 0) return found.list;
  return [{ pointer: '', reason: 'invalid_member', detail: 'The value does not have the expected shape.' }];
}

/** One error for each place is enough. */
class FoundFaults {
  readonly list: Fault[] = [];
  readonly #places = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.list.length >= this.#most;
  }

  add(pointer: string, fault: () => Omit<Fault, 'pointer'>): void {
    if (this.isFull || this.#places.has(pointer)) return;
    this.#places.add(pointer);
    this.list.push({ pointer, ...fault() });
  }
}

function visit(found: FoundFaults, schema: JsonSchema, value: unknown, at: string): void {
  if (isObject(value)) visitMembers(found, schema, value, at);
  if (Array.isArray(value)) visitElements(found, schema, value, at);
  const message = ownCheck(schema)(value);
  if (message !== undefined) found.add(at, () => invalid(schema, value, message));
  // A value that fits none of several alternatives is one error, not one for each alternative.
  const { anyOf } = schema as { readonly anyOf?: readonly JsonSchema[] };
  if (anyOf?.some((alternative) => fits(alternative, value)) === false) {
    found.add(at, () => invalid(schema, value, 'must match a schema in anyOf'));
  }
}

function fits(schema: JsonSchema, value: unknown): boolean {
  const found = new FoundFaults(1);
  visit(found, schema, value, '');
  return found.list.length === 0;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

function visitMembers(found: FoundFaults, schema: JsonSchema, value: Record<string, unknown>, at: string): void {
  const { properties = {}, patternProperties = {}, required = [], additionalProperties }: ObjectSchema = schema;
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    const detail = `The member ${JSON.stringify(name)} is required.`;
    found.add(at + pointerStep(name), () => ({ reason: 'invalid_member', detail }));
  }
  const patterns = Object.entries(patternProperties).map(([text, of]) => ({ pattern: new RegExp(text, 'u'), of }));
  if (additionalProperties === false) {
    const known = Object.keys(properties);
    let unknown = 0;
    for (const name of Object.keys(value)) {
      if (found.isFull) return;
      if (Object.hasOwn(properties, name) || patterns.some(({ pattern }) => pattern.test(name))) continue;
      const offered = unknown++ < bounds.base.suggestionsPerRecord ? known : [];
      found.add(at + pointerStep(name), () => unknownMemberAt(name, offered));
    }
  }
  for (const { pattern, of } of patterns) {
    if (Object.keys(of).length === 0) continue;
    for (const name of Object.keys(value)) {
      if (found.isFull) return;
      if (pattern.test(name)) visit(found, of, value[name], at + pointerStep(name));
    }
  }
  for (const [name, of] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) visit(found, of, value[name], at + pointerStep(name));
  }
}

function visitElements(found: FoundFaults, schema: JsonSchema, value: readonly unknown[], at: string): void {
  const { items } = schema as { readonly items?: JsonSchema };
  if (items === undefined || Object.keys(items).length === 0) return;
  for (let index = 0; index < value.length && !found.isFull; index++)
    visit(found, items, value[index], `${at}/${index}`);
}

/** What is wrong with the value itself, apart from its members and elements. */
type OwnCheck = (value: unknown) => string | undefined;

const ownChecks = new WeakMap<JsonSchema, OwnCheck>();
const ofParts = new Set(['properties', 'patternProperties', 'required', 'additionalProperties', 'items', 'anyOf']);

function ownCheck(schema: JsonSchema): OwnCheck {
  const known = ownChecks.get(schema);
  if (known !== undefined) return known;
  const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ofParts.has(keyword)));
  const compiled = Compile(own);
  const { type } = own;
  const check: OwnCheck = (value) => {
    if (compiled.Check(value)) return undefined;
    // The most common error is not worth asking for words.
    if (typeof type === 'string' && !isOfType(type, value)) return `must be ${type}`;
    return compiled.Errors(value)[0]?.message;
  };
  ownChecks.set(schema, check);
  return check;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function invalid(expected: JsonSchema, value: unknown, message: string): Omit<Fault, 'pointer'> {
  return {
    reason: 'invalid_member',
    detail: `${wanted(expected, message)}; got ${describe(value)}.`,
    expected,
  };
}

export function unknownMember(at: string, name: string, offered: readonly string[]): Fault {
  return { pointer: at + pointerStep(name), ...unknownMemberAt(name, offered) };
}

function unknownMemberAt(name: string, offered: readonly string[]): Omit<Fault, 'pointer'> {
  const near = nearest(name, offered);
  return {
    reason: 'unknown_member',
    detail: `There is no member ${JSON.stringify(shorten(name, 64))} here.`,
    ...(near !== undefined ? { nearest: near } : offered.length > 0 ? { allowed: offered } : {}),
  };
}

/** What the shape expects: its own description if it has one, because a pattern alone says little to a person. */
function wanted(expected: JsonSchema, message: string): string {
  const { description, type } = expected;
  // A description that begins with a small letter completes a sentence; others are for readers of the document.
  if (typeof description === 'string' && /^[a-z]/.test(description)) return `Expected ${description}`;
  if (typeof type === 'string' && message.startsWith('must be ')) return `Expected ${typeNames[type] ?? type}`;
  const values = expected['enum'];
  if (Array.isArray(values) && values.length <= 20) return `Expected one of ${values.join(', ')}`;
  return `It ${message}`;
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
};
