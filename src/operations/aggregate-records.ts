// POST /objects/{object_type}/records/aggregate/: counts, sums and other measures of records, in groups.
import { Type } from 'typebox';
import { JsonText } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import { aggregatePage, type GroupPosition } from '../engine/read/aggregate.ts';
import { parseAggregate } from '../query/aggregate.ts';
import type { AggregatePlan } from '../query/plan.ts';
import { aggregateRecordsExamples } from './examples/aggregate-records.ts';
import type { KeyOperation } from './operation.ts';
import { aggregateBody, GroupShape } from './shapes/aggregate.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { requireObjectType } from './shared/permit.ts';
import { openCursor, parseLimit, parseSelection, readOnce, scopeOf } from './shared/query-request.ts';

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
  examples: aggregateRecordsExamples,
  faults: (call, input) => read.faults(call, input),
  run: async (call, input) => {
    requireObjectType(call.session, input.path['object_type'] ?? '');
    const { plan, after, limit, scope } = await read.request(call, input);
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

const deciding = ['filter', 'search', 'group_by', 'aggregations', 'having', 'sort'];

const read = readOnce<AggregateRequest>(async (call, type, body, faults) => {
  const plan = {
    ...parseSelection(call, type, body, faults),
    ...parseAggregate(call.session.catalog, type, body, faults),
  };
  const limit = parseLimit(body, bounds.operations.groupsDefault, limits.groups, faults);
  const scope = scopeOf('aggregateRecords', type, body, deciding);
  const after = await openCursor(call, scope, body, (text) => JSON.parse(text) as GroupPosition, faults);
  return { plan, after, limit, scope };
});
