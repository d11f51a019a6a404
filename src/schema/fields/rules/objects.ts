// Shared by the two field types whose values are objects: they have exactly the given members, and each is checked.
import { describe } from '../../../../client/import/described.ts';
import { isObject, type Json, type JsonSchema, pointerStep } from '../../../base/json.ts';
import type { ValueFault } from '../../field-type.ts';
import { wrongShape } from './texts.ts';

interface Member {
  readonly shape: JsonSchema;
  readonly expected: string;
  admits(value: unknown): boolean;
}

export function objectShape(members: Readonly<Record<string, Member>>): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.shape])),
    required: Object.keys(members),
    additionalProperties: false,
  };
}

export function checkObject(
  value: unknown,
  expected: string,
  members: Readonly<Record<string, Member>>,
): ValueFault | undefined {
  if (!isObject(value)) return wrongShape(`Expected ${expected}; got ${describe(value)}.`);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(members, name)) {
      return wrongShape(
        `Expected ${expected} and nothing else; got another member, ${JSON.stringify(name.slice(0, 64))}.`,
      );
    }
  }
  for (const [name, member] of Object.entries(members)) {
    const part = Object.hasOwn(value, name) ? value[name] : undefined;
    if (!member.admits(part)) {
      return wrongShape(`Expected ${name} to be ${member.expected}; got ${describe(part)}.`, pointerStep(name));
    }
  }
  return undefined;
}

/**
 * The value with its members in the order in which PostgreSQL keeps those of jsonb: shorter names first. So its JSON is the
 * same in the answer to a write, in later reads and in the change feed, in whatever order it was sent.
 */
export function inStoredOrder(members: Readonly<Record<string, Member>>): (value: Json) => Json {
  const names = Object.keys(members).sort((left, right) => left.length - right.length || (left < right ? -1 : 1));
  return (value) =>
    Object.fromEntries(names.map((name) => [name, (value as Readonly<Record<string, Json>>)[name]])) as Json;
}
