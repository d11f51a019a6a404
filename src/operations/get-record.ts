// GET /objects/{object_type}/records/{id}/: one record.
import { counted } from '../base/counted.ts';
import { JsonText } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { readExternalIds } from '../engine/read/external-ids.ts';
import { readIncluded } from '../engine/read/include.ts';
import { readRecord } from '../engine/read/records.ts';
import { getRecordExamples } from './examples/read-records.ts';
import { keyOperation } from './operation.ts';
import { idParameter, objectTypeParameter, propertiesParameter, yesOrNo } from './request/parameters.ts';
import { RecordShape } from './shapes/record.ts';
import { associationsParts, includeParameter, parseInclude } from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseProjection } from './shared/projection.ts';
import { associationsMember, externalIdsMember, recordParts } from './shared/record-json.ts';

const externalIdsParameter = yesOrNo(
  'include_external_ids',
  'Whether the record comes with `external_ids`, the ids that it has in other systems: up to ' +
    `${counted(bounds.engine.externalIdsShown)}, by source and id.`,
);

export const getRecord = keyOperation({
  id: 'getRecord',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Get a record',
  description:
    'Returns the record with all its values, or with those that `properties` names. With `include`, it comes with up to 100 ' +
    'linked records for each of these association types, and with `include_external_ids=true` with its ids in other systems.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  query: { properties: propertiesParameter, include: includeParameter, include_external_ids: externalIdsParameter },
  answer: { status: 200, description: 'The record.', schema: RecordShape, headers: ['ETag'] },
  problems: ['not_found'],
  examples: getRecordExamples,
  parse: (call, { path, query }, faults) => {
    const type = requireObjectType(call.session, path.object_type);
    const projection = parseProjection(query.get('properties'), [type], `${type.name} has`, faults);
    const inclusions = parseInclude(call, type, query.get('include'), faults);
    const externalIds = query.get('include_external_ids') === 'true';
    return { type, id: path.id, projection, inclusions, externalIds };
  },
  run: async (call, { type, id, projection, inclusions, externalIds }) => {
    const record = await readRecord(call, type, id, projection);
    const headers = { ETag: `"${record.version}"` };
    const more = externalIds ? [externalIdsMember(await readExternalIds(call, type, record.id))] : [];
    if (inclusions.length === 0) return { data: new JsonText(recordParts(type, record, more)), headers };
    const { lists } = await readIncluded(call, type, [record.id], inclusions, bounds.operations.includedOnRead);
    const associations = await associationsParts(call, type, record.id, lists.get(record.id));
    return { data: new JsonText(recordParts(type, record, [...more, ...associationsMember(associations)])), headers };
  },
});
