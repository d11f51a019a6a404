// PATCH /objects/{object_type}/records/{id}/: sets and clears values of one record.
import { updateRecord as update } from '../engine/write.ts';
import type { KeyOperation } from './operation.ts';
import { requireGrant, requireObjectType } from './permit.ts';
import { idOf, idParameter, type RecordBody, RecordShape, updateBody } from './record-shapes.ts';
import { parseChanges, recordAnswer, requireRecord, runWrite, writeHeaders } from './record-write.ts';
import { objectTypeParameter } from './shapes.ts';

export const updateRecord: KeyOperation = {
  id: 'updateRecord',
  method: 'PATCH',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Update a record',
  description:
    'An absent property is untouched, null clears one, `[]` clears a multi-valued one, and each value that is sent ' +
    'replaces the old one whole. What changes nothing makes no new version.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  headers: ['If-Match', ...writeHeaders],
  body: updateBody,
  answer: {
    status: 200,
    description: 'The record as it is now.',
    schema: RecordShape,
    headers: ['ETag', 'Svc-Idempotent-Replay'],
  },
  problems: [
    'forbidden',
    'not_found',
    'conflict',
    'precondition_failed',
    'payload_too_large',
    'unsupported_media_type',
    'validation_failed',
  ],
  run: async (call, input) => {
    const { path, body, conditions } = input;
    const type = requireObjectType(call.session, path['object_type'] ?? '');
    requireGrant(type, 'update');
    const changes = parseChanges(type, body as RecordBody, '');
    return runWrite(call, conditions, async (unit) => {
      const expected = { asked: path['id'] ?? '', ifMatch: conditions.ifMatch };
      const draft = await requireRecord(unit, type, idOf(input), expected);
      await update(unit, draft, changes, [], '');
      return recordAnswer(type, draft, 200);
    });
  },
};
