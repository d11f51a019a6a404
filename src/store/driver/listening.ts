// A connection that only listens for notifications. Its end is reported once; to hear more, open another.
import pg from 'pg';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { ListenEvents, Listening } from '../database.ts';
import { NoAnswer, toConnectionProblem } from '../pg-error.ts';
import { type Reach, reached } from './reach.ts';

export function openListening(reach: Reach, channel: string, on: ListenEvents): Promise<Listening> {
  return reached(reach, (connection) => listen(connection, channel, on)).catch((error: unknown) => {
    throw toConnectionProblem(error);
  });
}

/** A standby refuses to listen. */
async function listen(connection: pg.ClientConfig, channel: string, on: ListenEvents): Promise<Listening> {
  const client = new pg.Client({
    ...connection,
    application_name: 'orrery',
    keepAlive: true,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
  });
  let over = false;
  const end = () => {
    if (!over) on.ended();
    over = true;
  };
  client.on('error', end);
  client.on('end', end);
  client.on('notification', ({ payload }) => on.notified(payload ?? ''));
  const close = async () => {
    over = true;
    await within(bounds.store.poolCloseMs, client.end());
  };
  try {
    const opening = client.connect().then(() => client.query(`listen ${client.escapeIdentifier(channel)}`));
    // An error that comes too late is ignored.
    opening.catch(() => {});
    if ((await within(bounds.store.poolWaitMs, opening)) === undefined) throw new NoAnswer();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return { close };
}
