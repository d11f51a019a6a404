// Questions to the servers of the cluster, each by a connection of its own and within a bound.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const askMs = 1_000;
const pauseMs = 100;

/** The rows of one statement, as the superuser. */
export async function query(port, text, { values = [], database = 'postgres', ms = askMs } = {}) {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database,
    connectionTimeoutMillis: ms,
    query_timeout: ms,
  });
  // The statement that waits reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, values)).rows;
  } finally {
    // A server that hangs does not say goodbye.
    client.connection.stream.destroy();
  }
}

/** The server that answers at a port, if it takes writes. Of two lives of one server, each has its own name. */
export async function primaryAt(port) {
  const text = `select inet_server_port() || ' since ' || pg_postmaster_start_time() as name
    where not pg_is_in_recovery()`;
  const rows = await query(port, text).catch(() => []);
  return rows[0]?.name;
}

/** What Patroni says of its cluster. */
export async function askPatroni(port) {
  const signal = AbortSignal.timeout(askMs);
  const response = await fetch(`http://127.0.0.1:${port}/cluster`, { signal });
  return (await response.json()).members;
}

/** What `look` finds, as soon as it finds anything. */
export async function until(what, ms, signal, look) {
  const giveUpMs = performance.now() + ms;
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpMs) throw new NeverCame(what, ms);
    await sleep(pauseMs);
  }
}

export class NeverCame extends Error {
  constructor(what, ms) {
    super(`${what} within ${ms / 1_000} s`);
  }
}

/** Below those that the system gives to connections: one of these could be taken before its server has started. */
const firstPort = 20_000;
const lastPort = 32_000;

/** Free ports of this machine, each another one. */
export async function freePorts(count) {
  const ports = new Set();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries === 100) throw new Error('This machine has no free ports.');
    const port = randomInt(firstPort, lastPort);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port) {
  const listener = createServer();
  return new Promise((resolve) => {
    listener.once('error', () => resolve(false));
    listener.listen({ host: '127.0.0.1', port }, () => listener.close(() => resolve(true)));
  });
}
