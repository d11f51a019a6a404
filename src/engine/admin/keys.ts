// Issues, rotates, revokes and lists keys. The secret of a key is returned once and never stored; its digest is.
import { digestOf, newCredentialId, newKey, parseCredentialId } from '../../access/api-key.ts';
import type { Reach } from '../../access/caller.ts';
import { type Grant, unknownTypes } from '../../access/grant.ts';
import { Failure } from '../../base/failure.ts';
import { nearest } from '../../base/nearest.ts';
import { buildCatalog } from '../../schema/custom/build-catalog.ts';
import type { Database, Transaction } from '../../store/database.ts';
import {
  type Credential,
  insertCredential,
  insertSecret,
  listCredentials,
  lockCredential,
  retireSecrets,
  revokeCredential,
} from '../../store/org/credentials.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { findUser, listOrgs } from '../../store/org/orgs.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { requireOrg } from './orgs.ts';

export interface IssuedKey {
  readonly credentialId: string;
  /** The secret: shown once and never stored. */
  readonly key: string;
}

interface KeyRequest {
  readonly orgId: number;
  readonly name: string;
  readonly userId: string | null;
  readonly reach: Reach;
  readonly grants: readonly Grant[];
  readonly expiresAt: Date | null;
}

export async function issueKey(database: Database, request: KeyRequest): Promise<IssuedKey> {
  const credentialId = newCredentialId(request.orgId);
  const key = newKey(credentialId);
  await database.transaction(async (transaction) => {
    await requireOrg(transaction, request.orgId);
    await checkUser(transaction, request);
    await checkGrants(transaction, request);
    await insertCredential(transaction, { ...request, credentialId });
    await insertSecret(transaction, request.orgId, credentialId, digestOf(key));
    await raiseRevision(transaction, request.orgId);
  });
  return { credentialId, key };
}

/** Issues a new secret for a key; the old one works for the grace period. */
export async function rotateKey(database: Database, credentialId: string, graceSeconds: number): Promise<IssuedKey> {
  const key = newKey(credentialId);
  await changeCredential(database, credentialId, async (transaction, orgId, { ended }) => {
    if (ended) {
      const fix = `Create a new one with "orrery key create --org ${orgId}".`;
      throw new Failure('not_found', `The key ${credentialId} was revoked or has expired.`, fix);
    }
    await retireSecrets(transaction, orgId, credentialId, graceSeconds);
    await insertSecret(transaction, orgId, credentialId, digestOf(key));
  });
  return { credentialId, key };
}

export async function revokeKey(database: Database, credentialId: string): Promise<void> {
  await changeCredential(database, credentialId, (transaction, orgId) =>
    revokeCredential(transaction, orgId, credentialId),
  );
}

/** The keys of one org, or of all orgs one after the other: no statement spans orgs. */
export async function listKeys(database: Database, orgId: number | undefined): Promise<readonly Credential[]> {
  if (orgId !== undefined) {
    await requireOrg(database, orgId);
    return listCredentials(database, orgId);
  }
  const lists: Credential[] = [];
  for (const org of await listOrgs(database)) lists.push(...(await listCredentials(database, org.orgId)));
  return lists;
}

async function changeCredential(
  database: Database,
  credentialId: string,
  change: (transaction: Transaction, orgId: number, state: { readonly ended: boolean }) => Promise<void>,
): Promise<void> {
  const address = parseCredentialId(credentialId);
  await database.transaction(async (transaction) => {
    const locked = address && (await lockCredential(transaction, address.orgId, credentialId));
    if (address === undefined || locked === undefined) {
      throw new Failure('not_found', `There is no key with the id ${credentialId}.`, 'See "orrery key list".');
    }
    await change(transaction, address.orgId, locked);
    await raiseRevision(transaction, address.orgId);
  });
}

async function checkUser(transaction: Transaction, { orgId, userId, reach }: KeyRequest): Promise<void> {
  if (userId === null && reach === 'user') {
    throw new Failure('usage', 'A key with reach "user" needs a user.', 'Name one with --user, or use --reach org.');
  }
  if (userId !== null && (await findUser(transaction, orgId, userId)) === undefined) {
    throw new Failure(
      'not_found',
      `Org ${orgId} has no user ${userId}.`,
      `See "orrery user list --org ${orgId}", or create one with "orrery user create".`,
    );
  }
}

async function checkGrants(transaction: Transaction, { orgId, grants }: KeyRequest): Promise<void> {
  const catalog = buildCatalog(await findCustomSchema(transaction, orgId));
  const [unknown] = grants.flatMap((grant) => unknownTypes(grant, catalog));
  if (unknown === undefined) return;
  const near = nearest(unknown, catalog.objectTypes.keys());
  throw new Failure(
    'not_found',
    `Org ${orgId} has no object type "${unknown}" to grant.`,
    near === undefined ? `"orrery types --org ${orgId}" lists all types.` : `Did you mean "${near}"?`,
  );
}
