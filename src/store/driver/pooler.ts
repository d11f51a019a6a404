// Proves that a connection through a pooler has a session of its own. In session pooling it keeps one connection to the server
// from its beginning to its end. In transaction and statement pooling the next statement may run on another, where prepared
// statements, settings, locks and temporary tables of the session are missing, or are those of somebody else. A pooler does
// not say how it pools, and an ordinary client cannot ask it, so this looks at what it does.
import pg from 'pg';
import { within } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import type { ServerState } from './ask-server.ts';
import type { Reach } from './reach.ts';

/** The checks under way. Sessions that begin meanwhile share the answer: each check takes a second connection. */
const underWay = new WeakMap<Reach, Promise<void>>();

/** Fails unless sessions through the pooler are kept, as the one of this client shows. */
export function requireSessions(client: pg.ClientBase, reach: Reach, state: ServerState): Promise<void> {
  const check = underWay.get(reach) ?? requireOwnSession(client, reach, state).finally(() => underWay.delete(reach));
  underWay.set(reach, check);
  return check;
}

async function requireOwnSession(
  client: pg.ClientBase,
  { connection, place }: Reach,
  { takesWrites }: ServerState,
): Promise<void> {
  const other = new pg.Client({ ...connection, application_name: 'orrery' });
  // The attempt reports its own error; without a listener a later one would end the process.
  other.on('error', () => {});
  try {
    const proof = other.connect().then(async () => {
      return (await keepsProcess(client, other)) && (!takesWrites || (await hearsWhileIdle(client, other)));
    });
    const isOwn = await within(bounds.store.poolerMs, proof);
    if (isOwn === undefined) throw poolTooSmall(place);
    if (!isOwn) throw sessionShared(place);
  } finally {
    await within(bounds.store.askMs, other.end());
  }
}

/** A process may end and another one get its number. */
const serverProcess = `
  select concat(pid, ' ', backend_start) as process from pg_stat_activity where pid = pg_backend_pid()`;

async function processOf(client: pg.ClientBase): Promise<string | undefined> {
  return (await client.query<{ readonly process: string }>(serverProcess)).rows[0]?.process;
}

/**
 * Whether each of the two has a process of the server to itself. A pooler that shares them usually gives out first the one that was
 * used last, which the other client then gets, or the one that was not used for longest, which differs from question to question.
 */
async function keepsProcess(client: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  const own = await processOf(client);
  if ((await processOf(other)) === own) return false;
  return (await processOf(client)) === own && (await processOf(client)) === own;
}

/**
 * Whether a notification reaches a client that asks nothing: only in a session that is kept for it. This needs no luck, even if others
 * use the pool, or a balancer leads the two clients to two poolers.
 */
async function hearsWhileIdle(client: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  const channel = `orrery_session_${newId()}`;
  let isHeard = false;
  const heard = new Promise<void>((resolve) => {
    client.on('notification', () => {
      isHeard = true;
      resolve();
    });
  });
  await client.query(`listen "${channel}"`);
  await other.query(`select pg_notify($1, '')`, [channel]);
  await within(bounds.store.notificationMs, heard);
  // A session that was slow sends what it has for this client before it answers.
  if (!isHeard) await processOf(client);
  await client.query('unlisten *');
  client.removeAllListeners('notification');
  return isHeard;
}

function sessionShared(place: string): Failure {
  return new Failure(
    'database_unsuitable',
    `The connection pooler at ${place} shares server connections between its clients (transaction or statement pooling), but Orrery needs session pooling.`,
    'Set pool_mode = session in the pooler, or let the database address name the PostgreSQL server itself.',
  );
}

function poolTooSmall(place: string): Failure {
  return new Failure(
    'database_unreachable',
    `The connection pooler at ${place} did not provide a second connection within ${bounds.store.poolerMs / 1_000} seconds, but Orrery needs several at once.`,
    'Raise default_pool_size in the pooler, or let the database address name the PostgreSQL server itself.',
  );
}
