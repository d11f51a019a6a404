// GET /objects/{object_type}/records/{id}/: one record.
import { JsonText } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { readIncluded } from '../engine/read/include.ts';
import { readRecord } from '../engine/read/records.ts';
import { getRecordExamples } from './examples/read-records.ts';
import { keyOperation } from './operation.ts';
import { idParameter, objectTypeParameter, propertiesParameter } from './request/parameters.ts';
import { RecordShape } from './shapes/record.ts';
import { associationsParts, includeParameter, parseInclude } from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseProjection } from './shared/projection.ts';
import { recordParts } from './shared/record-json.ts';

export const getRecord = keyOperation({
  id: 'getRecord',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Get a record',
  description:
    'The record with all its values, or with those that `properties` names. With `include`, it comes with up to 100 linked ' +
    'records for each of these association types.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  query: { properties: propertiesParameter, include: includeParameter },
  answer: { status: 200, description: 'The record.', schema: RecordShape, headers: ['ETag'] },
  problems: ['not_found'],
  examples: getRecordExamples,
  parse: (call, { path, query }, faults) => {
    const type = requireObjectType(call.session, path.object_type);
    const projection = parseProjection(query.get('properties'), [type], `${type.name} has`, faults);
    const inclusions = parseInclude(call, type, query.get('include'), faults);
    return { type, id: path.id, projection, inclusions };
  },
  run: async (call, { type, id, projection, inclusions }) => {
    const record = await readRecord(call, type, id, projection);
    const headers = { ETag: `"${record.version}"` };
    if (inclusions.length === 0) return { data: new JsonText(recordParts(type, record)), headers };
    const { lists } = await readIncluded(call, type, [record.id], inclusions, bounds.operations.includedOnRead);
    const associations = await associationsParts(call, type, record.id, lists.get(record.id));
    return { data: new JsonText(recordParts(type, record, associations)), headers };
  },
});
