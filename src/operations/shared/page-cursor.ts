// Cursors of lists and queries: sealed, and bound to a scope, an org and a key. The scope names the operation and everything
// that decides which entries come in which order.
import type { Fault } from '../../base/problem.ts';
import type { Call } from '../../engine/process/call.ts';

/** Most pages have neither a cursor nor a next page, so the scope is made when it is needed. */
export type Scope = () => readonly string[];

/** The cursor that leads to the next page; null if there is none. */
export async function nextCursor(
  { engine, session }: Call,
  scope: Scope,
  place: string | undefined,
): Promise<string | null> {
  return place === undefined ? null : engine.cursors.seal(session, scope(), place);
}

/** The place where the previous page ended. Undefined without a cursor, and for an invalid one, which is refused. */
export async function openCursor<Place>(
  { engine, session }: Call,
  scope: Scope,
  cursor: string | undefined,
  parse: (text: string) => Place | undefined,
  refuse: (fault: Fault) => void,
): Promise<Place | undefined> {
  if (cursor === undefined) return undefined;
  const text = await engine.cursors.open(session, scope(), cursor);
  const place = text === undefined ? undefined : parse(text);
  if (place === undefined) {
    const detail = 'This is not a cursor that this operation gave to this key. Start again without a cursor.';
    refuse({ reason: 'invalid_cursor', detail });
  }
  return place;
}
