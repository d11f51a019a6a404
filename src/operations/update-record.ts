// PATCH /objects/{object_type}/records/{id}/: sets and clears values of one record.
import { updateRecord as update } from '../engine/rules/write.ts';
import { updateRecordExamples } from './examples/update-record.ts';
import { keyOperation } from './operation.ts';
import { idParameter, objectTypeParameter } from './request/parameters.ts';
import { RecordShape, updateBody } from './shapes/record.ts';
import { requireGrant, requireObjectType } from './shared/permit.ts';
import {
  conditionalProblems,
  parseChanges,
  recordAnswer,
  requireRecord,
  runUpdate,
  writeHeaders,
} from './shared/record-write.ts';

export const updateRecord = keyOperation({
  id: 'updateRecord',
  method: 'PATCH',
  path: '/objects/{object_type}/records/{id}/',
  tag: 'Records',
  access: 'key',
  summary: 'Update a record',
  description:
    'Sets or clears the properties that the body names, and leaves the others as they are. Null clears a property, `[]` ' +
    'clears a multi-valued one, and each value that is sent replaces the whole old value. An update that changes nothing ' +
    'creates no new version.',
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
  authorise: (session, path) => requireGrant(requireObjectType(session, path.object_type), 'update'),
  parse: ({ session }, { path, body, conditions }) => {
    const type = requireObjectType(session, path.object_type);
    if (body === undefined) return undefined;
    return { type, id: path.id, changes: parseChanges(type, body, ''), conditions };
  },
  run: (call, { type, id, changes, conditions }) =>
    runUpdate(call, { conditions, type, id }, async (unit) => {
      const draft = await requireRecord(unit, type, id, conditions.ifMatch);
      await update(unit, draft, changes, [], '');
      return recordAnswer(unit, type, draft, 200);
    }),
});
