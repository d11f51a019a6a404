// The orgs that this process has served, each with its catalog and credentials, cached. The revision keeps the
// cache fresh: after any change of an org, the whole org is forgotten and read again when it is next asked for.

import type { Grant } from '../../access/grant.ts';
import { narrow } from '../../access/narrow.ts';
import type { Clock } from '../../base/clock.ts';
import { dropOldest } from '../../base/drop-oldest.ts';
import { firstIdAt, IdSequence } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { type Catalog, withIndexes } from '../../schema/catalog.ts';
import { buildCatalog, builtinCatalog } from '../../schema/custom/build-catalog.ts';
import { emptyCustomSchema } from '../../schema/custom/custom-schema.ts';
import { isRecorded } from '../../schema/custom/vocabulary.ts';
import type { Transaction } from '../../store/database.ts';
import type { Credential } from '../../store/org/credentials.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { findOrg, type Org } from '../../store/org/orgs.ts';
import { unavailable } from '../../store/pg-error.ts';
import { findIndexes } from '../../store/query/property-indexes.ts';
import { findNewestId } from '../../store/records/newest-id.ts';
import { findCredentials } from '../shares/key-lookups.ts';
import type { DatabaseClock } from './database-clock.ts';
import { watchRevision } from './revision-watch.ts';
import { callerOf, type LoadedOrg, type Session, sessionFor } from './session.ts';

export interface KnownOrg extends LoadedOrg {
  readonly org: Org;
  credential(credentialId: string): KnownCredential | Promise<KnownCredential | undefined>;
  /** The same, if this process has it. */
  cachedCredential(credentialId: string): KnownCredential | undefined;
  /** Reads the credential again when it is next asked for: it has a secret that this process does not know. */
  forgetCredential(credentialId: string): void;
}

export interface KnownCredential {
  readonly stored: Credential;
  /** The same session for as long as the credential is cached; made when a key is first accepted. */
  session(): Session;
}

export interface Directory {
  /** The org as it was at most a second ago; undefined if no org has that number. */
  find(orgId: number): KnownOrg | Promise<KnownOrg | undefined>;
  /** Reads the org again when it is next asked for, because this process has changed it. */
  forget(orgId: number): void;
  /** The org as it is now: asked when something is not known that may have come within the last second. */
  findNewest(orgId: number): Promise<KnownOrg | undefined>;
  /** Whether the database still has the life in which an org was loaded: a restore or a recovery begins a new one. As fresh as `find`. */
  isAlive(life: number): boolean | Promise<boolean>;
}

export interface CachingDirectory extends Directory {
  /** The org, if this process has it in its cache. As fresh as `find`. */
  cached(orgId: number): KnownOrg | undefined | Promise<KnownOrg | undefined>;
}

interface DirectoryOptions {
  /** Connections for the revision. */
  readonly central?: Transaction;
  /** Whether the rows of the org are known to be out of reach. */
  readonly isAway?: (orgId: number) => boolean;
  /** Called when the database was replaced or recovered, so that nothing that was cached is valid. */
  readonly forgetMore?: () => void;
}

export function openDirectory(
  database: Transaction,
  clock: Clock | DatabaseClock,
  { central = database, isAway = () => false, forgetMore = () => {} }: DirectoryOptions = {},
): CachingDirectory {
  const orgs = new Map<number, KnownOrg>();
  const loading = new Map<number, Promise<KnownOrg | undefined>>();
  const forgetOrgs = () => {
    orgs.clear();
    loading.clear();
  };
  // Counts how often the database was replaced or recovered: orgs that were loaded in an earlier life are not valid.
  let life = 0;
  const forget = (orgId: number) => {
    orgs.delete(orgId);
    loading.delete(orgId);
  };
  const revision = watchRevision(central, clock, {
    orgChanged: forget,
    replaced: () => {
      life++;
      forgetOrgs();
      forgetMore();
    },
    // Other processes may have made ids that are ahead of the clock now. They are found when the org is loaded again.
    setBack: forgetOrgs,
  });
  const sequenceOf = openSequences(database, clock);

  const load = (orgId: number): Promise<KnownOrg | undefined> => {
    const started = loadOrg(database, orgId, life, sequenceOf).then((org) => {
      // A change that was committed meanwhile has removed the entry: the org that was read may be older. An org that
      // does not exist is not cached, so that invented keys cannot evict real orgs.
      if (org !== undefined && loading.get(orgId) === started) {
        dropOldest(orgs, bounds.engine.cachedOrgs);
        orgs.set(orgId, org);
      }
      return org;
    });
    loading.set(orgId, started);
    const ended = () => {
      if (loading.get(orgId) === started) loading.delete(orgId);
    };
    started.then(ended, ended);
    return started;
  };

  const found = (orgId: number) => orgs.get(orgId) ?? loading.get(orgId) ?? (isAway(orgId) ? refuse() : load(orgId));
  const whenFresh = <Now, Later>(go: () => Now | Promise<Later>): Now | Promise<Now | Later> => {
    const fresh = revision.fresh();
    return fresh === undefined ? go() : fresh.then<Now | Later>(go);
  };
  return {
    find: (orgId) => whenFresh(() => found(orgId)),
    findNewest: (orgId) => revision.newest().then(() => found(orgId)),
    cached: (orgId) => whenFresh(() => orgs.get(orgId)),
    forget,
    isAlive: (loadedIn) => whenFresh(() => loadedIn === life),
  };
}

