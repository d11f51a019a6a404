// The rules that a single upsert and one in a batch share: which property they can match by, what the body must have, and
// whether a record is updated or created.
import { shorten } from '../../../client/import/described.ts';
import { type Json, pointerStep } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { type Fault, type Problem, problemOf } from '../../base/problem.ts';
import { type ExternalName, giveIds, refuseTakenIds } from '../../engine/rules/external-ids.ts';
import { resolveLinks } from '../../engine/rules/resolve-links.ts';
import { findMatch, matchKeys } from '../../engine/rules/upsert.ts';
import { createRecord, updateRecord } from '../../engine/rules/write.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import type { PlacedLink } from '../../engine/unit/link-effect.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import { type Changes, checkRequired, checkValues, shapeOf } from '../../schema/check-values.ts';
import type { UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordBody } from '../shapes/record.ts';

/** The match property must be a unique property that the caller can see. */
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
  /** Of the value, in the table of unique values. */
  readonly keys: readonly UniqueKey[];
  readonly changes: Changes;
  /** Ids in other systems, which the record gets. */
  readonly externalIds?: readonly ExternalName[];
  /** The faults that the values have only if a record must be created. */
  readonly missing: readonly Fault[];
  /** Makes the problem that is thrown if a record exists; without it, that record is updated. */
  readonly refuseExisting?: () => Problem;
}

export function parseUpsert(type: ObjectType, match: string, body: RecordBody, at: string, most?: number): Upsert {
  const { changes, faults } = checkValues(type, body.properties, at, most);
  const missing = checkRequired(type, body.properties, at, most);
  const value = changes.get(type.properties.get(match)?.key ?? match) ?? null;
  const isReported = [...faults, ...missing].some((fault) => fault.property === match);
  const absent = value !== null || isReported ? [] : [matchMissing(type, match, at)];
  if (faults.length > 0 || value === null) {
    throw problemOf('validation_failed', [...faults, ...absent, ...missing], most);
  }
  return { match, value, keys: matchKeys(type, match, value), changes, missing };
}

function matchMissing(type: ObjectType, match: string, at: string): Fault {
  const property = type.properties.get(match);
  return {
    pointer: `${at}/properties${pointerStep(match)}`,
    property: match,
    reason: 'required_missing',
    detail: `An upsert that matches by ${match} needs a value for it.`,
    ...(property === undefined ? {} : { expected: shapeOf(property) }),
  };
}

export async function runUpsert(
  unit: Unit,
  type: ObjectType,
  { match, value, changes, externalIds = [], missing, refuseExisting }: Upsert,
  requested: readonly PlacedLink[],
  at: string,
): Promise<{ readonly status: 200 | 201; readonly draft: Draft }> {
  const existing = await findMatch(unit, type, match, value, at);
  if (existing !== undefined && refuseExisting !== undefined) throw refuseExisting();
  if (existing === undefined && missing.length > 0) throw problemOf('validation_failed', missing);
  const links = await resolveLinks(unit, type, requested);
  await refuseTakenIds(unit, type, externalIds, existing?.id, at);
  const draft = existing ?? (await createRecord(unit, type, changes, links, at));
  if (existing !== undefined) await updateRecord(unit, existing, changes, links, at);
  giveIds(unit, externalIds, draft.id);
  return { status: existing === undefined ? 201 : 200, draft };
}
