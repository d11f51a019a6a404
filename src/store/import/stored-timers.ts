// What is stored of the stages that records were in, for an import of their history: one statement for all rows of a batch.
import { bounds } from '../../base/limits.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { entryKinds } from '../feed/entries.ts';
import { ids, numbers, rowSource } from '../row-parameters.ts';

/** The timers of a record that do not overlap: those of one stage association type. */
export interface TimerScope {
  readonly recordId: string;
  /** The association types by which its timers lead to the record and to the stage. */
  readonly links: { readonly record: number; readonly stage: number };
  /** The types of the stages. */
  readonly stageTypeIds: readonly number[];
}

/** A time in a stage, as ISO 8601 in UTC with milliseconds, which sorts as text. Without an end it goes on. */
export interface StageTime {
  readonly stageId: string;
  readonly enteredAt: string;
  readonly leftAt: string | undefined;
}

export interface ScopedTime extends StageTime {
  readonly scope: TimerScope;
}

/** What the timers of a scope say to a time in a stage. */
export interface StoredTimes {
  /** Whether there is a timer of the same stage and times. */
  readonly isStored: boolean;
  /** A timer at the same time, from and to when; null if there is none. */
  readonly overlapping: string | null;
  /** When the first stage was entered of which the service itself has written the timer. */
  readonly firstOwnAt: string | null;
}

const numberedSource = rowSource<ScopedTime & { readonly number: number }>(
  ['number', 'integer', (row) => row.number],
  ['record_id', 'uuid', ({ scope }) => scope.recordId],
  ['record_link', 'integer', ({ scope }) => scope.links.record],
  ['stage_link', 'integer', ({ scope }) => scope.links.stage],
  ['stage_types', 'text', ({ scope }) => numbers(scope.stageTypeIds)],
  ['stage_id', 'uuid', (row) => row.stageId],
  ['entered_at', 'text', (row) => row.enteredAt],
  ['left_at', 'text', (row) => row.leftAt ?? endless],
);

/** The times as a source to select from, with their places in the list as `number`. */
export function timeSource(times: readonly ScopedTime[]): Sql {
  return numberedSource(times.map((time, number) => ({ ...time, number })));
}

/** Sorts after every time. */
const endless = '~';

/**
 * Of each of the times, in their order. A timer of the service is linked at the time at which the stage was left. The stage
 * of a timer may have been purged.
 */
export async function findStoredTimes(
  transaction: Transaction,
  orgId: number,
  wanted: readonly ScopedTime[],
): Promise<readonly StoredTimes[]> {
  return transaction.query<StoredTimes>(sql`
    select ${timesFound} from ${timeSource(wanted)}
    left join lateral (
      select (r.properties ->> 'svc_entered_at') collate "C" as entered_at,
        (r.properties ->> 'svc_left_at') collate "C" as left_at, s.target_id as stage_id,
        (r.properties ->> 'svc_left_at')::timestamptz = a.created_at as own
      from orrery.association as a
      join orrery.record as r on r.org_id = ${orgId} and r.type_id = a.source_type_id and r.id = a.source_id
      left join orrery.association as s on s.org_id = ${orgId} and s.source_id = a.source_id
        and s.association_type_id = k.stage_link
      where a.org_id = ${orgId} and a.target_id = k.record_id and a.association_type_id = k.record_link
        and (s.source_id is null or s.target_type_id = any (k.stage_types::integer[]))) as t on true
    group by k.number order by k.number`);
}

/**
 * Those of the records that were created when their ids say, as far as the feed still tells: others were dated by an import, or
 * brought in with their org.
 */
export async function findCreatedHere(
  transaction: Transaction,
  orgId: number,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (recordIds.length === 0) return new Set();
  const rows = await transaction.query<{ id: string }>(sql`
    select c.record_id as id from orrery.change as c
    join orrery.record as r on r.org_id = ${orgId} and r.type_id = c.type_id and r.id = c.record_id
    where c.org_id = ${orgId} and c.record_id = any (${ids(recordIds)}::uuid[])
      and c.kind = ${entryKinds['record.created']}
      and c.at < (r.properties ->> 'svc_created_at')::timestamptz + make_interval(secs => ${bounds.store.createdWithinSeconds})`);
  return new Set(rows.map(({ id }) => id));
}

/** What the timers `t` say to each time `k`. A time without length overlaps another only inside it. */
export const timesFound = sql`
  coalesce(bool_or(t.stage_id = k.stage_id and t.entered_at = k.entered_at and t.left_at = k.left_at), false) as "isStored",
  min(t.entered_at || ' to ' || t.left_at) filter (where t.entered_at < k.left_at and k.entered_at < t.left_at)
    as overlapping,
  min(t.entered_at) filter (where t.own) as "firstOwnAt"`;
