// POST /objects/{object_type}/records/aggregate/: counts, sums and other measures of records, in groups.

import { Type } from 'typebox';
import { counted } from '../base/counted.ts';
import { JsonText, listParts } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import { aggregatePage, type GroupPosition } from '../engine/read/aggregate.ts';
import { parseAggregate } from '../query/aggregate.ts';
import { FaultList } from '../query/fault-list.ts';
import { aggregateRecordsExamples } from './examples/aggregate-records.ts';
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { aggregateBody, GroupShape } from './shapes/aggregate.ts';
import { nextCursor } from './shared/page-cursor.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseCursor, parseLimit, parseSelection, scopeOf } from './shared/query-body.ts';

/** The members of the body that decide which groups come in which order. */
const deciding = ['filter', 'search', 'group_by', 'aggregations', 'having', 'sort'];

export const aggregateRecords = keyOperation({
  id: 'aggregateRecords',
  method: 'POST',
  path: '/objects/{object_type}/records/aggregate/',
  tag: 'Records',
  access: 'key',
  summary: 'Count and sum records in groups',
  description:
    'Returns counts, sums and other measures of the records that match `filter` and `search`. With `group_by` there is an ' +
    'entry for each group, otherwise one for all records together. A record is in every group for which it has a value or ' +
    'a link, and with several keys in every combination of them; more than ' +
    `${counted(bounds.shares.combinations)} combinations are refused. A multi-valued property is measured over ` +
    'all its values. Numbers are exact, and returned as strings; averages have up to 16 decimals. Groups are sorted by key, ' +
    'null last, unless `sort` says otherwise.',
  pathParameters: { object_type: objectTypeParameter },
  body: aggregateBody,
  answer: { status: 200, description: 'A page of groups.', schema: Type.Array(GroupShape), paged: true },
  problems: ['not_found', 'payload_too_large', 'unsupported_media_type'],
  examples: aggregateRecordsExamples,
  authorise: (session, path) => {
    requireObjectType(session, path.object_type);
  },
  parse: async (call, { path, body }, faults) => {
    const { catalog } = call.session;
    const type = requireObjectType(call.session, path.object_type);
    if (body === undefined) return undefined;
    const found = new FaultList();
    const plan = { ...parseSelection(call, type, body, found), ...parseAggregate(catalog, type, body, found) };
    const limit = parseLimit(body, bounds.operations.groupsDefault, limits.groups, found);
    const scope = scopeOf('aggregateRecords', type, body, deciding);
    const after = await parseCursor(call, scope, body, (text) => JSON.parse(text) as GroupPosition, found);
    faults.push(...found.list);
    return { plan, place: { after, limit }, scope };
  },
  run: async (call, { plan, place, scope }) => {
    const page = await aggregatePage(call, plan, place);
    const groups = page.groups.map(({ key, values }) => [`{"key":${key},"values":${values}}`]);
    const next = await nextCursor(call, scope, page.last && JSON.stringify(page.last));
    return { data: new JsonText(listParts(groups)), pagination: { next_cursor: next } };
  },
});
