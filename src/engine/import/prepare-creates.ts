// Prepares rows that only create records, in memory. They bypass the unit of work, which keeps far more of each record than
// they need, but follow the same rules, in the same order. Of two rows with the same unique value the
// first one gets it; a value that is taken in the database is found when the rows are written, or before by findTaken.

import type { CsvRow } from '../../../client/import/files/csv-rows.ts';
import { principalId } from '../../access/caller.ts';
import { type IdSequence, idAt } from '../../base/id.ts';
import { Problem, refusalOf } from '../../base/problem.ts';
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
import { type ExternalName, findExternalIds } from '../../store/records/external-ids.ts';
import { findHolders } from '../../store/records/unique-values.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import type { UnitCall } from '../process/call.ts';
import { refuseTooLarge } from '../rules/apply-changes.ts';
import { takenIdProblem } from '../rules/external-ids.ts';
import { pointerOf, takenFault, takenProblem } from '../rules/unique-values.ts';
import { type Draft, newDraft, printedOf, textOf } from '../unit/draft.ts';
import { recordGrowth } from '../unit/growth.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import { withoutLong } from '../unit/long-values.ts';
import { Unit } from '../unit/unit.ts';
import { eachOnce, LinkTargets } from './link-targets.ts';
import { type BatchOutcome, isTaken, Outcome } from './outcome.ts';
import type { ImportedItem, ImportedRow, RowForm } from './read-row.ts';

export interface PreparedCreates {
  readonly outcome: BatchOutcome;
  readonly tables: readonly CopiedTable[];
  /** What its records add to what the org stores. */
  readonly bytes: number;
  /** The unique values and external ids that decide what becomes of its rows. */
  readonly claims: Claimed;
}

/** Unique values and external ids that are taken, each with the record that has it. */
export type Taken = ReadonlyMap<string, string>;

export type Claimed = Pick<Taken, 'has' | 'keys'>;

/** Finds the unique values and external ids of the rows that are taken already: worth asking once some of a file were. */
export async function findTaken(
  { database, session: { caller } }: UnitCall,
  type: ObjectType,
  rows: readonly ImportedRow[],
): Promise<Taken> {
  const taken = new Map<string, string>();
  const keys = uniqueKeysOf(type, rows).map((key) => ({ ...key, typeId: type.id }));
  const holders = keys.length === 0 ? [] : await findHolders(database, caller.orgId, keys);
  for (const holder of holders) taken.set(claimOf(holder), holder.recordId);
  for (const name of await findExternalIds(database, caller.orgId, externalNamesOf(rows))) {
    if (name.place === 'live') taken.set(nameOf(name), name.recordId);
  }
  return taken;
}

/** The unique values and external ids of rows. */
export function claimedBy(type: ObjectType, rows: readonly ImportedRow[]): Claimed {
  return new Set([...uniqueKeysOf(type, rows).map(claimOf), ...externalNamesOf(rows).map(nameOf)]);
}

function externalNamesOf(rows: readonly ImportedRow[]): readonly ExternalName[] {
  return rows.flatMap(({ item }) => (item instanceof Problem ? [] : (item.external ?? [])));
}

function uniqueKeysOf(type: ObjectType, rows: readonly ImportedRow[]): readonly UniqueKey[] {
  return rows.flatMap(({ item }) =>
    item instanceof Problem ? [] : uniqueKeys(type, Object.fromEntries(item.changes)),
  );
}

export const nothingTaken: Taken = new Map();

interface RowLinks {
  /** Each link once. */
  readonly links: readonly ResolvedLink[];
  readonly skipped: number;
}

type LinksOfRows = ReadonlyMap<ImportedItem, RowLinks | Problem>;

/**
 * Finds the links of the rows together, in a few statements that lock nothing. A link is seen while both of its ends are
 * live, so a target that goes meanwhile does no harm.
 */
export async function findRowLinks(
  call: UnitCall,
  { links: columns }: RowForm,
  rows: readonly ImportedRow[],
): Promise<LinksOfRows> {
  const found = new Map<ImportedItem, RowLinks | Problem>();
  if (columns.length === 0) return found;
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  // It only reads, so it is never finished.
  const targets = new LinkTargets(new Unit(call, call.database, 'looked_up'), columns);
  await targets.load(items.map((item) => item.targets));
  for (const item of items) {
    const own = await targets.find(item.targets).catch(refusalOf);
    found.set(item, own instanceof Problem ? own : { links: eachOnce(own.links), skipped: own.skipped });
  }
  return found;
}

/** Only for rows that change no other record. */
export function prepareCreates(
  { engine: { clock }, session: { caller, ids, orgCatalog }, requestId }: UnitCall,
  type: ObjectType,
  rows: readonly ImportedRow[],
  taken: Taken,
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
    outcome.links({ linked: links.length, unlinked: skipped, targetsCreated: 0 });
  }
  const ended = outcome.end();
  // A row that is refused may be refused for several values.
  const decisive = ended.reported.some(isTaken) ? claimedBy(type, rows) : claims;
  return { outcome: ended, tables: records.end(), bytes, claims: decisive };
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
  taken: Taken,
): Made | Problem {
  const draft = newDraft(type, id, changes);
  try {
    refuseTooLarge(printedOf(draft), '');
  } catch (error) {
    return refusalOf(error);
  }
  const named = external && (taken.get(nameOf(external)) ?? claims.get(nameOf(external)));
  if (named !== undefined) return takenIdProblem(type, named);
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
