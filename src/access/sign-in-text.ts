// The texts of people who sign in: the bearer that the API takes, the cookie that fetches the next bearer, and the token of a
// link. All bearers of a session, and its cookie, have the session's id, which is that of a credential.
import { type KeyAddress, parseKey, toKeyAddress } from './api-key.ts';
import { secretForm } from './secret-text.ts';

/** The first character of the id of a session, by which it differs from that of a key. */
const sessionMark = 's';

export const bearerForm = secretForm('svc_session_', sessionMark);
export const cookieForm = secretForm('', sessionMark);
export const linkForm = secretForm('', 'l');

/** A session's id has one character more than a key's. */
export function isSessionId(credentialId: string): boolean {
  return credentialId.length === 13 && credentialId.startsWith(sessionMark);
}

/** The credential that a key or a bearer names. */
export function parseCredential(text: string): KeyAddress | undefined {
  return parseKey(text) ?? toKeyAddress(bearerForm.parse(text));
}
