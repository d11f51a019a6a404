// PUT /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: links two records, or moves a record
// to another stage.
import { linkRecord } from '../engine/rules/write.ts';
import { putAssociationExamples } from './examples/associations.ts';
import { keyOperation } from './operation.ts';
import { AssociationShape, linkParameters, parseAssociation, writeAssociation } from './shared/association-write.ts';

export const putAssociation = keyOperation({
  id: 'putAssociation',
  method: 'PUT',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/',
  tag: 'Associations',
  access: 'key',
  summary: 'Link two records',
  description:
    'Links the record to the target. If the association type takes one target, the former one is replaced in the same ' +
    'transaction; if it is a stage, the time in the former stage is written as a `svc_stage_timer`. The record gets a ' +
    'new version, the target does not. If the link exists already, nothing changes.',
  pathParameters: linkParameters,
  headers: ['If-Match', 'Svc-Dry-Run'],
  answer: { status: 200, description: 'The link.', schema: AssociationShape },
  problems: ['forbidden', 'not_found', 'conflict', 'precondition_failed', 'validation_failed'],
  examples: putAssociationExamples,
  parse: parseAssociation,
  run: (call, request) => writeAssociation(call, request, (unit, draft, link) => linkRecord(unit, draft, link, '')),
});
