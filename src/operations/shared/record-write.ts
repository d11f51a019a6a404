// The steps that the writing operations share: from values to checked changes, from a draft to an answer, and from an
// answer to the text that is kept for repeated requests.
import { isId } from '../../base/id.ts';
import { asString, type Json, JsonText } from '../../base/json.ts';
import { Problem, type ProblemCode, problemOf } from '../../base/problem.ts';
import { takeKeyMade } from '../../engine/platform/administration.ts';
import { isPassedOn, namedValues, type ReadRecord, readTotals, recordUnknown } from '../../engine/read/records.ts';
import { type Lookups, turnsOf } from '../../engine/rules/preload.ts';
import { type Draft, textOf } from '../../engine/unit/draft.ts';
import type { Claims } from '../../engine/unit/holder-book.ts';
import { type AnswerForm, transactOnce } from '../../engine/unit/idempotency.ts';
import type { PlacedLink } from '../../engine/unit/link-effect.ts';
import { withoutLongIn } from '../../engine/unit/long-values.ts';
import { dryRun, inTurn, transact, transactAlone, transactTogether, type Work } from '../../engine/unit/transact.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import { type Changes, checkRequired, checkValues } from '../../schema/check-values.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { basePath, type DataAnswer, type KeyCall } from '../operation.ts';
import type { Conditions, RequestHeader } from '../request/headers.ts';
import type { RecordBody } from '../shapes/record.ts';
import { narrowAnswer } from './narrow-answer.ts';
import { recordJson } from './record-json.ts';

/** The headers that create, update, upsert and batch support; a delete needs no idempotency key. */
export const writeHeaders: readonly RequestHeader[] = ['Idempotency-Key', 'Svc-Dry-Run'];

/** The problems of every write with a body, and those of a write that also has a precondition. */
export const writeProblems: readonly ProblemCode[] = [
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];
export const conditionalProblems: readonly ProblemCode[] = [...writeProblems, 'precondition_failed'];

/** The changes of a body. Throws one Problem for all its faults, or for the first `most` of them. */
export function parseChanges(type: ObjectType, body: RecordBody, at: string, most?: number): Changes {
  const { changes, faults } = checkValues(type, body.properties, at, most);
  if (faults.length > 0) throw problemOf('validation_failed', faults, most);
  return changes;
}

/** The same for a new record, which must have every required value. */
export function parseNewValues(type: ObjectType, body: RecordBody, at: string, most?: number): Changes {
  const { changes, faults } = checkValues(type, body.properties, at, most);
  const all = [...faults, ...checkRequired(type, body.properties, at, most)];
  if (all.length > 0) throw problemOf('validation_failed', all, most);
  return changes;
}

/** The links of a body, as the engine takes them. `at` is the place of the record in the body. */
export function linksOf(associations: RecordBody['associations'], at: string): readonly PlacedLink[] {
  return (associations ?? []).map(({ association_type, target_id }, index) => {
    const link = `${at}/associations/${index}`;
    const pointers = { link, associationType: `${link}/association_type`, target: `${link}/target_id` };
    return { associationType: association_type, target: target_id, pointers };
  });
}

/** The answer to the write of a record: the record itself. */
export async function recordAnswer(unit: Unit, type: ObjectType, draft: Draft, status: 200 | 201): Promise<DataAnswer> {
  const version = String(draft.version);
  const etag = { ETag: `"${version}"` };
  // A new record is not yet linked to anything that totals could be computed from.
  const totals = status === 201 ? {} : await readTotals(unit, type, draft.id);
  const properties = visibleText(type, draft, totals);
  const record = { id: draft.id, version, properties };
  const data = new WrittenRecord(type, record);
  const answer = { data, ...withKey(type, record, takeKeyMade(unit, draft)) };
  if (status === 200) return { ...answer, status, headers: etag };
  const Location = `${basePath}/objects/${type.name}/records/${draft.id}/`;
  return { ...answer, status, headers: { ...etag, Location } };
}

/** The record with the key whose secret the write has made. */
function withKey(type: ObjectType, record: TextRecord, key: string | undefined): Pick<DataAnswer, 'once'> {
  if (key === undefined) return {};
  const properties = `${record.properties.slice(0, -1)},"svc_key":"${key}"}`;
  return { once: new JsonText(recordJson(type, { ...record, properties })) };
}

interface TextRecord extends ReadRecord {
  readonly properties: string;
}

/** The values that the caller's catalog has, and the computed totals. */
function visibleText(type: ObjectType, draft: Draft, totals: Readonly<Record<string, Json>>): string {
  if (isPassedOn(draft.type, type) && Object.keys(totals).length === 0) return textOf(draft);
  return JSON.stringify({ ...namedValues(type, draft.properties), ...totals });
}

/** A record as the answer to its write. */
class WrittenRecord extends JsonText {
  readonly type: Pick<ObjectType, 'id' | 'name' | 'groups'>;
  readonly record: ReadRecord;

  constructor(type: WrittenRecord['type'], record: ReadRecord) {
    super(recordJson(type, record));
    this.type = type;
    this.record = record;
  }
}

/** An answer as it is kept. A record with long values is kept without them, and its version says which they were. */
interface KeptAnswer extends Pick<DataAnswer, 'status' | 'headers'> {
  readonly data: string;
  readonly long?: { readonly at: { typeId: number; id: string; version: string }; readonly properties: string[] };
}

