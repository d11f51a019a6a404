// Credentials, as requests are checked by them. A key has a record, the member that it acts for, and the digests of its
// secrets; of sessions, see `session-credentials`.
// A look-up names org and credential, so it reads one place. The engine decides whether a secret matches, in constant
// time. Whatever is closed is also noted in `closed_key`, so that no restore opens it again.
import { type Sql, sql } from '../../base/sql.ts';
import { platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

/**
 * A key that was deleted, or whose member was, is revoked; one whose member is not active is suspended. A session can also have
 * ended, and its member can be without a role.
 */
type Standing = 'valid' | 'suspended' | 'revoked' | 'ended' | 'without_role';

export interface Credential {
  readonly orgId: number;
  readonly credentialId: string;
  /** The id of its record; null for a session. */
  readonly recordId: string | null;
  readonly name: string;
  readonly userId: string | null;
  readonly reach: string;
  readonly grants: readonly string[];
  readonly expiresAt: Date | null;
  readonly standing: Standing;
  readonly secrets: readonly StoredSecret[];
}

interface StoredSecret {
  readonly digest: Buffer;
  readonly validUntil: Date | null;
}

export interface NewSecret {
  readonly credentialId: string;
  readonly recordId: string;
  readonly digest: Buffer;
}

export async function insertSecret(transaction: Transaction, orgId: number, secret: NewSecret): Promise<void> {
  await transaction.query(sql`
    insert into orrery.secret (org_id, credential_id, record_id, digest)
    values (${orgId}, ${secret.credentialId}, ${secret.recordId}, ${secret.digest})`);
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

/** Remembers that the keys are revoked. Their secrets stay: whoever has one is told what happened to the key. */
export async function closeKeys(
  transaction: Transaction,
  orgId: number,
  credentialIds: readonly string[],
): Promise<void> {
  for (const credentialId of credentialIds) {
    await transaction.query(sql`
      insert into orrery.closed_key (org_id, credential_id, digest, closed_at) values (${orgId}, ${credentialId}, '', now())
      on conflict do nothing`);
  }
}

interface CredentialRow {
  readonly orgId: number;
  readonly credentialId: string;
  readonly recordId: string;
  readonly key: KeyValues | null;
  readonly userId: string | null;
  readonly member: { readonly svc_active?: boolean } | null;
  readonly secrets: readonly { readonly digest: string; readonly validUntil: string | null }[];
}

interface KeyValues {
  readonly svc_name: string;
  readonly svc_reach: string;
  readonly svc_grants: readonly string[];
  readonly svc_expires_at?: string;
}

/** Those of the keys that exist, or existed: their secrets outlive their records. */
export async function findKeys(
  transaction: Transaction,
  orgId: number,
  credentialIds: readonly string[],
): Promise<readonly Credential[]> {
  const rows = await transaction.query<CredentialRow>(keysNamed(orgId, credentialIds));
  return rows.map(toCredential);
}

function keysNamed(orgId: number, credentialIds: readonly string[]): Sql {
  return sql`
    select s.*, k.properties as key, l.target_id as "userId", m.properties as member from (
      select s.org_id as "orgId", s.credential_id as "credentialId", s.record_id as "recordId",
        json_agg(json_build_object('digest', encode(s.digest, 'hex'), 'validUntil', s.valid_until)) as secrets
      from orrery.secret as s
      where s.org_id = ${orgId} and s.credential_id = any (${ids(credentialIds)}::text[])
      group by s.org_id, s.credential_id, s.record_id) as s
    left join orrery.record as k on k.org_id = ${orgId} and k.type_id = ${platformTypes.accessKey} and k.id = s."recordId"
    left join orrery.association as l on l.org_id = ${orgId} and l.source_id = s."recordId"
      and l.association_type_id = ${platformLinks.keyToMember}
    left join orrery.record as m on m.org_id = ${orgId} and m.type_id = ${platformTypes.member} and m.id = l.target_id`;
}

function toCredential({ orgId, credentialId, recordId, key, userId, member, secrets }: CredentialRow): Credential {
  return {
    orgId,
    credentialId,
    recordId,
    name: key?.svc_name ?? '',
    userId,
    reach: key?.svc_reach ?? 'user',
    grants: key?.svc_grants ?? [],
    expiresAt: dateOf(key?.svc_expires_at),
    standing: standingOf(key, userId, member),
    secrets: secrets.map((secret) => ({
      digest: Buffer.from(secret.digest, 'hex'),
      validUntil: secret.validUntil === null ? null : new Date(secret.validUntil),
    })),
  };
}

function standingOf(key: CredentialRow['key'], userId: string | null, member: CredentialRow['member']): Standing {
  if (key === null || (userId !== null && member === null)) return 'revoked';
  return member?.svc_active === false ? 'suspended' : 'valid';
}

/** A key as the operator sees it. */
export interface ListedKey extends Omit<Credential, 'secrets' | 'standing' | 'recordId'> {
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

interface ListedRow {
  readonly key: KeyValues & {
    readonly svc_key_id: string;
    readonly svc_created_at: string;
    readonly svc_last_used_at?: string;
  };
  readonly userId: string | null;
  readonly revokedAt: Date | null;
}

/** The keys of one org, the revoked ones that are still in the trash included. */
export async function listKeys(transaction: Transaction, orgId: number): Promise<readonly ListedKey[]> {
  const rows = await transaction.query<ListedRow>(sql`
    select k.properties as key, k.revoked_at as "revokedAt", l.target_id as "userId" from (
      select r.id, r.properties, null::timestamptz as revoked_at from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${platformTypes.accessKey}
      union all
      select t.id, t.properties, t.deleted_at from orrery.trash as t
      where t.org_id = ${orgId} and t.type_id = ${platformTypes.accessKey}) as k
    left join orrery.association as l on l.org_id = ${orgId} and l.source_id = k.id
      and l.association_type_id = ${platformLinks.keyToMember}
    order by k.id`);
  return rows.map(({ key, userId, revokedAt }) => ({
    orgId,
    credentialId: key.svc_key_id,
    name: key.svc_name,
    userId,
    reach: key.svc_reach,
    grants: key.svc_grants,
    expiresAt: dateOf(key.svc_expires_at),
    createdAt: new Date(key.svc_created_at),
    lastUsedAt: dateOf(key.svc_last_used_at),
    revokedAt,
  }));
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

/** The record of a key, whether it is live or in the trash. */
export async function locateKey(
  transaction: Transaction,
  orgId: number,
  credentialId: string,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ id: string }>(sql`
    select s.record_id as id from orrery.secret as s
    where s.org_id = ${orgId} and s.credential_id = ${credentialId} limit 1`);
  return row?.id;
}
