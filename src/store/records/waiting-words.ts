// New words wait in a list of their index until there are enough of them; searches read the list as well.
import { raw } from '../../base/sql.ts';
import type { Reads } from '../database.ts';

/**
 * Indexes the words that wait. Writers add more meanwhile, and wait for nothing. Only the owner of the index can do it: for
 * other users of the database this does nothing, and the write that makes the list too long indexes them.
 */
export async function indexWaitingWords(database: Reads): Promise<void> {
  await database.query(
    raw(`select gin_clean_pending_list(c.oid) from pg_class as c
      where c.oid = 'orrery.search_words'::regclass and pg_has_role(c.relowner, 'usage')`),
  );
}
