// POST /objects/{object_type}/records/: creates a record, with its links, in one transaction.
import { resolveLinks } from '../engine/rules/resolve-links.ts';
import { createRecord as create, standsAlone } from '../engine/rules/write.ts';
import { createRecordExamples } from './examples/create-record.ts';
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { createBody, RecordShape } from './shapes/record.ts';
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

export const createRecord = keyOperation({
  id: 'createRecord',
  method: 'POST',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'Create a record',
  description:
    'Creates a record and its links, all or nothing. Values are returned as they were sent. If another record already has ' +
    'one of its unique values, the answer is 409 `unique_value_taken`. The values of a record can take at most 1 MiB.',
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
  authorise: (session, path) => requireGrant(requireObjectType(session, path.object_type), 'create'),
  parse: ({ session }, { path, body, conditions }) => {
    const type = requireObjectType(session, path.object_type);
    if (body === undefined) return undefined;
    const links = linksOf(body.associations, '');
    requireGrant(type, ...grantsOf(links));
    return { type, changes: parseNewValues(type, body, ''), links, conditions };
  },
  run: (call, { type, changes, links, conditions }) => {
    const plain = links.length === 0 && standsAlone(call.session, type);
    const run = plain ? runPlainWrite : runWrite;
    return run(call, { conditions, lookups: [{ type, links }] }, async (unit) => {
      const resolved = await resolveLinks(unit, type, links);
      return recordAnswer(unit, type, await create(unit, type, changes, resolved, ''), 201);
    });
  },
});
