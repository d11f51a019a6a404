// Exports all live records of a type, regardless of who can see them, in order of creation and as they were at one moment:
// the schema, the records, the values computed from other records, and their links if they are wanted. The next page is read
// while the current one is written, so at most two pages are in memory.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import type { Database, OwnConnection } from '../../store/database.ts';
import { beginSnapshot } from '../../store/driver/own-connection.ts';
import { listWithinBytes, type RecordText } from '../../store/records/records.ts';
import { recordOf } from '../platform/definitions/open-definitions.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { type KnownOrg, openDirectory } from '../process/directory.ts';
import { type ExportedRecord, type OutgoingType, outgoingTypes, withLinks, withoutLinks } from './export-links.ts';
import { requireOrg } from './orgs.ts';
import { requireType } from './require-type.ts';

export interface ExportedType {
  readonly orgId: number;
  readonly typeName: string;
  /** Whether the links that begin at the records are exported with them. */
  readonly links?: boolean;
}

/** What is exported, and the association types of its links; none if they are not wanted. */
export interface ExportedShape {
  readonly type: ObjectType;
  readonly outgoing: readonly OutgoingType[];
}

/** Writes the pages of a type; they can be read only until it resolves. */
type WriteExported = (shape: ExportedShape, pages: AsyncIterable<readonly ExportedRecord[]>) => Promise<void>;

export async function exportPages(
  database: Database,
  clock: Clock,
  { orgId, typeName, links = false }: ExportedType,
  write: WriteExported,
): Promise<void> {
  const builtin = builtinCatalog.objectTypes.get(typeName);
  if (builtin !== undefined && definitionTypeIds.includes(builtin.id)) {
    await withCommandEngine(database, (engine) => recordOf(engine, orgId), clock);
  }
  const connection = await database.connect();
  try {
    await beginSnapshot(connection);
    const known = await findKnown(connection, clock, orgId);
    const type = requireType(known, typeName);
    const outgoing = links ? outgoingTypes(known.catalog, type) : [];
    await write({ type, outgoing }, linkedPages(connection, orgId, { type, outgoing }));
  } finally {
    await connection.close();
  }
}

/** The org at the moment of the export, so that its types have every property that a record can have. */
async function findKnown(connection: OwnConnection, clock: Clock, orgId: number): Promise<KnownOrg> {
  await requireOrg(connection, orgId);
  const known = await openDirectory(connection, clock).find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  return known;
}

async function* linkedPages(
  connection: OwnConnection,
  orgId: number,
  { type, outgoing }: ExportedShape,
): AsyncGenerator<readonly ExportedRecord[]> {
  for await (const page of pagesOf(connection, orgId, type)) {
    if (outgoing.length === 0) yield withoutLinks(page);
    else yield* withLinks(connection, orgId, type, outgoing, page);
  }
}

async function* pagesOf(
  connection: OwnConnection,
  orgId: number,
  type: ObjectType,
): AsyncGenerator<readonly RecordText[]> {
  const limit = bounds.engine.exportedAtOnce;
  const { totals, renamed } = type.groups;
  const hidden = type.removed.map(({ key }) => key);
  const shown = { omitted: hidden, hidden, renamed, totals };
  const read = (after: string | undefined) => {
    const page = listWithinBytes(connection, { orgId, onlyUser: null }, { typeId: type.id, after, limit }, shown);
    // A failure is reported when the page is awaited, which may never happen.
    page.catch(() => {});
    return page;
  };
  let next: ReturnType<typeof read> | undefined = read(undefined);
  while (next !== undefined) {
    const page: readonly RecordText[] = await next;
    const last = page.at(-1);
    next = last !== undefined && (last.full === true || page.length === limit) ? read(last.id) : undefined;
    if (page.length > 0) yield page;
  }
}
