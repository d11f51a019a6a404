// GET /objects/{object_type}/records/{id}/: one record.
import { JsonText } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { readIncluded } from '../engine/read/include.ts';
import { readRecord } from '../engine/read/records.ts';
import { getRecordExamples } from './examples/read-records.ts';
import type { KeyOperation } from './operation.ts';
import { idParameter, projectionFaults, projectionOf, propertiesParameter, RecordShape } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import {
  associationsJson,
  includedNames,
  includeParameter,
  includeParameterFaults,
  inclusionsOf,
} from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';
import { recordJson } from './shared/record-json.ts';

export const getRecord: KeyOperation = {
  id: 'getRecord',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'One record',
  description:
    'The record with all its values, or with those that `properties` names; with `include`, also with up to 100 records ' +
    'that it is linked to by each of these association types.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  query: { properties: propertiesParameter, include: includeParameter },
  answer: { status: 200, description: 'The record.', schema: RecordShape, headers: ['ETag'] },
  problems: ['not_found'],
  examples: getRecordExamples,
  faults: (call, input) => [...projectionFaults(call, input), ...includeParameterFaults(call, input)],
  run: async (call, input) => {
    const type = requireObjectType(call.session, input.path['object_type'] ?? '');
    const record = await readRecord(call, type, input.path['id'] ?? '', projectionOf(input));
    const inclusions = inclusionsOf(call, type, includedNames(input));
    const headers = { ETag: `"${record.version}"` };
    if (inclusions.length === 0) return { data: new JsonText(recordJson(type, record)), headers };
    const { lists } = await readIncluded(call, type, [record.id], inclusions, bounds.operations.includedOnRead);
    const associations = await associationsJson(call, type, record.id, lists.get(record.id));
    return { data: new JsonText(recordJson(type, record, associations)), headers };
  },
};
