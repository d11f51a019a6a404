// Notices that the tables were moved to another server or database, where transactions have other numbers. All entries
// of the feed are then assigned to one transaction, in the order of their own numbers, and earlier cursors expire.
import { sql } from '../../base/sql.ts';
import type { Database } from '../database.ts';

export async function renewFeedEpoch(database: Database): Promise<void> {
  const [row] = await database.query<{ moved: boolean }>(sql`
    select e.home <> orrery.change_home() as moved from orrery.change_epoch as e`);
  if (row?.moved !== true) return;
  await database.transaction((transaction) => transaction.script(beginEpoch));
}

/** One process does this; another that waited finds it done. */
const beginEpoch = `
  set local statement_timeout = 0;
  set local lock_timeout = '60s';
  lock table orrery.change_epoch in exclusive mode;
  do $$
  begin
    if exists (select 1 from orrery.change_epoch as e where e.home <> orrery.change_home()) then
      update orrery.change set xid = pg_current_xact_id();
      update orrery.change_start set purged_xid = pg_current_xact_id();
      update orrery.change_epoch set epoch = gen_random_uuid(), home = orrery.change_home();
    end if;
  end $$`;
