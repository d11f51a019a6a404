// Brings an exported org back, into an org that has only what every new one begins with: the same ids, versions, times, links,
// schema, members and trash. It is one transaction, so it is all or nothing, whatever happens; a dry run ends by taking
// everything back. Its batches are all that is in memory.
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { withColumns } from '../../schema/custom/change-schema.ts';
import type { CustomSchema } from '../../schema/custom/custom-schema.ts';
import { isRecorded } from '../../schema/custom/vocabulary.ts';
import { readWholeSchema } from '../../schema/custom/whole-schema.ts';
import { administrator } from '../../schema/roles/platform.ts';
import type { OwnConnection } from '../../store/database.ts';
import {
  beginFeed,
  type Ending,
  findRemains,
  inOneTransaction,
  removeDefaults,
  renameOrg,
} from '../../store/migrate/empty-org.ts';
import { countRoles, findWrong, listAllDefinitions } from '../../store/migrate/findings.ts';
import { countStorage } from '../../store/org/count-storage.ts';
import { findCustomSchema, saveCustomSchema } from '../../store/org/custom-schemas.ts';
import { lockOrg } from '../../store/org/orgs.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { asJob } from '../admin/jobs.ts';
import { defaultRecords } from '../admin/org-defaults.ts';
import { requireOrg } from '../admin/orgs.ts';
import type { Job } from '../platform/jobs.ts';
import type { CommandEngine } from '../process/call.ts';
import { type KnownOrg, openDirectory } from '../process/directory.ts';
import { bringRows, type FolderFiles, type RowCounts } from './bring-rows.ts';
import { definitionFault } from './check-definitions.ts';
import { fileNames, leftOutTypeIds, type Manifest, parseJson } from './folder.ts';
import { refusedRows, wrongFolder } from './refusal.ts';

interface BringIn {
  readonly orgId: number;
  readonly manifest: Manifest;
  readonly files: FolderFiles;
  readonly progressed: (rows: number) => void;
}

interface BroughtIn extends RowCounts {
  /** A dry run is no job. */
  readonly jobId: string | null;
}

export async function bringIn(engine: CommandEngine, request: BringIn): Promise<BroughtIn> {
  const { orgId, manifest } = request;
  await requireOrg(engine.database, orgId);
  const total = manifest.files.reduce((sum, { rows }) => sum + rows, 0);
  const detail = 'everything of an org';
  const begun = {
    orgId,
    kind: 'import',
    message: `Everything of the org ${manifest.org.name}`,
    total,
    audit: { action: 'import.started', detail },
  } as const;
  const run = async (job: Pick<Job, 'id' | 'show'>) => {
    let done = 0;
    const progressed = (rows: number) => {
      done += rows;
      job.show({ done });
      request.progressed(rows);
    };
    const counts = await replace(engine, { ...request, progressed }, 'for_good');
    engine.directory.forget(orgId);
    engine.signal.note(orgId);
    await countStorage(engine.database, orgId);
    return { ...counts, jobId: job.id };
  };
  return asJob(engine, begun, run, () => ({ done: total, audit: { action: 'import.finished', detail } }));
}

/** Does the same and takes it back. */
export async function dryBringIn(engine: CommandEngine, request: BringIn): Promise<BroughtIn> {
  await requireOrg(engine.database, request.orgId);
  return { ...(await replace(engine, request, 'dry_run')), jobId: null };
}

function replace(engine: CommandEngine, request: BringIn, ending: Ending): Promise<RowCounts> {
  return inOneTransaction(engine.database, ending, (connection) => replaceOrg(engine, connection, request));
}

async function replaceOrg(engine: CommandEngine, connection: OwnConnection, request: BringIn): Promise<RowCounts> {
  const { orgId, manifest, files, progressed } = request;
  const schema = await readSchema(files);
  await lockOrg(connection, orgId);
  await makeRoom(connection, orgId);
  await saveCustomSchema(connection, orgId, withColumns(schema));
  await renameOrg(connection, orgId, manifest.org);
  const known = await openDirectory(connection, engine.clock).find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  const counts = await bringRows({ connection, orgId, catalog: known.catalog, files, progressed });
  await checkAll(connection, known, schema);
  const { storageQuota } = known.org;
  if (storageQuota !== null && counts.bytes > storageQuota) {
    const sentence = `The org may store ${storageQuota} bytes, and the folder needs about ${counts.bytes}. Nothing was brought in.`;
    throw new Failure('storage_quota', sentence, `Raise its quota: orrery org update ${orgId} --storage-quota …`);
  }
  await beginFeed(connection, orgId);
  await raiseRevision(connection, orgId);
  return counts;
}

async function readSchema(files: FolderFiles): Promise<CustomSchema> {
  let text = '';
  if (!files.names.has(fileNames.schema)) throw wrongFolder(`${fileNames.schema} is missing`);
  for await (const chunk of files.open(fileNames.schema)) {
    text += chunk.toString('latin1');
    if (text.length > bounds.engine.folderSchemaBytes) throw wrongFolder(`${fileNames.schema} is too long`);
  }
  const read = readWholeSchema(parseJson(Buffer.from(text, 'latin1').toString()));
  if ('schema' in read) return read.schema;
  const [fault] = read.faults;
  throw wrongFolder(`${fileNames.schema}: ${fault?.pointer ?? ''} ${fault?.detail ?? ''}`);
}

/** Removes what a new org begins with. Anything else means that somebody uses the org. */
async function makeRoom(connection: OwnConnection, orgId: number): Promise<void> {
  const {
    object_types,
    properties,
    labels,
    association_types,
    association_labels = {},
  } = await findCustomSchema(connection, orgId);
  const declared = [...object_types, ...association_types];
  const named = [properties, labels, association_labels].flatMap((each) => Object.keys(each));
  await removeDefaults(connection, orgId, defaultRecords());
  const remains = await findRemains(connection, orgId, leftOutTypeIds);
  if (remains === undefined && declared.length === 0 && named.length === 0) return;
  const sentence = `Org ${orgId} is not empty: it has records or a schema of its own. Nothing was brought in.`;
  throw new Failure('usage', sentence, 'Bring the folder into a new org: orrery org create NAME.');
}

/** What shows only when everything is there. */
async function checkAll(connection: OwnConnection, { org, catalog }: KnownOrg, schema: CustomSchema): Promise<void> {
  const { orgId } = org;
  const toOne = catalog.pairs.filter(({ cardinality }) => cardinality === 'many_to_one').map(({ id }) => id);
  const wrong = await findWrong(connection, orgId, [...new Set(toOne)]).catch((error: unknown) => {
    throw refusedRows(error, 'the folder', catalog);
  });
  if (wrong !== undefined) throw wrongFolder(wrong);
  const definitions = await listAllDefinitions(connection, orgId);
  const fault = definitionFault(schema, catalog, definitions);
  if (fault !== undefined) throw wrongFolder(fault);
  if (isRecorded(schema) && definitions.length === 0) throw wrongFolder('The definitions of the schema are missing');
  if ((await countRoles(connection, orgId, administrator)) !== 1) {
    throw wrongFolder(`The org must have one role ${administrator}`);
  }
}
