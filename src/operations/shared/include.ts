// `include`: the association types whose other ends are answered with a record.
import { Type } from 'typebox';
import { JsonText } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import type { Call } from '../../engine/process/call.ts';
import { type IncludedList, type Inclusion, readIncluded } from '../../engine/read/include.ts';
import type { ReadRecord } from '../../engine/read/records.ts';
import { findHop, unknownAssociation } from '../../query/hop.ts';
import type { Hop } from '../../query/plan.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Input } from '../operation.ts';
import type { Parameter } from '../request/parameter.ts';
import { associatedJson, recordJson } from './record-json.ts';

export const includeParameter: Parameter = {
  description: `Association types, separated by commas, at most ${bounds.operations.includes}: the records at their other ends come along.`,
  schema: Type.String({ minLength: 1 }),
};

/** The names that a query string asks for. */
export function includedNames({ query }: Input): readonly string[] {
  return query.get('include')?.split(',') ?? [];
}

/** Ways for the names that lead somewhere; outgoing where a type stands at both ends. */
export function inclusionsOf({ session }: Call, type: ObjectType, names: readonly string[]): readonly Inclusion[] {
  return names.flatMap((name) => {
    const hop = findHop(session.catalog, type, name, undefined);
    return hop === undefined ? [] : [{ name, hop }];
  });
}

/**
 * The JSON of a page of records, each with what is included. It ends before a record of which not everything fits: `last`
 * is then the one before.
 */
export async function printPage<Found extends ReadRecord>(
  call: Call,
  type: ObjectType,
  records: readonly Found[],
  inclusions: readonly Inclusion[],
): Promise<{ readonly data: JsonText; readonly last?: Found }> {
  const ids = records.map(({ id }) => id);
  const included =
    inclusions.length === 0
      ? undefined
      : await readIncluded(call, type, ids, inclusions, bounds.operations.includedOnPage);
  const end = ids.findIndex((id, index) => index > 0 && included?.cut.has(id) === true);
  const whole = end < 0 ? records : records.slice(0, end);
  const texts =
    included === undefined
      ? whole.map((record) => recordJson(type, record))
      : await Promise.all(
          whole.map(async (record) =>
            recordJson(type, record, await associationsJson(call, type, record.id, included.lists.get(record.id))),
          ),
        );
  const last = end < 0 ? undefined : whole.at(-1);
  return { data: new JsonText(`[${texts.join(',')}]`), ...(last === undefined ? {} : { last }) };
}

/** The text of `associations` of one record. */
export async function associationsJson(
  { engine, session }: Call,
  type: ObjectType,
  id: string,
  lists: readonly IncludedList[] = [],
): Promise<string> {
  const members: string[] = [];
  for (const { name, hop, items, last } of lists) {
    const scope = associatedScope(type, id, name, hop);
    const cursor = last === undefined ? null : await engine.cursors.seal(session, scope, last);
    const list = items.map(associatedJson).join(',');
    members.push(`${JSON.stringify(name)}:{"items":[${list}],"next_cursor":${JSON.stringify(cursor)}}`);
  }
  return `{${members.join(',')}}`;
}

/** The scope of a cursor of listAssociated, which continues the lists that are included with a record. */
export function associatedScope(type: ObjectType, id: string, name: string, { direction }: Hop): readonly string[] {
  return ['listAssociated', type.name, id, name, direction];
}

/** What is wrong with the names; `place` tells where the one at an index stands, or all of them. */
export function includeFaults(
  { session }: Call,
  type: ObjectType,
  names: readonly string[],
  reason: 'invalid_parameter' | 'invalid_member',
  place: (index?: number) => Pick<Fault, 'pointer' | 'parameter'>,
): readonly Fault[] {
  const detail = `At most ${bounds.operations.includes} types can be included; here are ${names.length}.`;
  const many: readonly Fault[] = names.length > bounds.operations.includes ? [{ ...place(), reason, detail }] : [];
  const wrong = names.slice(0, bounds.operations.includes).flatMap((name, index): readonly Fault[] => {
    if (name === '' && reason === 'invalid_member') return [];
    if (names.indexOf(name) !== index) {
      return [{ ...place(index), reason, detail: `${JSON.stringify(name.slice(0, 64))} stands here twice.` }];
    }
    const hop = findHop(session.catalog, type, name, undefined);
    return hop === undefined ? [{ ...place(index), ...unknownAssociation(session.catalog, [type], name) }] : [];
  });
  return [...many, ...wrong];
}

/** The faults of the query parameter; none for an unknown type. */
export function includeParameterFaults(call: Call, input: Input): readonly Fault[] {
  const type = call.session.catalog.objectTypes.get(input.path['object_type'] ?? '');
  if (type === undefined) return [];
  return includeFaults(call, type, includedNames(input), 'invalid_parameter', () => ({ parameter: 'include' }));
}
