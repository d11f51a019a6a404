// A session: who calls, in which org, with which narrowed catalog. Everything below works on the session; only the key
// decides the org. A session holds nothing of a single request.
import type { Caller, Reach } from '../../access/caller.ts';
import { readGrants } from '../../access/grant.ts';
import type { RatePolicy } from '../../access/rate-limit.ts';
import type { IdSequence } from '../../base/id.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import type { Credential } from '../../store/org/credentials.ts';
import type { Org } from '../../store/org/orgs.ts';

export interface Session {
  readonly caller: Caller;
  /** The types that exist for the caller. Every name in a request is looked up here and nowhere else. */
  readonly catalog: Catalog;
  /** The types that exist in the org: for rules that hold for every caller, never to find what a request names. */
  readonly orgCatalog: Catalog;
  readonly orgTypes: ReadonlyMap<number, ObjectType>;
  readonly policy: RatePolicy;
  /** The bytes that the org may store; null if any number. */
  readonly storageQuota: number | null;
  /** The life of the database in which the org was loaded (see `Directory`). */
  readonly life: number;
  /** Makes the ids of the org's records. */
  readonly ids: IdSequence;
  /** Whether the caller sees definitions of the schema that are not records yet. */
  readonly lacksDefinitions: boolean;
}

/** The part of a loaded org that all its sessions share. */
export interface LoadedOrg {
  readonly org: Pick<Org, 'orgId' | 'rateQuota' | 'rateWindowSeconds' | 'storageQuota'>;
  readonly catalog: Catalog;
  readonly typesById: ReadonlyMap<number, ObjectType>;
  readonly life: number;
  readonly ids: IdSequence;
  /** Whether the definitions of its schema are records. */
  readonly recorded: boolean;
}

export function sessionFor(
  { org, catalog, typesById, life, ids, recorded }: LoadedOrg,
  caller: Caller,
  narrowed: Catalog,
): Session {
  const policy: RatePolicy = { name: 'org', quota: org.rateQuota, windowSeconds: org.rateWindowSeconds };
  const { storageQuota } = org;
  const lacksDefinitions =
    !recorded && [...narrowed.objectTypes.values()].some(({ id }) => definitionTypeIds.includes(id));
  const types = { catalog: narrowed, orgCatalog: catalog, orgTypes: typesById };
  return { caller, ...types, policy, storageQuota, life, ids, lacksDefinitions };
}

export function callerOf(orgId: number, credential: Credential): Caller {
  return {
    orgId,
    credentialId: credential.credentialId,
    ...(credential.recordId === null ? {} : { recordId: credential.recordId }),
    credentialName: credential.name,
    expiresAt: credential.expiresAt,
    userId: credential.userId,
    reach: credential.reach as Reach,
    grants: readGrants(credential.grants),
  };
}
