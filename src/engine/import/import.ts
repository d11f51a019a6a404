// Imports a CSV file into one object type: plans the import, begins or continues it, and runs it. An interrupted import
// continues where it stopped when the same file is imported again in the same way. Two processes never run the same import
// at the same time.
import { createHash } from 'node:crypto';
import { utc } from '../../../client/import/cells/time-zone.ts';
import type { CsvRows } from '../../../client/import/files/csv-file.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { OwnConnection } from '../../store/database.ts';
import { type ImportConnection, openImportConnection } from '../../store/import/import-connection.ts';
import {
  beginImport,
  endImport,
  findImport,
  type ImportCounts,
  type ImportName,
  lockImport,
  noCounts,
  type StoredImport,
} from '../../store/import/imports.ts';
import { asJob } from '../admin/jobs.ts';
import { requireOrg } from '../admin/orgs.ts';
import type { Job } from '../platform/jobs.ts';
import type { CommandEngine } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import type { ImportMap } from './column-map.ts';
import type { ColumnUse, LinkUse } from './column-use.ts';
import { dryRunImport } from './dry-run.ts';
import { linkColumns } from './link-columns.ts';
import { type ImportPlan, planImport, requireImported } from './plan.ts';
import { createdColumn, externalColumn, type RowForm, readColumns } from './read-row.ts';
import { type ImportEvents, ImportRun, type RunRequest } from './run.ts';
import { splitBatches } from './split-batches.ts';
import { historyColumns, isHistoryType } from './stage-history/columns.ts';

export interface ImportRequest {
  readonly orgId: number;
  readonly typeName: string;
  /** The first row of the file. */
  readonly headers: readonly string[];
  /** Some of the rows after it. */
  readonly rows: readonly (readonly string[])[];
  readonly map: ImportMap;
  readonly match: string | undefined;
}

export interface PlannedImport {
  readonly orgId: number;
  readonly plan: ImportPlan;
  /** The currency of the org, for amounts without one. */
  readonly currency: string;
}

/** Fails if the org, the type, a column or the match property does not fit. Writes nothing. */
export async function planFor(engine: CommandEngine, request: ImportRequest): Promise<PlannedImport> {
  const { orgId, typeName, headers, rows, map, match } = request;
  await requireOrg(engine.database, orgId);
  const known = await requireKnown(engine, orgId);
  const type = requireImported(known, typeName);
  const { currency } = known.org;
  const plan = planImport({ catalog: known.catalog, type, headers, rows, currency, map, match });
  return { orgId, plan, currency };
}

/** What tells a file from others: SHA-256 of its bytes. */
interface NamedFile {
  readonly digest: Uint8Array;
}

export interface OpenImport {
  /** The state of an interrupted import; undefined for a new one. */
  readonly before: StoredImport | undefined;
  /** `pieces` are all rows of the file, the header first. */
  run(pieces: AsyncIterable<CsvRows>, errors: ErrorsPlace, events: ImportEvents): Promise<DoneImport>;
  close(): Promise<void>;
}

/** What was done, and by which job: by its id the import can be taken back. A dry run is no job. */
export interface DoneImport extends ImportCounts {
  readonly jobId: string | null;
}

/** The errors file and its length. */
interface ErrorsPlace {
  readonly path: string;
  readonly length: number;
}

