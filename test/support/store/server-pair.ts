// A primary and its standby for one test, from the programs of the embedded PostgreSQL, each behind a proxy that can be frozen.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../../src/store/embedded/account.ts';
import { childEnvironment, runToEnd } from '../../../src/store/embedded/child.ts';
import { createCluster } from '../../../src/store/embedded/cluster.ts';
import { type DataFolder, prepareDataFolder } from '../../../src/store/embedded/data-folder.ts';
import { currentPlatform, locatePackage, preparePrograms } from '../../../src/store/embedded/programs.ts';
import { postmasterArguments } from '../../../src/store/embedded/server-settings.ts';
import { rawQuery } from '../database.ts';
import { type DatabaseProxy, startProxy } from '../database-proxy.ts';
import { until } from '../eventually.ts';

export interface PairedServer {
  /** By way of its proxy, at a port of this machine. */
  readonly proxy: DatabaseProxy;
  /** Straight to the server. */
  readonly url: string;
  promote(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

export interface ServerPair {
  readonly primary: PairedServer;
  readonly standby: PairedServer;
  close(): Promise<void>;
}

/** What is committed on the primary is on the standby too, before anybody sees it. A test may change that by `alter system`. */
export async function openServerPair(): Promise<ServerPair> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-pair-'));
  await chmod(root, 0o755);
  const packageFolder = locatePackage(currentPlatform);
  const first = await prepareDataFolder(join(root, 'first'));
  const second = await prepareDataFolder(join(root, 'second'));
  const { account } = first;
  await createCluster(first, packageFolder);
  await run('/bin/cp', ['-a', first.cluster, second.cluster], account);
  await run('/bin/touch', [join(second.cluster, 'standby.signal')], account);
  const programs = await preparePrograms(packageFolder, first.path, account);
  const primary = await start(programs.postgres, first, 5_432, []);
  const follows = `primary_conninfo=host=${first.path} port=5432 user=orrery`;
  const standby = await start(programs.postgres, second, 5_433, [follows]).catch(async (error: unknown) => {
    await primary.kill();
    throw error;
  });
  await alterSystem(primary, "set synchronous_standby_names = '*'");
  const inStep = `select from pg_stat_replication where sync_state = 'sync'`;
  await until(async () => (await rawQuery(primary.url, inStep)).rowCount === 1);
  return {
    primary,
    standby,
    close: async () => {
      for (const each of [primary, standby]) {
        await each.kill();
        await each.proxy.cut();
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** What follows `alter system`; the server takes it over within a moment. */
export async function alterSystem({ url }: PairedServer, change: string): Promise<void> {
  await rawQuery(url, `alter system ${change}`);
  await rawQuery(url, 'select pg_reload_conf()');
}

async function run(file: string, parameters: readonly string[], account: Account | undefined): Promise<void> {
  const { succeeded, output } = await runToEnd(file, parameters, account, 60_000);
  if (!succeeded) throw new Error(`${file}: ${output}`);
}

async function start(
  postgres: string,
  { cluster, path, account }: DataFolder,
  port: number,
  more: readonly string[],
): Promise<PairedServer> {
  const settings = ['wal_level=replica', 'hot_standby=on', ...more];
  const child = spawn(
    postgres,
    [...postmasterArguments(cluster, path, port), ...settings.flatMap((each) => ['-c', each])],
    { ...account, env: childEnvironment, cwd: '/', stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  const url = `postgres://orrery@localhost:${port}/postgres?host=${encodeURIComponent(path)}`;
  const kill = async () => {
    // Its children follow it within a moment.
    child.kill('SIGQUIT');
    await ended;
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`A server has ended with status ${child.exitCode}.`);
      return answers(url);
    });
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    url,
    proxy: await startProxy(url),
    promote: async () => {
      await rawQuery(url, 'select pg_promote(true, 60)');
    },
    kill,
  };
}

function answers(url: string): Promise<boolean> {
  return rawQuery(url, 'select 1').then(
    () => true,
    () => false,
  );
}
