// Writes records and all rows that belong to them: removals first in one statement, then additions in another. Most
// writes need only the second. So a value that one record of a batch gives up can be taken by the next. Facts about links
// that have changed come last.
import { isoText } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { join, orDistributed, orInSteps, raw, type Sql, sql } from '../../base/sql.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
import type { WorkDatabase } from '../database.ts';
import { type FeedEntry, insertCreatedEntries, insertEntries, type Origin } from '../feed/entries.ts';
import { type FormerValue, insertFormerValues } from '../feed/former-values.ts';
import { insertion, unwritten, type WrittenColumn } from '../insert-rows.ts';
import { lockTime } from '../lock-time.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { rowSource } from '../row-parameters.ts';
import { deleteLinks, insertLinks, type Link, type NewLink, type UserLink } from './associations.ts';
import { type ExternalId, type FreedId, freeExternalIds, insertExternalIds } from './external-ids.ts';
import {
  deleteFacts,
  type FactRow,
  insertFacts,
  type NewFactRow,
  type RelinkedRow,
  relinkFacts,
  updateFacts,
} from './facts.ts';
import {
  deleteIndexRows,
  deleteSearchRows,
  deleteUniqueValues,
  type IndexRow,
  insertIndexRows,
  insertSearchRows,
  insertUniqueValues,
  type SearchRow,
  upsertSearchRows,
} from './index-rows.ts';
import { partDuplicates } from './merge-links.ts';
import type { Holder } from './unique-values.ts';

export interface RecordRow extends RecordRef {
  readonly version: number;
  readonly updatedAtMs: number;
  readonly orgVisible: boolean;
  /** JSON text. */
  readonly properties: string;
  /** JSON text of the lower-cased forms; empty where there are none. */
  readonly folded: string;
}

/** Everything that one transaction changes. */
export interface WriteSet {
  readonly removed: {
    readonly records: readonly RecordRef[];
    readonly trashed: readonly RecordRef[];
    readonly index: readonly IndexRow[];
    readonly unique: readonly Holder[];
    readonly search: readonly RecordRef[];
    readonly links: readonly Link[];
    readonly users: readonly UserLink[];
    readonly externalIds: readonly FreedId[];
  };
  readonly written: {
    readonly inserted: readonly RecordRow[];
    readonly updated: readonly RecordRow[];
    readonly trashed: readonly RecordRow[];
    /** Of new records, and of those whose values have changed. */
    readonly facts: readonly NewFactRow[];
    readonly factsAgain: readonly FactRow[];
    readonly relinked: readonly RelinkedRow[];
    readonly index: readonly IndexRow[];
    readonly unique: readonly Holder[];
    /** Of records that had no words before, and of those that may have had some. */
    readonly search: readonly SearchRow[];
    readonly searchAgain: readonly SearchRow[];
    readonly links: readonly NewLink[];
    readonly users: readonly UserLink[];
    readonly externalIds: readonly ExternalId[];
    readonly entries: readonly FeedEntry[];
    /** The long values that are replaced. */
    readonly former: readonly FormerValue[];
  };
}

/** The statements of a write, in their order. Most writes need one. */
export function writeStatements(orgId: number, set: WriteSet, atMs: number): readonly Sql[] {
  return atOnce(writeSteps(orgId, set, atMs));
}

