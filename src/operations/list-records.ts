// GET /objects/{object_type}/records/: all records of a type, page by page, in order of creation.
import { Type } from 'typebox';
import { limits } from '../base/limits.ts';
import type { Call } from '../engine/process/call.ts';
import { readPage } from '../engine/read/records.ts';
import { listRecordsExamples } from './examples/read-records.ts';
import type { Input, KeyOperation } from './operation.ts';
import {
  cursorParameter,
  limitParameter,
  projectionFaults,
  projectionOf,
  propertiesParameter,
  RecordShape,
} from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { changesCursor } from './shared/feed-cursor.ts';
import { includedNames, includeParameter, includeParameterFaults, inclusionsOf, printPage } from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';

export const listRecords: KeyOperation = {
  id: 'listRecords',
  method: 'GET',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'Records of a type',
  description:
    'In order of creation. `pagination.next_cursor` leads to the next page and is null on the last one. No record that ' +
    'exists throughout is skipped or repeated, whatever is written between two pages. A page of very large records can ' +
    'end before `limit`; its cursor goes on from there. With `include`, each record comes with up to 10 records that it ' +
    'is linked to by each of these association types.',
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
  faults: async (call, input) => {
    const faults = [...projectionFaults(call, input), ...includeParameterFaults(call, input)];
    if (input.query.has('cursor') && (await placeOf(call, input)) === undefined) {
      faults.push({
        parameter: 'cursor',
        reason: 'invalid_cursor',
        detail: 'This is no cursor that this operation gave to this key. Begin again without one.',
      });
    }
    return faults;
  },
  run: async (call, input) => {
    const type = requireObjectType(call.session, input.path['object_type'] ?? '');
    const limit = Number(input.query.get('limit') ?? limits.pageSizeDefault);
    const changes = input.query.has('cursor') ? undefined : await changesCursor(call);
    const page = await readPage(call, type, { after: await placeOf(call, input), limit }, projectionOf(input));
    const inclusions = inclusionsOf(call, type, includedNames(input));
    const { data, last } = await printPage(call, type, page.records, inclusions);
    const end = last?.id ?? page.last;
    const next = end === undefined ? null : await call.engine.cursors.seal(call.session, scopeOf(input), end);
    return { data, pagination: { next_cursor: next, ...(changes && { changes_cursor: changes }) } };
  },
};

/** What a cursor of this operation is bound to beside org and credential. */
function scopeOf({ path }: Input): readonly string[] {
  return ['listRecords', path['object_type'] ?? ''];
}

async function placeOf({ engine, session }: Call, input: Input): Promise<string | undefined> {
  const cursor = input.query.get('cursor');
  return cursor === undefined ? undefined : engine.cursors.open(session, scopeOf(input), cursor);
}
