// The orgs that this process has met, each with its catalog and credentials, cached. The revision keeps the
// cache fresh: after any change of an org, the whole org is forgotten and read again when it is next asked for.

import type { Grant } from '../../access/grant.ts';
import { narrow } from '../../access/narrow.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { type Catalog, withIndexes } from '../../schema/catalog.ts';
import { buildCatalog, builtinCatalog } from '../../schema/custom/build-catalog.ts';
import { emptyCustomSchema } from '../../schema/custom/custom-schema.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Transaction } from '../../store/database.ts';
import { type Credential, findCredential } from '../../store/org/credentials.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { findOrg, type Org } from '../../store/org/orgs.ts';
import { findIndexes } from '../../store/query/property-indexes.ts';
import { watchRevision } from './revision-watch.ts';

export interface KnownOrg {
  readonly org: Org;
  readonly catalog: Catalog;
  readonly typesById: ReadonlyMap<number, ObjectType>;
  /** The narrowed catalog for these grants; credentials with equal grants share one. */
  narrowed(grants: readonly Grant[]): Catalog;
  credential(credentialId: string): Credential | Promise<Credential | undefined>;
}

export interface Directory {
  /** The org as it was at most a second ago; undefined when there is none of that number. */
  find(orgId: number): KnownOrg | Promise<KnownOrg | undefined>;
  /** Whether what was found before still holds: not after the database was replaced by a backup. As fresh as `find`. */
  holds(found: Pick<KnownOrg, 'typesById'>): boolean | Promise<boolean>;
}

/** `forgetMore` is told when nothing that was known holds any more, because the database was replaced. */
export function openDirectory(database: Transaction, clock: Clock, forgetMore: () => void = () => {}): Directory {
  const orgs = new Map<number, KnownOrg>();
  const loading = new Map<number, Promise<KnownOrg | undefined>>();
  const forget = (orgId: number) => {
    orgs.delete(orgId);
    loading.delete(orgId);
  };
  // What was found before the database was replaced is told by the number of the life in which it was.
  let life = 0;
  const lives = new WeakMap<KnownOrg['typesById'], number>();
  const forgetAll = () => {
    life++;
    orgs.clear();
    loading.clear();
    forgetMore();
  };
  const revision = watchRevision(database, clock, forget, forgetAll);

  const load = (orgId: number): Promise<KnownOrg | undefined> => {
    const begunIn = life;
    const started = loadOrg(database, orgId).then((org) => {
      if (org !== undefined) lives.set(org.typesById, begunIn);
      // A change that committed meanwhile has taken the entry away: what was read may be older than it. An org that
      // does not exist is not remembered, so that made-up keys cannot push real orgs out.
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

  return {
    find: (orgId) => {
      const fresh = revision.fresh();
      const find = () => orgs.get(orgId) ?? loading.get(orgId) ?? load(orgId);
      return fresh === undefined ? find() : fresh.then(find);
    },
    holds: ({ typesById }) => {
      const fresh = revision.fresh();
      const compare = () => (lives.get(typesById) ?? life) === life;
      return fresh === undefined ? compare() : fresh.then(compare);
    },
  };
}

async function loadOrg(database: Transaction, orgId: number): Promise<KnownOrg | undefined> {
  const org = await findOrg(database, orgId);
  if (org === undefined) return undefined;
  const custom = await findCustomSchema(database, orgId);
  const declared = custom === emptyCustomSchema ? builtinCatalog : buildCatalog(custom);
  const catalog = withIndexes(declared, await findIndexes(database, orgId));
  const narrowed = new Map<string, Catalog>();
  const credentials = new Map<string, Credential | Promise<Credential | undefined>>();
  return {
    org,
    catalog,
    typesById: new Map([...catalog.objectTypes.values()].map((type) => [type.id, type])),
    narrowed: (grants) => {
      const key = JSON.stringify(grants);
      const known = narrowed.get(key);
      if (known !== undefined) return known;
      const fresh = narrow(catalog, grants);
      dropOldest(narrowed, bounds.engine.cachedCatalogsPerOrg);
      narrowed.set(key, fresh);
      return fresh;
    },
    credential: (credentialId) => {
      const known = credentials.get(credentialId);
      if (known !== undefined) return known;
      const loading = findCredential(database, orgId, credentialId);
      dropOldest(credentials, bounds.engine.cachedCredentialsPerOrg);
      credentials.set(credentialId, loading);
      // Neither a fault nor an unknown id is remembered: a key that is made in a moment must work at once.
      const forget = () => credentials.delete(credentialId);
      loading.then((credential) => {
        if (credential === undefined) forget();
        else if (credentials.get(credentialId) === loading) credentials.set(credentialId, credential);
      }, forget);
      return loading;
    },
  };
}

/** Makes room for one more entry. Maps keep the order of insertion, so the first is the oldest. */
function dropOldest<K, V>(map: Map<K, V>, bound: number): void {
  if (map.size < bound) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
