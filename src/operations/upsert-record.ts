// PUT /objects/{object_type}/records/?match=…: updates the record that has a unique value, or creates one.
import { Type } from 'typebox';
import { Problem } from '../base/problem.ts';
import { upsertRecordExamples } from './examples/upsert-record.ts';
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { createBody, RecordShape } from './shapes/record.ts';
import { grantsOf, requireGrant, requireObjectType } from './shared/permit.ts';
import { conditionalProblems, linksOf, recordAnswer, runWrite, writeHeaders } from './shared/record-write.ts';
import { matchFaults, parseUpsert, runUpsert } from './shared/upsert.ts';

export const upsertRecord = keyOperation({
  id: 'upsertRecord',
  method: 'PUT',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'Create or update a record by a unique property',
  description:
    'Updates the record that has the same value of the unique property that `match` names, or creates a record if there is ' +
    'none. The body must have a value for that property; if it is a list, any of its elements can match. Concurrent upserts ' +
    'never create two records.',
  pathParameters: { object_type: objectTypeParameter },
  query: {
    match: {
      description: 'A unique property of the type, as listed in `unique_properties` by `GET /objects/`.',
      schema: Type.String({ minLength: 1 }),
      required: true,
    },
  },
  headers: ['If-None-Match', ...writeHeaders],
  body: createBody,
  answer: {
    status: 201,
    description: 'No record matched: the new record.',
    schema: RecordShape,
    headers: ['ETag', 'Location', 'Svc-Idempotent-Replay'],
    or: {
      status: 200,
      description: 'The record that matched, as it is now.',
      headers: ['ETag', 'Svc-Idempotent-Replay'],
    },
  },
  problems: conditionalProblems,
  examples: upsertRecordExamples,
  authorise: (session, path) => requireGrant(requireObjectType(session, path.object_type), 'create', 'update'),
  parse: ({ session }, { path, query, body, conditions }, faults) => {
    const type = requireObjectType(session, path.object_type);
    const match = query.get('match');
    faults.push(...matchFaults(type, match, { parameter: 'match' }));
    if (match === undefined || body === undefined) return undefined;
    const links = linksOf(body.associations, '');
    requireGrant(type, ...grantsOf(links));
    const upsert = parseUpsert(type, match, body, '');
    const wanted = conditions.createOnly ? { ...upsert, refuseExisting: alreadyExists } : upsert;
    return { type, upsert: wanted, links, conditions };
  },
  run: (call, { type, upsert, links, conditions }) =>
    runWrite(call, { conditions, lookups: [{ type, matches: upsert.keys }] }, async (unit) => {
      const { status, draft } = await runUpsert(unit, type, upsert, links, '');
      return recordAnswer(unit, type, draft, status);
    }),
});

function alreadyExists(): Problem {
  return new Problem(
    'precondition_failed',
    'already_exists',
    'A record with this value already exists, and "If-None-Match: *" never updates one.',
  );
}
