// DELETE /objects/{object_type}/records/{id}/: moves one record to the trash.
import { Type } from 'typebox';
import { deleteRecord as remove } from '../engine/rules/write.ts';
import { deleteRecordExamples } from './examples/read-records.ts';
import type { KeyOperation } from './operation.ts';
import { idParameter } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { requireGrant, requireObjectType } from './shared/permit.ts';
import { requireRecord, runWrite } from './shared/record-write.ts';

export const deleteRecord: KeyOperation = {
  id: 'deleteRecord',
  method: 'DELETE',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Delete a record',
  description:
    'The record leaves every read at once, with its links, and its unique values are free. It is kept in the trash for ' +
    'a time and comes back, links included, by the batch operation `restore`. A stage or pipeline that is in use is 409 ' +
    '`stage_in_use`.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter },
  headers: ['If-Match', 'Svc-Dry-Run'],
  answer: {
    status: 200,
    description: 'The record is deleted.',
    schema: Type.Object(
      { id: Type.String(), object_type: Type.String(), deleted: Type.Boolean({ const: true }) },
      { $id: 'DeletedRecord' },
    ),
  },
  problems: ['forbidden', 'not_found', 'conflict', 'precondition_failed'],
  examples: deleteRecordExamples,
  run: async (call, { path, conditions }) => {
    const type = requireObjectType(call.session, path['object_type'] ?? '');
    requireGrant(type, 'delete');
    return runWrite(call, conditions, async (unit) => {
      const draft = await requireRecord(unit, type, path['id'] ?? '', conditions.ifMatch);
      await remove(unit, draft);
      return { data: { id: draft.id, object_type: type.name, deleted: true } };
    });
  },
};
