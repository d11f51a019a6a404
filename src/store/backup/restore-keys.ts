// Keeps closed what was closed: a backup has keys that were revoked, and secrets that were rotated away, since it was
// made. What the replaced database knows of them is joined with what the backup knows, and applied to the restored keys.
import { raw, type Sql, sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { OwnConnection } from '../database.ts';
import { ids } from '../row-parameters.ts';
import { copyReplaced, copySchema } from './restore-copies.ts';

/** Whether keys and secrets that were closed since the backup was made stay closed, or are as in the backup. */
export type OldKeys = 'stay_closed' | 'come_back';

/** A key that the restore would have opened again: all of it, or an old secret of it. */
export interface KeptClosed {
  readonly orgId: number;
  readonly credentialId: string;
  readonly reason: 'revoked' | 'rotated';
}

/** Called when nobody can change the replaced tables any more, of which the names are given. Returns what would have been opened. */
export async function keepClosed(
  connection: OwnConnection,
  replaced: readonly string[],
  oldKeys: OldKeys,
): Promise<readonly KeptClosed[]> {
  const before = raw(copySchema);
  const tables = replaced.filter((name) => asked.includes(name));
  for (const name of tables) await copyReplaced(connection, name);
  const isKnown = tables.includes('secret');
  // Databases of earlier releases have no list of closed keys, and say of each key whether it is revoked.
  const listed = tables.includes('closed_key') ? listedIn(before) : sql``;
  const revoked = tables.includes('credential') ? revokedIn(before) : sql``;
  const closed = sql`${endedIn(before)} ${revoked} ${listed}`;
  if (oldKeys === 'come_back') {
    // The backup knows best which of its own keys are closed. The others are remembered for the next restore.
    if (isKnown) await learnClosed(connection, closed, notRestored);
    return [];
  }
  if (isKnown) {
    await learnClosed(connection, sql`${closed} ${replacedIn(before)}`, sql`true`);
    await addSecrets(connection, before);
  }
  if (tables.includes('password')) {
    await keepPasswords(connection, before);
    await keepAway(connection, before);
  }
  return closeAgain(connection);
}

/** The replaced tables that know what was closed. */
const asked: readonly string[] = [
  'secret',
  'credential',
  'closed_key',
  'password',
  'former_email',
  'oidc_subject',
  'trash',
];

async function learnClosed(connection: OwnConnection, closed: Sql, condition: Sql): Promise<void> {
  await connection.query(sql`
    insert into orrery.closed_key (org_id, credential_id, digest, closed_at)
    select b.org_id, b.credential_id, b.digest, min(b.closed_at) from (${closed}) as b where ${condition}
    group by b.org_id, b.credential_id, b.digest
    on conflict (org_id, credential_id, digest)
      do update set closed_at = least(closed_key.closed_at, excluded.closed_at)`);
}

const notRestored = sql`not exists (
  select from orrery.secret as c where c.org_id = b.org_id and c.credential_id = b.credential_id)`;

function endedIn(before: Sql): Sql {
  return sql`
    select org_id, credential_id, digest, valid_until as closed_at from ${before}.secret where valid_until is not null`;
}

function revokedIn(before: Sql): Sql {
  return sql`union all
    select org_id, credential_id, ''::bytea, revoked_at from ${before}.credential where revoked_at is not null`;
}

function listedIn(before: Sql): Sql {
  return sql`union all select org_id, credential_id, digest, closed_at from ${before}.closed_key`;
}

/**
 * Restored secrets that a later one had replaced. Releases without a list of closed keys deleted such a secret a month
 * after its end, and remember nothing else of it.
 */
function replacedIn(before: Sql): Sql {
  return sql`
    union all
    select s.org_id, s.credential_id, s.digest, n.created_at from orrery.secret as s
    join ${before}.secret as n on n.org_id = s.org_id and n.credential_id = s.credential_id and n.created_at > s.created_at
    where not exists (
      select from ${before}.secret as o
      where o.org_id = s.org_id and o.credential_id = s.credential_id and o.digest = s.digest)`;
}

/** A key that was rotated since the backup was made keeps its present secrets: the old ones do not come back. */
async function addSecrets(connection: OwnConnection, before: Sql): Promise<void> {
  await connection.query(sql`
    insert into orrery.secret (org_id, credential_id, record_id, digest, valid_until, created_at)
    select s.org_id, s.credential_id, c.record_id, s.digest, s.valid_until, s.created_at from ${before}.secret as s
    join (select distinct org_id, credential_id, record_id from orrery.secret) as c
      on c.org_id = s.org_id and c.credential_id = s.credential_id
    on conflict do nothing`);
}

/** A password that was changed since the backup was made stays changed, and one that was removed with its member is gone. */
async function keepPasswords(connection: OwnConnection, before: Sql): Promise<void> {
  await connection.query(sql`
    delete from orrery.password as p using ${before}.trash as t
    where t.org_id = p.org_id and t.type_id = ${platformTypes.member} and t.id = p.member_id`);
  await connection.query(sql`
    update orrery.password as p set salt = b.salt, cost = b.cost, digest = b.digest, changed_at = b.changed_at
    from ${before}.password as b
    where b.org_id = p.org_id and b.member_id = p.member_id and b.changed_at > p.changed_at`);
}

/** Who was deleted since the backup was made does not come back by signing in, whether the backup knows them or not. */
async function keepAway(connection: OwnConnection, before: Sql): Promise<void> {
  const isOrg = sql`exists (select from orrery.org as o where o.org_id = b.org_id)`;
  await connection.query(sql`
    insert into orrery.former_email (org_id, digest)
    select b.org_id, b.digest from ${before}.former_email as b where ${isOrg} on conflict do nothing`);
  await connection.query(sql`
    insert into orrery.oidc_subject (org_id, issuer, subject, member_id, bound_at)
    select b.org_id, b.issuer, b.subject, b.member_id, b.bound_at from ${before}.oidc_subject as b where ${isOrg}
    on conflict do nothing`);
}

interface RevokedKey extends KeptClosed {
  readonly recordId: string;
}

/** Revoked keys are in the trash, as all that is deleted. */
async function closeAgain(connection: OwnConnection): Promise<readonly KeptClosed[]> {
  const revoked = await connection.query<RevokedKey>(sql`
    with revoked as (
      delete from orrery.record as r using orrery.closed_key as k
      where k.digest = ''::bytea and r.org_id = k.org_id and r.type_id = ${platformTypes.accessKey}
        and r.properties ->> 'svc_key_id' = k.credential_id
      returning r.*, k.closed_at, k.credential_id)
    insert into orrery.trash (org_id, type_id, id, version, updated_at, org_visible, properties, deleted_at)
    select r.org_id, r.type_id, r.id, r.version + 1, r.updated_at, r.org_visible, r.properties, r.closed_at
    from revoked as r
    returning org_id as "orgId", properties ->> 'svc_key_id' as "credentialId", 'revoked' as reason, id as "recordId"`);
  await removeRows(connection, revoked);
  const rotated = await connection.query<KeptClosed>(sql`
    update orrery.secret as s set valid_until = k.closed_at from orrery.closed_key as k
    where k.org_id = s.org_id and k.credential_id = s.credential_id and k.digest = s.digest
      and (s.valid_until is null or s.valid_until > k.closed_at)
    returning s.org_id as "orgId", s.credential_id as "credentialId", 'rotated' as reason`);
  const kept = new Map<string, KeptClosed>();
  for (const { orgId, credentialId, reason } of [...rotated, ...revoked]) {
    kept.set(credentialId, { orgId, credentialId, reason });
  }
  return [...kept.values()].toSorted((left, right) => left.orgId - right.orgId || compare(left, right));
}

function compare({ credentialId: left }: KeptClosed, { credentialId: right }: KeptClosed): number {
  return left < right ? -1 : 1;
}

/** What makes live records findable goes with them. */
async function removeRows(connection: OwnConnection, revoked: readonly RevokedKey[]): Promise<void> {
  for (const orgId of new Set(revoked.map((key) => key.orgId))) {
    const keys = revoked.filter((key) => key.orgId === orgId);
    const gone = sql`any (${ids(keys.map(({ recordId }) => recordId))}::uuid[])`;
    for (const table of ['unique_value', 'index_text', 'index_number', 'index_time', 'search']) {
      await connection.query(sql`
        delete from ${raw(`orrery.${table}`)} as i
        where i.org_id = ${orgId} and i.type_id = ${platformTypes.accessKey} and i.record_id = ${gone}`);
    }
    await connection.query(sql`
      delete from orrery.fact as f
      where f.org_id = ${orgId} and f.type_id = ${platformTypes.accessKey} and f.id = ${gone}`);
  }
}
