// Statements about stages: whether a record is in one, which one comes first, and who sees the timers of a record.
import { isoText } from '../../base/clock.ts';
import { type Sql, sql } from '../../base/sql.ts';
import { timedByIds, visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Transaction } from '../database.ts';
import { entryKinds, type Origin } from '../feed/entries.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { numbers } from '../row-parameters.ts';

interface StageQuestion {
  readonly orgId: number;
  readonly typeId: number;
  readonly id: string;
  /** The association types by which records are in this stage. */
  readonly stageOf: readonly number[];
  /** The association types by which stages belong to this pipeline. */
  readonly pipelineOf: readonly number[];
  /** Every stage association type of the org. */
  readonly allStages: readonly number[];
}

/**
 * Whether a live record is in the stage, or in a stage of the pipeline. The stages are locked first, against records
 * that are about to enter: a transaction that moves a record into a stage holds the stage (see `findLive`), and we wait
 * for it.
 */
export async function isInUse(transaction: Transaction, question: StageQuestion): Promise<boolean> {
  const { orgId, typeId, id } = question;
  const pipelineOf = numbers(question.pipelineOf);
  await transaction.query(sql`
    select r.id from orrery.record as r
    join (
      select ${typeId}::integer as type_id, ${id}::uuid as id union all
      select p.source_type_id, p.source_id from orrery.association as p
      where p.org_id = ${orgId} and p.target_id = ${id} and p.association_type_id = any (${pipelineOf}::integer[])
    ) as k on r.type_id = k.type_id and r.id = k.id
    where r.org_id = ${orgId} order by r.type_id, r.id for update of r`);
  const [row] = await transaction.query<{ used: boolean }>(sql`
    select exists (
      select 1 from orrery.association as a
      join orrery.record as r on r.org_id = ${orgId} and r.type_id = a.source_type_id and r.id = a.source_id
      where a.org_id = ${orgId} and a.target_id = ${id}
        and a.association_type_id = any (${numbers(question.stageOf)}::integer[]))
    or exists (
      select 1 from orrery.association as p
      join orrery.record as s on s.org_id = ${orgId} and s.type_id = p.source_type_id and s.id = p.source_id
      join orrery.association as a on a.org_id = ${orgId} and a.target_id = s.id
        and a.association_type_id = any (${numbers(question.allStages)}::integer[])
      join orrery.record as r on r.org_id = ${orgId} and r.type_id = a.source_type_id and r.id = a.source_id
      where p.org_id = ${orgId} and p.target_id = ${id} and p.association_type_id = any (${pipelineOf}::integer[]))
    as used`);
  return row?.used === true;
}

/** The first stage of a type that everybody sees, locked for a record that is about to enter it. */
export async function findFirstStage(
  transaction: Transaction,
  orgId: number,
  typeId: number,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ id: string }>(sql`
    select r.id from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId} and r.org_visible
    order by (r.properties ->> 'svc_position')::numeric nulls last, r.id limit 1 for key share of r`);
  return row?.id;
}

/**
 * Gives timers the visibility of the record that they timed. The feed gets an entry for users who gain or lose sight of
 * a timer.
 */
export async function shareTimers(
  transaction: Transaction,
  orgId: number,
  records: readonly RecordRef[],
  origin: Origin,
): Promise<void> {
  const timers = sql`
    select t.type_id, t.id, k.type_id as of_type_id, k.id as of_id
    from ${refSource(records)}
    join orrery.association as a on a.org_id = ${orgId} and a.target_id = k.id
      and a.association_type_id = any (${numbers(timedByIds)}::integer[])
    join orrery.record as t on t.org_id = ${orgId} and t.type_id = a.source_type_id and t.id = a.source_id`;
  const entries = (from: Sql) => sql`
    insert into orrery.change (org_id, kind, type_id, record_id, version, association_type_id, target_type_id, target_id,
      at, principal_id, request_id)
    select ${orgId}::integer, n.kind, n.type_id, n.id, 1, n.association_type_id, 0, n.user_id,
      ${isoText(origin.atMs)}::timestamptz, ${origin.principalId}::text, ${origin.requestId}::uuid
    from (${from}) as n`;
  const { org, user } = visibilityTypes;
  const lost = entryKinds['visibility.lost'];
  const gained = entryKinds['visibility.gained'];
  await transaction.query(sql`
    with changed as (
      update orrery.record as t set org_visible = r.org_visible
      from (${timers}) as k
      join orrery.record as r on r.org_id = ${orgId} and r.type_id = k.of_type_id and r.id = k.of_id
      where t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id and t.org_visible <> r.org_visible
      returning t.type_id, t.id, t.org_visible),
    facts as (
      update orrery.fact as f set org_visible = c.org_visible from changed as c
      where f.org_id = ${orgId} and f.type_id = c.type_id and f.id = c.id)
    ${entries(sql`select c.type_id, c.id, null::uuid as user_id, ${org}::integer as association_type_id,
      (case when c.org_visible then ${gained} else ${lost} end)::smallint as kind from changed as c`)}`);
  await transaction.query(sql`
    with gone as (
      delete from orrery.record_user as u using (${timers}) as k
      where u.org_id = ${orgId} and u.type_id = k.type_id and u.record_id = k.id and not exists (
        select 1 from orrery.record_user as o
        where o.org_id = ${orgId} and o.type_id = k.of_type_id and o.record_id = k.of_id and o.user_id = u.user_id)
      returning u.type_id, u.record_id as id, u.user_id)
    ${entries(sql`select g.*, ${user}::integer as association_type_id, ${lost}::smallint as kind from gone as g`)}`);
  await transaction.query(sql`
    with come as (
      insert into orrery.record_user (org_id, user_id, type_id, record_id, created_at)
      select o.org_id, o.user_id, k.type_id, k.id, o.created_at
      from (${timers}) as k join orrery.record_user as o
        on o.org_id = ${orgId} and o.type_id = k.of_type_id and o.record_id = k.of_id
      on conflict do nothing returning type_id, record_id as id, user_id)
    ${entries(sql`select c.*, ${user}::integer as association_type_id, ${gained}::smallint as kind from come as c`)}`);
}
