// The two cookies of signing in. That of a session only fetches bearers; that of a sign-in with an OpenID provider lasts until
// the person comes back from there. No script can read them, and nothing but /auth does.
import type { IncomingMessage } from 'node:http';
import { bounds } from '../../base/limits.ts';

type CookieName = 'session' | 'oidc';

/** The provider sends the person back from its own site, and a strict cookie would not come along. */
const sites: Readonly<Record<CookieName, string>> = { session: 'Strict', oidc: 'Lax' };
const ages: Readonly<Record<CookieName, number>> = {
  session: bounds.signIn.sessionSeconds,
  oidc: bounds.signIn.oidcStartedSeconds,
};

const paths: Readonly<Record<CookieName, string>> = { session: '/auth', oidc: '/' };

/**
 * Over https nobody on the way can set such a cookie: the name says so, and browsers hold to it. With `__Host-` no other host of
 * the same domain can either, but that takes the path `/`.
 */
const prefixes: Readonly<Record<CookieName, string>> = { session: '__Secure-', oidc: '__Host-' };

function nameOf(cookie: CookieName, origin: string): string {
  return `${isSecure(origin) ? prefixes[cookie] : ''}orrery_${cookie}`;
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:');
}

/** The value of the cookie. If it was sent twice, somebody else has set one of them, and neither counts. */
export function readCookie(request: IncomingMessage, cookie: CookieName, origin: string): string | undefined {
  const name = `${nameOf(cookie, origin)}=`;
  const sent = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
  const values = sent.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length));
  return values.length === 1 ? values[0] : undefined;
}

/** The header that sets a cookie. Values are texts of our own, which need no quoting. */
export function setCookie(cookie: CookieName, origin: string, value: string): string {
  return written(cookie, origin, value, ages[cookie]);
}

export function clearCookie(cookie: CookieName, origin: string): string {
  return written(cookie, origin, '', 0);
}

function written(cookie: CookieName, origin: string, value: string, seconds: number): string {
  const secure = isSecure(origin) ? '; Secure' : '';
  return `${nameOf(cookie, origin)}=${value}; Path=${paths[cookie]}; Max-Age=${seconds}; HttpOnly; SameSite=${sites[cookie]}${secure}`;
}
