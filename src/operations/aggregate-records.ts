// POST /objects/{object_type}/records/aggregate/: counts, sums and other measures of records, in groups.
import { Type } from 'typebox';
import { isObject, JsonText } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import type { Fault } from '../base/problem.ts';
import { aggregatePage, type GroupPosition } from '../engine/aggregate.ts';
import type { Call } from '../engine/call.ts';
import { parseAggregate } from '../query/aggregate.ts';
import { Faults } from '../query/faults.ts';
import type { AggregatePlan } from '../query/plan.ts';
import { aggregateBody, GroupShape } from './aggregate-shapes.ts';
import type { Input, KeyOperation } from './operation.ts';
import { requireObjectType } from './permit.ts';
import { openCursor, parseLimit, parseSelection, scopeOf } from './query-request.ts';
import { objectTypeParameter } from './shapes.ts';

export const aggregateRecords: KeyOperation = {
  id: 'aggregateRecords',
  method: 'POST',
  path: '/objects/{object_type}/records/aggregate/',
  tag: 'Records',
  access: 'key',
  summary: 'Count and add up records',
  description:
    'Without `group_by`, one entry over all records that `filter` and `search` leave. A record is in each group of which ' +
    'it has a value or a link. A property that has many values is measured over all of them. Numbers are exact, and ' +
    'strings; averages have up to 16 decimals. Groups come by key, null last, unless `sort` says otherwise.',
  pathParameters: { object_type: objectTypeParameter },
  body: aggregateBody,
  answer: { status: 200, description: 'A page of groups.', schema: Type.Array(GroupShape), paged: true },
  problems: ['not_found', 'payload_too_large', 'unsupported_media_type'],
  faults: async (call, input) => (await parse(call, input)).faults,
  run: async (call, input) => {
    requireObjectType(call.session, input.path['object_type'] ?? '');
    const { request } = await parse(call, input);
    if (request === undefined) throw new TypeError('An aggregation that has faults is run.');
    const { plan, after, limit, scope } = request;
    const page = await aggregatePage(call, plan, { after, limit });
    const groups = page.groups.map(({ key, values }) => `{"key":${key},"values":${values}}`);
    const next =
      page.last === undefined ? null : await call.engine.cursors.seal(call.session, scope, JSON.stringify(page.last));
    return { data: new JsonText(`[${groups.join(',')}]`), pagination: { next_cursor: next } };
  },
};

interface AggregateRequest {
  readonly plan: AggregatePlan;
  readonly after: GroupPosition | undefined;
  readonly limit: number;
  readonly scope: readonly string[];
}

interface Parsed {
  readonly faults: readonly Fault[];
  /** Absent where there is a fault, or no such type. */
  readonly request?: AggregateRequest;
}

/** A request is read once, for its faults and for its run. */
const parsed = new WeakMap<Input, Promise<Parsed>>();

function parse(call: Call, input: Input): Promise<Parsed> {
  const known = parsed.get(input) ?? parseRequest(call, input);
  parsed.set(input, known);
  return known;
}

async function parseRequest(call: Call, { path, body }: Input): Promise<Parsed> {
  const type = call.session.catalog.objectTypes.get(path['object_type'] ?? '');
  if (type === undefined || !isObject(body)) return { faults: [] };
  const faults = new Faults();
  const plan = {
    ...parseSelection(call, type, body, faults),
    ...parseAggregate(call.session.catalog, type, body, faults),
  };
  const limit = parseLimit(body, bounds.groupsDefault, limits.groups, faults);
  const deciding = ['filter', 'search', 'group_by', 'aggregations', 'having', 'sort'];
  const scope = scopeOf('aggregateRecords', type, body, deciding);
  const after = await openCursor(call, scope, body, (text) => JSON.parse(text) as GroupPosition, faults);
  if (faults.list.length > 0) return { faults: faults.list };
  return { faults: [], request: { plan, after, limit, scope } };
}
