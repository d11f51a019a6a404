// Plans as a request makes them: from the JSON of a body, through the parsers of `query`.
import { expect } from 'vitest';
import { parseAggregate } from '../../../src/query/aggregate.ts';
import { FaultList } from '../../../src/query/fault-list.ts';
import { parseFilter } from '../../../src/query/filter.ts';
import type { AggregatePlan, QueryPlan } from '../../../src/query/plan.ts';
import { parseSearch } from '../../../src/query/search.ts';
import { parseSort } from '../../../src/query/sort.ts';
import { builtinCatalog } from '../../../src/schema/custom/build-catalog.ts';
import type { ObjectType, Property } from '../../../src/schema/object-type.ts';

interface Body {
  readonly filter?: object;
  readonly search?: string;
  readonly sort?: readonly object[];
}

function typeOf(name: string): ObjectType {
  const type = builtinCatalog.objectTypes.get(name);
  if (type === undefined) throw new RangeError(name);
  return type;
}

export function propertyOf(typeName: string, name: string): Property {
  const property = typeOf(typeName).properties.get(name);
  if (property === undefined) throw new RangeError(name);
  return property;
}

export function queryPlan(typeName: string, body: Body = {}): QueryPlan {
  const type = typeOf(typeName);
  const faults = new FaultList();
  const plan = { ...selectionOf(type, body, faults), sort: parseSort(type, body.sort, faults) };
  expect(faults.list).toEqual([]);
  return plan;
}

export function aggregatePlan(
  typeName: string,
  body: Body & { readonly group_by?: readonly object[]; readonly aggregations: readonly object[]; having?: object[] },
): AggregatePlan {
  const type = typeOf(typeName);
  const faults = new FaultList();
  const plan = { ...selectionOf(type, body, faults), ...parseAggregate(builtinCatalog, type, { ...body }, faults) };
  expect(faults.list).toEqual([]);
  return plan;
}

function selectionOf(type: ObjectType, { filter, search }: Body, faults: FaultList) {
  const condition = filter === undefined ? undefined : parseFilter(builtinCatalog, type, filter, faults);
  return { type, condition, words: parseSearch(search, faults) };
}
