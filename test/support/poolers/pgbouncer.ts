// PgBouncer in front of a database of a test, with the configuration that the guide shows. Only addresses are the test's own.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRoot, preferredAccount } from '../../../src/store/embedded/account.ts';
import { rawQuery } from '../database.ts';
import { until } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { root } from '../repository.ts';

const named = process.env['PGBOUNCER'];
const places = named === undefined ? ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'] : [named];

/** The PgBouncer of this machine, or the one that PGBOUNCER names; undefined if there is none. */
export const pgbouncerPath: string | undefined = places.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

export interface Pooler {
  /** The address of the database by way of the pooler. */
  readonly url: string;
  /** Ends it, with all connections, and starts it again at the same address. */
  restart(settings?: PoolerSettings): Promise<void>;
  stop(): Promise<void>;
}

/** Lines of its configuration that take the place of those in the guide. */
export type PoolerSettings = Readonly<Record<string, string | number>>;

const password = 'of-the-pooler';

export async function startPooler(databaseUrl: string, settings: PoolerSettings = {}): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-pooler-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  await writeFile(join(folder, 'userlist.txt'), `"orrery" "${password}"\n`);
  const url = `postgres://orrery:${password}@127.0.0.1:${port}/orrery`;
  const start = async (more: PoolerSettings) => {
    const own = { listen_port: port, auth_file: join(folder, 'userlist.txt'), unix_socket_dir: '', ...more };
    await writeFile(join(folder, 'pgbouncer.ini'), await configuration(databaseUrl, own));
    return run(join(folder, 'pgbouncer.ini'), url);
  };
  let running = await start(settings);
  return {
    url,
    restart: async (more = settings) => {
      await running.kill();
      running = await start(more);
    },
    stop: async () => {
      await running.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** That of the guide. A later line of the same name wins. */
async function configuration(databaseUrl: string, settings: PoolerSettings): Promise<string> {
  const guide = await readFile(join(root, 'docs/operate.md'), 'utf8');
  const shown = /```ini\n(.*?)```/s.exec(guide)?.[1] ?? '';
  const { hostname, port, username, password: ofServer, pathname, searchParams } = new URL(databaseUrl);
  const parts = {
    host: searchParams.get('host') ?? hostname,
    port: port || '5432',
    dbname: pathname.slice(1),
    user: decodeURIComponent(username),
    password: decodeURIComponent(ofServer),
  };
  const place = Object.entries(parts)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`);
  const server = shown.replace('host=db.example.com port=5432', place.join(' '));
  if (server === shown) throw new Error('The guide has no pgbouncer.ini with host=db.example.com port=5432.');
  return [server, ...Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)].join('');
}

async function run(file: string, url: string): Promise<{ kill(): Promise<void> }> {
  // It refuses root.
  const account = isRoot() ? await preferredAccount() : {};
  const child = spawn(pgbouncerPath ?? '', [file], { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer has ended with status ${child.exitCode}: ${log}`);
      return answers(url);
    });
  } catch (error) {
    await kill();
    throw error;
  }
  return { kill };
}

function answers(url: string): Promise<boolean> {
  return rawQuery(url, 'select 1').then(
    () => true,
    () => false,
  );
}
