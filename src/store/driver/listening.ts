// A connection that only listens for notifications. It ends when another server takes writes instead of its own, of which it would
// hear nothing. Its end is reported once; to hear more, open another.
import pg from 'pg';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { ListenEvents, Listening } from '../database.ts';
import { NoAnswer, toConnectionProblem } from '../pg-error.ts';
import { type ServerState, serverState } from './ask-server.ts';
import { breakConnection } from './pooled-connection.ts';
import type { Pulse } from './pulse.ts';
import { type Reach, reached } from './reach.ts';

export function openListening(reach: Reach, pulse: Pulse, channel: string, on: ListenEvents): Promise<Listening> {
  return reached(reach, (connection) => listen(connection, pulse, channel, on)).catch((error: unknown) => {
    throw toConnectionProblem(error);
  });
}

/** A standby refuses to listen. */
async function listen(
  connection: pg.ClientConfig,
  pulse: Pulse,
  channel: string,
  on: ListenEvents,
): Promise<Listening> {
  const client = new pg.Client({
    ...connection,
    application_name: 'orrery',
    keepAlive: true,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
  });
  let over = false;
  let unwatch = () => {};
  const end = () => {
    unwatch();
    if (!over) on.ended();
    over = true;
  };
  client.on('error', end);
  client.on('end', end);
  client.on('notification', ({ payload }) => on.notified(payload ?? ''));
  const close = async () => {
    over = true;
    unwatch();
    await within(bounds.store.poolCloseMs, client.end());
  };
  try {
    const opening = beginListening(client, channel);
    // An error that comes too late is ignored.
    opening.catch(() => {});
    const state = await within(bounds.store.poolWaitMs, opening);
    if (state === undefined) throw new NoAnswer();
    unwatch = pulse.last(state, () => breakConnection(client));
    if (over) unwatch();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return { close };
}

async function beginListening(client: pg.Client, channel: string): Promise<ServerState> {
  await client.connect();
  const { rows } = await client.query<ServerState>(serverState);
  const [state] = rows;
  if (state === undefined) throw new TypeError('The state of a server is one row.');
  await client.query(`listen ${client.escapeIdentifier(channel)}`);
  return state;
}
