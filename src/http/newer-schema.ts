// The session of a request, when the schema of its org changes under it: other processes can change it at any time.
import { keyMissing } from '../engine/process/authenticate.ts';
import type { Engine } from '../engine/process/engine.ts';
import { mayBeStale } from '../engine/process/schema-changed.ts';
import type { Session } from '../engine/process/session.ts';
import type { HttpContext } from './context.ts';

/** What has the session of a request, and the key that it was opened with. */
interface Holder {
  readonly exchange: { session: Session | undefined };
  readonly key: string;
}

export function sessionOf({ session }: Holder['exchange']): Session {
  if (session === undefined) throw keyMissing();
  return session;
}

/** How often a request is run again because the schema has changed meanwhile. */
const changesMet = 5;

/** Gives the request a newer schema, if that may be why it was refused; throws the error if not. */
export async function renewOrThrow(engine: Engine, holder: Holder, error: unknown, changes: number): Promise<void> {
  if (changes >= changesMet || !mayBeStale(error)) throw error;
  if ((await newerSession(engine, holder)) === undefined) throw error;
}

/** The session with the schema as it is now, which the request has from now on; undefined if it has it already. */
export async function newerSession(engine: Engine, { exchange, key }: Holder): Promise<Session | undefined> {
  const session = sessionOf(exchange);
  const known = await engine.directory.findNewest(session.caller.orgId);
  if (known === undefined || known.catalog === session.orgCatalog) return undefined;
  exchange.session = await engine.sessions.renew(key);
  return exchange.session;
}

/** Writes the definitions that the caller sees and that are not records yet. */
export async function completeSession({ engine, definitions }: HttpContext, { exchange, key }: Holder): Promise<void> {
  await definitions.record(sessionOf(exchange));
  exchange.session = await engine.sessions.renew(key);
}
