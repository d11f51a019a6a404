// Keeps the last activity of records (contract 6). Rules that change an activity, or a link of one, note which dates came
// and which went. At the end of the unit the records concerned are locked and their value is set, without a new version.
// All activities of a record are read only when the latest one may have gone.
import type { Json } from '../../base/json.ts';
import { activityDates } from '../../schema/builtin/core-types.ts';
import { datetime } from '../../schema/fields/datetime.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasLastActivity, isActivity, lastActivityProperty } from '../../schema/roles/last-activity.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { findActivityTargets, findLatestActivities } from '../../store/records/last-activities.ts';
import type { Draft, Properties } from '../unit/draft.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import type { RuleBook, Unit } from '../unit/unit.ts';

/** The dates of activities that came and went; `all` when it is not known which. */
interface DateChanges {
  readonly came: string[];
  readonly went: string[];
  all: boolean;
}

/** The changes of a unit to activities, until the last activity of the records concerned is set. */
class ActivityBook implements RuleBook {
  readonly records = new Map<string, DateChanges & { readonly ref: RecordRef }>();
  readonly activities = new Map<string, DateChanges>();
  readonly ending = { phase: 'derived_values', run: (unit: Unit) => setLastActivities(unit, this) } as const;

  record(ref: RecordRef): DateChanges {
    const known = this.records.get(ref.id) ?? { ref, came: [], went: [], all: false };
    this.records.set(ref.id, known);
    return known;
  }

  activity(id: string): DateChanges {
    const known = this.activities.get(id) ?? { came: [], went: [], all: false };
    this.activities.set(id, known);
    return known;
  }
}

/** Notes that an activity was created, deleted or restored, or has another date. */
export function noteActivity(unit: Unit, draft: Draft, before: Properties | null, after: Properties | null): void {
  if (!isActivity(draft.type)) return;
  const went = before === null ? undefined : dateOf(before);
  const came = after === null ? undefined : dateOf(after);
  if (went === came) return;
  const changes = unit.book(ActivityBook).activity(draft.id);
  if (went !== undefined) changes.went.push(went);
  if (came !== undefined) changes.came.push(came);
}

/** Notes that a link of an activity came or went. */
export function noteActivityLink(
  unit: Unit,
  draft: Draft,
  { pair, targetId }: ResolvedLink,
  change: 'came' | 'went',
): void {
  const target = activityTarget(unit, draft.type, pair.id, pair.targetType);
  const date = dateOf(draft.properties);
  if (target === undefined || date === undefined) return;
  const book = unit.book(ActivityBook);
  const changes = book.record({ typeId: target.id, id: targetId });
  changes[change].push(date);
  // The activity had another date before. The record may know that one, and would not hear of it once the link is gone.
  if (book.activities.has(draft.id)) changes.all = true;
}

/** Notes that anything about the activities of a record, or about the links of an activity, may have changed. */
export function noteAllActivities(unit: Unit, { type, id }: Draft): void {
  if (hasLastActivity(type)) unit.book(ActivityBook).record({ typeId: type.id, id }).all = true;
  if (isActivity(type)) unit.book(ActivityBook).activity(id).all = true;
}

/** The type at the other end, if links of this kind count as activities there. */
export function activityTarget(
  unit: Pick<Unit, 'call'>,
  type: ObjectType,
  associationTypeId: number,
  targetType: string,
): ObjectType | undefined {
  const { orgCatalog } = unit.call.session;
  if (!isActivity(type) || !orgCatalog.activityAssociationTypes.includes(associationTypeId)) return undefined;
  const target = orgCatalog.objectTypes.get(targetType);
  return target !== undefined && hasLastActivity(target) ? target : undefined;
}

/** Sets the last activity of all records of which something was noted, and writes it. */
async function setLastActivities(unit: Unit, book: ActivityBook): Promise<void> {
  const { orgTypes, orgCatalog, caller } = unit.call.session;
  const associationTypes = orgCatalog.activityAssociationTypes;
  const activityIds = [...book.activities.keys()];
  for (const target of await findActivityTargets(unit.transaction, caller.orgId, activityIds, associationTypes)) {
    const { came, went, all } = book.activity(target.activityId);
    const record = book.record({ typeId: target.typeId, id: target.id });
    record.came.push(...came);
    record.went.push(...went);
    record.all ||= all;
  }
  const concerned = [...book.records.values()].filter(({ ref }) => {
    const type = orgTypes.get(ref.typeId);
    return type !== undefined && hasLastActivity(type);
  });
  const changesOf = new Map(concerned.map((changes) => [changes.ref.id, changes]));
  for (let refs: readonly RecordRef[] = concerned.map(({ ref }) => ref); refs.length > 0; ) {
    const { drafts, later } = await unit.records.lockForService(refs);
    if (await setEach(unit, drafts, changesOf)) await unit.flush();
    // The others are read once these are no longer kept.
    if (later.length > 0) unit.forget();
    refs = later;
  }
}

/** Sets the last activity of these records; true when a draft has changed. */
async function setEach(
  unit: Unit,
  drafts: readonly Draft[],
  changesOf: ReadonlyMap<string, DateChanges>,
): Promise<boolean> {
  const unsure: Draft[] = [];
  let changed = false;
  for (const draft of drafts) {
    const changes = changesOf.get(draft.id);
    if (changes === undefined) continue;
    const current = draft.properties[lastActivityProperty] as string | undefined;
    const latest = latestOf([...(current === undefined ? [] : [current]), ...changes.came]);
    if (changes.all || (latest !== undefined && changes.went.some((date) => keyOf(date) >= keyOf(latest))))
      unsure.push(draft);
    else changed = setLastActivity(draft, latest) || changed;
  }
  return (await readLastActivities(unit, unsure, unit.call.session.orgCatalog.activityAssociationTypes)) || changed;
}

/** Sets the last activity of these records from all their activities; true when a draft has changed. */
async function readLastActivities(
  unit: Unit,
  drafts: readonly Draft[],
  associationTypes: readonly number[],
): Promise<boolean> {
  if (drafts.length === 0) return false;
  const { orgTypes, caller } = unit.call.session;
  const activityTypes = [...orgTypes.values()].filter(isActivity).map((type) => type.id);
  const ids = drafts.map((draft) => draft.id);
  const latest = await findLatestActivities(unit.transaction, caller.orgId, ids, associationTypes, activityTypes);
  return drafts.map((draft) => setLastActivity(draft, latest.get(draft.id))).includes(true);
}

/** The record's version and dates stay as they are. True when the draft has changed. */
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