const answerForm = ({ catalog }: KeyCall['session'], typeOf: TypeOf): AnswerForm<DataAnswer> => ({
  toText: ({ status, headers, data, kept }) => {
    const text = data instanceof JsonText ? data.text : JSON.stringify(kept ?? data);
    const short = data instanceof WrittenRecord ? withoutLongValues(data) : {};
    return JSON.stringify({ status, headers, data: text, ...short });
  },
  // Only the problems of a batch are kept, and with them values that were refused.
  quotes: ({ status }) => status === 207,
  fromText: async (text, longValues) => {
    const { data, long, ...rest } = JSON.parse(text) as KeptAnswer;
    if (long === undefined) return { ...rest, data: new JsonText(narrowAnswer(catalog, data, typeOf)) };
    const values = await longValues(long.at, long.properties);
    const record = JSON.parse(data) as { readonly properties: Record<string, Json> };
    for (const name of long.properties) {
      const value = values.get(name);
      if (value === undefined) delete record.properties[name];
      else record.properties[name] = value;
    }
    return { ...rest, data: new JsonText(narrowAnswer(catalog, JSON.stringify(record), typeOf)) };
  },
});

function withoutLongValues({ type, record }: WrittenRecord): Partial<KeptAnswer> {
  // Long values are found again by the keys of their properties.
  if (type.groups.renamed.length > 0) return {};
  const { id, version, properties } = record;
  const { text, leftOut } = withoutLongIn(asString(properties));
  if (leftOut === undefined) return {};
  const long = { at: { typeId: type.id, id, version }, properties: [...leftOut.properties] };
  return { data: recordJson(type, { ...record, properties: text }), long };
}

interface WriteRequest {
  readonly conditions: Conditions;
  /** The records that it changes. It waits until no other request in this process is changing them. */
  readonly lookups?: readonly Lookups[];
  readonly claims?: Claims;
  /** For a batch. */
  readonly typeOf?: TypeOf;
}

/** The type that an item of a batch names. */
type TypeOf = (index: number) => unknown;

/** Runs a write in a transaction, under the conditions of the request's headers. */
export async function runWrite(
  call: KeyCall,
  { conditions, lookups = [], claims = 'assumed', typeOf = () => undefined }: WriteRequest,
  asked: Work<DataAnswer>,
): Promise<DataAnswer> {
  const { idempotency } = conditions;
  const turns = turnsOf(call, lookups);
  const governs = lookups.some(({ type }) => isGoverned(type));
  const work = governs ? governing(call, asked) : asked;
  if (conditions.dryRun) {
    const { once, ...answer } = await inTurn(call, turns, () => dryRun(call, work, claims));
    return { ...answer, dryRun: true };
  }
  if (idempotency === undefined) return inTurn(call, turns, () => transact(call, work, claims));
  const form = answerForm(call.session, typeOf);
  const { answer, replayed } = await transactOnce(call, idempotency, form, work, { claims, turns });
  return replayed ? { ...answer, headers: { ...answer.headers, 'Svc-Idempotent-Replay': 'true' } } : answer;
}

/**
 * Nobody else changes the administration of the org while this work does. The request may have waited for long, so the
 * credential is read again: one that was revoked meanwhile gives nothing any more.
 */
function governing(call: KeyCall, work: Work<DataAnswer>): Work<DataAnswer> {
  const { caller } = call.session;
  return async (unit) => {
    await unit.govern();
    call.engine.directory.forget(caller.orgId);
    const now = (await call.renewSession()).caller;
    if (JSON.stringify(now) !== JSON.stringify(caller)) {
      const detail = 'The grants of your credential have just changed. Send the request again.';
      throw new Problem('forbidden', 'grant_exceeds_caller', detail);
    }
    return work(unit);
  };
}

/** The same for work that usually needs nothing but one record. */
export async function runUpdate(
  call: KeyCall,
  { conditions, type, id }: Pick<WriteRequest, 'conditions'> & { readonly type: ObjectType; readonly id: string },
  work: (unit: Unit) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  const lookups = [{ type, records: [id] }];
  const isPlain = !conditions.dryRun && conditions.idempotency === undefined && isId(id) && !isGoverned(type);
  if (!isPlain) return runWrite(call, { conditions, lookups }, work);
  return inTurn(call, turnsOf(call, lookups), () => transactTogether(call, type, id, work));
}

/** The same for work that reads nothing from the database before it writes. */
export async function runPlainWrite(
  call: KeyCall,
  request: WriteRequest,
  work: (unit: Unit) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  const plain = !request.conditions.dryRun && request.conditions.idempotency === undefined;
  return plain ? transactAlone(call, work) : runWrite(call, request, work);
}

/** The live record that a request names, locked, at an expected version. */
export async function requireRecord(
  unit: Unit,
  type: ObjectType,
  id: string,
  ifMatch: Conditions['ifMatch'],
): Promise<Draft> {
  // An id that is not well formed is answered like an unknown one, without asking the database.
  const draft = isId(id) ? await unit.records.lock(type, id) : undefined;
  if (draft === undefined) throw recordUnknown(type, id);
  if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(String(draft.version))) {
    throw new Problem(
      'precondition_failed',
      'version_mismatch',
      `The record has version "${draft.version}", which If-Match does not list. Read the record again.`,
    );
  }
  return draft;
}
