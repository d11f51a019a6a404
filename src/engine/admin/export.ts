// Exports all live records of a type, whoever sees them, in order of creation and as they were at one moment: the schema,
// the records and what is computed from others. A page is read while the one before it is written, and no more than
// these two are ever in memory.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { totalsOf } from '../../schema/roles/deal-totals.ts';
import type { Database, OwnConnection } from '../../store/database.ts';
import { beginSnapshot } from '../../store/import/export-snapshot.ts';
import { listWithinBytes, type RecordText } from '../../store/records/records.ts';
import { openDirectory } from '../process/directory.ts';
import { exportForms } from './export-form.ts';
import { requireOrg } from './orgs.ts';
import { requireType } from './require-type.ts';

export interface ExportRequest {
  readonly orgId: number;
  readonly typeName: string;
  readonly form: keyof typeof exportForms;
}

/** Takes a piece of the export, which has so many records; resolves when there is room for the next. */
export type TakeExported = (text: string, records: number) => Promise<void>;

export async function exportRecords(
  database: Database,
  clock: Clock,
  { orgId, typeName, form }: ExportRequest,
  take: TakeExported,
): Promise<void> {
  const connection = await database.connect();
  try {
    await beginSnapshot(connection);
    const type = await findType(connection, clock, orgId, typeName);
    const { head, between, foot, one } = exportForms[form](type);
    await take(head, 0);
    let before = '';
    for await (const page of pagesOf(connection, orgId, type)) {
      await take(before + page.map(one).join(between), page.length);
      before = between;
    }
    await take(foot, 0);
  } finally {
    await connection.close();
  }
}

/** The type as it is at the moment of the export: its columns are those that the records can have. */
async function findType(connection: OwnConnection, clock: Clock, orgId: number, typeName: string): Promise<ObjectType> {
  await requireOrg(connection, orgId);
  const known = await openDirectory(connection, clock).find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} is not there any more.`);
  return requireType(known, typeName);
}

async function* pagesOf(
  connection: OwnConnection,
  orgId: number,
  type: ObjectType,
): AsyncGenerator<readonly RecordText[]> {
  const limit = bounds.engine.exportedAtOnce;
  const shown = { omitted: [], totals: totalsOf(type) };
  const read = (after: string | undefined) => {
    const page = listWithinBytes(connection, { orgId, onlyUser: null }, { typeId: type.id, after, limit }, shown);
    // What goes wrong is told where the page is wanted, which may be never.
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
