// A PostgreSQL server of its own for one test, from the programs of the embedded one, reached at a socket in its folder, and by way
// of a proxy that can be frozen.
import { spawn } from 'node:child_process';
import type { Account } from '../../../src/store/embedded/account.ts';
import { childEnvironment, runToEnd } from '../../../src/store/embedded/child.ts';
import type { DataFolder } from '../../../src/store/embedded/data-folder.ts';
import { postmasterArguments } from '../../../src/store/embedded/server-settings.ts';
import { rawQuery } from '../database.ts';
import { type DatabaseProxy, startProxy } from '../database-proxy.ts';
import { until } from '../eventually.ts';

export interface TestServer {
  /** By way of its proxy, at a port of this machine. */
  readonly proxy: DatabaseProxy;
  /** Straight to the server. */
  readonly url: string;
  promote(): Promise<void>;
  /** Ends it after everything that it has written is on its standby. */
  stop(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** What follows `alter system`; the server takes it over within a moment. */
export async function alterSystem({ url }: TestServer, change: string): Promise<void> {
  await rawQuery(url, `alter system ${change}`);
  await rawQuery(url, 'select pg_reload_conf()');
}

/** Runs one of the programs of PostgreSQL to its end. */
export async function runProgram(
  file: string,
  parameters: readonly string[],
  account: Account | undefined,
): Promise<void> {
  const { succeeded, output } = await runToEnd(file, parameters, account, 60_000);
  if (!succeeded) throw new Error(`${file}: ${output}`);
}

interface StartOptions {
  /** The program. */
  readonly postgres: string;
  readonly port: number;
  /** Its first user, who needs no password. */
  readonly user: string;
}

export async function startServer(folder: DataFolder, options: StartOptions): Promise<TestServer> {
  const { url, end } = await startPostgres(folder, options);
  return {
    url,
    proxy: await startProxy(url),
    promote: async () => {
      await rawQuery(url, 'select pg_promote(true, 60)');
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGQUIT'),
  };
}

interface Postgres {
  readonly url: string;
  /** Sends the signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

/** The server without a proxy, with more settings such as `fsync=off`, once it answers. */
export async function startPostgres(
  { cluster, path, account }: DataFolder,
  { postgres, port, user }: StartOptions,
  settings: readonly string[] = [],
): Promise<Postgres> {
  const more = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn(postgres, [...postmasterArguments(cluster, path, port), ...more], {
    ...account,
    env: childEnvironment,
    cwd: '/',
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  const url = `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(path)}`;
  const end = async (signal: NodeJS.Signals) => {
    // Its children follow it within a moment.
    child.kill(signal);
    await ended;
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`A server has ended with status ${child.exitCode}.`);
      return answers(url);
    });
  } catch (error) {
    await end('SIGQUIT');
    throw error;
  }
  return { url, end };
}

function answers(url: string): Promise<boolean> {
  return rawQuery(url, 'select 1').then(
    () => true,
    () => false,
  );
}
