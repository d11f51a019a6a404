// POST /objects/{object_type}/records/query/: the records for which a filter and a search hold, in any order, page by page.
import { Type } from 'typebox';
import { limits } from '../base/limits.ts';
import type { Inclusion } from '../engine/read/include.ts';
import { queryPage } from '../engine/read/query.ts';
import type { Projection } from '../engine/read/records.ts';
import type { QueryPlan } from '../query/plan.ts';
import { type Position, parsePosition, positionText } from '../query/position.ts';
import { parseSort } from '../query/sort.ts';
import { queryRecordsExamples } from './examples/query-records.ts';
import type { KeyOperation } from './operation.ts';
import { queryBody } from './shapes/query.ts';
import { RecordShape } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { changesCursor } from './shared/feed-cursor.ts';
import { includeFaults, inclusionsOf, printPage } from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';
import { openCursor, parseLimit, parseSelection, readOnce, scopeOf } from './shared/query-request.ts';

export const queryRecords: KeyOperation = {
  id: 'queryRecords',
  method: 'POST',
  path: '/objects/{object_type}/records/query/',
  tag: 'Records',
  access: 'key',
  summary: 'Find records',
  description:
    'Records for which `filter` holds and in which every word of `search` is the beginning of some word, case and ' +
    'accents aside. Without `sort`, in order of creation. `pagination.next_cursor` leads to the next page: send it as ' +
    '`cursor` with the same filter, search and sort. No record that exists throughout is skipped or repeated, whatever ' +
    'is written between two pages. A page of very large records can end before `limit`.',
  pathParameters: { object_type: objectTypeParameter },
  body: queryBody,
  answer: { status: 200, description: 'A page of records.', schema: Type.Array(RecordShape), paged: true },
  problems: ['not_found', 'payload_too_large', 'unsupported_media_type'],
  examples: queryRecordsExamples,
  faults: (call, input) => read.faults(call, input),
  run: async (call, input) => {
    const type = requireObjectType(call.session, input.path['object_type'] ?? '');
    const { plan, after, limit, projection, inclusions, scope } = await read.request(call, input);
    const changes = after === undefined ? await changesCursor(call) : undefined;
    const page = await queryPage(call, plan, { after, limit }, projection);
    const { data, last } = await printPage(call, type, page.records, inclusions);
    const end = last ?? page.last;
    const next = end === undefined ? null : await call.engine.cursors.seal(call.session, scope, positionText(end));
    return { data, pagination: { next_cursor: next, ...(changes && { changes_cursor: changes }) } };
  },
};

interface QueryRequest {
  readonly plan: QueryPlan;
  readonly after: Position | undefined;
  readonly limit: number;
  readonly projection: Projection;
  readonly inclusions: readonly Inclusion[];
  readonly scope: readonly string[];
}

const read = readOnce<QueryRequest>(async (call, type, body, faults) => {
  const plan = { ...parseSelection(call, type, body, faults), sort: parseSort(type, body['sort'], faults) };
  const limit = parseLimit(body, limits.pageSizeDefault, limits.pageSize, faults);
  const projection = namesIn(body['properties']);
  for (const [index, name] of (projection ?? []).entries()) {
    if (name !== '' && !type.properties.has(name)) faults.unknownProperty(`/properties/${index}`, [type], name);
    if (faults.isFull) break;
  }
  const included = namesIn(body['include']) ?? [];
  const at = (index?: number) => ({ pointer: index === undefined ? '/include' : `/include/${index}` });
  for (const fault of includeFaults(call, type, included, 'invalid_member', at)) faults.add(fault);
  const scope = scopeOf('queryRecords', type, body, ['filter', 'search', 'sort']);
  const after = await openCursor(call, scope, body, parsePosition, faults);
  return { plan, after, limit, projection, inclusions: inclusionsOf(call, type, included), scope };
});

/** Names, at their places: what is none is told by the shape of the body, and stands here as an empty one. */
function namesIn(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? list.map((each) => (typeof each === 'string' ? each : '')) : undefined;
}
