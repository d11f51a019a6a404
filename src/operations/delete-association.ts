// DELETE /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: takes a link away.
import { unlinkRecord } from '../engine/rules/write.ts';
import { deleteAssociationExamples } from './examples/associations.ts';
import type { KeyOperation } from './operation.ts';
import { AssociationShape, linkParameters, writeAssociation } from './shared/association-write.ts';

export const deleteAssociation: KeyOperation = {
  id: 'deleteAssociation',
  method: 'DELETE',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/',
  tag: 'Associations',
  access: 'key',
  summary: 'Unlink two records',
  description:
    'Takes the link between the record and the target away; out of a stage, the time in it is written as a ' +
    '`svc_stage_timer`. Where there is no such link, nothing changes.',
  pathParameters: linkParameters,
  headers: ['If-Match', 'Svc-Dry-Run'],
  answer: { status: 200, description: 'What the link was.', schema: AssociationShape },
  problems: ['forbidden', 'not_found', 'precondition_failed'],
  examples: deleteAssociationExamples,
  run: (call, input) => writeAssociation(call, input, unlinkRecord),
};
