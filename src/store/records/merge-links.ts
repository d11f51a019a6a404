// Moves the links of a duplicate to the record that stays, in SQL, however many there are. Links that the record
// already has, or can have only one of, stay with the duplicate and go with it to the trash. So do links whose other end
// is in the trash: nobody sees them, so no entry of the feed could report that they moved, and a copy would be wrong when
// that end is restored. What was merged into which record is noted, because a duplicate is erased with that record.
import { isoText } from '../../base/clock.ts';
import { firstId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { TypeSlots } from '../../schema/slots.ts';
import type { Transaction } from '../database.ts';
import { type FeedEntry, insertEntries, type Origin } from '../feed/entries.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { ids, numbers } from '../row-parameters.ts';
import { moveFactEnds, relinkFacts } from './facts.ts';

interface Merge {
  readonly orgId: number;
  readonly typeId: number;
  readonly keptId: string;
  readonly duplicateId: string;
  /** Association types of which a source has only one link. */
  readonly toOne: readonly number[];
  /** Association types whose links do not move: the timers of a record are its history. */
  readonly unmoved: readonly number[];
}

interface MovedLink {
  readonly associationTypeId: number;
  readonly targetTypeId: number;
  readonly targetId: string;
}

/** Moves links that begin at the duplicate, and returns them. */
export async function moveOutgoingLinks(transaction: Transaction, merge: Merge): Promise<readonly MovedLink[]> {
  const { orgId, keptId, duplicateId } = merge;
  return transaction.query<MovedLink>(sql`
    update orrery.association as a set source_id = ${keptId}
    where a.org_id = ${orgId} and a.source_id = ${duplicateId} and a.target_id <> ${keptId}
      and a.association_type_id <> all (${numbers(merge.unmoved)}::integer[])
      and exists (
        select 1 from orrery.record as t
        where t.org_id = ${orgId} and t.type_id = a.target_type_id and t.id = a.target_id)
      and not exists (
        select 1 from orrery.association as own
        where own.org_id = ${orgId} and own.source_id = ${keptId}
          and own.association_type_id = a.association_type_id
          and (own.target_id = a.target_id or a.association_type_id = any (${numbers(merge.toOne)}::integer[])))
    returning a.association_type_id as "associationTypeId", a.target_type_id as "targetTypeId",
      a.target_id as "targetId"`);
}

/**
 * Moves links that end at the duplicate. A new link gives its source a new version. Returns how many entries of the feed
 * report it.
 */
export async function moveIncomingLinks(transaction: Transaction, merge: Merge, origin: Origin): Promise<number> {
  const { orgId, duplicateId } = merge;
  // Live, in the trash, and live again: a record that moves while we wait for its lock is found in the other place.
  for (const place of [raw('orrery.record'), raw('orrery.trash'), raw('orrery.record')]) {
    await transaction.query(sql`
      select 1 as locked from ${place} as r
      where r.org_id = ${orgId} and (r.type_id, r.id) in (
        select a.source_type_id, a.source_id from orrery.association as a
        where a.org_id = ${orgId} and a.target_id = ${duplicateId})
      order by r.type_id, r.id for no key update`);
  }
  let entries = 0;
  // In portions, because there is no bound on how many there are.
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const sources: readonly { readonly id: string }[] = await findSources(transaction, merge, after);
    const moved = sources.length === 0 ? [] : await moveFrom(transaction, merge, sources);
    if (moved.length > 0) entries += await tellMoved(transaction, merge, origin, moved);
    after = sources.length < bounds.store.movedSourcesAtOnce ? undefined : sources.at(-1)?.id;
  }
  return entries;
}

/** The next records that have links to the duplicate, in the order of their ids. */
function findSources(
  transaction: Transaction,
  { orgId, duplicateId }: Merge,
  after: string,
): Promise<readonly { readonly id: string }[]> {
  return transaction.query(sql`
    select distinct a.source_id as id from orrery.association as a
    where a.org_id = ${orgId} and a.target_id = ${duplicateId} and a.source_id > ${after}
    order by a.source_id limit ${bounds.store.movedSourcesAtOnce}`);
}

