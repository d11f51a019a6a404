// POST /objects/{object_type}/records/: a new record, with its links, in one transaction.
import { resolveLinks } from '../engine/rules/resolve-links.ts';
import { beginsInStage } from '../engine/rules/stage.ts';
import { createRecord as create } from '../engine/rules/write.ts';
import { createRecordExamples } from './examples/create-record.ts';
import type { KeyOperation } from './operation.ts';
import { createBody, type RecordBody, RecordShape } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { grantsOf, requireGrant, requireObjectType } from './shared/permit.ts';
import {
  linksOf,
  parseNewValues,
  recordAnswer,
  runPlainWrite,
  runWrite,
  writeHeaders,
  writeProblems,
} from './shared/record-write.ts';

export const createRecord: KeyOperation = {
  id: 'createRecord',
  method: 'POST',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'Create a record',
  description:
    'Makes a record and the links that are named with it, or nothing at all. Values come back as they were sent; a ' +
    'unique value that another record holds is 409 `unique_value_taken`. A record may have 1 MiB of values.',
  pathParameters: { object_type: objectTypeParameter },
  headers: writeHeaders,
  body: createBody,
  answer: {
    status: 201,
    description: 'The new record.',
    schema: RecordShape,
    headers: ['ETag', 'Location', 'Svc-Idempotent-Replay'],
  },
  problems: writeProblems,
  examples: createRecordExamples,
  run: async (call, { path, body, conditions }) => {
    const type = requireObjectType(call.session, path['object_type'] ?? '');
    const { associations, ...sent } = body as RecordBody;
    const requested = linksOf(associations);
    requireGrant(type, 'create', ...grantsOf(requested));
    const changes = parseNewValues(type, sent, '');
    const plain = requested.length === 0 && !beginsInStage(call.session, type);
    const run = plain ? runPlainWrite : runWrite;
    return run(call, conditions, async (unit) => {
      const links = await resolveLinks(unit, type, requested, '');
      return recordAnswer(unit, type, await create(unit, type, changes, links, ''), 201);
    });
  },
};
