// Seals and opens cursors with the secret of the database. A cursor belongs to one scope, which the caller of these
// functions chooses, one org and one credential. Rotating a key keeps the credential's id, so its cursors stay valid.
import { hideCursor, opaqueNames, openCursor, revealCursor, sealCursor } from '../../query/cursor.ts';
import type { Transaction } from '../../store/database.ts';
import { readCursorSecret } from '../../store/org/cursor-secret.ts';
import type { Session } from './session.ts';

export interface Cursors {
  seal(session: Session, scope: readonly string[], place: string): Promise<string>;
  /** The place where the page ended; undefined if the text is not a cursor of this session and scope. */
  open(session: Session, scope: readonly string[], cursor: string): Promise<string | undefined>;
  /** The same for the change feed: the cursor is valid for every key of the org, and encrypted. */
  hide(orgId: number, scope: readonly string[], place: string): Promise<string>;
  reveal(orgId: number, scope: readonly string[], cursor: string): Promise<string | undefined>;
  /** Turns the number of a feed entry into a name from which nothing can be learned. */
  entryNames(orgId: number): Promise<(seq: string) => string>;
  /** Makes the next call read the secret again: a restored database has the secret of the backup. */
  forget(): void;
}

export function openCursors(database: Transaction): Cursors {
  let reading: Promise<Buffer> | undefined;
  const secret = (): Promise<Buffer> => {
    reading ??= readCursorSecret(database).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const bindingOf = ({ caller }: Session, scope: readonly string[]) => [
    String(caller.orgId),
    caller.credentialId,
    ...scope,
  ];
  return {
    seal: async (session, scope, place) => sealCursor(await secret(), bindingOf(session, scope), place),
    open: async (session, scope, cursor) => openCursor(await secret(), bindingOf(session, scope), cursor),
    hide: async (orgId, scope, place) => hideCursor(await secret(), [...scope, String(orgId)], place),
    reveal: async (orgId, scope, cursor) => revealCursor(await secret(), [...scope, String(orgId)], cursor),
    entryNames: async (orgId) => opaqueNames(await secret(), ['change', String(orgId)]),
    forget: () => {
      reading = undefined;
    },
  };
}
