// The difference between the stored records and the drafts of a unit, as rows: only rows that differ are written.
import { bounds } from '../../base/limits.ts';
import type { Steps } from '../../base/steps.ts';
import { foldedValues } from '../../schema/indexing/folded-values.ts';
import { indexKeys, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { searchableTexts, wordSteps, wordsOf } from '../../schema/indexing/search-words.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { IndexRow, SearchRow } from '../../store/records/index-rows.ts';
import type { Holder } from '../../store/records/unique-values.ts';
import type { RecordRow, WriteSet } from '../../store/records/write-records.ts';
import { type Draft, type Properties, textOf } from './draft.ts';
import type { ExternalIdBook } from './external-id-book.ts';
import { openFacts } from './facts.ts';
import type { LinkBook } from './link-book.ts';
import type { UserBook } from './user-book.ts';

type Rows<T> = { [Name in keyof T]: T[Name] extends readonly (infer Row)[] ? Row[] : never };

type Noted = Pick<WriteSet['written'], 'entries' | 'former'>;

/** The books of what belongs to records beside their values. */
interface Books {
  readonly links: LinkBook;
  readonly users: UserBook;
  readonly externalIds: ExternalIdBook;
}

function beginSet({ links, users, externalIds }: Books, { entries, former }: Noted) {
  const removed: Rows<WriteSet['removed']> = {
    records: [],
    trashed: [],
    index: [],
    unique: [],
    search: [],
    links: links.removed(),
    users: users.removed(),
    externalIds: [...externalIds.removed()],
  };
  const written: Rows<WriteSet['written']> = {
    inserted: [],
    updated: [],
    trashed: [],
    facts: [],
    factsAgain: [],
    relinked: [],
    index: [],
    unique: [],
    search: [],
    searchAgain: [],
    links: links.added(),
    users: users.added(),
    externalIds: [...externalIds.added()],
    entries: [...entries],
    former: [...former],
  };
  return { removed, written };
}

/**
 * The org's types as they are now: a property may get an index while a request runs, and every write from then on writes
 * its rows.
 */
type CurrentTypes = ReadonlyMap<number, ObjectType>;

/** Yields after each draft, and between the texts of a long one. */
export function* writeSetOf(
  drafts: readonly Draft[],
  books: Books,
  noted: Noted,
  types: CurrentTypes,
): Steps<WriteSet> {
  const { removed, written } = beginSet(books, noted);
  const facts = openFacts(drafts, [...books.links.removed(), ...books.links.added()], types);
  for (const draft of drafts) {
    if (!isChanged(draft)) continue;
    const ref = { typeId: draft.type.id, id: draft.id };
    const row: RecordRow = {
      ...ref,
      version: draft.version,
      updatedAtMs: draft.updatedAtMs,
      orgVisible: draft.orgVisible,
      properties: textOf(draft),
      folded: draft.place === 'live' ? foldedText(draft) : '',
    };
    const storedAt = draft.stored?.place;
    if (storedAt === 'live' && draft.place === 'live') written.updated.push(row);
    else {
      if (storedAt === 'live') removed.records.push(ref);
      if (storedAt === 'trash') removed.trashed.push(ref);
      if (draft.place === 'live') written.inserted.push(row);
      else written.trashed.push(row);
    }
    facts.compare(draft, written);
    compareRows(draft, types.get(draft.type.id) ?? draft.type, removed, written);
    const [before, after] = liveValues(draft);
    const formerTexts = before === undefined ? [] : searchableTexts(draft.type, before);
    const texts = after === undefined ? [] : searchableTexts(draft.type, after);
    if (after === undefined) {
      // Which words they are does not matter, nor whether there are any: they go.
      if (formerTexts.length > 0) removed.search.push(ref);
    } else {
      const former = isLong(formerTexts) ? yield* wordSteps(formerTexts) : wordsOf(formerTexts);
      const words = isLong(texts) ? yield* wordSteps(texts) : wordsOf(texts);
      compareWords(draft, former.join(' '), words.join(' '), removed, written);
    }
    yield;
  }
  written.relinked.push(...facts.relinked());
  return { removed, written };
}

function foldedText({ type, properties }: Draft): string {
  const folded = foldedValues(type, properties);
  return folded === undefined ? '' : JSON.stringify(folded);
}

/** The draft is stored as it is now. */
export function markStored(draft: Draft): void {
  const { id, version, updatedAtMs, orgVisible, properties, place } = draft;
  draft.stored = { place, record: { typeId: draft.type.id, id, version, updatedAtMs, orgVisible, properties } };
}

export function isChanged({ stored, place, version, orgVisible, properties }: Draft): boolean {
  return (
    stored === undefined ||
    stored.place !== place ||
    stored.record.version !== version ||
    stored.record.properties !== properties ||
    stored.record.orgVisible !== orgVisible
  );
}

interface FindableRows {
  readonly index: IndexRow[];
  readonly unique: Holder[];
}

/** The values by which the record can be found, before and after. Only live records can be found. */
function liveValues({ stored, place, properties }: Draft): readonly [Properties | undefined, Properties | undefined] {
  return [stored?.place === 'live' ? stored.record.properties : undefined, place === 'live' ? properties : undefined];
}

/** A record in the trash has no rows at all. */
function compareRows(draft: Draft, current: ObjectType, removed: FindableRows, written: FindableRows): void {
  const [before, after] = liveValues(draft);
  const first = written.index.length;
  difference(indexRows(current, draft.id, before), indexRows(current, draft.id, after), removed.index, written.index);
  // A process that does not know of an index leaves the rows of former values behind. A value that comes back would meet
  // its own row, so that row is removed first.
  const { unsettled } = current.groups;
  if (unsettled.size > 0 && draft.stored !== undefined) {
    removed.index.push(...written.index.slice(first).filter((row) => unsettled.has(row.propertyId)));
  }
  difference(holders(draft, before), holders(draft, after), removed.unique, written.unique);
}

function compareWords(
  { type, id, stored }: Draft,
  former: string,
  words: string,
  removed: { readonly search: RecordRef[] },
  written: { readonly search: SearchRow[]; readonly searchAgain: SearchRow[] },
): void {
  if (words !== '' && words !== former) {
    (stored?.place === 'live' ? written.searchAgain : written.search).push({ typeId: type.id, id, words });
  }
  if (words === '' && former !== '') removed.search.push({ typeId: type.id, id });
}

/** Whether the words of the texts should be found step by step. */
function isLong(texts: readonly string[]): boolean {
  let characters = 0;
  for (const text of texts) characters += text.length;
  return characters > bounds.engine.wordsAtOnceCharacters;
}

function indexRows(type: ObjectType, id: string, properties: Properties | undefined): readonly IndexRow[] {
  if (properties === undefined) return [];
  return indexKeys(type, properties).map(({ kind, propertyId, value }) => ({
    kind,
    typeId: type.id,
    propertyId,
    value,
    recordId: id,
  }));
}

function holders({ type, id }: Draft, properties: Properties | undefined): readonly Holder[] {
  if (properties === undefined) return [];
  return uniqueKeys(type, properties).map(({ propertyId, value }) => ({
    typeId: type.id,
    propertyId,
    value,
    recordId: id,
  }));
}

/** Puts rows that are only in `before` into `removed`, and rows that are only in `after` into `written`. */
function difference<Row extends { readonly propertyId: number; readonly value: string | null }>(
  before: readonly Row[],
  after: readonly Row[],
  removed: Row[],
  written: Row[],
): void {
  if (before.length === 0) {
    written.push(...after);
    return;
  }
  const keyOf = (row: Row) => `${row.propertyId}/${row.value === null ? 'unset' : `=${row.value}`}`;
  const kept = new Set(after.map(keyOf));
  const known = new Set(before.map(keyOf));
  removed.push(...before.filter((row) => !kept.has(keyOf(row))));
  written.push(...after.filter((row) => !known.has(keyOf(row))));
}
