// Prepares rows that only create records, in memory and without asking the database. They bypass the unit of work, which
// keeps far more of each record than they need, but follow the same rules. Of two rows with the same unique value the first
// one gets it; a value that is taken in the database is found when the rows are written, or before by findTaken.
import { principalId } from '../../access/caller.ts';
import { Problem } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import { factValues } from '../../schema/indexing/fact-slots.ts';
import { foldedValues } from '../../schema/indexing/folded-values.ts';
import { indexKeys, type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { searchWords } from '../../schema/indexing/search-words.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { type CopiedTable, NewRecords } from '../../store/import/copy-records.ts';
import { findHolders } from '../../store/records/unique-values.ts';
import { rowBytes } from '../../store/row-bytes.ts';
import type { UnitCall } from '../process/call.ts';
import { refuseTooLarge } from '../rules/apply-changes.ts';
import { pointerOf, takenFault, takenProblem } from '../rules/unique-values.ts';
import { type Draft, newDraft, textOf } from '../unit/draft.ts';
import { recordGrowth } from '../unit/growth.ts';
import { withoutLong } from '../unit/long-values.ts';
import type { ImportedRow } from './read-row.ts';
import type { BatchOutcome, RefusedRow } from './write-rows.ts';

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
  const keys = rows.flatMap(({ item }) =>
    item instanceof Problem ? [] : uniqueKeys(type, Object.fromEntries(item.changes)),
  );
  if (keys.length === 0) return nothingTaken;
  const wanted = keys.map((key) => ({ ...key, typeId: type.id }));
  const holders = await findHolders(database, caller.orgId, wanted);
  return new Map(holders.map((holder) => [claimOf(holder), holder.recordId]));
}

export const nothingTaken: Claims = new Map();

/** Only for types whose new records have no links. */
export function prepareCreates(
  { engine: { clock }, session: { caller, ids }, requestId }: UnitCall,
  type: ObjectType,
  rows: readonly ImportedRow[],
  taken: Claims,
): PreparedCreates {
  const origin = { atMs: clock.nowMs(), principalId: principalId(caller), requestId };
  const records = new NewRecords(caller.orgId, type, origin);
  const claims = new Map<string, string>();
  const refused: RefusedRow[] = [];
  let bytes = 0;
  for (const { row, item } of rows) {
    const made = item instanceof Problem ? item : createDraft(type, ids.next(), item.changes, claims, taken);
    if (made instanceof Problem) refused.push({ row, problem: made });
    else bytes += addDraft(records, made.draft, made.unique);
  }
  const outcome = { created: rows.length - refused.length, updated: 0, unchanged: 0, refused };
  return { outcome, tables: records.end(), bytes, claims };
}

interface Made {
  readonly draft: Draft;
  readonly unique: readonly UniqueKey[];
}

function createDraft(
  type: ObjectType,
  id: string,
  changes: Changes,
  claims: Map<string, string>,
  taken: Claims,
): Made | Problem {
  const draft = newDraft(type, id, changes);
  try {
    refuseTooLarge(textOf(draft), '');
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
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
  return { draft, unique };
}

function claimOf({ propertyId, value }: Pick<UniqueKey, 'propertyId' | 'value'>): string {
  return `${propertyId}/${value}`;
}

/** Returns what the record adds to what the org stores. */
function addDraft(records: NewRecords, draft: Draft, unique: readonly UniqueKey[]): number {
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
  });
  return recordGrowth(draft) + rowBytes.entry + Buffer.byteLength(entry.text);
}
