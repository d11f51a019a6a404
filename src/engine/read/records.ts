// Reading records: one by id, or a page in order of creation. Values that the caller's catalog does not have are left
// out in SQL, and so are those that were not asked for.
import { isId } from '../../base/id.ts';
import { type Json, shorten } from '../../base/json.ts';
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Shown } from '../../store/compile/totals.ts';
import type { Transaction } from '../../store/database.ts';
import { findRecord, findTotals, listRecords, listWithinBytes, type RecordText } from '../../store/records/records.ts';
import { type Call, viewerOf } from '../process/call.ts';

/** A record as it was read, its values as text. */
export type ReadRecord = RecordText;

/** Which properties are asked for; undefined stands for all that the caller can see. */
export type Projection = readonly string[] | undefined;

export async function readRecord(
  call: Call,
  type: ObjectType,
  id: string,
  projection: Projection,
): Promise<RecordText> {
  const ref = { typeId: type.id, id };
  const found = isId(id)
    ? await findRecord(call.engine.database, viewerOf(call), ref, shownProperties(call, type, projection))
    : undefined;
  if (found === undefined) throw recordUnknown(type, id);
  return found;
}

export interface Page {
  readonly records: readonly RecordText[];
  /** The last record's id, if there are more. */
  readonly last: string | undefined;
}

export async function readPage(
  call: Call,
  type: ObjectType,
  place: { readonly after: string | undefined; readonly limit: number },
  projection: Projection,
): Promise<Page> {
  // One more than asked for tells whether there is a next page.
  const { after, limit } = place;
  const list = limit > limits.pageSizeDefault ? listWithinBytes : listRecords;
  const found = await list(
    call.engine.database,
    viewerOf(call),
    { typeId: type.id, after, limit: limit + 1 },
    shownProperties(call, type, projection),
  );
  const records = found.slice(0, limit);
  const last = records.at(-1);
  const more = found.length > limit || last?.full === true;
  return { records, last: more ? last?.id : undefined };
}

/** `pointer` is the place of the id, where it stands in a body. */
export function recordUnknown(type: ObjectType, id: string, pointer?: string): Problem {
  const reason = 'record_unknown';
  const detail = `There is no record ${JSON.stringify(shorten(id, 64))} of ${type.name} that this key can see.`;
  return new Problem(
    'not_found',
    reason,
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, reason, detail }] },
  );
}

/** What of the type's records is to be answered. */
export function shownProperties(call: Call, type: ObjectType, projection: Projection): Shown {
  const totals = type.groups.totals;
  return {
    omitted: omittedProperties(call, type, projection),
    totals: projection === undefined ? totals : totals.filter(({ name }) => projection.includes(name)),
  };
}

/** The totals that a record has, for the answer to its own write; they are no part of what is written. */
export async function readTotals(
  { transaction, call }: { readonly transaction: Transaction; readonly call: Pick<Call, 'session'> },
  type: ObjectType,
  id: string,
): Promise<Readonly<Record<string, Json>>> {
  const totals = type.groups.totals;
  return totals.length === 0 ? {} : findTotals(transaction, call.session.caller.orgId, id, totals);
}

/** The properties of the type that are not to be answered. */
function omittedProperties({ session }: Call, type: ObjectType, projection: Projection): readonly string[] {
  const whole = session.orgTypes.get(type.id) ?? type;
  if (projection === undefined && whole.properties.size === type.properties.size) return [];
  const wanted = projection === undefined ? type.properties : new Set(projection);
  return [...whole.properties.keys()].filter((name) => !wanted.has(name));
}
