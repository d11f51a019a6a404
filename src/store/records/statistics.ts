// What PostgreSQL believes about the size of the tables, by which it plans statements.
import { orInSteps, raw } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

/**
 * Keeps PostgreSQL from counting the rows of these tables until the transaction ends. It counts committed rows only, so
 * while one transaction writes very many into empty tables it would take them for empty, and plan joins accordingly.
 */
export async function holdStatistics(transaction: Transaction): Promise<void> {
  await transaction.query(orInSteps(lockTables, () => []));
}

/** Of distributed tables, each server counts its own. */
const lockTables = raw(`lock table orrery.record, orrery.association, orrery.record_user, orrery.change, orrery.fact,
  orrery.index_text, orrery.index_number, orrery.index_time, orrery.unique_value, orrery.search
  in share update exclusive mode`);
