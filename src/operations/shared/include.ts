// `include`: the association types whose other ends are answered with a record.
import { Type } from 'typebox';
import { JsonText } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import type { Call } from '../../engine/process/call.ts';
import { type Inclusion, readIncluded } from '../../engine/read/include.ts';
import { type ReadRecord, recordJson } from '../../engine/read/records.ts';
import { findHop, unknownAssociation } from '../../query/hop.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Input } from '../operation.ts';
import type { Parameter } from '../request/parameter.ts';

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
  const texts = whole.map((record) => recordJson(type, record, included?.texts.get(record.id)));
  const last = end < 0 ? undefined : whole.at(-1);
  return { data: new JsonText(`[${texts.join(',')}]`), ...(last === undefined ? {} : { last }) };
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
