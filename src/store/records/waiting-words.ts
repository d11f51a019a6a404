// New words wait in a list of their index until there are enough of them; searches read the list as well.
import { raw } from '../../base/sql.ts';
import type { Reads } from '../database.ts';

/** Indexes the words that wait. Writers add more meanwhile, and wait for nothing. */
export async function indexWaitingWords(database: Reads): Promise<void> {
  await database.query(raw("select gin_clean_pending_list('orrery.search_words')"));
}
