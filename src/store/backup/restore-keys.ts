// Keeps closed what was closed: a backup has keys that were revoked, and secrets that were rotated away, since it was
// made. What the replaced database knows of them is joined with what the backup knows, and applied to the restored keys.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';

/** Whether keys and secrets that were closed since the backup was made stay closed, or are as in the backup. */
export type OldKeys = 'stay_closed' | 'come_back';

/** A key that the restore would have opened again: all of it, or an old secret of it. */
export interface KeptClosed {
  readonly orgId: number;
  readonly credentialId: string;
  readonly reason: 'revoked' | 'rotated';
}

/** The replaced tables: the schema in which they are, and their names. */
interface Replaced {
  readonly schema: string;
  readonly tables: readonly string[];
}

/** Called when nobody can change the replaced tables any more. Returns what would have been opened. */
export async function keepClosed(
  connection: OwnConnection,
  { schema, tables }: Replaced,
  oldKeys: OldKeys,
): Promise<readonly KeptClosed[]> {
  const before = raw(schema);
  const isKnown = tables.includes('credential') && tables.includes('secret');
  // Databases of earlier releases have no list of closed keys.
  const listed = tables.includes('closed_key') ? listedIn(before) : sql``;
  if (oldKeys === 'come_back') {
    // The backup knows best which of its own keys are closed. The others are remembered for the next restore.
    if (isKnown) await learnClosed(connection, sql`${closedIn(before)} ${listed}`, notRestored);
    return [];
  }
  if (isKnown) {
    await learnClosed(connection, sql`${closedIn(before)} ${listed} ${replacedIn(before)}`, sql`true`);
    await addSecrets(connection, before);
  }
  return closeAgain(connection);
}

async function learnClosed(connection: OwnConnection, closed: Sql, condition: Sql): Promise<void> {
  await connection.query(sql`
    insert into orrery.closed_key (org_id, credential_id, digest, closed_at)
    select b.org_id, b.credential_id, b.digest, min(b.closed_at) from (${closed}) as b where ${condition}
    group by b.org_id, b.credential_id, b.digest
    on conflict (org_id, credential_id, digest)
      do update set closed_at = least(closed_key.closed_at, excluded.closed_at)`);
}

const notRestored = sql`not exists (
  select from orrery.credential as c where c.org_id = b.org_id and c.credential_id = b.credential_id)`;

function closedIn(before: Sql): Sql {
  return sql`
    select org_id, credential_id, ''::bytea as digest, revoked_at as closed_at from ${before}.credential
    where revoked_at is not null
    union all
    select org_id, credential_id, digest, valid_until from ${before}.secret where valid_until is not null`;
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
    insert into orrery.secret (org_id, credential_id, digest, valid_until, created_at)
    select s.org_id, s.credential_id, s.digest, s.valid_until, s.created_at from ${before}.secret as s
    join orrery.credential as c on c.org_id = s.org_id and c.credential_id = s.credential_id
    on conflict do nothing`);
}

async function closeAgain(connection: OwnConnection): Promise<readonly KeptClosed[]> {
  return connection.query<KeptClosed>(sql`
    with revoked as (
      update orrery.credential as c set revoked_at = k.closed_at from orrery.closed_key as k
      where k.org_id = c.org_id and k.credential_id = c.credential_id and k.digest = ''::bytea and c.revoked_at is null
      returning c.org_id, c.credential_id, 'revoked' as reason),
    rotated as (
      update orrery.secret as s set valid_until = k.closed_at from orrery.closed_key as k
      where k.org_id = s.org_id and k.credential_id = s.credential_id and k.digest = s.digest
        and (s.valid_until is null or s.valid_until > k.closed_at)
      returning s.org_id, s.credential_id, 'rotated' as reason)
    select a.org_id as "orgId", a.credential_id as "credentialId", min(a.reason) as reason
    from (select * from revoked union all select * from rotated) as a
    group by a.org_id, a.credential_id order by a.org_id, a.credential_id`);
}
