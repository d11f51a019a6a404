// Writes a batch of rows in a unit of work, like the batch operation: for rows that must first find out whether a record
// exists or a value is taken.
import type { CsvRow } from '../../base/files/csv-rows.ts';
import type { Json } from '../../base/json.ts';
import { Problem, problemOf, refusalOf } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { type Lookups, preload } from '../rules/preload.ts';
import { findMatch, matchKeys } from '../rules/upsert.ts';
import { createRecord, updateRecord } from '../rules/write.ts';
import type { Unit } from '../unit/unit.ts';
import type { ImportedItem, ImportedRow } from './read-row.ts';

export interface RefusedRow {
  readonly row: CsvRow;
  readonly problem: Problem;
}

export interface BatchOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly RefusedRow[];
}

/** Loads everything that the rows need, in a few statements. */
export async function loadRows(
  unit: Unit,
  type: ObjectType,
  rows: readonly ImportedRow[],
  match: string | undefined,
): Promise<void> {
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  await preload(
    unit,
    items.map((item) => lookupsOf(type, item, match)),
  );
  // A refusal names the record that holds the value.
  const wanted = items.flatMap(({ changes }) => uniqueKeys(type, Object.fromEntries(changes)));
  const holders = unit.holders.loaded(wanted.map((key) => ({ ...key, typeId: type.id })));
  await unit.records.loadLive(
    [type.id],
    holders.map(({ id }) => id),
  );
}

/** A row that finds a record by the match property updates it; all others create one. */
export async function writeRows(
  unit: Unit,
  type: ObjectType,
  rows: readonly ImportedRow[],
  match: string | undefined,
): Promise<BatchOutcome> {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const refused: RefusedRow[] = [];
  for (const { row, item } of rows) {
    const outcome = item instanceof Problem ? item : await writeItem(unit, type, item, match).catch(refusalOf);
    if (outcome instanceof Problem) refused.push({ row, problem: outcome });
    else counts[outcome]++;
  }
  return { ...counts, refused };
}

function lookupsOf(type: ObjectType, { changes }: ImportedItem, match: string | undefined): Lookups {
  if (match === undefined) return { type, claims: changes };
  return { type, claims: changes, matches: matchKeys(type, match, matchedValue(type, changes, match)) };
}

function matchedValue(type: ObjectType, changes: Changes, match: string): Json {
  return changes.get(type.properties.get(match)?.key ?? match) as Json;
}

type Outcome = 'created' | 'updated' | 'unchanged';

/** By the rules of the operations create and upsert. */
async function writeItem(
  unit: Unit,
  type: ObjectType,
  { changes, missing }: ImportedItem,
  match: string | undefined,
): Promise<Outcome> {
  const existing =
    match === undefined ? undefined : await findMatch(unit, type, match, matchedValue(type, changes, match), '');
  if (existing === undefined) {
    if (missing.length > 0) throw problemOf('validation_failed', missing);
    await createRecord(unit, type, changes, [], '');
    return 'created';
  }
  const { version } = existing;
  await updateRecord(unit, existing, changes, [], '');
  return existing.version === version ? 'unchanged' : 'updated';
}
