// Keeps the last activity of records (contract 6). A rule that changes an activity, or a link of one, notes what came and
// what went; at the end of the unit the records concerned are locked and their value is set, without a new version. All
// activities of a record are looked at only when the latest may have gone.
import type { Json } from '../../base/json.ts';
import { datetime } from '../../schema/fields/datetime.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { activityDates, hasLastActivity, isActivity, lastActivityProperty } from '../../schema/roles/last-activity.ts';
import { findActivityTargets, findLatestActivities } from '../../store/records/last-activities.ts';
import type { Draft, Properties } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';
import type { LinkEffect } from './link-effect.ts';

/** An activity is there, is there no more, or has another date. */
export function stirActivity(unit: Unit, draft: Draft, before: Properties | null, after: Properties | null): void {
  if (!isActivity(draft.type)) return;
  const went = before === null ? undefined : dateOf(before);
  const came = after === null ? undefined : dateOf(after);
  if (went === came) return;
  const stir = unit.stirred.activity(draft.id);
  if (went !== undefined) stir.went.push(went);
  if (came !== undefined) stir.came.push(came);
}

/** A link of an activity was made or taken away. */
export function stirLink(unit: Unit, draft: Draft, { pair, targetId, makes }: LinkEffect): void {
  const target = feeds(unit, draft.type, pair.id, pair.targetType);
  const date = dateOf(draft.properties);
  if (target === undefined || date === undefined) return;
  const stir = unit.stirred.record({ typeId: target.id, id: targetId });
  (makes ? stir.came : stir.went).push(date);
  // It had another date before, of which the record may know, and of which it would not hear when the link is gone.
  if (unit.stirred.activities.has(draft.id)) stir.all = true;
}

/** Everything about the activities of a record, or about what an activity is linked to, may be different. */
export function stirAll(unit: Unit, { type, id }: Draft): void {
  if (hasLastActivity(type)) unit.stirred.record({ typeId: type.id, id }).all = true;
  if (isActivity(type)) unit.stirred.activity(id).all = true;
}

/** The type at the other end, if links of this kind tell it of activities. */
export function feeds(unit: Unit, type: ObjectType, associationTypeId: number, targetType: string) {
  const { orgCatalog } = unit.call.session;
  if (!isActivity(type) || !orgCatalog.activityAssociationTypes.includes(associationTypeId)) return undefined;
  const target = orgCatalog.objectTypes.get(targetType);
  return target !== undefined && hasLastActivity(target) ? target : undefined;
}

/** Sets the last activity of all records that have been stirred; true when drafts have changed by it. */
export async function settleActivities(unit: Unit): Promise<boolean> {
  const { stirred, call, transaction } = unit;
  if (stirred.isEmpty) return false;
  const { orgTypes, orgCatalog, caller } = call.session;
  const associationTypes = orgCatalog.activityAssociationTypes;
  const activityIds = [...stirred.activities.keys()];
  for (const target of await findActivityTargets(transaction, caller.orgId, activityIds, associationTypes)) {
    const { came, went, all } = stirred.activity(target.activityId);
    const record = stirred.record({ typeId: target.typeId, id: target.id });
    record.came.push(...came);
    record.went.push(...went);
    record.all ||= all;
  }
  const concerned = [...stirred.records.values()].filter(({ ref }) => {
    const type = orgTypes.get(ref.typeId);
    return type !== undefined && hasLastActivity(type);
  });
  stirred.clear();
  const stirs = new Map(concerned.map((stir) => [stir.ref.id, stir]));
  const drafts = await unit.lockForService(concerned.map(({ ref }) => ref));
  const unsure: Draft[] = [];
  let changed = false;
  for (const draft of drafts) {
    const stir = stirs.get(draft.id);
    if (stir === undefined) continue;
    const current = draft.properties[lastActivityProperty] as string | undefined;
    const latest = latestOf([...(current === undefined ? [] : [current]), ...stir.came]);
    if (stir.all || (latest !== undefined && stir.went.some((date) => keyOf(date) >= keyOf(latest))))
      unsure.push(draft);
    else changed = setLastActivity(draft, latest) || changed;
  }
  return (await recount(unit, unsure, associationTypes)) || changed;
}

async function recount(unit: Unit, drafts: readonly Draft[], associationTypes: readonly number[]): Promise<boolean> {
  if (drafts.length === 0) return false;
  const { orgTypes, caller } = unit.call.session;
  const activityTypes = [...orgTypes.values()].filter(isActivity).map((type) => type.id);
  const ids = drafts.map((draft) => draft.id);
  const latest = await findLatestActivities(unit.transaction, caller.orgId, ids, associationTypes, activityTypes);
  return drafts.map((draft) => setLastActivity(draft, latest.get(draft.id))).includes(true);
}

/** The record's version and dates stay as they are. */
function setLastActivity(draft: Draft, value: string | undefined): boolean {
  if (draft.properties[lastActivityProperty] === value) return false;
  const { [lastActivityProperty]: _, ...others } = draft.properties;
  draft.properties = value === undefined ? others : { ...others, [lastActivityProperty]: value };
  return true;
}

function latestOf(dates: readonly string[]): string | undefined {
  return dates.reduce<string | undefined>(
    (latest, date) => (latest === undefined || keyOf(date) > keyOf(latest) ? date : latest),
    undefined,
  );
}

function keyOf(date: string): string {
  return datetime.key(date);
}

function dateOf(properties: Properties): string | undefined {
  const [first, second] = activityDates;
  return (properties[first] ?? properties[second]) as (Json & string) | undefined;
}
