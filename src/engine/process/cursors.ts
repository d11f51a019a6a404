// Seals and opens cursors with the secret of the database. A cursor belongs to one operation, one org and one credential;
// rotation keeps the credential's id, so a cursor outlives its key's text.
import { hideCursor, opaqueName, openCursor, revealCursor, sealCursor } from '../../query/cursor.ts';
import type { Transaction } from '../../store/database.ts';
import { readCursorSecret } from '../../store/org/cursor-secret.ts';
import type { Session } from './session.ts';

export interface Cursors {
  seal(session: Session, scope: readonly string[], place: string): Promise<string>;
  /** Where the page ended; undefined when the text is no cursor of this session and scope. */
  open(session: Session, scope: readonly string[], cursor: string): Promise<string | undefined>;
  /** The same for the change feed: bound to the org alone, and unreadable. */
  hide(orgId: number, place: string): Promise<string>;
  reveal(orgId: number, cursor: string): Promise<string | undefined>;
  /** The names under which entries of the feed are told, by their numbers. */
  entryNames(orgId: number): Promise<(seq: string) => string>;
  /** Has the secret read again: a restored database has that of the one it was made from. */
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
    hide: async (orgId, place) => hideCursor(await secret(), ['listChanges', String(orgId)], place),
    reveal: async (orgId, cursor) => revealCursor(await secret(), ['listChanges', String(orgId)], cursor),
    entryNames: async (orgId) => {
      const known = await secret();
      return (seq) => opaqueName(known, ['change', String(orgId), seq]);
    },
    forget: () => {
      reading = undefined;
    },
  };
}
