// Reads the position of the change feed: see `orrery.change_position` in the migrations.
import { type Sql, short, sql } from '../../base/sql.ts';
import type { FeedPurge } from '../../query/feed-cursor.ts';
import type { Transaction } from '../database.ts';
import { unavailable } from '../pg-error.ts';

export interface PositionRow {
  /** The life of the log, which the transactions' numbers belong to. */
  readonly life: string;
  readonly lastSeq: string;
  readonly snapshot: string;
  /** The first transaction that had not begun yet. */
  readonly nextXid: string;
  /** The bytes of the log in which everything is that the snapshot sees, and the last number. */
  readonly log: string;
}

export async function readPosition(database: Transaction): Promise<PositionRow> {
  const { life, ...position } = await findPosition(database);
  if (life === null) throw unavailable();
  return { ...position, life };
}

type FoundPosition = Omit<PositionRow, 'life'> & { readonly life: string | null };

async function findPosition(database: Transaction): Promise<FoundPosition> {
  const [row] = await database.query<FoundPosition>(
    sql`select p.life, p.last_seq as "lastSeq", p.snapshot, p.next_xid as "nextXid", p.log from orrery.change_position() as p`,
  );
  if (row === undefined) throw new TypeError('The position of the feed is one row.');
  return row;
}

/** What is committed now. */
export interface NotedSnapshot {
  /** Null if none could be begun: see `beginSession`. */
  readonly life: string | null;
  readonly snapshot: string;
  readonly log: string;
}

/** Reads what is committed now, without the rest of the position. */
export const snapshotStatement: Sql = short(
  sql`select (select m.life from orrery.change_mark as m) as life, pg_current_snapshot()::text as snapshot,
    orrery.log_bytes() as log`,
);

export function snapshotIn(rows: readonly object[]): NotedSnapshot {
  const [row] = rows as readonly NotedSnapshot[];
  if (row === undefined) throw new TypeError('A snapshot is one row.');
  return row;
}

/** How far an org's feed was purged; undefined if it is complete. */
export async function findStart(database: Transaction, orgId: number): Promise<FeedPurge | undefined> {
  const [row] = await database.query<FeedPurge>(sql`
    select purged_seq as "purgedSeq", purged_xid::text as "purgedXid" from orrery.change_start where org_id = ${orgId}`);
  return row;
}
