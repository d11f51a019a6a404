// Sessions of members: one row for each, and the digests of its bearers. Times are those of the database.
import { bounds } from '../../base/limits.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

interface NewSession {
  readonly sessionId: string;
  readonly memberId: string;
  readonly cookieDigest: Buffer;
  readonly way: string;
  readonly address: string;
  readonly agent: string | null;
}

export async function insertSession(transaction: Transaction, orgId: number, session: NewSession): Promise<void> {
  const { sessionId, memberId, cookieDigest, way, address, agent } = session;
  await transaction.query(sql`
    insert into orrery.session (org_id, session_id, member_id, cookie_digest, way, address, agent)
    values (${orgId}, ${sessionId}, ${memberId}, ${cookieDigest}, ${way}, ${address}, ${agent})`);
}

const { sessionIdleSeconds, sessionSeconds, bearerSeconds } = bounds.signIn;

/** Whether a session goes on: nobody has ended it, and neither of its times is over. */
const isLive: Sql = sql`s.ended_at is null and s.used_at > now() - make_interval(secs => ${sessionIdleSeconds})
  and s.opened_at > now() - make_interval(secs => ${sessionSeconds})`;

interface LiveSession {
  readonly memberId: string;
  readonly cookieDigest: Buffer;
}

export async function findLiveSession(
  transaction: Transaction,
  orgId: number,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const [row] = await transaction.query<LiveSession>(sql`
    select s.member_id as "memberId", s.cookie_digest as "cookieDigest" from orrery.session as s
    where s.org_id = ${orgId} and s.session_id = ${sessionId} and ${isLive}`);
  return row;
}

/** Adds a bearer and notes the use of the session; those that have expired go. Undefined if the session does not go on. */
export async function insertBearer(
  transaction: Transaction,
  orgId: number,
  sessionId: string,
  digest: Buffer,
): Promise<Date | undefined> {
  const [session] = await transaction.query<{ usedAt: Date; openedAt: Date }>(sql`
    update orrery.session as s set used_at = now()
    where s.org_id = ${orgId} and s.session_id = ${sessionId} and ${isLive}
    returning s.used_at as "usedAt", s.opened_at as "openedAt"`);
  if (session === undefined) return undefined;
  const { usedAt, openedAt } = session;
  const validUntil = new Date(
    Math.min(usedAt.getTime() + bearerSeconds * 1_000, openedAt.getTime() + sessionSeconds * 1_000),
  );
  // The session is locked, so nobody else adds one.
  await transaction.query(sql`
    delete from orrery.bearer as b
    where b.org_id = ${orgId} and b.session_id = ${sessionId} and (b.valid_until <= now() or b.digest in (
      select o.digest from orrery.bearer as o where o.org_id = ${orgId} and o.session_id = ${sessionId}
      order by o.valid_until desc offset ${bounds.signIn.bearersPerSession - 1}))`);
  await transaction.query(sql`
    insert into orrery.bearer (org_id, session_id, digest, valid_until)
    values (${orgId}, ${sessionId}, ${digest}, ${validUntil})`);
  return validUntil;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly way: string;
  readonly address: string | null;
  readonly agent: string | null;
  readonly openedAt: Date;
  readonly usedAt: Date;
}

/** The sessions of a member that go on, the one that was used last first. */
export async function listSessions(
  transaction: Transaction,
  orgId: number,
  memberId: string,
): Promise<readonly ListedSession[]> {
  return transaction.query<ListedSession>(sql`
    select s.session_id as "sessionId", s.way, s.address, s.agent, s.opened_at as "openedAt", s.used_at as "usedAt"
    from orrery.session as s
    where s.org_id = ${orgId} and s.member_id = ${memberId} and ${isLive}
    order by s.used_at desc, s.session_id`);
}

/** Which sessions of a member end. */
export type EndedSessions = 'all' | { readonly only: readonly string[] } | { readonly allBut: string };

/** Ends sessions of a member, and returns their ids. */
export async function endSessions(
  transaction: Transaction,
  orgId: number,
  memberId: string,
  which: EndedSessions,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    update orrery.session as s set ended_at = now()
    where s.org_id = ${orgId} and s.member_id = ${memberId} and s.ended_at is null and ${chosen(which)}
    returning s.session_id as id`);
  return rows.map(({ id }) => id);
}

function chosen(which: EndedSessions): Sql {
  if (which === 'all') return sql`true`;
  return 'only' in which ? sql`s.session_id = any (${ids(which.only)}::text[])` : sql`s.session_id <> ${which.allBut}`;
}

/** The sessions of a member that leave no room for another one, those that were used longest ago. */
export async function findSurplus(
  transaction: Transaction,
  orgId: number,
  memberId: string,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    select s.session_id as id from orrery.session as s
    where s.org_id = ${orgId} and s.member_id = ${memberId} and s.ended_at is null
    order by s.used_at desc, s.session_id offset ${bounds.signIn.sessionsPerMember - 1}`);
  return rows.map(({ id }) => id);
}

/** Forgets what has been over for a while. */
export async function purgeSessions(transaction: Transaction, orgId: number): Promise<void> {
  const kept = bounds.signIn.sessionRememberedSeconds;
  const isOver = sql`(s.ended_at < now() - make_interval(secs => ${kept})
    or s.ended_at is null and s.used_at < now() - make_interval(secs => ${sessionIdleSeconds + kept})
    or s.opened_at < now() - make_interval(secs => ${sessionSeconds + kept}))`;
  await transaction.query(sql`
    delete from orrery.bearer as b using orrery.session as s
    where b.org_id = ${orgId} and s.org_id = ${orgId} and s.session_id = b.session_id and ${isOver}`);
  await transaction.query(sql`delete from orrery.session as s where s.org_id = ${orgId} and ${isOver}`);
}
