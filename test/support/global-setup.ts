// One PostgreSQL for the whole run: one from the embedded programs in a temporary folder, or the server that TEST_DATABASE_URL names.
// Each test file makes databases of its own on it. Most of them are copies of one whose tables are made here, because making
// the tables takes ten times as long as copying them.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { distribute } from '../../src/store/cluster/distribute.ts';
import { openAlone, openMigrated } from '../../src/store/driver/open.ts';
import { createCluster, databaseUser } from '../../src/store/embedded/cluster.ts';
import { prepareDataFolder } from '../../src/store/embedded/data-folder.ts';
import { currentPlatform, locatePackage, preparePrograms } from '../../src/store/embedded/programs.ts';
import { type Copying, createDatabaseOn, findWorkers, joinCluster, letGo, untilAlone } from './database-on.ts';
import { runProgram, startPostgres } from './store/server-process.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a database on the server, from which others can be created. */
    serverUrl: string;
    /** A database on the server that has the tables and nothing else. */
    template: string;
    /** The workers of the server, if it is the first one of a Citus cluster: then the tables are distributed. */
    workerUrls: readonly string[];
    /** How that is copied. */
    copying: Copying;
    /** What initdb made, to be copied for servers of a test's own; undefined if the run has a server from elsewhere. */
    emptyCluster: string | undefined;
  }
}

interface Server {
  readonly url: string;
  readonly copying: Copying;
  readonly emptyCluster: string | undefined;
  stop(): Promise<void>;
}

async function distributeAll(url: string): Promise<void> {
  const connection = await openAlone(url);
  try {
    await distribute(connection, shardsOfTests);
  } finally {
    await connection.close();
  }
}

/** Each is a table of its own, to be copied for each test. */
const shardsOfTests = 4;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const server: Server =
    given === undefined || given === ''
      ? await startOwn()
      : { url: given, copying: 'wal_log', emptyCluster: undefined, stop: async () => {} };
  const workers = await findWorkers(server.url);
  const template = await createDatabaseOn(server.url, 'template0', 'wal_log', workers);
  if (workers.length > 0) await joinCluster(server.url, workers, template.name);
  const database = await openMigrated({ engine: 'server', url: template.url });
  await database.close();
  if (workers.length > 0) {
    await distributeAll(template.url);
    await letGo(server.url, workers, template.name);
  }
  project.provide('workerUrls', workers);
  project.provide('serverUrl', server.url);
  project.provide('template', template.name);
  project.provide('copying', server.copying);
  project.provide('emptyCluster', server.emptyCluster);
  return async () => {
    await template.drop();
    await server.stop();
  };
}

/**
 * Nothing is written to the disk before it is acknowledged: no power cut is tried here, and waiting for the disk took a part of
 * each test. Tests of what survives have servers of their own.
 */
const hasty = ['fsync=off', 'full_page_writes=off'];

async function startOwn(): Promise<Server> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-test-'));
  await chmod(root, 0o755);
  const folder = await prepareDataFolder(join(root, 'data'));
  const packageFolder = locatePackage(currentPlatform);
  await createCluster(folder, packageFolder);
  const emptyCluster = join(folder.path, 'empty');
  await runProgram('/bin/cp', ['-a', folder.cluster, emptyCluster], folder.account);
  const { postgres } = await preparePrograms(packageFolder, folder.path, folder.account);
  const { url, end } = await startPostgres(folder, { postgres, port: 5_432, user: databaseUser }, hasty);
  return {
    url,
    copying: 'file_copy',
    emptyCluster,
    stop: async () => {
      await untilAlone(url);
      await end('SIGINT');
      await rm(root, { recursive: true, force: true });
    },
  };
}
