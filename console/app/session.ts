// Who is signed in. The bearer is in the memory of this page alone; shortly before it ends, the cookie fetches the next one.
import { useSyncExternalStore } from 'react';
import { texts } from '../text/texts.ts';
import { auth, Refused, type SignedIn } from './auth.ts';

export type SessionState =
  | { readonly phase: 'starting' }
  | { readonly phase: 'unreachable'; readonly message: string }
  /** The notice says what happened before. */
  | { readonly phase: 'signed-out'; readonly notice: string | undefined }
  /** Somebody has opened a link: nothing happens until they agree. */
  | { readonly phase: 'link'; readonly token: string; readonly before: SignedIn | null }
  /** `ended` says why the session is over: the page stays as it is, and asks to sign in again. */
  | { readonly phase: 'signed-in'; readonly who: SignedIn; readonly ended?: string };

/** A bearer is replaced when it has less than this left: a request may take a while. */
const spareMs = 120_000;

let state: SessionState = { phase: 'starting' };
let fetching: Promise<string> | undefined;
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

/** The org of the address; undefined where the service has one. */
export function orgOfAddress(): number | undefined {
  return Number(new URLSearchParams(location.search).get('org')) || undefined;
}

/** What follows # in the address, once: it must not stay in the history. */
function takeFragment(): { readonly token: string | null; readonly notice: string | undefined } {
  const said = new URLSearchParams(location.hash.slice(1));
  const [token, outcome] = [said.get('link'), said.get('sign-in')];
  if (token !== null || outcome !== null) history.replaceState(null, '', location.pathname + location.search);
  return {
    token,
    notice: outcome === null ? undefined : (texts.outcomes as Readonly<Record<string, string>>)[outcome],
  };
}

export async function startSession(): Promise<void> {
  const { token, notice } = takeFragment();
  try {
    const who = await auth.bearer();
    const wanted = orgOfAddress();
    if (token !== null) become({ phase: 'link', token, before: who });
    else if (who === null) become({ phase: 'signed-out', notice });
    else if (wanted !== undefined && wanted !== who.org_id) {
      become({ phase: 'signed-out', notice: texts.signedInElsewhere(who.org_id) });
    } else become({ phase: 'signed-in', who });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    become({ phase: 'unreachable', message: error.message });
  }
}

export function enter(who: SignedIn): void {
  become({ phase: 'signed-in', who });
}

export function leave(notice?: string): void {
  become({ phase: 'signed-out', notice });
}

/**
 * The session of this bearer is over, and nobody has asked for that: what was typed stays. A refusal that comes late, after
 * somebody has signed in again, is not about the session that there is now.
 */
export function expire(refused: string): void {
  if (state.phase === 'signed-in' && state.who.bearer === refused) become({ ...state, ended: texts.sessionEnded });
}

/** Keeps the session that there was, without opening the link. */
export function stay(before: SignedIn): void {
  become({ phase: 'signed-in', who: before });
}

/** A bearer that lasts long enough for a request. All who ask meanwhile wait for the same one. */
export async function bearer(): Promise<string> {
  if (state.phase !== 'signed-in' || state.ended !== undefined) throw new Refused(texts.notSignedIn, 'session_ended');
  const { who } = state;
  if (Date.parse(who.expires_at) - Date.now() > spareMs) return who.bearer;
  fetching ??= nextBearer(who.bearer).finally(() => {
    fetching = undefined;
  });
  return fetching;
}

async function nextBearer(before: string): Promise<string> {
  const next = await auth.bearer();
  if (next === null) {
    expire(before);
    throw new Refused(texts.sessionEnded, 'session_ended');
  }
  become({ phase: 'signed-in', who: next });
  return next.bearer;
}