interface MovedEnd extends RecordRef {
  readonly associationTypeId: number;
}

/** Moves what can be moved of these records' links. */
function moveFrom(
  transaction: Transaction,
  { orgId, keptId, duplicateId, unmoved }: Merge,
  sources: readonly { readonly id: string }[],
): Promise<readonly MovedEnd[]> {
  return transaction.query<MovedEnd>(sql`
    update orrery.association as a set target_id = ${keptId}
    where a.org_id = ${orgId} and a.target_id = ${duplicateId} and a.source_id <> ${keptId}
      and a.source_id = any (${ids(sources.map(({ id }) => id))}::uuid[])
      and a.association_type_id <> all (${numbers(unmoved)}::integer[])
      and exists (
        select 1 from orrery.record as s
        where s.org_id = ${orgId} and s.type_id = a.source_type_id and s.id = a.source_id)
      and not exists (
        select 1 from orrery.association as own
        where own.org_id = ${orgId} and own.source_id = a.source_id
          and own.association_type_id = a.association_type_id and own.target_id = ${keptId})
    returning a.association_type_id as "associationTypeId", a.source_type_id as "typeId", a.source_id as id`);
}

/** Gives the records new versions, and tells the feed that their links have moved. Returns the number of entries. */
async function tellMoved(
  transaction: Transaction,
  { orgId, keptId, duplicateId, typeId: targetTypeId }: Merge,
  origin: Origin,
  moved: readonly MovedEnd[],
): Promise<number> {
  const at = isoText(origin.atMs);
  const refs = [...new Map(moved.map(({ typeId, id }) => [id, { typeId, id }])).values()];
  const rows = await transaction.query<{ id: string; version: string }>(sql`
    update orrery.record as r set version = r.version + 1, updated_at = greatest(r.updated_at, ${at}::timestamptz),
      properties = r.properties || case when r.updated_at > ${at}::timestamptz then '{}'::jsonb
        else ${JSON.stringify({ svc_updated_at: at })}::jsonb end
    from ${refSource(refs)}
    where r.org_id = ${orgId} and r.type_id = k.type_id and r.id = k.id
    returning r.id, r.version`);
  const versions = new Map(rows.map(({ id, version }) => [id, Number(version)]));
  const inOrder = moved.toSorted((left, right) =>
    left.id === right.id ? left.associationTypeId - right.associationTypeId : left.id < right.id ? -1 : 1,
  );
  const entries = inOrder.flatMap(({ typeId, id, associationTypeId }): readonly FeedEntry[] => {
    const entry = { origin, typeId, id, version: versions.get(id) ?? 0, changed: null };
    const link = { associationTypeId, targetTypeId };
    return [
      { ...entry, kind: 'association.deleted', link: { ...link, targetId: duplicateId } },
      { ...entry, kind: 'association.created', link: { ...link, targetId: keptId } },
    ];
  });
  await transaction.query(insertEntries(orgId, entries));
  return entries.length;
}

/** Facts follow the links, in both directions. */
export async function moveFacts(
  transaction: Transaction,
  { orgId, typeId, keptId, duplicateId }: Merge,
  slots: TypeSlots,
): Promise<void> {
  const associationTypes = Object.fromEntries([...slots.links].map(([id, column]) => [column, id]));
  await transaction.query(relinkFacts(orgId, [{ typeId, id: keptId, associationTypes }]));
  await transaction.query(moveFactEnds(orgId, keptId, duplicateId));
}

/** The users who saw the duplicate see the record that stays; returns those who did not see it before. */
export async function moveUserLinks(
  transaction: Transaction,
  orgId: number,
  kept: RecordRef,
  duplicateId: string,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ userId: string }>(sql`
    insert into orrery.record_user (org_id, user_id, type_id, record_id, created_at)
    select u.org_id, u.user_id, u.type_id, ${kept.id}::uuid, u.created_at from orrery.record_user as u
    where u.org_id = ${orgId} and u.type_id = ${kept.typeId} and u.record_id = ${duplicateId}
    on conflict do nothing returning user_id as "userId"`);
  return rows.map(({ userId }) => userId);
}