/** The same in steps: the rows of a large batch take long to put into words. */
export function* writeSteps(orgId: number, { removed, written }: WriteSet, atMs: number): Steps<readonly Sql[]> {
  const removals = yield* each(
    () => some(removed.records, (refs) => deleteRecords(orgId, refs)),
    () => some(removed.records, (refs) => deleteFacts(orgId, refs)),
    () => some(removed.trashed, (refs) => deleteTrashed(orgId, refs)),
    () => some(removed.trashed, (refs) => partDuplicates(orgId, refs)),
    () => deleteIndexRows(orgId, removed.index),
    () => some(removed.unique, (rows) => deleteUniqueValues(orgId, rows)),
    () => some(removed.search, (refs) => deleteSearchRows(orgId, refs)),
    () => some(removed.links, (links) => deleteLinks(orgId, links)),
    () => some(removed.users, (links) => deleteUserLinks(orgId, links)),
  );
  const origin = originOfCreates(written);
  const made = raw('made as k');
  const writes = yield* each(
    () =>
      some(written.inserted, (rows) =>
        origin === undefined ? insertRecords(orgId, rows) : insertMade(orgId, made, rows),
      ),
    () => some(written.updated, (rows) => updateRecords(orgId, rows)),
    () =>
      some(written.trashed, (rows) =>
        insertTrashed(
          orgId,
          rows.map((row) => ({ ...row, deletedAtMs: atMs })),
        ),
      ),
    () => some(written.facts, (rows) => insertFacts(orgId, rows)),
    () => some(written.factsAgain, (rows) => updateFacts(orgId, rows)),
    () => insertIndexRows(orgId, written.index),
    () => some(written.unique, (rows) => insertUniqueValues(orgId, rows)),
    () => some(written.search, (rows) => insertSearchRows(orgId, rows)),
    () => some(written.searchAgain, (rows) => upsertSearchRows(orgId, rows)),
    () => some(written.links, (links) => insertLinks(orgId, links)),
    () => some(written.users, (links) => insertUserLinks(orgId, links, atMs)),
    () => some(written.externalIds, (ids) => insertExternalIds(orgId, ids)),
    () => some(written.former, (rows) => insertFormerValues(orgId, rows)),
    () =>
      some(written.entries, (entries) =>
        origin === undefined ? insertEntries(orgId, entries) : insertCreatedEntries(orgId, made, origin, entries),
      ),
  );
  const rows =
    origin === undefined ? [] : [sql`made as materialized (select * from ${recordSource(written.inserted)})`];
  return [
    ...some(removals, (parts) => together([], parts)),
    ...some(removed.externalIds, (ids) => freeExternalIds(orgId, ids)),
    ...some(writes, (parts) => together(rows, parts)),
    ...some(written.relinked, (relinked) => relinkFacts(orgId, relinked)),
  ];
}

function* each(...parts: readonly (() => readonly Sql[])[]): Steps<readonly Sql[]> {
  const made: Sql[] = [];
  for (const part of parts) {
    const more = part();
    if (more.length === 0) continue;
    made.push(...more);
    yield;
  }
  return made;
}

/**
 * The origin of the records, if the write is one request that creates several records and nothing else. Their feed
 * entries are then read from the same rows, which are sent once. Entries that leave out long values have their own.
 */
function originOfCreates({ inserted, entries }: WriteSet['written']): Origin | undefined {
  const [first] = entries;
  if (first === undefined || inserted.length < 2 || inserted.length !== entries.length) return undefined;
  const { origin } = first;
  const same = entries.every(
    (entry, index) =>
      entry.kind === 'record.created' &&
      entry.leftOut === undefined &&
      entry.origin === origin &&
      entry.id === inserted[index]?.id,
  );
  return same ? origin : undefined;
}

/** Everything that the sets change, which must be different rows. */
export function mergeSets(sets: readonly WriteSet[]): WriteSet {
  const [first] = sets;
  if (first === undefined) throw new RangeError('There is no set to merge.');
  if (sets.length === 1) return first;
  const all = <Part extends 'removed' | 'written'>(part: Part): WriteSet[Part] => {
    const names = Object.keys(first[part]) as (keyof WriteSet[Part])[];
    const rows = names.map((name) => [name, sets.flatMap((set) => set[part][name] as unknown[])] as const);
    return Object.fromEntries(rows) as unknown as WriteSet[Part];
  };
  return { removed: all('removed'), written: all('written') };
}

/** In a transaction of several writes: one that waits for another transaction to commit must not delay the others. */
export const setLockTime = lockTime(bounds.store.groupLockMs);

/** Runs the statement, but gives up soon when it waits for another transaction to commit. */
export async function runImpatiently(database: WorkDatabase, statement: Sql): Promise<void> {
  await database.transaction((transaction) => transaction.end([setLockTime, statement]));
}

function some<Row>(rows: readonly Row[], part: (rows: readonly Row[]) => Sql): readonly Sql[] {
  return rows.length === 0 ? [] : [part(rows)];
}

