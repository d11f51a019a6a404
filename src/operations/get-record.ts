// GET /objects/{object_type}/records/{id}/: one record.
import { readRecord } from '../engine/read.ts';
import type { KeyOperation } from './operation.ts';
import { requireObjectType } from './permit.ts';
import { idParameter, projectionFaults, projectionOf, propertiesParameter, RecordShape } from './record-shapes.ts';
import { objectTypeParameter } from './shapes.ts';

export const getRecord: KeyOperation = {
  id: 'getRecord',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'One record',
  description: 'The record with all its values, or with those that `properties` names.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  query: { properties: propertiesParameter },
  answer: { status: 200, description: 'The record.', schema: RecordShape, headers: ['ETag'] },
  problems: ['not_found'],
  faults: projectionFaults,
  run: async (call, input) => {
    const type = requireObjectType(call.session, input.path['object_type'] ?? '');
    const { version, record } = await readRecord(call, type, input.path['id'] ?? '', projectionOf(input));
    return { data: record, headers: { ETag: `"${version}"` } };
  },
};
