// Exports a whole org, as of one moment, as the files of a folder: its schema, and all records with their links, live and in
// the trash. The caller writes the files, one after the other; nothing is read before it is wanted.
import type { Clock } from '../../base/clock.ts';
import { buildCatalog } from '../../schema/custom/build-catalog.ts';
import { withoutColumns } from '../../schema/custom/whole-schema.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity, lastActivityProperty } from '../../schema/roles/last-activity.ts';
import type { OwnConnection } from '../../store/database.ts';
import { beginSnapshot } from '../../store/driver/own-connection.ts';
import {
  externalIdRows,
  findWholeRecords,
  linkRows,
  mergeRows,
  ownerRows,
  type WholeRecord,
} from '../../store/export/everything.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { requireOrg } from '../admin/orgs.ts';
import { recordOf } from '../platform/definitions/open-definitions.ts';
import type { CommandEngine } from '../process/call.ts';
import { fileNames, foldedTypes, leftOutTypeIds, type Manifest, recordsFile } from './folder.ts';
import { Names } from './lines.ts';

/** Some lines of a file. */
interface Lines {
  readonly text: string;
  readonly rows: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly lines: AsyncIterable<Lines>;
}

/** Writes the files in their order, each whole before the next. A file without lines need not be made. */
type WriteFiles = (org: Manifest['org'], files: Iterable<ExportedFile>) => Promise<void>;

export async function exportOrg(engine: CommandEngine, orgId: number, write: WriteFiles): Promise<void> {
  await requireOrg(engine.database, orgId);
  // The definitions of the schema are records with ids of their own, which the copy is to have too.
  await recordOf(engine, orgId);
  const connection = await engine.database.connect();
  try {
    await beginSnapshot(connection);
    const { name, currency } = await requireOrg(connection, orgId);
    await write({ id: orgId, name, currency }, await filesOf(connection, orgId));
  } finally {
    await connection.close();
  }
}

/** The name of the export's time in the manifest. */
export function exportedAt(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}

async function filesOf(connection: OwnConnection, orgId: number): Promise<readonly ExportedFile[]> {
  const schema = await findCustomSchema(connection, orgId);
  const catalog = buildCatalog(schema);
  const names = new Names(catalog);
  const records = foldedTypes(catalog).flatMap((type) =>
    (['live', 'trash'] as const).map((place) => ({
      name: recordsFile(place, type.name),
      lines: recordLines(connection, orgId, type, place),
    })),
  );
  const table = <Row>(name: string, rows: Table<Row>, toLine: (row: Row) => object): ExportedFile => ({
    name,
    lines: tableLines(connection, orgId, rows, toLine),
  });
  return [
    { name: fileNames.schema, lines: one(`${JSON.stringify(withoutColumns(schema), undefined, 1)}\n`) },
    ...records,
    table(fileNames.links, linkRows, names.linkLine),
    table(fileNames.owners, ownerRows, names.ownerLine),
    table(fileNames.externalIds, externalIdRows, names.externalIdLine),
    table(fileNames.merges, mergeRows, names.mergeLine),
  ];
}

async function* one(text: string): AsyncGenerator<Lines> {
  yield { text, rows: 1 };
}

async function* recordLines(
  connection: OwnConnection,
  orgId: number,
  type: ObjectType,
  place: 'live' | 'trash',
): AsyncGenerator<Lines> {
  const where = { typeId: type.id, place, omitted: hasLastActivity(type) ? [lastActivityProperty] : [] };
  // Ends, because each page begins after the last record of the one before.
  for (let after: string | undefined; ; ) {
    const page: readonly WholeRecord[] = await findWholeRecords(connection, orgId, where, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield { text: page.map(recordLine).join(''), rows: page.length };
    after = last.id;
  }
}

/** The values are written as they are stored. Ids and versions need no escaping. */
function recordLine({ id, version, orgVisible, deletedAt, properties }: WholeRecord): string {
  const deleted = deletedAt === null ? '' : `"deleted_at":"${deletedAt.toISOString()}",`;
  return `{"id":"${id}","version":"${version}","shared_with_org":${orgVisible},${deleted}"properties":${properties}}\n`;
}

interface Table<Row> {
  readonly find: (
    connection: OwnConnection,
    orgId: number,
    leftOut: readonly number[],
    after: Row | undefined,
  ) => Promise<readonly Row[]>;
}

async function* tableLines<Row>(
  connection: OwnConnection,
  orgId: number,
  { find }: Table<Row>,
  toLine: (row: Row) => object,
): AsyncGenerator<Lines> {
  for (let after: Row | undefined; ; ) {
    const page: readonly Row[] = await find(connection, orgId, leftOutTypeIds, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield { text: page.map((row) => `${JSON.stringify(toLine(row))}\n`).join(''), rows: page.length };
    after = last;
  }
}
