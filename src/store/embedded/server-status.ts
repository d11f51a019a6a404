// Asks the server behind the socket whether it runs and who uses it. Every question has its own connection, whose name
// distinguishes a process that is starting from one that is leaving.
import pg from 'pg';
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
type ServerStatus = 'ready' | 'busy' | 'silent' | 'absent';

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
    await query(folder, 'orrery opening', 'select 1');
    return 'ready';
  } catch (error) {
    const { code } = error as { code?: string };
    // 57P03 is cannot_connect_now; 53300, too_many_connections, comes from a running server.
    if (code === '57P03') return 'busy';
    if (code === '53300') return 'ready';
    return (await isPostmasterOf(lock.pid, folder.cluster)) ? 'silent' : 'absent';
  }
}

/** How many connections others have. Processes that are leaving do not count each other. */
export async function countClients(folder: DataFolder): Promise<number> {
  return count(folder, `application_name <> '${closingName}'`);
}

/** How many connections others have that are not processes of Orrery, such as psql. */
export async function countStrangers(folder: DataFolder): Promise<number> {
  return count(folder, "application_name not like 'orrery%'");
}

async function count(folder: DataFolder, condition: string): Promise<number> {
  const text = `select count(*)::int as clients from pg_stat_activity where backend_type = 'client backend' and ${condition}`;
  const rows = await query(folder, closingName, text);
  return (rows[0] as { clients: number }).clients;
}

async function query(folder: DataFolder, applicationName: string, text: string): Promise<unknown[]> {
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
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end().catch(() => undefined);
  }
}
