// DELETE /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: removes a link.
import { unlinkRecord } from '../engine/rules/write.ts';
import { deleteAssociationExamples } from './examples/associations.ts';
import { keyOperation } from './operation.ts';
import { AssociationShape, linkParameters, parseAssociation, writeAssociation } from './shared/association-write.ts';

export const deleteAssociation = keyOperation({
  id: 'deleteAssociation',
  method: 'DELETE',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/',
  tag: 'Associations',
  access: 'key',
  summary: 'Unlink two records',
  description:
    'Removes the link between the record and the target. If the record leaves a stage, the time in it is written as a ' +
    '`svc_stage_timer`. If there is no such link, nothing changes.',
  pathParameters: linkParameters,
  headers: ['If-Match', 'Svc-Dry-Run'],
  answer: { status: 200, description: 'The former link.', schema: AssociationShape },
  problems: ['forbidden', 'not_found', 'conflict', 'precondition_failed', 'validation_failed'],
  examples: deleteAssociationExamples,
  parse: parseAssociation,
  run: (call, request) => writeAssociation(call, request, unlinkRecord),
});
