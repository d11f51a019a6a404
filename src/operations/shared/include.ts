// `include`: the association types whose other ends are returned with a record.
import { Type } from 'typebox';
import { compactParts, JsonText, listParts, type TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import type { Call } from '../../engine/process/call.ts';
import { type IncludedList, type Inclusion, readIncluded } from '../../engine/read/include.ts';
import type { ReadRecord } from '../../engine/read/records.ts';
import { findHop, unknownAssociation } from '../../query/hop.ts';
import type { Hop } from '../../query/plan.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Parameter } from '../request/parameters.ts';
import { nextCursor, type Scope } from './page-cursor.ts';
import { associatedParts, associationsMember, recordParts } from './record-json.ts';

export const includeParameter: Parameter = {
  description: `Association types, separated by commas, at most ${bounds.operations.includes}. The records at their other ends are returned with each record.`,
  schema: Type.String({ minLength: 1 }),
};

/** The association types that a query string names. */
export function parseInclude(
  call: Call,
  type: ObjectType,
  text: string | undefined,
  faults: Fault[],
): readonly Inclusion[] {
  if (text === undefined) return [];
  const names = text.split(',');
  faults.push(...includeFaults(call, type, names, 'invalid_parameter', () => ({ parameter: 'include' })));
  return inclusionsOf(call, type, names);
}

/** The names that lead somewhere; a name that links a type to itself is read as outgoing. */
export function inclusionsOf({ session }: Call, type: ObjectType, names: readonly string[]): readonly Inclusion[] {
  return names.slice(0, bounds.operations.includes).flatMap((name) => {
    const hop = findHop(session.catalog, type, name, undefined);
    return hop === undefined ? [] : [{ name, hop }];
  });
}

/** Finds what is wrong with the names; `place` is where the name at an index was sent, or without an index the list. */
export function includeFaults(
  { session }: Call,
  type: ObjectType,
  names: readonly string[],
  reason: 'invalid_parameter' | 'invalid_member',
  place: (index?: number) => Pick<Fault, 'pointer' | 'parameter'>,
): readonly Fault[] {
  const detail = `At most ${bounds.operations.includes} association types can be included; got ${names.length}.`;
  const many: readonly Fault[] = names.length > bounds.operations.includes ? [{ ...place(), reason, detail }] : [];
  const wrong = names.slice(0, bounds.operations.includes).flatMap((name, index): readonly Fault[] => {
    if (name === '' && reason === 'invalid_member') return [];
    if (names.indexOf(name) !== index) {
      return [{ ...place(index), reason, detail: `${JSON.stringify(name.slice(0, 64))} is repeated.` }];
    }
    const hop = findHop(session.catalog, type, name, undefined);
    return hop === undefined ? [{ ...place(index), ...unknownAssociation(session.catalog, [type], name) }] : [];
  });
  return [...many, ...wrong];
}

/**
 * The JSON of a page of records, each with what is included. The page ends before a record for which not everything fits;
 * `last` is then the record before it.
 */
export async function printPage<Found extends ReadRecord>(
  call: Call,
  type: ObjectType,
  records: readonly Found[],
  inclusions: readonly Inclusion[],
): Promise<{ readonly data: JsonText; readonly last?: Found }> {
  if (inclusions.length === 0) return { data: listText(records.map((record) => recordParts(type, record))) };
  const ids = records.map(({ id }) => id);
  const { lists, cut } = await readIncluded(call, type, ids, inclusions, bounds.operations.includedOnPage);
  const end = ids.findIndex((id, index) => index > 0 && cut.has(id));
  const whole = end < 0 ? records : records.slice(0, end);
  const texts: (readonly TextPart[])[] = [];
  // Five hundred records with fifty others each take a while.
  const slice = call.engine.thread.begunSlice(call.session.caller.orgId);
  for (const record of whole) {
    if (slice.isOver()) await slice.next();
    const associations = await associationsParts(call, type, record.id, lists.get(record.id));
    texts.push(compactParts(recordParts(type, record, associationsMember(associations))));
  }
  const last = end < 0 ? undefined : whole.at(-1);
  return { data: listText(texts), ...(last === undefined ? {} : { last }) };
}

function listText(elements: readonly (readonly TextPart[])[]): JsonText {
  return new JsonText(listParts(elements));
}

/** The text of `associations` of one record, in parts. */
export async function associationsParts(
  call: Call,
  type: ObjectType,
  id: string,
  lists: readonly IncludedList[] = [],
): Promise<readonly TextPart[]> {
  const parts: TextPart[] = [];
  for (const { name, hop, items, last } of lists) {
    const cursor = await nextCursor(call, associatedScope(type, id, name, hop), last);
    parts.push(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:{"items":`);
    parts.push(...listParts(items.map(associatedParts)), `,"next_cursor":${JSON.stringify(cursor)}}`);
  }
  return [...parts, parts.length === 0 ? '{}' : '}'];
}

/** The scope of a cursor of listAssociated, which also continues the lists that are included with a record. */
export function associatedScope(type: ObjectType, id: string, name: string, { direction }: Hop): Scope {
  return () => ['listAssociated', type.name, id, name, direction];
}
