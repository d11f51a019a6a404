// Prepares rows that only create records, in memory and without asking the database. They bypass the unit of work, which
// keeps far more of each record than they need, but follow the same rules. Of two rows with the same unique value the first
// one gets it; a value that is taken in the database is found when the rows are written, or before by findTaken.
import { principalId } from '../../access/caller.ts';
import type { CsvRow } from '../../base/files/csv-rows.ts';
import { type IdSequence, idAt } from '../../base/id.ts';
import { Problem } from '../../base/problem.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { factValues } from '../../schema/indexing/fact-slots.ts';
import { foldedValues } from '../../schema/indexing/folded-values.ts';
import { indexKeys, type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { searchWords } from '../../schema/indexing/search-words.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import {
  type CopiedTable,
  type NewRecord,
  NewRecords,
  type NewRecordLink as StoredLink,
  userTypeId,
} from '../../store/import/copy-records.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import { findHolders } from '../../store/records/unique-values.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import type { UnitCall } from '../process/call.ts';
import { refuseTooLarge } from '../rules/apply-changes.ts';
import { pointerOf, takenFault, takenProblem } from '../rules/unique-values.ts';
import { type Draft, newDraft, printedOf, textOf } from '../unit/draft.ts';
import { recordGrowth } from '../unit/growth.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import { withoutLong } from '../unit/long-values.ts';
import { type BatchOutcome, Outcome } from './outcome.ts';
import type { ImportedItem, ImportedRow } from './read-row.ts';
import type { LinksOfRows, RowLinks } from './row-links.ts';

export interface PreparedCreates {
  readonly outcome: BatchOutcome;
  readonly tables: readonly CopiedTable[];
  /** What its records add to what the org stores. */
  readonly bytes: number;
  /** The unique values of its records, each with the id of the record. */
  readonly claims: Claims;
}

type Claims = ReadonlyMap<string, string>;

/** Finds the unique values of the rows that are taken already: worth asking once some values of a file were. */
export async function findTaken(
  { database, session: { caller } }: UnitCall,
  type: ObjectType,
  rows: readonly ImportedRow[],
): Promise<Claims> {
  const keys = uniqueKeysOf(type, rows);
  if (keys.length === 0) return nothingTaken;
  const wanted = keys.map((key) => ({ ...key, typeId: type.id }));
  const holders = await findHolders(database, caller.orgId, wanted);
  return new Map(holders.map((holder) => [claimOf(holder), holder.recordId]));
}

/** The unique values and external ids of rows. */
export function claimedBy(type: ObjectType, rows: readonly ImportedRow[]): ReadonlySet<string> {
  const names = rows.flatMap(({ item }) => (item instanceof Problem ? [] : (item.external ?? [])));
  return new Set([...uniqueKeysOf(type, rows).map(claimOf), ...names.map(nameOf)]);
}

function uniqueKeysOf(type: ObjectType, rows: readonly ImportedRow[]): readonly UniqueKey[] {
  return rows.flatMap(({ item }) =>
    item instanceof Problem ? [] : uniqueKeys(type, Object.fromEntries(item.changes)),
  );
}

export const nothingTaken: Claims = new Map();

/** Only for rows that change no other record. */
export function prepareCreates(
  { engine: { clock }, session: { caller, ids, orgCatalog }, requestId }: UnitCall,
  type: ObjectType,
  rows: readonly ImportedRow[],
  taken: Claims,
  linked: LinksOfRows,
): PreparedCreates {
  const origin = { atMs: clock.nowMs(), principalId: principalId(caller), requestId };
  const records = new NewRecords(caller.orgId, type, origin);
  const claims = new Map<string, string>();
  const outcome = new Outcome();
  let bytes = 0;
  for (const { row, item } of rows) {
    const found = item instanceof Problem ? item : (linked.get(item) ?? noLinks);
    if (item instanceof Problem || found instanceof Problem) {
      outcome.refused(row, found as Problem);
      continue;
    }
    const made = createDraft(type, idOf(item, row, ids), item, claims, taken);
    if (made instanceof Problem) {
      outcome.refused(row, made);
      continue;
    }
    const { links, skipped } = found;
    bytes += addDraft(records, made.draft, made.unique, {
      links: links.map((link) => storedLink(orgCatalog, link)),
      external: item.external,
    });
    outcome.taken(row, 'created', item.dropped);
    outcome.links(links.length, skipped);
  }
  return { outcome: outcome.end(), tables: records.end(), bytes, claims };
}

/** A record that is from an earlier time has an id of that time. */
function idOf({ createdAtMs }: ImportedItem, { line }: CsvRow, ids: Pick<IdSequence, 'next'>): string {
  return createdAtMs === undefined ? ids.next() : idAt(createdAtMs, line);
}

interface Made {
  readonly draft: Draft;
  readonly unique: readonly UniqueKey[];
}

function createDraft(
  type: ObjectType,
  id: string,
  { changes, external }: ImportedItem,
  claims: Map<string, string>,
  taken: Claims,
): Made | Problem {
  const draft = newDraft(type, id, changes);
  try {
    refuseTooLarge(printedOf(draft), '');
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  // Of the ids that are taken in the database the table tells, by a conflict; then the batch is written as a unit.
  if (external !== undefined && claims.has(nameOf(external))) {
    return new Problem('conflict', 'unique_value_taken', `An earlier row has the id ${external.externalId} already.`);
  }
  const unique = uniqueKeys(type, draft.properties);
  const holderOf = (key: UniqueKey) => taken.get(claimOf(key)) ?? claims.get(claimOf(key));
  const refused = unique.filter((key) => holderOf(key) !== undefined);
  const [first] = refused;
  if (first !== undefined) {
    const errors = refused.map((key) => takenFault(type, key, pointerOf(type, key, draft.properties, '')));
    return takenProblem(type, first, errors, holderOf(first));
  }
  for (const key of unique) claims.set(claimOf(key), id);
  if (external !== undefined) claims.set(nameOf(external), id);
  return { draft, unique };
}

function nameOf({ source, externalId }: ExternalName): string {
  return `external/${JSON.stringify([source, externalId])}`;
}

function claimOf({ propertyId, value }: Pick<UniqueKey, 'propertyId' | 'value'>): string {
  return `${propertyId}/${value}`;
}

const noLinks: RowLinks = { links: [], skipped: 0 };

function storedLink({ objectTypes }: Catalog, { pair, targetId }: ResolvedLink): StoredLink {
  const targetTypeId = objectTypes.get(pair.targetType)?.id ?? userTypeId;
  return { associationTypeId: pair.id, targetTypeId, targetId };
}

/** Returns what the record adds to what the org stores. */
function addDraft(
  records: NewRecords,
  draft: Draft,
  unique: readonly UniqueKey[],
  more: Pick<NewRecord, 'links' | 'external'>,
): number {
  const { type, id, updatedAtMs, properties } = draft;
  const folded = foldedValues(type, properties);
  const text = textOf(draft);
  const entry = withoutLong(properties, text);
  records.add({
    id,
    createdAtMs: updatedAtMs,
    properties: text,
    entry,
    folded: folded === undefined ? '' : JSON.stringify(folded),
    facts: factValues(type.slots, properties),
    index: indexKeys(type, properties),
    unique,
    words: searchWords(type, properties).join(' '),
    ...more,
  });
  const own = recordGrowth(draft) + rowBytes.entry + Buffer.byteLength(entry.text);
  const named = more.external === undefined ? 0 : rowBytes.externalId;
  return own + more.links.length * (rowBytes.link + rowBytes.entry) + named;
}
