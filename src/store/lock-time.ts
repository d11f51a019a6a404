// How long the statements of a transaction wait for a lock.
import { orInSteps, raw, type Sql } from '../base/sql.ts';

/** A statement that limits it until the end of the transaction: on every server, because the rows wait where they are. */
export function lockTime(ms: number): Sql {
  const limit = raw(`set local lock_timeout = ${ms}`);
  return orInSteps(limit, () => [
    raw(`set local citus.propagate_set_commands = 'local'`),
    limit,
    raw(`set local citus.propagate_set_commands = 'none'`),
  ]);
}
