// GET /objects/{object_type}/records/: all records of a type, page by page, in order of creation.
import { Type } from 'typebox';
import { limits } from '../base/limits.ts';
import { readPage } from '../engine/read/list.ts';
import { listRecordsExamples } from './examples/read-records.ts';
import { keyOperation } from './operation.ts';
import { cursorParameter, limitParameter, objectTypeParameter, propertiesParameter } from './request/parameters.ts';
import { RecordShape } from './shapes/record.ts';
import { followed } from './shared/feed-cursor.ts';
import { includeParameter, parseInclude, printPage } from './shared/include.ts';
import { nextCursor, openCursor } from './shared/page-cursor.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseProjection } from './shared/projection.ts';

export const listRecords = keyOperation({
  id: 'listRecords',
  method: 'GET',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'List the records of a type',
  description:
    'Returns the records of a type, page by page, in order of creation. `pagination.next_cursor` leads to the next page and ' +
    'is null on the last one. A record that exists throughout is neither skipped nor repeated, whatever is written between ' +
    'two pages. A page of very large records can have fewer than `limit`; its cursor continues from there. With `include`, ' +
    'each record comes with up to 10 linked records for each of these association types.',
  pathParameters: { object_type: objectTypeParameter },
  query: {
    properties: propertiesParameter,
    include: includeParameter,
    limit: limitParameter,
    cursor: cursorParameter,
  },
  answer: { status: 200, description: 'A page of records.', schema: Type.Array(RecordShape), paged: true },
  problems: ['not_found'],
  examples: listRecordsExamples,
  parse: async (call, { path, query }, faults) => {
    const known = call.session.catalog.objectTypes.get(path.object_type);
    const projection = known && parseProjection(query.get('properties'), [known], `${known.name} has`, faults);
    const inclusions = known === undefined ? [] : parseInclude(call, known, query.get('include'), faults);
    const scope = () => ['listRecords', path.object_type];
    const after = await openCursor(call, scope, query.get('cursor'), String, (fault) =>
      faults.push({ parameter: 'cursor', ...fault }),
    );
    // Last, so that an invalid cursor is reported even if the type is unknown.
    const type = requireObjectType(call.session, path.object_type);
    const limit = Number(query.get('limit') ?? limits.pageSizeDefault);
    return { type, projection, inclusions, scope, place: { after, limit } };
  },
  run: async (asked, { type, projection, inclusions, scope, place }) => {
    const { call, changes } = await followed(asked, place.after);
    const page = await readPage(call, type, place, projection);
    const { data, last } = await printPage(call, type, page.records, inclusions);
    const next = await nextCursor(call, scope, last?.id ?? page.last);
    return { data, pagination: { next_cursor: next, ...(await changes()) } };
  },
});
