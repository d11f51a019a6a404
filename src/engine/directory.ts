// The orgs that this process has met, each with its catalog and credentials, cached. The epoch keeps the cache fresh:
// whatever changes in an org, the whole org is forgotten and read again when it is next asked for.

import type { Grant } from '../access/grant.ts';
import { narrow } from '../access/narrow.ts';
import type { Clock } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';
import { buildCatalog, builtinCatalog, type Catalog } from '../schema/catalog.ts';
import { emptyCustomSchema } from '../schema/custom-schema.ts';
import { type Credential, findCredential } from '../store/credentials.ts';
import { findCustomSchema } from '../store/custom-schemas.ts';
import type { Database } from '../store/database.ts';
import { findOrg, type Org } from '../store/orgs.ts';
import { watchEpoch } from './epoch.ts';

export interface KnownOrg {
  readonly org: Org;
  readonly catalog: Catalog;
  /** The narrowed catalog for these grants; credentials with equal grants share one. */
  narrowed(grants: readonly Grant[]): Catalog;
  credential(credentialId: string): Promise<Credential | undefined>;
}

export interface Directory {
  /** The org as it was at most a second ago; undefined when there is none of that number. */
  find(orgId: number): Promise<KnownOrg | undefined>;
}

export function openDirectory(database: Database, clock: Clock): Directory {
  const orgs = new Map<number, Promise<KnownOrg | undefined>>();
  const epoch = watchEpoch(database, clock, (orgId) => orgs.delete(orgId));

  return {
    find: async (orgId) => {
      await epoch.settled();
      const known = orgs.get(orgId);
      if (known !== undefined) return known;
      // The promise stands in the map while it loads: a change that commits meanwhile removes it, never the reverse.
      const loading = loadOrg(database, orgId);
      dropOldest(orgs, bounds.cachedCatalogs);
      orgs.set(orgId, loading);
      const forget = () => {
        if (orgs.get(orgId) === loading) orgs.delete(orgId);
      };
      loading.then((org) => {
        if (org === undefined) forget();
      }, forget);
      return loading;
    },
  };
}

async function loadOrg(database: Database, orgId: number): Promise<KnownOrg | undefined> {
  const org = await findOrg(database, orgId);
  if (org === undefined) return undefined;
  const custom = await findCustomSchema(database, orgId);
  const catalog = custom === emptyCustomSchema ? builtinCatalog : buildCatalog(custom);
  const narrowed = new Map<string, Catalog>();
  const credentials = new Map<string, Promise<Credential | undefined>>();
  return {
    org,
    catalog,
    narrowed: (grants) => {
      const key = JSON.stringify(grants);
      const known = narrowed.get(key);
      if (known !== undefined) return known;
      const fresh = narrow(catalog, grants);
      dropOldest(narrowed, bounds.cachedCatalogs);
      narrowed.set(key, fresh);
      return fresh;
    },
    credential: (credentialId) => {
      const known = credentials.get(credentialId);
      if (known !== undefined) return known;
      const loading = findCredential(database, orgId, credentialId);
      dropOldest(credentials, bounds.cachedCredentials);
      credentials.set(credentialId, loading);
      // Neither a fault nor an unknown id is remembered: a key that is made in a moment must work at once.
      const forget = () => credentials.delete(credentialId);
      loading.then((credential) => {
        if (credential === undefined) forget();
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
