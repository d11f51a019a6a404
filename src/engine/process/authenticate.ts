// From the text of a key, or of the bearer of somebody who has signed in, to a session; or to a Problem that says why it is
// refused.
import type { KeyAddress } from '../../access/api-key.ts';
import { digestOf, sameDigest } from '../../access/secret-text.ts';
import { isSessionId, parseCredential } from '../../access/sign-in-text.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem, type problemCodes } from '../../base/problem.ts';
import type { Credential } from '../../store/org/credentials.ts';
import type { KeyLookups } from '../shares/key-lookups.ts';
import type { CachingDirectory, KnownCredential } from './directory.ts';
import type { Session } from './session.ts';

export interface Sessions {
  /** The session of a key that came from the address; throws a Problem that says why the key is refused. */
  open(key: string, address: string): Session | Promise<Session>;
  /** The session of a key that was accepted before, as it is now; throws if its secret or the whole key has ended. */
  renew(key: string): Session | Promise<Session>;
}

/** The address in a key's text, and the digest of the text. */
interface ReadKey extends KeyAddress {
  readonly digest: Buffer;
}

export function openSessions(directory: CachingDirectory, lookups: KeyLookups, clock: Clock): Sessions {
  // Keys that were accepted before: reading and hashing one again would give the same result.
  const accepted = new Map<string, ReadKey>();
  const openAccepted = (key: ReadKey) =>
    after(directory.find(key.orgId), (known) =>
      after(known?.credential(key.credentialId), (credential) => admit(credential, key, clock.nowMs())),
    );

  /** Anybody can invent a key, so one that is new to this process must not take anything from those that it knows. */
  const openNew = (key: ReadKey, address: string) =>
    after(directory.cached(key.orgId), (known) => {
      const credential = known?.cachedCredential(key.credentialId);
      // A session gets a new bearer every few minutes; a key gets a new secret when the org changes, and is read again then.
      const mayBeNew = isSessionId(key.credentialId) && credential && secretOf(credential.stored, key) === undefined;
      return credential === undefined || mayBeNew ? lookUp(key, address) : admit(credential, key, clock.nowMs());
    });
  const lookUp = async (key: ReadKey, address: string): Promise<Session> => {
    const stored = await lookups.find(key, address);
    if (stored === undefined || secretOf(stored, key) === undefined) throw unknownKey();
    const known = await directory.find(key.orgId);
    const cached = await known?.credential(key.credentialId);
    // It was read before the secret was made.
    if (cached !== undefined && secretOf(cached.stored, key) === undefined) known?.forgetCredential(key.credentialId);
    return openAccepted(key);
  };

  /** The new keys that are being looked up: requests with the same one share the look-up. */
  const opening = new Map<string, Promise<Session>>();
  const openFirst = (text: string, address: string): Session | Promise<Session> => {
    const key = readKey(text);
    const opened = after(openNew(key, address), (session) => {
      if (accepted.size >= bounds.engine.knownKeys) accepted.clear();
      accepted.set(text, key);
      return session;
    });
    if (opened instanceof Promise) {
      opening.set(text, opened);
      const ended = () => opening.delete(text);
      opened.then(ended, ended);
    }
    return opened;
  };

  return {
    open: (text, address) => {
      const known = accepted.get(text);
      return known === undefined ? (opening.get(text) ?? openFirst(text, address)) : openAccepted(known);
    },
    // Not as `open`: a key that was accepted must not wait among those that anybody could have invented.
    renew: (text) => openAccepted(accepted.get(text) ?? readKey(text)),
  };
}

/** Continues at once with a value that is not a promise: most keys are cached, and each await would cost a turn. */
function after<T, R>(value: T | Promise<T>, go: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(go) : go(value);
}

function readKey(text: string): ReadKey {
  const address = parseCredential(text);
  if (address !== undefined) return { ...address, digest: digestOf(text) };
  throw refused('key_malformed', 'The key is not of the form svc_live_…, or one of its characters is wrong.');
}

function secretOf({ secrets }: Credential, { digest }: ReadKey): Credential['secrets'][number] | undefined {
  return secrets.find((each) => sameDigest(each.digest, digest));
}

function admit(credential: KnownCredential | undefined, key: ReadKey, nowMs: number): Session {
  const secret = credential && secretOf(credential.stored, key);
  // A wrong secret is answered like an unknown key, revoked or not: only the holder learns what happened to the key.
  if (credential === undefined || secret === undefined) throw unknownKey();
  requireValid(credential.stored, nowMs);
  if (secret.validUntil !== null && secret.validUntil.getTime() <= nowMs) {
    throw isSessionId(key.credentialId)
      ? refused('key_expired', 'This bearer has expired. Fetch the next one with POST /auth/bearer.')
      : refused('key_expired', 'This key was rotated, and the grace period of its old secret is over.');
  }
  return credential.session();
}

function unknownKey(): Problem {
  return refused('key_unknown', 'There is no such key. Create one with "orrery key create".');
}

function requireValid({ standing, expiresAt }: Credential, nowMs: number): void {
  if (standing === 'revoked') throw refused('key_revoked', 'This key was revoked. Use another one.');
  if (standing === 'suspended') {
    throw refused('key_revoked', 'The member for whom this key acts is not active. Ask an administrator.');
  }
  if (standing === 'ended') throw refused('session_ended', 'This session has ended. Sign in again.');
  if (standing === 'without_role') {
    throw refused('session_ended', 'You have no role in this org any more. Ask an administrator.');
  }
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) {
    throw refused('key_expired', `This key expired on ${expiresAt.toISOString()}.`);
  }
}

export function keyMissing(): Problem {
  return refused('key_missing', 'Send your key in the header "Authorization: Bearer <key>".');
}

function refused(reason: (typeof problemCodes)['unauthenticated']['reasons'][number], detail: string): Problem {
  return new Problem('unauthenticated', reason, detail);
}
