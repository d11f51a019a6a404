// One moment for all that an export reads, however long it takes.
import { bounds } from '../../base/limits.ts';
import type { OwnConnection } from '../database.ts';

/**
 * All that the connection reads from now on is as it was at the first statement. Whoever stops reading the export holds
 * back the cleaning of the whole database; after a while PostgreSQL ends it.
 */
export async function beginSnapshot(connection: OwnConnection): Promise<void> {
  await connection.script(`begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = ${bounds.store.exportIdleMs}`);
}
