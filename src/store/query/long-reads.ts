// Reads that take long. PostgreSQL knows what such a read will find, and which of the indexes for one type serve it, only if it plans
// the statement for these values: that takes a millisecond.
import { bounds } from '../../base/limits.ts';
import type { Reads, Statement, WorkDatabase } from '../database.ts';

const planned = 'set local plan_cache_mode = force_custom_plan';

/**
 * Starting workers takes as long as reading a hundred thousand rows of an index, which one process does as fast. What they pass
 * on costs less than PostgreSQL believes: it is short. Tables in memory that they share could be larger than the shared memory
 * of a container.
 */
const withWorkers = `set local max_parallel_workers_per_gather = ${bounds.shares.scanWorkers};
  set local parallel_setup_cost = 2000; set local parallel_tuple_cost = 0.01; set local enable_parallel_hash = off`;

/** On several cores if PostgreSQL finds that they are worth it, for an org that has the service to itself. */
export function widely(database: WorkDatabase): Reads {
  return inSettings(database, `${planned}; ${withWorkers}`);
}

/** On one core. */
export function narrowly(database: WorkDatabase): Reads {
  return inSettings(database, planned);
}

function inSettings(database: WorkDatabase, settings: string): Reads {
  return {
    query: <Row extends object>(statement: Statement) =>
      database.transaction(async (transaction) => {
        await transaction.script(settings);
        return transaction.query<Row>(statement);
      }),
  };
}
