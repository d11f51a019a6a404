// Parses an operator and its value into a test of a property. The field type says which operators it supports and what
// they take; this file says only what each operator means.

import { describe } from '../../client/import/described.ts';
import { counted } from '../base/counted.ts';
import type { Json, JsonSchema } from '../base/json.ts';
import { limits } from '../base/limits.ts';
import type { Operand, Operator } from '../schema/field-type.ts';
import type { Property } from '../schema/object-type.ts';
import type { FaultList } from './fault-list.ts';
import type { Bound, Test } from './plan.ts';

interface PropertyTest {
  readonly test: Test;
  /** Whether the condition matches exactly the records for which the test does not hold. */
  readonly complement: boolean;
}

/** How many values each operator takes, and the test that it makes of them. */
const meanings: Readonly<
  Record<Operator, { takes: 'none' | 'one' | 'two' | 'list'; complement?: true; test: ToTest }>
> = {
  is_set: { takes: 'none', test: () => ({ kind: 'set' }) },
  is_not_set: { takes: 'none', complement: true, test: () => ({ kind: 'set' }) },
  eq: { takes: 'one', test: among },
  neq: { takes: 'one', complement: true, test: among },
  in: { takes: 'list', test: among },
  not_in: { takes: 'list', complement: true, test: among },
  contains: { takes: 'one', test: textTest('contains') },
  not_contains: { takes: 'one', complement: true, test: textTest('contains') },
  starts_with: { takes: 'one', test: textTest('starts_with') },
  ends_with: { takes: 'one', test: textTest('ends_with') },
  gt: { takes: 'one', test: ([value]) => ({ kind: 'range', low: bound(value, 'exclusive') }) },
  gte: { takes: 'one', test: ([value]) => ({ kind: 'range', low: bound(value, 'inclusive') }) },
  lt: { takes: 'one', test: ([value]) => ({ kind: 'range', high: bound(value, 'exclusive') }) },
  lte: { takes: 'one', test: ([value]) => ({ kind: 'range', high: bound(value, 'inclusive') }) },
  between: {
    takes: 'two',
    test: ([low, high]) => ({ kind: 'range', low: bound(low, 'inclusive'), high: bound(high, 'inclusive') }),
  },
};
type ToTest = (values: readonly Json[]) => Test;

function among(values: readonly Json[]): Test {
  return { kind: 'in', values };
}

function textTest(kind: 'contains' | 'starts_with' | 'ends_with'): ToTest {
  return ([text]) => ({ kind, text: text as string });
}

function bound(value: Json | undefined, end: 'inclusive' | 'exclusive'): Bound {
  return { value: value ?? null, inclusive: end === 'inclusive' };
}

/** The test of a condition; undefined if the condition has an error. */
export function parsePropertyTest(
  property: Property,
  node: Readonly<Record<string, unknown>>,
  pointer: string,
  faults: FaultList,
): PropertyTest | undefined {
  const { fieldType } = property;
  const operator = fieldType.operators.find((each) => each === node['operator']);
  if (operator === undefined) {
    faults.unknownOperator(`${pointer}/operator`, fieldType.operators, node['operator']);
    return undefined;
  }
  const { takes, complement, test } = meanings[operator];
  const at = `${pointer}/value`;
  if (takes === 'none') {
    if (!Object.hasOwn(node, 'value')) return { test: test([]), complement: complement === true };
    faults.invalidMember(at, `The operator ${operator} does not take a value.`);
    return undefined;
  }
  if (!Object.hasOwn(node, 'value')) {
    faults.invalidMember(at, 'The member "value" is required.');
    return undefined;
  }
  const values = takes === 'one' ? [node['value']] : listOf(property, operator, node['value'], at, faults);
  if (values === undefined || !valuesFit(property, operator, values, at, faults)) return undefined;
  return { test: test(values as readonly Json[]), complement: complement === true };
}

/** The values of `between`, `in` and `not_in`. */
function listOf(
  property: Property,
  operator: Operator,
  value: unknown,
  at: string,
  faults: FaultList,
): readonly unknown[] | undefined {
  const pair = operator === 'between';
  const items = operandOf(property, operator).shape;
  const expected: JsonSchema = { type: 'array', items, minItems: pair ? 2 : 1, maxItems: pair ? 2 : limits.inValues };
  if (!Array.isArray(value) || value.length === 0 || (pair && value.length !== 2)) {
    const wanted = pair ? 'an array of two values, the lowest and the highest' : 'an array of one or more values';
    faults.invalidValue(at, property.name, `Expected ${wanted}; got ${describe(value)}.`, expected);
    return undefined;
  }
  if (value.length > limits.inValues) {
    const detail = `A list can have at most ${counted(limits.inValues)} values; this one has ${counted(value.length)}.`;
    faults.add({ pointer: at, property: property.name, reason: 'filter_too_large', detail, expected });
    return undefined;
  }
  return value;
}

function valuesFit(
  property: Property,
  operator: Operator,
  values: readonly unknown[],
  at: string,
  faults: FaultList,
): boolean {
  const operand = operandOf(property, operator);
  const single = meanings[operator].takes === 'one';
  let fits = true;
  for (let index = 0; index < values.length; index++) {
    const fault = operand.check(values[index]);
    if (fault === undefined) continue;
    fits = false;
    if (faults.isFull) break;
    const pointer = (single ? at : `${at}/${index}`) + fault.at;
    const options = property.options.map((option) => option.value);
    faults.add({
      pointer,
      property: property.name,
      reason: 'invalid_value',
      detail: fault.detail,
      expected: operand.shape,
      ...(fault.reason === 'unknown_option' ? { allowed: options } : {}),
    });
  }
  if (fits && operator === 'between' && !sameUnit(property, values)) {
    const expected = { type: 'array', items: operand.shape, minItems: 2, maxItems: 2 };
    faults.invalidValue(
      at,
      property.name,
      'Expected two amounts of the same unit: amounts of different units cannot be compared.',
      expected,
    );
    return false;
  }
  return fits;
}

function sameUnit({ fieldType }: Property, values: readonly unknown[]): boolean {
  if (fieldType.comparison !== 'money') return true;
  const [low, high] = values as readonly { readonly unit: string }[];
  return low?.unit === high?.unit;
}

function operandOf({ fieldType, options }: Property, operator: Operator): Operand {
  return (
    fieldType.operand?.(operator) ?? {
      shape: fieldType.shapeFor?.(options) ?? fieldType.shape,
      check: (value) => fieldType.check(value, options),
    }
  );
}
