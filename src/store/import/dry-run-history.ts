// Keeps the stage history that a dry run would have written so far in temporary tables of its connection, where later rows
// find it.
import { isoText } from '../../base/clock.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import { rowSource } from '../row-parameters.ts';
import { type ScopedTime, type StoredTimes, timeSource, timesFound } from './stored-timers.ts';

export async function beginHistoryDryRun(connection: OwnConnection): Promise<void> {
  await connection.script(`
    create temporary table dry_run_timer (
      record_id uuid not null, record_link integer not null, stage_link integer not null, stage_types text not null,
      stage_id uuid not null, entered_at text collate "C" not null, left_at text collate "C" not null);
    create index on dry_run_timer (record_id);
    create temporary table dry_run_stage (
      record_id uuid not null, association_type_id integer not null, entered_at timestamptz not null,
      primary key (record_id, association_type_id))`);
}

/** What the timers that the dry run would have written say to the times. */
export async function findDryRunTimes(
  connection: OwnConnection,
  wanted: readonly ScopedTime[],
): Promise<readonly StoredTimes[]> {
  return connection.query<StoredTimes>(sql`
    select ${timesFound} from ${timeSource(wanted)}
    left join (select d.*, false as own from pg_temp.dry_run_timer as d) as t on t.record_id = k.record_id
      and t.record_link = k.record_link and t.stage_link = k.stage_link and t.stage_types = k.stage_types
    group by k.number order by k.number`);
}

export async function keepDryRunTimes(connection: OwnConnection, written: readonly ScopedTime[]): Promise<void> {
  if (written.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_timer (record_id, record_link, stage_link, stage_types, stage_id, entered_at, left_at)
    select k.record_id, k.record_link, k.stage_link, k.stage_types, k.stage_id, k.entered_at, k.left_at
    from ${timeSource(written)}`);
}

/** When a record entered the stage that it is in. */
export interface StageEntry {
  readonly recordId: string;
  readonly associationTypeId: number;
  readonly atMs: number;
}

const entrySource = rowSource<StageEntry>(
  ['record_id', 'uuid', (row) => row.recordId],
  ['association_type_id', 'integer', (row) => row.associationTypeId],
  ['entered_at', 'timestamptz', (row) => isoText(row.atMs)],
);

/** The entry times that the dry run would have given, of those of the records that it has any of. */
export async function findDryRunEntries(
  connection: OwnConnection,
  entries: readonly Omit<StageEntry, 'atMs'>[],
): Promise<readonly StageEntry[]> {
  if (entries.length === 0) return [];
  const rows = await connection.query<Omit<StageEntry, 'atMs'> & { readonly enteredAt: Date }>(sql`
    select d.record_id as "recordId", d.association_type_id as "associationTypeId", d.entered_at as "enteredAt"
    from pg_temp.dry_run_stage as d
    join ${entrySource(entries.map((entry) => ({ ...entry, atMs: 0 })))}
      on k.record_id = d.record_id and k.association_type_id = d.association_type_id`);
  return rows.map(({ enteredAt, ...entry }) => ({ ...entry, atMs: enteredAt.getTime() }));
}

export async function keepDryRunEntries(connection: OwnConnection, entries: readonly StageEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_stage (record_id, association_type_id, entered_at)
    select k.record_id, k.association_type_id, k.entered_at from ${entrySource(entries)}
    on conflict (record_id, association_type_id) do update set entered_at = excluded.entered_at`);
}
