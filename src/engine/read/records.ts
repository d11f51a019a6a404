// Reads single records. SQL leaves out the values that the caller's catalog does not have or that the request does not
// ask for.

import { shorten } from '../../../client/import/described.ts';
import { isId } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { Shown } from '../../store/compile/totals.ts';
import type { Transaction } from '../../store/database.ts';
import { findRecord, findTotals, type RecordText } from '../../store/records/records.ts';
import { type Call, viewerOf } from '../process/call.ts';

/** A record with its values as JSON text. */
export type ReadRecord = RecordText;

/** The properties that a request asks for; undefined means all that the caller can see. */
export type Projection = readonly string[] | undefined;

export async function readRecord(
  call: Call,
  type: ObjectType,
  id: string,
  projection: Projection,
): Promise<RecordText> {
  const ref = { typeId: type.id, id };
  const found = isId(id)
    ? await findRecord(call.database, viewerOf(call), ref, shownProperties(call, type, projection))
    : undefined;
  if (found === undefined) throw recordUnknown(type, id);
  return found;
}

/** `pointer` is the place of the id, if it was sent in a body. */
export function recordUnknown(type: ObjectType, id: string, pointer?: string): Problem {
  return unknown(
    `There is no record ${JSON.stringify(shorten(id, 64))} of ${type.name} that this key can see.`,
    pointer,
  );
}

/** The same for a record that was named by the value of a property. */
export function unknownByValue(type: ObjectType, property: string, pointer: string): Problem {
  return unknown(`There is no record of ${type.name} with this ${property} that this key can see.`, pointer);
}

function unknown(detail: string, pointer: string | undefined): Problem {
  const reason = 'record_unknown';
  return new Problem(
    'not_found',
    reason,
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, reason, detail }] },
  );
}

/** The properties and totals of the type that an answer has. */
export function shownProperties({ session }: Pick<Call, 'session'>, type: ObjectType, projection: Projection): Shown {
  const { totals, renamed } = type.groups;
  const whole = session.orgTypes.get(type.id) ?? type;
  if (projection === undefined && isPassedOn(whole, type)) return { omitted: [], hidden: [], renamed: [], totals };
  const asked = new Set(projection ?? type.properties.keys());
  const isAsked = ({ name }: Property) => asked.has(name);
  const keys = new Set([...type.properties.values()].filter(isAsked).map(({ key }) => key));
  return {
    omitted: [...whole.groups.byKey.keys()].filter((key) => !keys.has(key)),
    hidden: session.catalog.hiddenKeys.get(type.id) ?? [],
    renamed: renamed.filter(isAsked),
    totals: totals.filter(isAsked),
  };
}

interface TotalsSource {
  readonly transaction: Transaction;
  readonly call: Pick<Call, 'session'>;
  /** Those that are known already, by the id of their record. */
  readonly totals: ReadonlyMap<string, Readonly<Record<string, Json>>>;
}

/** The totals of a record, for the answer to its own write. They are computed, so the write does not have them. */
export async function readTotals(
  { transaction, call, totals: known }: TotalsSource,
  type: ObjectType,
  id: string,
): Promise<Readonly<Record<string, Json>>> {
  const totals = type.groups.totals;
  const all = known.get(id);
  if (all !== undefined) return Object.fromEntries(Object.entries(all).filter(([name]) => type.properties.has(name)));
  return totals.length === 0 ? {} : findTotals(transaction, call.session.caller.orgId, id, totals);
}

/** The values of a record as the type's properties name them, without those that it does not have. */
export function namedValues(type: ObjectType, values: Readonly<Record<string, Json>>): Record<string, Json> {
  const { byKey } = type.groups;
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const property = byKey.get(key);
      return property === undefined ? [] : [[property.name, value] as const];
    }),
  );
}

/** Whether values of the whole type are the same as the type's properties name them. */
export function isPassedOn(whole: ObjectType, type: ObjectType): boolean {
  return type.properties.size === whole.groups.byKey.size && type.groups.renamed.length === 0;
}
