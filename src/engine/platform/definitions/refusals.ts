// How changes of definitions are refused.

import { describe } from '../../../../client/import/described.ts';
import { counted } from '../../../base/counted.ts';
import type { Json, JsonSchema } from '../../../base/json.ts';
import { bounds } from '../../../base/limits.ts';
import { type Fault, Problem, problemOf, type Reason } from '../../../base/problem.ts';
import type { Shape } from '../../../base/shape.ts';
import { countCustomPairs } from '../../../schema/custom/build-catalog.ts';
import type { CustomSchema } from '../../../schema/custom/custom-schema.ts';
import type { Properties } from '../../unit/draft.ts';
import type { Unit } from '../../unit/unit.ts';

/** Definitions are those of the whole org. */
export function requireWholeOrg(unit: Unit): void {
  if (unit.call.session.caller.reach === 'org') return;
  const detail = 'Definitions of the schema are changed only by a credential of reach "org".';
  throw new Problem('forbidden', 'operation_not_granted', detail);
}

export function builtIn(name: string): Problem {
  const detail = `${name} is built in. Only its labels and its description can change.`;
  return new Problem('forbidden', 'built_in', detail);
}

/** Refuses other changes of something built in than those of the given properties. */
export function refuseBuiltIn(name: string, before: Properties, next: Properties, allowed: readonly string[]): void {
  const names = new Set([...Object.keys(before), ...Object.keys(next)]);
  for (const each of names) {
    const isSame = JSON.stringify(before[each]) === JSON.stringify(next[each]);
    if (!isSame && !allowed.includes(each)) throw builtIn(name);
  }
}

export function faultAt(at: string, property: string, reason: Reason, detail: string): Fault {
  return { pointer: `${at}/properties/${property}`, property, reason, detail };
}

export function refuseAt(at: string, property: string, reason: Reason, detail: string): never {
  throw problemOf('validation_failed', [faultAt(at, property, reason, detail)]);
}

/** Refuses values that do not have the shape that a schema file would need. */
export function refuseShapes(values: Properties, shapes: Readonly<Record<string, Shape<unknown>>>, at: string): void {
  const faults = Object.entries(shapes).flatMap(([property, shape]): readonly Fault[] => {
    const value: Json | undefined = values[property];
    if (value === undefined || shape.check(value).length === 0) return [];
    const { description, maxLength } = shape.schema as JsonSchema & { description?: string; maxLength?: number };
    const isLong = maxLength !== undefined && typeof value === 'string' && value.length > maxLength;
    const detail = `Expected ${description ?? 'another value'}; got ${describe(value)}.`;
    return [{ ...faultAt(at, property, isLong ? 'too_long' : 'wrong_shape', detail), expected: shape.schema }];
  });
  if (faults.length > 0) throw problemOf('validation_failed', faults);
}

/** The fault of a definition without the link to what it belongs to. */
export function linkMissing(at: string, associationType: string, detail: string): Problem {
  const pointer = `${at}/associations`;
  return problemOf('validation_failed', [
    { pointer, reason: 'required_missing', detail: `${detail} Link it with ${associationType}.` },
  ]);
}

/** A name that is unique within what it belongs to. */
export function nameTaken(at: string, property: string, detail: string): Problem {
  const reason = 'unique_value_taken';
  return new Problem('conflict', reason, detail, { errors: [faultAt(at, property, reason, detail)] });
}

export function inUse(reason: 'type_in_use' | 'option_in_use' | 'values_missing', detail: string): Problem {
  return new Problem('conflict', reason, detail);
}

export function tooMany(at: string, detail: string): Problem {
  return problemOf('validation_failed', [{ pointer: at, reason: 'too_many_values', detail }]);
}

/** Types and association types of kinds expand to pairs of types, which every process keeps in memory. */
export function refuseTooManyPairs(schema: CustomSchema, at: string): void {
  const most = bounds.schema.associationPairsPerOrg;
  if (countCustomPairs(schema) <= most) return;
  const detail = `The association types expand to more than ${counted(most)} pairs of types.`;
  throw tooMany(at, `${detail} Name single types instead of kinds.`);
}
