// Statements about stages: whether a record is in one, which one comes first, and who sees the timers of a record.
import { sql } from '../../base/sql.ts';
import { timedByIds, visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Transaction } from '../database.ts';
import { type EntryKind, type FeedEntry, insertEntries, type Origin } from '../feed/entries.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { numbers } from '../row-parameters.ts';
import type { UserLink } from './associations.ts';
import { shareFacts } from './facts.ts';

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

type Sight = Extract<EntryKind, `visibility.${string}`>;

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
  const { org, user } = visibilityTypes;
  const changed = await transaction.query<RecordRef & { readonly orgVisible: boolean }>(sql`
    update orrery.record as t set org_visible = r.org_visible
    from (${timers}) as k
    join orrery.record as r on r.org_id = ${orgId} and r.type_id = k.of_type_id and r.id = k.of_id
    where t.org_id = ${orgId} and t.type_id = k.type_id and t.id = k.id and t.org_visible <> r.org_visible
    returning t.type_id as "typeId", t.id, t.org_visible as "orgVisible"`);
  if (changed.length > 0) await transaction.query(shareFacts(orgId, changed));
  const gone = await transaction.query<UserLink>(sql`
    delete from orrery.record_user as u using (${timers}) as k
    where u.org_id = ${orgId} and u.type_id = k.type_id and u.record_id = k.id and not exists (
      select 1 from orrery.record_user as o
      where o.org_id = ${orgId} and o.type_id = k.of_type_id and o.record_id = k.of_id and o.user_id = u.user_id)
    returning u.type_id as "typeId", u.record_id as id, u.user_id as "userId"`);
  const come = await transaction.query<UserLink>(sql`
    insert into orrery.record_user (org_id, user_id, type_id, record_id, created_at)
    select o.org_id, o.user_id, k.type_id, k.id, o.created_at
    from (${timers}) as k join orrery.record_user as o
      on o.org_id = ${orgId} and o.type_id = k.of_type_id and o.record_id = k.of_id
    on conflict do nothing returning type_id as "typeId", record_id as id, user_id as "userId"`);
  const entryOf = ({ typeId, id }: RecordRef, kind: Sight, associationTypeId: number, targetId: string | null) => {
    const link = { associationTypeId, targetTypeId: 0, targetId };
    return { origin, kind, typeId, id, version: 1, changed: null, link } as const;
  };
  const entries: readonly FeedEntry[] = [
    ...changed.map((timer) => entryOf(timer, timer.orgVisible ? 'visibility.gained' : 'visibility.lost', org, null)),
    ...gone.map((link) => entryOf(link, 'visibility.lost', user, link.userId)),
    ...come.map((link) => entryOf(link, 'visibility.gained', user, link.userId)),
  ];
  if (entries.length > 0) await transaction.query(insertEntries(orgId, entries));
}
