// The lives of the database's log, from one recovery to the next: see the migration. A cursor of the feed belongs to one of
// them, and holds in a later one if nothing that it has seen was lost in between. When the tables were moved to another server
// or database, where transactions have other numbers, all entries are assigned to one transaction, in the order of their
// own numbers, and no earlier cursor holds.
import { sql } from '../../base/sql.ts';
import { type FeedPlace, seenBy } from '../../query/feed-cursor.ts';
import type { Database, Transaction } from '../database.ts';

/** For a session before it does anything. */
export const hasLives = `exists (select from pg_class as c where c.relname = 'change_mark'
  and c.relnamespace = (select n.oid from pg_namespace as n where n.nspname = 'orrery'))`;

/** Begins a life if the database was recovered and this session is the first one since. */
export const beginLife = 'select orrery.begin_change_life()';

/**
 * Whether everything that the place has seen is still there, and nothing that comes will be taken for it, now that it has another life
 * than the present one.
 */
export async function hasSurvived(database: Transaction, place: FeedPlace): Promise<boolean> {
  const { life, log } = place;
  if (log === null) return false;
  const { snapshot, number } = seenBy(place);
  const [row] = await database.query<{ survived: boolean | null }>(sql`
    select bool_and(coalesce(later.recovered_to >= ${log} and later.last_seq >= ${number}
      and later.first_xid >= coalesce(pg_snapshot_xmax(${snapshot}::pg_snapshot)::text::bigint, 0), false)) as survived
    from orrery.change_life as own join orrery.change_life as later on later.number > own.number
    where own.identity = ${life}`);
  return row?.survived === true;
}

export async function endLivesElsewhere(database: Database): Promise<void> {
  const [row] = await database.query<{ moved: boolean }>(sql`
    select exists (select from orrery.change_life as l where l.home <> orrery.change_home()) as moved`);
  if (row?.moved === true) await database.transaction((transaction) => transaction.script(endLives));
}

/** One process does this; another that waited finds it done. */
const endLives = `
  set local statement_timeout = 0;
  set local lock_timeout = '60s';
  lock table orrery.change_life in exclusive mode;
  do $$
  declare
    own constant xid8 := pg_current_xact_id();
  begin
    if exists (select from orrery.change_life as l where l.home <> orrery.change_home()) then
      update orrery.change set xid = own;
      update orrery.change_start set purged_xid = own;
      delete from orrery.change_life;
      delete from orrery.change_mark;
      perform orrery.begin_change_life();
    end if;
  end $$`;
