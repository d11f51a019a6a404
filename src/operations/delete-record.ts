// DELETE /objects/{object_type}/records/{id}/: moves one record to the trash.
import { Type } from 'typebox';
import { deleteRecord as remove } from '../engine/rules/write.ts';
import { deleteRecordExamples } from './examples/read-records.ts';
import { keyOperation } from './operation.ts';
import { idParameter, objectTypeParameter } from './request/parameters.ts';
import { requireGrant, requireObjectType } from './shared/permit.ts';
import { requireRecord, runWrite } from './shared/record-write.ts';

export const deleteRecord = keyOperation({
  id: 'deleteRecord',
  method: 'DELETE',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Delete a record',
  description:
    'Moves the record to the trash. It disappears from every read at once, together with its links, and its unique values ' +
    'can be used again. For a time, the batch operation `restore` brings it back, with its links. A stage or pipeline ' +
    'that is in use cannot be deleted: the answer is 409 `stage_in_use`.',
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
  parse: ({ session }, { path, conditions }) => {
    const type = requireObjectType(session, path.object_type);
    requireGrant(type, 'delete');
    return { type, id: path.id, conditions };
  },
  run: (call, { type, id, conditions }) =>
    runWrite(call, { conditions, lookups: [{ type, records: [id] }] }, async (unit) => {
      const draft = await requireRecord(unit, type, id, conditions.ifMatch);
      await remove(unit, draft);
      return { data: { id: draft.id, object_type: type.name, deleted: true } };
    }),
});
