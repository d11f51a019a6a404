// POST /objects/{object_type}/records/query/: the records that match a filter and a search, in any order, page by page.
import { Type } from 'typebox';
import { limits } from '../base/limits.ts';
import { queryPage } from '../engine/read/query.ts';
import { positionOf } from '../engine/read/read-position.ts';
import { FaultList } from '../query/fault-list.ts';
import { parsePosition, positionText } from '../query/position.ts';
import { parseSort } from '../query/sort.ts';
import { queryRecordsExamples } from './examples/query-records.ts';
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { queryBody } from './shapes/query.ts';
import { RecordShape } from './shapes/record.ts';
import { followed } from './shared/feed-cursor.ts';
import { includeFaults, inclusionsOf, printPage } from './shared/include.ts';
import { nextCursor } from './shared/page-cursor.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseCursor, parseLimit, parseSelection, scopeOf } from './shared/query-body.ts';

export const queryRecords = keyOperation({
  id: 'queryRecords',
  method: 'POST',
  path: '/objects/{object_type}/records/query/',
  tag: 'Records',
  access: 'key',
  summary: 'Query records',
  description:
    'Returns the records that match `filter` and `search`. A record matches a search if each word of the search is the ' +
    'beginning of a word in the record, ignoring case and accents. Without `sort`, records come in order of creation. ' +
    '`pagination.next_cursor` leads to the next page: send it as `cursor` with the same filter, search and sort. A record that exists throughout is ' +
    'neither skipped nor repeated, whatever is written between two pages. A page of very large records can have fewer ' +
    'than `limit`.',
  pathParameters: { object_type: objectTypeParameter },
  body: queryBody,
  answer: { status: 200, description: 'A page of records.', schema: Type.Array(RecordShape), paged: true },
  problems: ['not_found', 'payload_too_large', 'unsupported_media_type'],
  examples: queryRecordsExamples,
  authorise: (session, path) => {
    requireObjectType(session, path.object_type);
  },
  parse: async (call, { path, body }, faults) => {
    const type = requireObjectType(call.session, path.object_type);
    if (body === undefined) return undefined;
    const found = new FaultList();
    const plan = { ...parseSelection(call, type, body, found), sort: parseSort(type, body['sort'], found) };
    const limit = parseLimit(body, limits.pageSizeDefault, limits.pageSize, found);
    const projection = namesIn(body['properties']);
    for (const [index, name] of (projection ?? []).entries()) {
      if (name !== '' && !type.properties.has(name)) found.unknownProperty(`/properties/${index}`, [type], name);
      if (found.isFull) break;
    }
    const included = namesIn(body['include']) ?? [];
    const at = (index?: number) => ({ pointer: index === undefined ? '/include' : `/include/${index}` });
    for (const fault of includeFaults(call, type, included, 'invalid_member', at)) found.add(fault);
    const scope = scopeOf('queryRecords', type, body, ['filter', 'search', 'sort']);
    const after = await parseCursor(call, scope, body, parsePosition, found);
    faults.push(...found.list);
    const inclusions = inclusionsOf(call, type, included);
    return { type, plan, place: { after, limit }, projection, inclusions, scope };
  },
  run: async (asked, { type, plan, place, projection, inclusions, scope }) => {
    const { call, changes } = await followed(asked, place.after);
    const page = await queryPage(call, plan, place, projection);
    const { data, last } = await printPage(call, type, page.records, inclusions);
    const end = last === undefined ? page.last : positionOf(plan.sort, last);
    const next = await nextCursor(call, scope, end && positionText(end));
    return { data, pagination: { next_cursor: next, ...(await changes()) } };
  },
});

/** Names by their places. One that is not a string is reported by the shape of the body, and is empty here. */
function namesIn(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? list.map((each) => (typeof each === 'string' ? each : '')) : undefined;
}