function refuse(): Promise<never> {
  return Promise.reject(unavailable());
}

type SequenceOf = (orgId: number, typeIds: Iterable<number>) => Promise<IdSequence>;

/**
 * The ids of each org, which come after all that are stored. What other processes make later is newer by the clock that all
 * share. A sequence is kept when its org is forgotten, because ids that this process has made may not be stored yet.
 */
function openSequences(database: Transaction, clock: Clock): SequenceOf {
  const sequences = new Map<number, IdSequence>();
  return async (orgId, typeIds) => {
    const before = firstIdAt(clock.nowMs() + bounds.engine.idsAheadMs);
    const newest = await findNewestId(database, orgId, [...typeIds], before);
    const sequence = sequences.get(orgId) ?? new IdSequence(clock);
    if (newest !== undefined) sequence.follow(newest);
    if (!sequences.has(orgId)) dropOldest(sequences, bounds.engine.cachedOrgs);
    sequences.set(orgId, sequence);
    return sequence;
  };
}

async function loadOrg(
  database: Transaction,
  orgId: number,
  life: number,
  sequenceOf: SequenceOf,
): Promise<KnownOrg | undefined> {
  const org = await findOrg(database, orgId);
  if (org === undefined) return undefined;
  const custom = await findCustomSchema(database, orgId);
  const declared = custom === emptyCustomSchema ? builtinCatalog : buildCatalog(custom);
  const catalog = withIndexes(declared, await findIndexes(database, orgId));
  const typesById = new Map([...catalog.objectTypes.values()].map((type) => [type.id, type]));
  const ids = await sequenceOf(orgId, typesById.keys());
  const loaded = { org, catalog, typesById, life, ids, recorded: isRecorded(custom) };
  const catalogs = narrowedCatalogs(catalog);
  const credentials = new Map<string, KnownCredential | Promise<KnownCredential | undefined>>();
  return {
    ...loaded,
    credential: (credentialId) => {
      const known = credentials.get(credentialId);
      if (known !== undefined) return known;
      const loading = findCredentials(database, orgId, [credentialId]).then(
        ([stored]) => stored && knownCredential(loaded, stored, catalogs),
      );
      dropOldest(credentials, bounds.engine.cachedCredentialsPerOrg);
      credentials.set(credentialId, loading);
      // Neither an error nor an unknown id is cached: a key that is created next must work at once.
      const forget = () => {
        if (credentials.get(credentialId) === loading) credentials.delete(credentialId);
      };
      loading.then((credential) => {
        if (credential === undefined) forget();
        else if (credentials.get(credentialId) === loading) credentials.set(credentialId, credential);
      }, forget);
      return loading;
    },
    cachedCredential: (credentialId) => {
      const known = credentials.get(credentialId);
      return known instanceof Promise ? undefined : known;
    },
    forgetCredential: (credentialId) => {
      credentials.delete(credentialId);
    },
  };
}

function knownCredential(
  loaded: LoadedOrg,
  stored: Credential,
  catalogOf: (grants: readonly Grant[]) => Catalog,
): KnownCredential {
  let session: Session | undefined;
  return {
    stored,
    session: () => {
      if (session !== undefined) return session;
      const caller = callerOf(loaded.org.orgId, stored);
      session = sessionFor(loaded, caller, catalogOf(caller.grants));
      return session;
    },
  };
}

/** The narrowed catalog for grants; credentials with equal grants share one. */
function narrowedCatalogs(catalog: Catalog): (grants: readonly Grant[]) => Catalog {
  const narrowed = new Map<string, Catalog>();
  return (grants) => {
    const key = JSON.stringify(grants);
    const known = narrowed.get(key);
    if (known !== undefined) return known;
    const fresh = narrow(catalog, grants);
    dropOldest(narrowed, bounds.engine.cachedCatalogsPerOrg);
    narrowed.set(key, fresh);
    return fresh;
  };
}
