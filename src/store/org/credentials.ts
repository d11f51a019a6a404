// Credentials with their secrets and grants. A look-up names org and credential, so it reads one place. The engine
// decides whether a secret matches, in constant time. Whatever is closed is also noted in `closed_key`, so that no restore
// opens it again.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

export interface Credential {
  readonly orgId: number;
  readonly credentialId: string;
  readonly name: string;
  readonly userId: string | null;
  readonly reach: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly secrets: readonly StoredSecret[];
  readonly grants: readonly StoredGrant[];
}

interface StoredSecret {
  readonly digest: Buffer;
  readonly validUntil: Date | null;
}

interface StoredGrant {
  readonly objectTypes: readonly string[];
  readonly operations: readonly string[];
}

export async function insertCredential(
  transaction: Transaction,
  credential: Pick<Credential, 'orgId' | 'credentialId' | 'name' | 'userId' | 'reach' | 'expiresAt' | 'grants'>,
): Promise<void> {
  const { orgId, credentialId, name, userId, reach, expiresAt, grants } = credential;
  await transaction.query(sql`
    insert into orrery.credential (org_id, credential_id, name, user_id, reach, expires_at)
    values (${orgId}, ${credentialId}, ${name}, ${userId}, ${reach}, ${expiresAt})`);
  for (const [position, grant] of grants.entries()) {
    await transaction.query(sql`
      insert into orrery.grant (org_id, credential_id, position, object_types, operations)
      values (${orgId}, ${credentialId}, ${position}, ${grant.objectTypes}, ${grant.operations})`);
  }
}

export async function insertSecret(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
  digest: Buffer,
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.secret (org_id, credential_id, digest) values (${orgId}, ${credentialId}, ${digest})`);
}

/**
 * Lets every secret expire at the end of the grace period at the latest, and deletes those that expired a month ago: they
 * are still known as closed.
 */
export async function retireSecrets(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
  graceSeconds: number,
): Promise<void> {
  await transaction.query(sql`
    delete from orrery.secret
    where org_id = ${orgId} and credential_id = ${credentialId} and valid_until < now() - interval '30 days'`);
  await transaction.query(sql`
    update orrery.secret set valid_until = least(valid_until, now() + make_interval(secs => ${graceSeconds}))
    where org_id = ${orgId} and credential_id = ${credentialId}`);
  await transaction.query(sql`
    insert into orrery.closed_key as k (org_id, credential_id, digest, closed_at)
    select org_id, credential_id, digest, valid_until from orrery.secret
    where org_id = ${orgId} and credential_id = ${credentialId}
    on conflict (org_id, credential_id, digest) do update set closed_at = least(k.closed_at, excluded.closed_at)`);
}

/** Locks the credential against another change; undefined when there is none. */
export async function lockCredential(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
): Promise<{ readonly ended: boolean } | undefined> {
  const [row] = await transaction.query<{ ended: boolean }>(sql`
    select revoked_at is not null or coalesce(expires_at <= now(), false) as ended from orrery.credential
    where org_id = ${orgId} and credential_id = ${credentialId} for update`);
  return row;
}

export async function revokeCredential(transaction: Transaction, orgId: number, credentialId: string): Promise<void> {
  await transaction.query(sql`
    update orrery.credential set revoked_at = coalesce(revoked_at, now())
    where org_id = ${orgId} and credential_id = ${credentialId}`);
  await transaction.query(sql`
    insert into orrery.closed_key (org_id, credential_id, digest, closed_at)
    select org_id, credential_id, '', revoked_at from orrery.credential
    where org_id = ${orgId} and credential_id = ${credentialId}
    on conflict do nothing`);
}

export async function touchCredential(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
  usedAt: Date,
): Promise<void> {
  await transaction.query(sql`
    update orrery.credential set last_used_at = greatest(last_used_at, ${usedAt})
    where org_id = ${orgId} and credential_id = ${credentialId}`);
}

interface CredentialRow extends Omit<Credential, 'secrets' | 'grants'> {
  readonly secrets: readonly { readonly digest: string; readonly validUntil: string | null }[];
  readonly grants: readonly StoredGrant[];
}

const credentialColumns = sql`
  c.org_id as "orgId", c.credential_id as "credentialId", c.name, c.user_id as "userId", c.reach,
  c.expires_at as "expiresAt", c.revoked_at as "revokedAt", c.last_used_at as "lastUsedAt", c.created_at as "createdAt",
  coalesce((
    select json_agg(json_build_object('digest', encode(s.digest, 'hex'), 'validUntil', s.valid_until))
    from orrery.secret s where s.org_id = c.org_id and s.credential_id = c.credential_id), '[]') as secrets,
  coalesce((
    select json_agg(json_build_object('objectTypes', g.object_types, 'operations', g.operations) order by g.position)
    from orrery.grant g where g.org_id = c.org_id and g.credential_id = c.credential_id), '[]') as grants`;

/** Those of the credentials that exist. */
export async function findCredentials(
  transaction: Transaction,
  orgId: number,
  credentialIds: readonly string[],
): Promise<readonly Credential[]> {
  const rows = await transaction.query<CredentialRow>(sql`
    select ${credentialColumns} from orrery.credential c
    where c.org_id = ${orgId} and c.credential_id = any (${ids(credentialIds)}::text[])`);
  return rows.map(toCredential);
}

export async function findCredential(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
): Promise<Credential | undefined> {
  const [row] = await transaction.query<CredentialRow>(sql`
    select ${credentialColumns} from orrery.credential c
    where c.org_id = ${orgId} and c.credential_id = ${credentialId}`);
  return row === undefined ? undefined : toCredential(row);
}

/** The credentials of one org. */
export async function listCredentials(transaction: Transaction, orgId: number): Promise<readonly Credential[]> {
  const rows = await transaction.query<CredentialRow>(sql`
    select ${credentialColumns} from orrery.credential c
    where c.org_id = ${orgId} order by c.created_at, c.credential_id`);
  return rows.map(toCredential);
}

function toCredential(row: CredentialRow): Credential {
  return {
    ...row,
    secrets: row.secrets.map((secret) => ({
      digest: Buffer.from(secret.digest, 'hex'),
      validUntil: secret.validUntil === null ? null : new Date(secret.validUntil),
    })),
  };
}
