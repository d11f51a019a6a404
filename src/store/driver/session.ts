// How a session begins, whatever it is for: the server says which one it is, a pooler has to show that it keeps sessions, and the
// settings are made. They are made by a statement, because a pooler refuses or ignores those that come with the connection.
import type pg from 'pg';
import { distributedSettings, findDistributed, hasCitus } from '../cluster/session.ts';
import { beginLife, hasLives } from '../feed/lives.ts';
import { isDiskFull } from '../pg-error.ts';
import { type ServerState, serverState } from './ask-server.ts';
import { requireSessions } from './pooler.ts';
import { NoWrites, type Reach } from './reach.ts';

/** By the names of PostgreSQL. What this server does not know is left out. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Only superusers and roles with a grant may limit temporary files (`doctor` names the grant), and a limit that the server has
 * already stays as it is, unless there shall be none.
 */
const applySettings = `
  select set_config(name, value, false) from unnest($1::text[], $2::text[]) as wanted (name, value)
  where current_setting(name, true) is not null and (name <> 'temp_file_limit'
    or '-1' in (value, current_setting(name)) and has_parameter_privilege(name, 'SET'))`;

/** A session that has begun: its server, and whether our tables are distributed over several. */
export interface Session extends ServerState {
  readonly isDistributed: boolean;
}

interface FirstAnswer extends ServerState {
  readonly pid: number;
  readonly hasLives: boolean;
  readonly hasCitus: boolean;
}

export async function beginSession(client: pg.ClientBase, reach: Reach, settings: SessionSettings): Promise<Session> {
  const { rows } = await client.query<FirstAnswer>(
    `${serverState}, pg_backend_pid() as pid, ${hasLives} as "hasLives", ${hasCitus} as "hasCitus"`,
  );
  const [state] = rows;
  if (state === undefined) throw new TypeError('The state of a server is one row.');
  if (reach.takesWrites && !state.takesWrites) throw new NoWrites();
  // A server gives its process with the connection, and a pooler gives a number of its own.
  if (processOf(client) !== state.pid) await requireSessions(client, reach, state);
  const isDistributed = state.hasCitus && (await findDistributed(client));
  const all = isDistributed ? { ...settings, ...distributedSettings } : settings;
  await client.query(applySettings, [Object.keys(all), Object.values(all)]);
  if (state.takesWrites && state.hasLives) await ensureLife(client);
  return { ...state, isDistributed };
}

/** On a full disk much can still be read, but no cursor of the feed is given out. */
async function ensureLife(client: pg.ClientBase): Promise<void> {
  await client.query(beginLife).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error;
  });
}

/** The driver's types do not list it. */
function processOf(client: pg.ClientBase): number | null {
  return (client as unknown as { readonly processID: number | null }).processID;
}
