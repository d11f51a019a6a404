// A record named by a value: {"match": {"svc_domain": "navy.example"}}, one unique property and its value. Where it could be of
// several types, the value is looked for in each of them that has such a property.
import { Type } from 'typebox';
import { describe } from '../../client/import/described.ts';
import { type Json, pointerStep } from '../base/json.ts';
import type { Fault } from '../base/problem.ts';
import type { Catalog } from '../schema/catalog.ts';
import { uniqueKeys } from '../schema/indexing/record-keys.ts';
import type { ObjectType, Property } from '../schema/object-type.ts';
import type { FaultList, Members } from './fault-list.ts';

/** How a request or a line of ingest names a record by a value. */
export const ByValueShape = Type.Object(
  {
    match: Type.Record(Type.String(), Type.Unknown(), {
      minProperties: 1,
      maxProperties: 1,
      description: 'an object with one unique property and its value',
    }),
  },
  { additionalProperties: false },
);

/** The value in the table of unique values, once for each type that the record could have. */
export interface NamedByValue {
  readonly property: string;
  readonly values: readonly { readonly typeId: number; readonly propertyId: number; readonly value: string }[];
}

/** A record as a request names it: by its id, or by a value. */
export type Named = string | NamedByValue;

/** `match` has one member, and `pointer` is its place in the request. Undefined if there is an error. */
export function parseMatch(
  types: readonly ObjectType[],
  match: Members,
  pointer: string,
  faults: FaultList,
): NamedByValue | undefined {
  const [name = ''] = Object.keys(match);
  const at = `${pointer}${pointerStep(name)}`;
  const held = types.flatMap((type) => {
    const property = type.properties.get(name);
    return property === undefined ? [] : [{ type, property }];
  });
  const unique = held.filter(({ property }) => property.unique);
  if (held.length === 0) faults.unknownProperty(at, types, name);
  else if (unique.length === 0) faults.add(notUnique(types, name, at));
  const found = unique.map(({ type, property }) => ({ type, property, ...elementOf(property, match[name]) }));
  // A value that fits the property of one type is looked for there, even if no record of another type could have it.
  const fitting = found.filter(({ fault }) => fault === undefined);
  for (const { property, fault } of fitting.length > 0 ? [] : found) {
    const { fieldType, options } = property;
    faults.invalidValue(at, name, fault ?? '', fieldType.shapeFor?.(options) ?? fieldType.shape);
  }
  const values = fitting.flatMap(({ type, property, value }) => keysOf(type, property, value));
  return fitting.length > 0 ? { property: name, values } : undefined;
}

/** The same for the target of a link; the owner of a record is named by a value of the member. */
export function parseTargetMatch(
  catalog: Catalog,
  { name: source }: ObjectType,
  associationType: string,
  match: Members,
  pointer: string,
  faults: FaultList,
): NamedByValue | undefined {
  const pairs = catalog.pairsFrom(source, associationType);
  const [property = ''] = Object.keys(match);
  // The association type itself is missing, which is told when the link is resolved.
  if (pairs.length === 0) return { property, values: [] };
  const names = new Set(pairs.map(({ targetType }) => (targetType === 'svc_user' ? 'svc_member' : targetType)));
  const types = [...names].flatMap((name) => catalog.objectTypes.get(name) ?? []);
  if (types.length > 0) return parseMatch(types, match, pointer, faults);
  const detail = `This key sees no properties of the targets of ${associationType}. Use the id of the target.`;
  faults.add({ pointer: pointer + pointerStep(property), reason: 'unknown_property', detail });
  return undefined;
}

function notUnique(types: readonly ObjectType[], name: string, pointer: string): Fault {
  const allowed = new Set(types.flatMap((type) => [...type.properties.values()].filter(({ unique }) => unique)));
  const names = [...new Set([...allowed].map((property) => property.name))];
  const others = names.length === 0 ? 'Use the id of the record.' : `Match by ${names.join(' or ')}, or use the id.`;
  const detail = `${name} is not unique. ${others}`;
  return {
    pointer,
    property: name,
    reason: 'invalid_parameter',
    detail,
    ...(names.length === 0 ? {} : { allowed: names }),
  };
}

/** A multi-valued property takes one of its values, bare or as a list of one. */
function elementOf({ fieldType, options, multiValued }: Property, sent: unknown) {
  const value = multiValued && Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  const fault = fieldType.check(value, options);
  if (fault === undefined) return { value: fieldType.normal?.(value as Json) ?? (value as Json), fault: undefined };
  return { value: null, fault: Array.isArray(sent) ? `Expected one value; got ${describe(sent)}.` : fault.detail };
}

function keysOf(type: ObjectType, { key, multiValued }: Property, value: Json): NamedByValue['values'] {
  const keys = uniqueKeys(type, { [key]: multiValued ? [value] : value });
  return keys.map(({ propertyId, value: unique }) => ({ typeId: type.id, propertyId, value: unique }));
}
