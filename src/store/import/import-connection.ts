// A connection on which an import writes batch after batch, each in its own transaction. Commits need not wait for the
// disk: nothing is acknowledged before the end of the import, and each batch records how far the import has come.
import { bounds } from '../../base/limits.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { lockTime } from '../lock-time.ts';
import { isRolledBack, toProblem } from '../pg-error.ts';

export interface ImportConnection {
  /** Committed when `run` returns, rolled back when it throws. */
  transaction<T>(run: (connection: OwnConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openImportConnection(database: Database): Promise<ImportConnection> {
  const connection = await database.connect();
  try {
    await connection.script(`${committingLazily('session')};
      set statement_timeout = ${bounds.store.importStatementMs};
      set gin_pending_list_limit = ${bounds.store.importedWordsKilobytes}`);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    transaction: async (run) => {
      await connection.script('begin');
      try {
        await connection.query(lockTime(bounds.store.importLockMs));
        const result = await run(connection);
        await connection.script('commit');
        return result;
      } catch (error) {
        // The first error is the one reported; a connection that cannot roll back fails with its next statement.
        await connection.script('rollback').catch(() => {});
        throw isRolledBack(error) ? error : toProblem(error);
      }
    },
    close: () => connection.close(),
  };
}

/** The same for a transaction on another connection: its commit does not wait for the disk. */
export async function commitLazily(transaction: Transaction): Promise<void> {
  await transaction.script(committingLazily('transaction'));
}

/** Only where cursors of the feed can tell what a crash has lost. */
function committingLazily(scope: 'session' | 'transaction'): string {
  return `select set_config('synchronous_commit', 'off', ${scope === 'transaction'}) where orrery.tells_log()`;
}
