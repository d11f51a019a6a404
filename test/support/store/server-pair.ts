// A server for one test, or a primary and its standby, from the programs of the embedded PostgreSQL, each behind a proxy that can
// be frozen.
import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createCluster, databaseUser } from '../../../src/store/embedded/cluster.ts';
import { type DataFolder, prepareDataFolder } from '../../../src/store/embedded/data-folder.ts';
import { currentPlatform, locatePackage, preparePrograms } from '../../../src/store/embedded/programs.ts';
import { rawQuery } from '../database.ts';
import { until } from '../eventually.ts';
import { alterSystem, runProgram, startServer, type TestServer } from './server-process.ts';

export interface ServerPair {
  readonly primary: TestServer;
  readonly standby: TestServer;
  close(): Promise<void>;
}

/** By way of their proxies, in this order. */
export function addressOf(servers: readonly TestServer[]): string {
  const [first, ...others] = servers.map(({ proxy }) => new URL(proxy.url));
  if (first === undefined) throw new Error('There is no address without a host.');
  const url = first.href.replace(first.host, [first, ...others].map(({ host }) => host).join());
  return `${url}?target_session_attrs=read-write`;
}

interface Room {
  readonly root: string;
  /** Has a cluster that is not running. */
  readonly first: DataFolder;
  readonly server: { readonly postgres: string; readonly user: string };
}

async function prepareRoom(): Promise<Room> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-pair-'));
  await chmod(root, 0o755);
  const packageFolder = locatePackage(currentPlatform);
  const first = await prepareDataFolder(join(root, 'first'));
  const empty = inject('emptyCluster');
  if (empty === undefined) await createCluster(first, packageFolder);
  else await runProgram('/bin/cp', ['-a', empty, first.cluster], first.account);
  const { postgres } = await preparePrograms(packageFolder, first.path, first.account);
  return { root, first, server: { postgres, user: databaseUser } };
}

async function endAll(root: string, servers: readonly TestServer[]): Promise<void> {
  for (const each of servers) {
    await each.kill();
    await each.proxy.cut();
  }
  await rm(root, { recursive: true, force: true });
}

/** One that has no standby. */
export async function openServer(): Promise<TestServer & { close(): Promise<void> }> {
  const { root, first, server } = await prepareRoom();
  const started = await startServer(first, { ...server, port: 5_432 });
  return { ...started, close: () => endAll(root, [started]) };
}

/** What is committed on the primary is on the standby too, before anybody sees it. A test may change that by `alter system`. */
export async function openServerPair(): Promise<ServerPair> {
  const { root, first, server } = await prepareRoom();
  const second = await prepareDataFolder(join(root, 'second'));
  await runProgram('/bin/cp', ['-a', first.cluster, second.cluster], first.account);
  await runProgram('/bin/touch', [join(second.cluster, 'standby.signal')], first.account);
  const primary = await startServer(first, { ...server, port: 5_432 });
  // In a file, so that a test can part the two by `alter system`.
  const connection = `primary_conninfo = 'host=${first.path} port=5432 user=${databaseUser}'\n`;
  await appendFile(join(second.cluster, 'postgresql.auto.conf'), connection);
  const standby = await startServer(second, { ...server, port: 5_433 }).catch(async (error: unknown) => {
    await primary.kill();
    throw error;
  });
  await alterSystem(primary, "set synchronous_standby_names = '*'");
  const inStep = `select from pg_stat_replication where sync_state = 'sync'`;
  await until(async () => (await rawQuery(primary.url, inStep)).rowCount === 1);
  return { primary, standby, close: () => endAll(root, [primary, standby]) };
}
