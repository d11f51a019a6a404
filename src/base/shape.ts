// Checks unknown JSON against a declared shape and reports every error in our own words. A shape is declared once, with
// typebox: it gives the TypeScript type, this check and the schema in the OpenAPI document.
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
  /** All errors of the value; if there are none, it is a T. */
  check(value: unknown): readonly Fault[];
  admits(value: unknown): value is T;
}

export function shape<S extends TSchema>(schema: S): Shape<Static<S>> {
  // Compiled at first use: most commands never use it, and should not wait for it.
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
  // A value that fits none of several alternatives is one error, not one for each alternative.
  const alternatives = errors.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  const faults = errors
    .filter((error) => !alternatives.some((path) => `${error.schemaPath}/`.startsWith(path)))
    .flatMap((error) => faultOf(schema, value, error));
  // One error for each place is enough.
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
 * With very many unknown members the checker reports each of them, and stops before it reports them together. A value
 * that does not fit always has an error.
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
  const detail = 'The value does not have the expected shape.';
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
    case 'boolean': // Repeats additionalProperties.
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

/** The part of plain data at an RFC 6901 pointer. */
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
