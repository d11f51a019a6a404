// PUT /objects/{object_type}/records/?match=…: updates the record that holds a unique value, or makes one.
import { Type } from 'typebox';
import type { Json } from '../base/json.ts';
import { pointerStep, shorten } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { type Fault, Problem, problemOf } from '../base/problem.ts';
import type { LinkRequest } from '../engine/rules/link-effect.ts';
import { resolveLinks } from '../engine/rules/resolve-links.ts';
import { findMatch } from '../engine/rules/upsert.ts';
import { createRecord, updateRecord } from '../engine/rules/write.ts';
import type { Unit } from '../engine/unit/unit.ts';
import { type Changes, checkRequired, checkValues } from '../schema/check-values.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { upsertRecordExamples } from './examples/upsert-record.ts';
import type { KeyOperation } from './operation.ts';
import { createBody, type RecordBody, RecordShape } from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { grantsOf, requireGrant, requireObjectType } from './shared/permit.ts';
import { conditionalProblems, linksOf, recordAnswer, runWrite, writeHeaders } from './shared/record-write.ts';

export const upsertRecord: KeyOperation = {
  id: 'upsertRecord',
  method: 'PUT',
  path: '/objects/{object_type}/records/',
  tag: 'Records',
  access: 'key',
  summary: 'Create or update a record by a unique property',
  description:
    'The body must hold the property that `match` names. A record that has that value, or any element of it, is ' +
    'updated; without one a record is created. Races never make two records.',
  pathParameters: { object_type: objectTypeParameter },
  query: {
    match: {
      description: 'A unique property of the type; `unique_properties` of `GET /objects/` lists them.',
      schema: Type.String({ minLength: 1 }),
      required: true,
    },
  },
  headers: ['If-None-Match', ...writeHeaders],
  body: createBody,
  answer: {
    status: 201,
    description: 'No record matched: the new one.',
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
  faults: ({ session }, { path, query }) => {
    const type = session.catalog.objectTypes.get(path['object_type'] ?? '');
    // What may not be written at all is told by `run`: a type that takes no upserts need not have a unique property.
    const writable = type?.writableOperations.includes('create') && type.writableOperations.includes('update');
    return type === undefined || !writable ? [] : matchFaults(type, query.get('match'), { parameter: 'match' });
  },
  run: async (call, { path, query, body, conditions }) => {
    const type = requireObjectType(call.session, path['object_type'] ?? '');
    const { associations, ...sent } = body as RecordBody;
    const links = linksOf(associations);
    requireGrant(type, 'create', 'update', ...grantsOf(links));
    const upsert = parseUpsert(type, query.get('match') ?? '', sent, '');
    return runWrite(call, conditions, async (unit) => {
      const wanted = conditions.createOnly ? { ...upsert, refuseExisting: alreadyExists } : upsert;
      const { status, draft } = await runUpsert(unit, type, wanted, links, '');
      return recordAnswer(unit, type, draft, status);
    });
  },
};

/** What is wrong with the name of a match property: it must be a unique property that the caller can see. */
export function matchFaults(
  type: ObjectType,
  match: string | undefined,
  place: Pick<Fault, 'parameter' | 'pointer'>,
): readonly Fault[] {
  if (match !== undefined && type.properties.get(match)?.unique === true) return [];
  const allowed = [...type.properties.values()].filter((property) => property.unique).map((property) => property.name);
  const asked = match === undefined ? 'nothing' : JSON.stringify(shorten(match, 64));
  const detail = `Expected a unique property of ${type.name}; got ${asked}.`;
  const near = match === undefined ? undefined : nearest(match, allowed);
  return [{ ...place, reason: 'invalid_parameter', detail, ...(near === undefined ? { allowed } : { nearest: near }) }];
}

interface Upsert {
  readonly match: string;
  readonly value: Json;
  readonly changes: Changes;
  /** What is missing if the record has to be made. */
  readonly missing: readonly Fault[];
  /** What a record that exists is refused with, where only a new one is wanted. */
  readonly refuseExisting?: () => Problem;
}

export function parseUpsert(type: ObjectType, match: string, body: RecordBody, at: string): Upsert {
  const { changes, faults } = checkValues(type, body.properties, at);
  const missing = checkRequired(type, body.properties, at);
  const pointer = `${at}/properties${pointerStep(match)}`;
  const value = changes.get(match) ?? null;
  const told = [...faults, ...missing].some((fault) => fault.property === match);
  const absent: readonly Fault[] =
    value !== null || told
      ? []
      : [{ pointer, property: match, reason: 'required_missing', detail: `An upsert by ${match} needs its value.` }];
  if (faults.length > 0 || value === null) throw problemOf('validation_failed', [...faults, ...absent, ...missing]);
  return { match, value, changes, missing };
}

export async function runUpsert(
  unit: Unit,
  type: ObjectType,
  { match, value, changes, missing, refuseExisting }: Upsert,
  requested: readonly LinkRequest[],
  at: string,
): Promise<{ readonly status: 200 | 201; readonly draft: Awaited<ReturnType<typeof createRecord>> }> {
  const existing = await findMatch(unit, type, match, value, at);
  if (existing !== undefined && refuseExisting !== undefined) throw refuseExisting();
  if (existing === undefined && missing.length > 0) throw problemOf('validation_failed', missing);
  const links = await resolveLinks(unit, type, requested, at);
  if (existing === undefined) return { status: 201, draft: await createRecord(unit, type, changes, links, at) };
  await updateRecord(unit, existing, changes, links, at);
  return { status: 200, draft: existing };
}

function alreadyExists(): Problem {
  return new Problem(
    'precondition_failed',
    'already_exists',
    'A record with this value exists, and "If-None-Match: *" asks to create only.',
  );
}
