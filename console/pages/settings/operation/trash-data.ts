// The trash, read from the change feed, which is where the API tells what was deleted: who did it and when, and what the record
// was called by its last known values. The feed goes forward, so it is read in steps, each with an end.

import type { Change, ObjectType } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';

export interface Deleted {
  readonly type: string;
  readonly id: string;
  /** Empty if the feed no longer knows. */
  readonly title: string;
  readonly at: string;
  readonly principalId: string;
}

/** What is known so far. Immutable: each step makes the next one. */
export interface TrashRead {
  readonly cursor: string;
  /** Up to when the feed was read; undefined at its end. */
  readonly until: string | undefined;
  readonly deleted: ReadonlyMap<string, Deleted>;
  /** Values that make titles, by record. */
  readonly values: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export const unread: TrashRead = { cursor: 'earliest', until: '', deleted: new Map(), values: new Map() };

/** Pages of 1,000 entries in one step. */
const pagesMost = 10;

export async function readOn(
  from: TrashRead,
  objectType: string,
  types: readonly ObjectType[],
  signal: AbortSignal,
): Promise<TrashRead> {
  const deleted = new Map(from.deleted);
  const values = new Map(from.values);
  const only = objectType === '' ? {} : { objectType };
  let { cursor } = from;
  let until: string | undefined = '';
  for (let pages = 0; pages < pagesMost && until !== undefined; pages++) {
    const { data, nextCursor } = await api.listChanges({ ...only, cursor, limit: 1_000, signal }).first();
    for (const change of data) take(change, deleted, values, types);
    cursor = nextCursor ?? cursor;
    until = data.at(-1)?.at;
  }
  return { cursor, until, deleted, values };
}

function take(
  change: Change,
  deleted: Map<string, Deleted>,
  values: Map<string, Readonly<Record<string, unknown>>>,
  types: readonly ObjectType[],
): void {
  const { type, object_type: name, record_id: id, changed, at, principal_id: principalId } = change;
  const known = types.find((each) => each.name === name);
  if (known === undefined || type.startsWith('association.')) return;
  if (type === 'record.deleted') {
    const title = titlesOf(known)
      .map((property) => values.get(id)?.[property])
      .filter((value) => typeof value === 'string')
      .join(' ');
    deleted.set(id, { type: name, id, title, at, principalId });
    return;
  }
  if (type === 'record.restored') deleted.delete(id);
  const titles = titlesOf(known).filter((property) => changed?.[property] !== undefined);
  if (titles.length === 0) return;
  const next = Object.fromEntries(titles.map((property) => [property, changed?.[property]?.new]));
  values.set(id, { ...values.get(id), ...next });
}

/** People have a first name in front of their title. */
function titlesOf({ title_property: title, kind }: ObjectType): readonly string[] {
  if (title === null) return [];
  return kind === 'person' ? ['svc_first_name', title] : [title];
}
