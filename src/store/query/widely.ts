// A read on several cores, for an org that has the service to itself.
import { bounds } from '../../base/limits.ts';
import type { Reads, Statement, WorkDatabase } from '../database.ts';

/**
 * Starting workers takes as long as reading a hundred thousand rows of an index, which one process does as fast. What they pass
 * on costs less than PostgreSQL believes: it is short. Tables in memory that they share could be larger than the shared memory
 * of a container.
 */
const settings = `set local max_parallel_workers_per_gather = ${bounds.shares.scanWorkers};
  set local parallel_setup_cost = 2000; set local parallel_tuple_cost = 0.01; set local enable_parallel_hash = off;
  set local plan_cache_mode = force_custom_plan`;

/**
 * The reads of a database, each with workers beside it if PostgreSQL finds that they are worth it. It knows what it will read
 * only if it plans the statement for these values.
 */
export function widely(database: WorkDatabase): Reads {
  return {
    query: <Row extends object>(statement: Statement) =>
      database.transaction(async (transaction) => {
        await transaction.script(settings);
        return transaction.query<Row>(statement);
      }),
  };
}
