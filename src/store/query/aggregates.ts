// Runs a page of groups, unless the groups of the records would multiply beyond what PostgreSQL groups in time.
import { counted } from '../../base/counted.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { varied } from '../../base/sql.ts';
import { type AggregateRequest, compileAggregate, compileExcess } from '../compile/aggregate.ts';
import type { Testing } from '../compile/filter.ts';
import type { RecordSet } from '../compile/sets.ts';
import type { Reads } from '../database.ts';
import { errorCode } from '../pg-error.ts';

export interface FoundGroup {
  /** JSON text. */
  readonly key: string;
  readonly values: string;
  /** The texts of what the group is ordered by. */
  readonly parts: readonly (string | null)[];
}

export async function findGroups(
  database: Reads,
  request: AggregateRequest,
  set: RecordSet | undefined,
  testing: Testing,
): Promise<readonly FoundGroup[]> {
  await refuseExcess(database, request, set, testing);
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

/** A record with a thousand links of each of three association types is in a billion groups. */
async function refuseExcess(
  database: Reads,
  request: AggregateRequest,
  set: RecordSet | undefined,
  testing: Testing,
): Promise<void> {
  const most = bounds.shares.combinations;
  for (const count of ['atMost', 'exactly'] as const) {
    const statement = compileExcess(request, set, testing, { most, count });
    if (statement === undefined || (await database.query(varied(statement))).length === 0) return;
  }
  throw new Problem(
    'invalid_request',
    'too_many_combinations',
    `The groups of these records have more than ${counted(most)} combinations. Narrow the filter, or group by fewer keys.`,
  );
}