export async function openImport(engine: CommandEngine, planned: PlannedImport, file: NamedFile): Promise<OpenImport> {
  const { database } = engine;
  const name = nameOf(planned, file);
  const holding = await database.connect();
  const connections: ImportConnection[] = [];
  const close = async () => {
    for (const each of [...connections, holding]) await each.close();
  };
  try {
    await requireAlone(holding, name);
    const before = await findImport(database, name);
    for (let count = 0; count < bounds.engine.importsInFlight; count++)
      connections.push(await openImportConnection(database));
    const current = () => currentForm(engine, planned);
    return {
      before,
      run: (pieces, errors, events) => {
        const counts = { ...(before ?? noCounts), errorsBytes: errors.length };
        return importAsJob(engine, planned, before?.jobId, async (job) => {
          await database.transaction((transaction) => beginImport(transaction, name, errors.path, job.id));
          const seen = { ...events, progressed: showing(job, events) };
          const request: RunRequest = { engine, name, counts, connections, events: seen, current, jobId: job.id };
          // The first row of the file is the header, which is not imported.
          const done = await new ImportRun(request).run(splitBatches(pieces, counts.rows + 1, linksOf(planned)));
          await database.transaction((transaction) => endImport(transaction, name));
          return { ...done, jobId: job.id };
        });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function importAsJob(
  engine: CommandEngine,
  { orgId, plan: { type } }: PlannedImport,
  continues: string | undefined,
  run: (job: Pick<Job, 'id' | 'show'>) => Promise<DoneImport>,
): Promise<DoneImport> {
  const detail = type.name;
  const started = { action: 'import.started', detail };
  const begun = { orgId, kind: 'import', message: `Records of ${type.name}`, audit: started, continues } as const;
  return asJob(engine, begun, run, (counts) => ({
    done: counts.rows,
    failed: counts.refused,
    total: counts.rows,
    audit: { action: 'import.finished', detail },
  }));
}

function showing(job: Pick<Job, 'show'>, events: ImportEvents): ImportEvents['progressed'] {
  return (counts, bytesRead) => {
    job.show({ done: counts.rows, failed: counts.refused });
    events.progressed(counts, bytesRead);
  };
}

/** Opens a dry run, which stores nothing. It begins where the import would, and does not exclude another process. */
export async function openDryRun(engine: CommandEngine, planned: PlannedImport, file: NamedFile): Promise<OpenImport> {
  const before = await findImport(engine.database, nameOf(planned, file));
  const connection = await engine.database.connect();
  return {
    before,
    run: async (pieces, errors, events) => {
      const current = () => currentForm(engine, planned);
      const counts = { ...(before ?? noCounts), errorsBytes: errors.length };
      const request = { engine, events, current, connection, counts };
      const batches = splitBatches(pieces, counts.rows + 1, linksOf(planned));
      return { ...(await dryRunImport(request, batches)), jobId: null };
    },
    close: () => connection.close(),
  };
}

/** The indexes of the columns that name records. */
function linksOf({ plan }: PlannedImport): readonly number[] {
  return plan.columns.flatMap(({ use }, index) => (use.kind === 'link' ? [index] : []));
}

/** Two imports are the same if they read the same bytes in the same way into the same type. */
function nameOf({ orgId, plan }: PlannedImport, { digest }: NamedFile): ImportName {
  const { type, match, columns, badCells, initialStage } = plan;
  const how = [orgId, type.name, match ?? null, columns.map(({ use }) => nameOfUse(use))];
  // What a release without them did is named as that release named it, so that it can be continued.
  const named = JSON.stringify(
    badCells === 'refuse' && initialStage === 'first' ? how : [...how, badCells, initialStage],
  );
  return { orgId, digest: createHash('sha256').update(digest).update(named).digest() };
}

function nameOfUse(use: ColumnUse): unknown {
  if (use.kind === 'ignored') return null;
  if (use.kind === 'unit' || use.kind === 'link' || use.kind === 'external_id') return use;
  const { dates, decimal, country, timeZone, currency } = use.style;
  const style = [
    dates?.name,
    decimal === '.' ? undefined : decimal,
    country,
    timeZone === utc ? undefined : timeZone?.name,
    ...(currency === undefined ? [] : [currency]),
  ];
  if (use.kind === 'created_at') return [use.kind, ...style, ...(use.guessed === true ? ['guessed'] : [])];
  return style.every((part) => part === undefined) ? use.property : [use.property, ...style];
}

async function requireAlone(holding: OwnConnection, name: ImportName): Promise<void> {
  if (await lockImport(holding, name)) return;
  const sentence = 'This file is being imported in the same way by another process.';
  throw new Failure('usage', sentence, 'Let it finish, or stop it and run this command again to continue.');
}

async function requireKnown(engine: CommandEngine, orgId: number): Promise<KnownOrg> {
  const known = await engine.directory.find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  return known;
}

async function currentForm(
  engine: CommandEngine,
  { orgId, plan }: PlannedImport,
): Promise<{ readonly known: KnownOrg; readonly form: RowForm }> {
  const known = await requireKnown(engine, orgId);
  const type = requireImported(known, plan.type.name);
  const { match, badCells, initialStage } = plan;
  const history = isHistoryType(type) ? historyColumns(known.catalog, plan.columns) : undefined;
  const pairsOf = ({ association }: LinkUse) => known.catalog.pairsFrom(type.name, association);
  const form: RowForm = {
    type,
    columns: readColumns(type, plan.columns),
    columnCount: plan.columns.length,
    match,
    currency: known.org.currency,
    badCells,
    links: history ?? linkColumns(known.catalog, plan.columns, pairsOf),
    external: externalColumn(plan.columns),
    created: createdColumn(type, plan.columns),
    initialStage,
    history,
  };
  return { known, form };
}
