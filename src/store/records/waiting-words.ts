// New words wait in a list of their index until there are enough of them; searches read the list as well.
import { orDistributed, raw } from '../../base/sql.ts';
import type { Reads } from '../database.ts';

/**
 * Indexes the words that wait. Writers add more meanwhile, and wait for nothing. Only the owner of the index can do it: for
 * other users of the database this does nothing, and the write that makes the list too long indexes them.
 */
export async function indexWaitingWords(database: Reads): Promise<void> {
  await database.query(orDistributed(raw(clean('orrery.search')), () => cleanEverywhere));
}

/** Of this table, or of a part of it. */
function clean(table: string): string {
  return `select count(gin_clean_pending_list(c.oid)) from pg_index as i join pg_class as c on c.oid = i.indexrelid
    join pg_am as a on a.oid = c.relam
    where i.indrelid = '${table}'::regclass and a.amname = 'gin' and pg_has_role(c.relowner, 'usage')`;
}

/** Citus puts the name of each part for the place marker. */
const cleanEverywhere = raw(`select count(*) from run_command_on_shards('orrery.search', $$${clean('%s')}$$)`);
