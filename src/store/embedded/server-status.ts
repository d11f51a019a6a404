// Asks the server behind the socket whether it runs and who uses it. Every question has its own connection, whose name
// distinguishes a process that is starting from one that is leaving.
import pg from 'pg';
import { beginLife, hasLives } from '../feed/lives.ts';
import { databaseName, databaseUser } from './cluster.ts';
import type { DataFolder } from './data-folder.ts';
import { readLockFile } from './lock-file.ts';
import { isPostmasterOf } from './running-process.ts';
import { socketFolderOf, socketPort } from './socket-folder.ts';

export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Explicit, because pg would take it from PGSSLMODE otherwise. */
  readonly ssl: false;
}

/**
 * `busy`: a server says that it is starting, recovering or shutting down. `silent`: its process runs, but nothing
 * answers on the socket. `absent`: a server may be started.
 */
type ServerStatus = Ready | 'busy' | 'silent' | 'absent';

/** A server that answered; undefined if it had no connection left to say when. */
export interface Ready {
  readonly answeredAt: string | undefined;
}

const connectTimeoutMs = 5_000;
const closingName = 'orrery closing';

export function connectionOf(folder: DataFolder): Connection {
  const host = socketFolderOf(folder.path);
  return { host, port: socketPort, user: databaseUser, database: databaseName, ssl: false };
}

export async function readServerStatus(folder: DataFolder): Promise<ServerStatus> {
  const lock = await readLockFile(folder.cluster);
  // Without a lock file there is no server: this saves an attempt to connect.
  if (lock === undefined) return 'absent';
  try {
    const [row] = await query(folder, 'orrery opening', 'select clock_timestamp()::text as "answeredAt"');
    return row as Ready;
  } catch (error) {
    const { code } = error as { code?: string };
    // 57P03 is cannot_connect_now; 53300, too_many_connections, comes from a running server.
    if (code === '57P03') return 'busy';
    if (code === '53300') return { answeredAt: undefined };
    return (await isPostmasterOf(lock.pid, folder.cluster)) ? 'silent' : 'absent';
  }
}

/** How many connections there are, and how many of them are older. Processes that are leaving do not count each other. */
export async function countClients(
  folder: DataFolder,
  than: string | undefined,
): Promise<{ readonly clients: number; readonly older: number }> {
  const [row] = await query(
    folder,
    closingName,
    `select count(*)::int as clients, count(*) filter (where backend_start < $1::timestamptz)::int as older
      from ${clients} and application_name <> '${closingName}'`,
    [than ?? null],
  );
  return row as { clients: number; older: number };
}

/** How many connections others have that are not processes of Orrery, such as psql. */
export async function countStrangers(folder: DataFolder): Promise<number> {
  const text = `select count(*)::int as strangers from ${clients} and application_name not like 'orrery%'`;
  const [row] = await query(folder, closingName, text);
  return (row as { strangers: number }).strangers;
}

/** Begins the life of the log that a recovery calls for: once the server was stopped, it does not tell how far that went. */
export async function noteRecovery(folder: DataFolder): Promise<void> {
  const [row] = await query(folder, closingName, `select ${hasLives} as "hasLives"`);
  if ((row as { hasLives: boolean }).hasLives) await query(folder, closingName, beginLife);
}

const clients = "pg_stat_activity where backend_type = 'client backend'";

async function query(
  folder: DataFolder,
  applicationName: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  const client = new pg.Client({
    ...connectionOf(folder),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  // The server may stop at any moment; without a listener that would end our process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(text, [...values])).rows as unknown[];
  } finally {
    await client.end().catch(() => undefined);
  }
}
