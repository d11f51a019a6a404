// Brings the files of a folder into the tables of an org, batch by batch: each line is checked and written with all rows that
// belong to it. Links come before records, whose facts have the ends of some of them, and activities before the records whose
// last activity they are.
import { batchesOf, type Line, linesOf } from '../../base/files/lines.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Shape } from '../../base/shape.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { factValues } from '../../schema/indexing/fact-slots.ts';
import { foldedValues } from '../../schema/indexing/folded-values.ts';
import { indexKeys, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { searchWords } from '../../schema/indexing/search-words.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity, lastActivityProperty } from '../../schema/roles/last-activity.ts';
import type { LinkColumn } from '../../schema/slots.ts';
import type { OwnConnection } from '../../store/database.ts';
import { type CopiedTable, copyTables } from '../../store/import/copy-records.ts';
import { type Cells, otherRows, StoredRecords, trashedRows } from '../../store/migrate/copy-stored.ts';
import { learnSizes } from '../../store/migrate/empty-org.ts';
import { findEnds, findLatestOf } from '../../store/migrate/findings.ts';
import { liveBytes, rowBytes } from '../../store/row-bytes.ts';
import { type CheckedRecord, recordCheck } from './check-record.ts';
import { fileNames, foldedTypes, lineShapes, parseJson, recordsFile } from './folder.ts';
import { Names } from './lines.ts';
import { refusedRows, wrongFolder, wrongLine } from './refusal.ts';

/** The files of a folder that was verified. */
export interface FolderFiles {
  readonly names: ReadonlySet<string>;
  /** Fails if the file has changed since. */
  open(name: string): AsyncIterable<Buffer>;
}

interface RowsRequest {
  readonly connection: OwnConnection;
  readonly orgId: number;
  readonly catalog: Catalog;
  readonly files: FolderFiles;
  readonly progressed: (rows: number) => void;
}

export interface RowCounts {
  records: number;
  trashed: number;
  links: number;
  /** What the org stores then, by estimate. */
  bytes: number;
}

export async function bringRows(request: RowsRequest): Promise<RowCounts> {
  const counts: RowCounts = { records: 0, trashed: 0, links: 0, bytes: 0 };
  refuseUnknown(request);
  await bringOthers(request, counts);
  await learnSizes(request.connection, ['association']);
  const inOrder = foldedTypes(request.catalog).toSorted(
    (left, right) => Number(hasLastActivity(left)) - Number(hasLastActivity(right)),
  );
  for (const type of inOrder) await bringLive(request, type, counts);
  for (const type of inOrder) await bringTrash(request, type, counts);
  await learnSizes(request.connection, ['record']);
  return counts;
}

/** Every file is brought in, or none is. */
function refuseUnknown({ catalog, files }: RowsRequest): void {
  const places = ['live', 'trash'] as const;
  const records = foldedTypes(catalog).flatMap(({ name }) => places.map((place) => recordsFile(place, name)));
  const known = new Set<string>([...Object.values(fileNames), ...records]);
  for (const name of files.names) {
    if (!known.has(name)) throw wrongFolder(`${name} belongs to no object type of the schema`);
  }
}

async function bringOthers(request: RowsRequest, counts: RowCounts): Promise<void> {
  const names = new Names(request.catalog);
  const bring = async <Each>(
    table: Parameters<typeof otherRows>[1],
    form: Shape<Each>,
    cellsOf: (line: Each) => Cells | string,
    bytesEach: number,
  ) => {
    const toTables = async (rows: readonly Cells[]) => otherRows(request.orgId, table, rows);
    const rows = await bringFile(request, fileNames[table], form, cellsOf, toTables);
    counts.bytes += rows * bytesEach;
    return rows;
  };
  counts.links = await bring('links', lineShapes.link, names.linkCells, rowBytes.link);
  await bring('owners', lineShapes.owner, names.ownerCells, rowBytes.user);
  await bring('externalIds', lineShapes.externalId, names.externalIdCells, rowBytes.externalId);
  await bring('merges', lineShapes.merge, names.mergeCells, 0);
}

async function bringLive(request: RowsRequest, type: ObjectType, counts: RowCounts): Promise<void> {
  const check = recordCheck(type, 'live');
  const file = recordsFile('live', type.name);
  counts.records += await bringFile(request, file, lineShapes.record, check, async (records) => {
    const completed = await withLastActivities(request, type, records);
    const ends = await endsOf(request, type, records);
    const rows = new StoredRecords(request.orgId, type);
    for (const record of completed) counts.bytes += addLive(rows, type, record, ends.get(record.id) ?? {});
    return rows.end();
  });
}

function addLive(
  rows: StoredRecords,
  type: ObjectType,
  { properties, ...record }: CheckedRecord,
  ends: Readonly<Partial<Record<LinkColumn, string>>>,
): number {
  const text = JSON.stringify(properties);
  const folded = foldedValues(type, properties);
  rows.add({
    ...record,
    properties: text,
    folded: folded === undefined ? '' : JSON.stringify(folded),
    facts: factValues(type.slots, properties),
    ends,
    index: indexKeys(type, properties),
    unique: uniqueKeys(type, properties),
    words: searchWords(type, properties).join(' '),
  });
  return liveBytes(Buffer.byteLength(text));
}

/** The last activity of a record is computed from its activities, which are there by now. */
async function withLastActivities(
  { connection, orgId, catalog }: RowsRequest,
  type: ObjectType,
  records: readonly CheckedRecord[],
): Promise<readonly CheckedRecord[]> {
  if (!hasLastActivity(type)) return records;
  const recordIds = records.map(({ id }) => id);
  const found = await findLatestOf(connection, orgId, recordIds, catalog.activityAssociationTypes);
  return records.map((record) => {
    const at: Json | undefined = found.get(record.id);
    return at === undefined ? record : { ...record, properties: { ...record.properties, [lastActivityProperty]: at } };
  });
}

async function endsOf(
  { connection, orgId }: RowsRequest,
  { slots }: ObjectType,
  records: readonly CheckedRecord[],
): Promise<ReadonlyMap<string, Readonly<Partial<Record<LinkColumn, string>>>>> {
  const recordIds = records.map(({ id }) => id);
  const ends = new Map<string, Partial<Record<LinkColumn, string>>>();
  for (const link of await findEnds(connection, orgId, recordIds, [...slots.links.keys()])) {
    const column = slots.links.get(link.associationTypeId);
    if (column !== undefined) ends.set(link.sourceId, { ...ends.get(link.sourceId), [column]: link.targetId });
  }
  return ends;
}

async function bringTrash(request: RowsRequest, type: ObjectType, counts: RowCounts): Promise<void> {
  const check = recordCheck(type, 'trash');
  const file = recordsFile('trash', type.name);
  counts.trashed += await bringFile(request, file, lineShapes.record, check, async (records) => {
    const rows = records.map((record) => ({ ...record, properties: JSON.stringify(record.properties) }));
    for (const { properties } of rows) counts.bytes += rowBytes.trash + Buffer.byteLength(properties);
    return trashedRows(request.orgId, type.id, rows);
  });
}

/** Checks the lines of a file and writes their rows. Returns the number of lines; a file that is not there has none. */
async function bringFile<Each, Checked extends object>(
  { connection, catalog, files, progressed }: RowsRequest,
  file: string,
  form: Shape<Each>,
  check: (line: Each) => Checked | string,
  toTables: (rows: readonly Checked[]) => Promise<readonly CopiedTable[]>,
): Promise<number> {
  if (!files.names.has(file)) return 0;
  const lines = linesOf(files.open(file), bounds.engine.folderLineBytes);
  const full = { linesMax: bounds.engine.broughtInAtOnce, bytesMax: bounds.engine.broughtInBytes };
  let rows = 0;
  for await (const batch of batchesOf(lines, full)) {
    const checked = batch.map((line) => checkedLine(file, line, form, check));
    try {
      await copyTables(connection, await toTables(checked));
    } catch (error) {
      throw refusedRows(error, file, catalog);
    }
    rows += batch.length;
    progressed(batch.length);
  }
  return rows;
}

function checkedLine<Each, Checked extends object>(
  file: string,
  { number, bytes }: Line,
  form: Shape<Each>,
  check: (line: Each) => Checked | string,
): Checked {
  if (bytes === undefined) throw wrongLine(file, number, 'it is too long');
  const value = parseJson(bytes.toString());
  if (!form.admits(value)) {
    const [fault] = form.check(value, 1);
    throw wrongLine(file, number, `${fault?.pointer ?? ''} ${fault?.detail ?? 'it is not JSON'}`.trim());
  }
  const checked = check(value);
  if (typeof checked === 'string') throw wrongLine(file, number, checked);
  return checked;
}
