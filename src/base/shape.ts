// Checks unknown JSON against a declared shape and says every fault in our own words. A shape is declared once, with
// typebox: the same value gives the TypeScript type, this check and the schema in the OpenAPI document.
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { describe, isObject, type JsonSchema, pointerStep, shorten } from './json.ts';
import { bounds } from './limits.ts';
import { nearest } from './nearest.ts';
import type { Fault } from './problem.ts';

Settings.Set({ maxErrors: bounds.base.faultsReported });

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** All faults of the value; none means that it is a T. */
  check(value: unknown): readonly Fault[];
  admits(value: unknown): value is T;
}

export function shape<S extends TSchema>(schema: S): Shape<Static<S>> {
  // Compiled when it is first asked: most commands never ask, and should not wait for it.
  let known: ReturnType<typeof Compile<S>> | undefined;
  const compiled = () => {
    known ??= Compile(schema);
    return known;
  };
  const plain = schema as unknown as JsonSchema;
  return {
    schema: plain,
    check: (value) => (compiled().Check(value) ? [] : faultsOf(plain, value, compiled().Errors(value))),
    admits: (value): value is Static<S> => compiled().Check(value),
  };
}

function faultsOf(schema: JsonSchema, value: unknown, errors: readonly TLocalizedValidationError[]): readonly Fault[] {
  // A value that fits none of several forms is one fault at its own place, not one for each form.
  const alternatives = errors.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  const faults = errors
    .filter((error) => !alternatives.some((path) => `${error.schemaPath}/`.startsWith(path)))
    .flatMap((error) => faultOf(schema, value, error));
  // The first fault of a place says enough about it.
  const seen = new Set<string>();
  const known = faults.length > 0 ? faults : beyondCount(errors);
  return known.filter((fault) => {
    const place = fault.pointer ?? '';
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/**
 * Of very many unknown members the checker counts one after the other, and is full before it has named them together. What
 * does not fit is never without a fault.
 */
function beyondCount(errors: readonly TLocalizedValidationError[]): readonly Fault[] {
  const members = errors.flatMap(({ keyword, instancePath }) => {
    const cut = instancePath.lastIndexOf('/');
    const name = instancePath
      .slice(cut + 1)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    return keyword === 'boolean' ? [unknownMember(instancePath.slice(0, cut), name, [])] : [];
  });
  const detail = 'This does not have the shape that is expected here.';
  return members.length > 0 ? members : [{ pointer: '', reason: 'invalid_member', detail }];
}

function faultOf(schema: JsonSchema, value: unknown, error: TLocalizedValidationError): readonly Fault[] {
  const at = error.instancePath;
  switch (error.keyword) {
    case 'additionalProperties': {
      const known = Object.keys((follow(schema, error.schemaPath.slice(1)) as JsonSchema)['properties'] ?? {});
      const names = error.params.additionalProperties.slice(0, bounds.base.faultsReported);
      return names.map((name, index) => unknownMember(at, name, index < bounds.base.suggestionsPerRecord ? known : []));
    }
    case 'boolean': // Says again what additionalProperties says.
      return [];
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        pointer: at + pointerStep(name),
        reason: 'invalid_member',
        detail: `The member ${JSON.stringify(name)} is required.`,
      }));
    default: {
      const expected = follow(schema, error.schemaPath.slice(1)) as JsonSchema;
      const got = describe(follow(value, at));
      return [
        { pointer: at, reason: 'invalid_member', detail: `${wanted(expected, error.message)}; got ${got}.`, expected },
      ];
    }
  }
}

export function unknownMember(at: string, name: string, known: readonly string[]): Fault {
  const near = nearest(name, known);
  return {
    pointer: at + pointerStep(name),
    reason: 'unknown_member',
    detail: `There is no member ${JSON.stringify(shorten(name, 64))} here.`,
    ...(near !== undefined ? { nearest: near } : known.length > 0 ? { allowed: known } : {}),
  };
}

/** What the shape wants, in its own words if it has any: a pattern alone tells a person little. */
function wanted(expected: JsonSchema, message: string): string {
  const { description, type } = expected;
  // A description that begins small is the end of a sentence; others are for the reader of the document.
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

/** What stands at an RFC 6901 pointer of plain data. */
function follow(value: unknown, pointer: string): unknown {
  let current = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(name)];
    else if (isObject(current) && Object.hasOwn(current, name)) current = current[name];
    else return undefined;
  }
  return current;
}
