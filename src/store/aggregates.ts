// Runs a page of groups.

import type { RecordSet } from './compile/access.ts';
import { type AggregateRequest, compileAggregate } from './compile/aggregate.ts';
import type { Transaction } from './database.ts';

export interface FoundGroup {
  /** JSON text. */
  readonly key: string;
  readonly values: string;
  /** What the group is ordered by. */
  readonly parts: readonly (string | null)[];
}

export async function findGroups(
  database: Transaction,
  request: AggregateRequest,
  set: RecordSet | undefined,
): Promise<readonly FoundGroup[]> {
  return database.query<FoundGroup>(compileAggregate(request, set));
}