/** Parts that change different tables or different rows, as one statement without a result; they can read `rows`. */
function together(rows: readonly Sql[], parts: readonly Sql[]): Sql {
  const [last = raw(''), ...others] = parts.toReversed();
  const named = others.toReversed().map((part, index) => sql`${raw(`part${index}`)} as (${part})`);
  const all = [...rows, ...named];
  return all.length === 0 ? last : orInSteps(sql`with ${join(all, ', ')} ${last}`, () => parts);
}

/** Read from `made`, which has the rows. */
function insertMade(orgId: number, made: Sql, rows: readonly RecordRow[]): Sql {
  return orDistributed(
    sql`insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties, folded)
      select ${orgId}::integer, k.type_id, k.id, k.version, k.updated_at, k.org_visible, k.properties::jsonb,
        nullif(k.folded, '')::jsonb
      from ${made}`,
    () => insertRecords(orgId, rows),
  );
}

function updateRecords(orgId: number, rows: readonly RecordRow[]): Sql {
  return sql`update orrery.record as r set version = k.version, updated_at = k.updated_at,
      org_visible = k.org_visible, properties = k.properties::jsonb, folded = nullif(k.folded, '')::jsonb
    from ${recordSource(rows)}
    where r.org_id = ${orgId} and r.type_id = k.type_id and r.id = k.id`;
}

interface TrashedRow extends RecordRow {
  readonly deletedAtMs: number;
}

const commonColumns: readonly WrittenColumn<RecordRow>[] = [
  ['type_id', 'integer', (row) => row.typeId],
  ['id', 'uuid', (row) => row.id],
  ['version', 'bigint', (row) => row.version],
  ['updated_at', 'timestamptz', (row) => isoText(row.updatedAtMs)],
  ['org_visible', 'boolean', (row) => row.orgVisible],
  ['properties', 'lines', (row) => row.properties, (text) => sql`${text}::jsonb`],
];
const recordColumns: readonly WrittenColumn<RecordRow>[] = [
  ...commonColumns,
  ['folded', 'lines', (row) => row.folded, (text) => sql`nullif(${text}, '')::jsonb`],
];

/** The rows as a source to select from. */
export const recordSource = rowSource(...recordColumns.map(unwritten));
const insertRecords = insertion('record', ...recordColumns);
const insertTrashed = insertion<TrashedRow>('trash', ...commonColumns, [
  'deleted_at',
  'timestamptz',
  (row) => isoText(row.deletedAtMs),
]);

export const userLinkSource = rowSource<UserLink>(
  ['user_id', 'uuid', (link) => link.userId],
  ['type_id', 'integer', (link) => link.typeId],
  ['id', 'uuid', (link) => link.id],
);

function deleteRecords(orgId: number, refs: readonly RecordRef[]): Sql {
  return sql`delete from orrery.record as r using ${refSource(refs)}
    where r.org_id = ${orgId} and r.type_id = k.type_id and r.id = k.id`;
}

function deleteTrashed(orgId: number, refs: readonly RecordRef[]): Sql {
  return sql`delete from orrery.trash as t using ${refSource(refs)}
    where t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id`;
}

interface NewUserLink extends UserLink {
  readonly atMs: number;
}

const insertUsers = insertion<NewUserLink>(
  'record_user',
  ['user_id', 'uuid', (link) => link.userId],
  ['type_id', 'integer', (link) => link.typeId],
  ['record_id', 'uuid', (link) => link.id],
  ['created_at', 'timestamptz', (link) => isoText(link.atMs)],
);

function insertUserLinks(orgId: number, links: readonly UserLink[], atMs: number): Sql {
  return sql`${insertUsers(
    orgId,
    links.map((link) => ({ ...link, atMs })),
  )} on conflict do nothing`;
}

function deleteUserLinks(orgId: number, links: readonly UserLink[]): Sql {
  return sql`delete from orrery.record_user as u using ${userLinkSource(links)}
    where u.org_id = ${orgId} and u.user_id = k.user_id and u.type_id = k.type_id and u.record_id = k.id`;
}
