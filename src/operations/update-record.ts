// PATCH /objects/{object_type}/records/{id}/: sets and clears values of one record.
import { updateRecord as update } from '../engine/rules/write.ts';
import { updateRecordExamples } from './examples/update-record.ts';
import type { KeyOperation } from './operation.ts';
import { idParameter, type RecordBody, RecordShape, updateBody } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { requireGrant, requireObjectType } from './shared/permit.ts';
import {
  conditionalProblems,
  parseChanges,
  recordAnswer,
  requireRecord,
  runWrite,
  writeHeaders,
} from './shared/record-write.ts';

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
  problems: conditionalProblems,
  examples: updateRecordExamples,
  run: async (call, { path, body, conditions }) => {
    const type = requireObjectType(call.session, path['object_type'] ?? '');
    requireGrant(type, 'update');
    const changes = parseChanges(type, body as RecordBody, '');
    return runWrite(call, conditions, async (unit) => {
      const draft = await requireRecord(unit, type, path['id'] ?? '', conditions.ifMatch);
      await update(unit, draft, changes, [], '');
      return recordAnswer(unit, type, draft, 200);
    });
  },
};
