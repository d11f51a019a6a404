// From a key's text to a session: who calls, in which org, with which narrowed catalog. Everything below works on the
// session; nothing but the key decides the org.
import { digestOf, type KeyAddress, parseKey, sameDigest } from '../../access/api-key.ts';
import type { Caller, Reach } from '../../access/caller.ts';
import type { Grant, GrantOperation } from '../../access/grant.ts';
import type { RatePolicy } from '../../access/rate-limit.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Credential } from '../../store/org/credentials.ts';
import type { Directory, KnownOrg } from './directory.ts';

export interface Session {
  readonly caller: Caller;
  /** What exists for the caller. Every name in a request is looked up here and nowhere else. */
  readonly catalog: Catalog;
  /** What exists in the org: for rules that must hold whoever calls, never to find what a request names. */
  readonly orgCatalog: Catalog;
  readonly orgTypes: ReadonlyMap<number, ObjectType>;
  readonly policy: RatePolicy;
}

export interface Sessions {
  /** The session of a key; throws a Problem that says what is wrong with it. */
  open(key: string): Session | Promise<Session>;
  /** The same for one that was opened before, as the credential is now. */
  renew(session: Session): Promise<Session>;
}

/** What a key's text says, and its digest. */
interface ReadKey extends KeyAddress {
  readonly digest: Buffer;
}

export function openSessions(directory: Directory, clock: Clock): Sessions {
  // Keys that were right a moment ago: to read and hash one again would tell nothing new.
  const read = new Map<string, ReadKey>();
  return {
    open: (text) => {
      const key = read.get(text) ?? readKey(text);
      return after(directory.find(key.orgId), (known) =>
        after(known?.credential(key.credentialId), (credential) => {
          const session = admit(known, credential, key, clock.nowMs());
          if (!read.has(text)) {
            if (read.size >= bounds.engine.knownKeys) read.clear();
            read.set(text, key);
          }
          return session;
        }),
      );
    },
    renew: async ({ caller }) => {
      const known = await directory.find(caller.orgId);
      const credential = await known?.credential(caller.credentialId);
      if (known === undefined || credential === undefined) throw unknownKey();
      requireValid(credential, clock.nowMs());
      return sessionOf(known, credential);
    },
  };
}

/** Goes on at once with what is there at once: most keys are known, and each wait would cost a turn. */
function after<T, R>(value: T | Promise<T>, go: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(go) : go(value);
}

function readKey(text: string): ReadKey {
  const address = parseKey(text);
  if (address !== undefined) return { ...address, digest: digestOf(text) };
  throw refused('key_malformed', 'The key is not of the form svc_live_…, or a character of it is wrong.');
}

function admit(
  known: KnownOrg | undefined,
  credential: Credential | undefined,
  { digest }: ReadKey,
  nowMs: number,
): Session {
  const secret = credential === undefined ? undefined : matchingSecret(credential, digest);
  // A wrong secret reads like an absent key, revoked or not: only the holder learns what became of it.
  if (known === undefined || credential === undefined || secret === undefined) {
    throw unknownKey();
  }
  requireValid(credential, nowMs);
  if (secret.validUntil !== null && secret.validUntil.getTime() <= nowMs) {
    throw refused('key_expired', 'This key was rotated, and the grace period of its old text is over.');
  }
  return sessionOf(known, credential);
}

function unknownKey(): Problem {
  return refused('key_unknown', 'There is no such key. Make one with "orrery key create".');
}

function requireValid({ revokedAt, expiresAt }: Credential, nowMs: number): void {
  if (revokedAt !== null) throw refused('key_revoked', 'This key was revoked. Use another one.');
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) {
    throw refused('key_expired', `This key expired on ${expiresAt.toISOString()}.`);
  }
}

/** Sessions hold nothing of a single request, so a credential has one for as long as it is cached. */
const sessions = new WeakMap<Credential, Session>();

function sessionOf(known: KnownOrg, credential: Credential): Session {
  const { org } = known;
  const standing = sessions.get(credential);
  if (standing !== undefined) return standing;
  const grants: readonly Grant[] = credential.grants.map((grant) => ({
    objectTypes: grant.objectTypes,
    operations: grant.operations as readonly GrantOperation[],
  }));
  const caller: Caller = {
    orgId: org.orgId,
    credentialId: credential.credentialId,
    credentialName: credential.name,
    expiresAt: credential.expiresAt,
    userId: credential.userId,
    reach: credential.reach as Reach,
    grants,
  };
  const policy: RatePolicy = { name: 'org', quota: org.rateQuota, windowSeconds: org.rateWindowSeconds };
  const { catalog: orgCatalog, typesById: orgTypes } = known;
  const session = { caller, catalog: known.narrowed(grants), orgCatalog, orgTypes, policy };
  sessions.set(credential, session);
  return session;
}

function matchingSecret(credential: Credential, digest: Buffer) {
  return credential.secrets.find((secret) => sameDigest(secret.digest, digest));
}

export function keyMissing(): Problem {
  return refused('key_missing', 'Send your key in the header "Authorization: Bearer <key>".');
}

function refused(
  reason: 'key_missing' | 'key_malformed' | 'key_unknown' | 'key_revoked' | 'key_expired',
  detail: string,
): Problem {
  return new Problem('unauthenticated', reason, detail);
}