/** Notes that the duplicate was merged. Until it is restored, it is erased with the record that stays. */
export async function noteMerge(
  transaction: Transaction,
  { orgId, typeId, keptId, duplicateId }: Pick<Merge, 'orgId' | 'typeId' | 'keptId' | 'duplicateId'>,
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.merged (org_id, duplicate_id, kept_id, type_id)
    values (${orgId}, ${duplicateId}, ${keptId}, ${typeId})
    on conflict (org_id, duplicate_id, kept_id) do update set parted = false, needed_at = excluded.needed_at`);
}

/** The part of a writing statement that parts records that leave the trash from those that they were merged into. */
export function partDuplicates(orgId: number, refs: readonly RecordRef[]): Sql {
  return sql`update orrery.merged as m set parted = true from ${refSource(refs)}
    where m.org_id = ${orgId} and m.duplicate_id = k.id and not m.parted`;
}

/** The duplicates that were merged into the record, and those that were merged into these before. One that was restored is none. */
export async function findDuplicates(
  transaction: Transaction,
  orgId: number,
  keptId: string,
): Promise<readonly string[]> {
  const isGone = sql`not m.parted and not exists (select 1 from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = m.type_id and r.id = m.duplicate_id)`;
  const rows = await transaction.query<{ id: string }>(sql`
    with recursive duplicate as (
      select m.duplicate_id as id from orrery.merged as m
      where m.org_id = ${orgId} and m.kept_id = ${keptId} and ${isGone}
      union
      select m.duplicate_id from orrery.merged as m join duplicate as d on m.kept_id = d.id
      where m.org_id = ${orgId} and ${isGone})
    select d.id from duplicate as d where d.id <> ${keptId} order by d.id`);
  return rows.map(({ id }) => id);
}

/** A record that another one was merged into. */
export interface KeptRecord {
  readonly id: string;
  /** Whether the other one was restored since. */
  readonly parted: boolean;
}

/** The records that the duplicate was merged into, no more than `most`: first the one that it was not restored from. */
export async function findKept(
  transaction: Transaction,
  orgId: number,
  duplicateId: string,
  most: number,
): Promise<readonly KeptRecord[]> {
  return transaction.query<KeptRecord>(sql`
    select m.kept_id as id, m.parted from orrery.merged as m
    where m.org_id = ${orgId} and m.duplicate_id = ${duplicateId}
    order by m.parted, m.needed_at desc, m.kept_id limit ${most}`);
}

/**
 * Forgets merges into records that are gone with their whole history, and were merged into no other record. Each merge is
 * looked at once in so many seconds, so that those that are needed do not keep the others from being found.
 */
export async function purgeMerges(transaction: Transaction, orgId: number, everySeconds: number): Promise<void> {
  await transaction.query(sql`
    with due as materialized (
      select m.duplicate_id, m.kept_id,
        exists (select 1 from orrery.record as r
          where r.org_id = ${orgId} and r.type_id = m.type_id and r.id = m.kept_id)
        or exists (select 1 from orrery.trash as t
          where t.org_id = ${orgId} and t.type_id = m.type_id and t.id = m.kept_id)
        or exists (select 1 from orrery.change as c where c.org_id = ${orgId} and c.record_id = m.kept_id)
        or exists (select 1 from orrery.merged as n
          where n.org_id = ${orgId} and n.duplicate_id = m.kept_id and not n.parted) as needed
      from (
        select o.* from orrery.merged as o
        where o.org_id = ${orgId} and o.needed_at < now() - make_interval(secs => ${everySeconds})
        order by o.needed_at limit ${bounds.store.purgedRowsAtOnce} for update skip locked) as m),
    needed as (
      update orrery.merged as m set needed_at = now() from due as d
      where d.needed and m.org_id = ${orgId} and m.duplicate_id = d.duplicate_id and m.kept_id = d.kept_id)
    delete from orrery.merged as m using due as d
    where not d.needed and m.org_id = ${orgId} and m.duplicate_id = d.duplicate_id and m.kept_id = d.kept_id`);
}
