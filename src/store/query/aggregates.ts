// Runs a page of groups.
import { Problem } from '../../base/problem.ts';
import { varied } from '../../base/sql.ts';
import { type AggregateRequest, compileAggregate } from '../compile/aggregate.ts';
import type { Testing } from '../compile/filter.ts';
import type { RecordSet } from '../compile/sets.ts';
import type { Transaction } from '../database.ts';
import { errorCode } from '../pg-error.ts';

export interface FoundGroup {
  /** JSON text. */
  readonly key: string;
  readonly values: string;
  /** The texts of what the group is ordered by. */
  readonly parts: readonly (string | null)[];
}

export async function findGroups(
  database: Transaction,
  request: AggregateRequest,
  set: RecordSet | undefined,
  testing: Testing,
): Promise<readonly FoundGroup[]> {
  try {
    return await database.query<FoundGroup>(varied(compileAggregate(request, set, testing)));
  } catch (error) {
    // We accept the names of the IANA; a server can be older than one of them.
    if (errorCode(error) !== unknownTimeZone) throw error;
    const detail = 'The database does not know one of the time zones. Use another name for it.';
    throw new Problem('invalid_request', 'invalid_member', detail, { cause: error });
  }
}

const unknownTimeZone = '22023';
