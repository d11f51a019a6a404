// Reads the position of the change feed: see `orrery.change_position` in the migrations.
import { type Sql, short, sql } from '../../base/sql.ts';
import type { FeedPurge } from '../../query/feed-cursor.ts';
import type { Transaction } from '../database.ts';

export interface PositionRow {
  readonly lastSeq: string;
  readonly snapshot: string;
  /** The first transaction that had not begun yet. */
  readonly nextXid: string;
  readonly epoch: string;
}

export async function readPosition(database: Transaction): Promise<PositionRow> {
  const [row] = await database.query<PositionRow>(
    sql`select p.last_seq as "lastSeq", p.snapshot, p.next_xid as "nextXid", p.epoch from orrery.change_position() as p`,
  );
  if (row === undefined) throw new TypeError('The position of the feed is one row.');
  return row;
}

/** Reads the snapshot of what is committed now, without the rest of the position. */
export const snapshotStatement: Sql = short(sql`select pg_current_snapshot()::text as snapshot`);

export function snapshotIn(rows: readonly object[]): string {
  const [row] = rows as readonly { readonly snapshot: string }[];
  if (row === undefined) throw new TypeError('A snapshot is one row.');
  return row.snapshot;
}

/** How far an org's feed was purged; undefined if it is complete. */
export async function findStart(database: Transaction, orgId: number): Promise<FeedPurge | undefined> {
  const [row] = await database.query<FeedPurge>(sql`
    select purged_seq as "purgedSeq", purged_xid::text as "purgedXid" from orrery.change_start where org_id = ${orgId}`);
  return row;
}
