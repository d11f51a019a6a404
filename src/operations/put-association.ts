// PUT /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: links two records, or moves one to
// another stage.
import { updateRecord } from '../engine/rules/write.ts';
import { putAssociationExamples } from './examples/associations.ts';
import type { KeyOperation } from './operation.ts';
import { AssociationShape, linkParameters, writeAssociation } from './shared/association-write.ts';

export const putAssociation: KeyOperation = {
  id: 'putAssociation',
  method: 'PUT',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/',
  tag: 'Associations',
  access: 'key',
  summary: 'Link two records',
  description:
    'Links the record to the target. Where the association type takes one target, the former one is replaced in the ' +
    'same transaction; where it is a stage, the time in the stage that is left is written as a `svc_stage_timer`. The ' +
    'record gets a new version, the target does not. Repeated, it changes nothing.',
  pathParameters: linkParameters,
  headers: ['If-Match', 'Svc-Dry-Run'],
  answer: { status: 200, description: 'The link.', schema: AssociationShape },
  problems: ['forbidden', 'not_found', 'precondition_failed'],
  examples: putAssociationExamples,
  run: (call, input) =>
    writeAssociation(call, input, (unit, draft, link) => updateRecord(unit, draft, new Map(), [link], '')),
};
