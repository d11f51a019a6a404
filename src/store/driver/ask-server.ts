// Asks a server which one it is, by a new connection that is closed at once.
import pg, { type ClientConfig } from 'pg';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { errorCode } from '../pg-error.ts';

export interface ServerState {
  /** Of two servers behind one address, and of two lives of one server, each has its own. */
  readonly server: string;
  /** Not so a standby. */
  readonly takesWrites: boolean;
}

/** What a connection is asked when it begins. The moment at which a server has started tells it from any other, in any time zone. */
export const serverState = `select extract(epoch from pg_postmaster_start_time())::text as server,
  not pg_is_in_recovery() as "takesWrites"`;

/** Silence if nothing answers in time. That a server is down, or refuses the connection, is an answer too. */
export type Answer = ServerState | 'refusal' | 'silence';

/** What else is to be known of an answer. */
interface Listener {
  /** Why the server cannot be connected to. */
  refused(error: unknown): void;
  /** Asks something more. */
  answered(client: pg.Client, state: ServerState): Promise<void>;
}

export async function askServer(connection: ClientConfig, listener?: Listener): Promise<Answer> {
  const client = new pg.Client({
    ...connection,
    application_name: 'orrery',
    connectionTimeoutMillis: bounds.store.askMs,
  });
  // The attempt reports its own error; without a listener a later one would end the process.
  client.on('error', () => {});
  const asking = client
    .connect()
    .then(() => client.query<ServerState>(serverState))
    .then(async ({ rows: [state] }): Promise<Answer> => {
      if (state !== undefined) await listener?.answered(client, state);
      return state ?? 'refusal';
    })
    .catch((error: unknown): Answer => {
      listener?.refused(error);
      return isSilence(error) ? 'silence' : 'refusal';
    });
  const answer = await within(bounds.store.askMs, asking);
  await within(bounds.store.askMs, client.end());
  return answer ?? 'silence';
}

/** A frozen server accepts no more connections once its queue of them is full. */
function isSilence(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined ? String(error).includes('timeout expired') : ['ETIMEDOUT', 'EAGAIN'].includes(code);
}
