// What is to be written to records so that they go back, by the caller's grants and the rules of values. What these refuse is
// left out here and named. What may be refused because another record holds a unique value is settled afterwards.
import type { Json } from '../../base/json.ts';
import { type Reason, refusalOf } from '../../base/problem.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import { stageTimerType } from '../../schema/builtin/association-types.ts';
import { checkValues } from '../../schema/check-values.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { type ObjectType, reasonAgainst, type WriteOperation } from '../../schema/object-type.ts';
import { findReplaced } from '../../store/feed/requests.ts';
import { isOperator } from '../process/call.ts';
import type { Session } from '../process/session.ts';
import { applyChanges, refuseTooLarge } from '../rules/apply-changes.ts';
import { isHistory, timerSources } from '../rules/stage-timer.ts';
import { includesKey } from '../rules/unique-values.ts';
import { type Draft, type Properties, print } from '../unit/draft.ts';
import { MissingValue } from '../unit/long-values.ts';
import type { Unit } from '../unit/unit.ts';
import { propertyOf, type RecordHistory, readHistory, type UndoneRequest } from './history.ts';
import { type FormerValue, type GoesBack, type LinkBack, whatGoesBack } from './what-goes-back.ts';

interface PlannedLink {
  readonly pair: AssociationPair;
  readonly targetId: string;
  readonly change: LinkBack['change'];
  /** Its former date, if it goes back to that. */
  readonly linkedAtMs: number | undefined;
}

/** What is written to a record, and what is to be told about it. */
export interface RecordPlan {
  /** As the caller sees it. */
  readonly type: ObjectType;
  readonly id: string;
  /** The number of the last entry of the request: what was done last is undone first. */
  readonly lastSeq: number;
  life: GoesBack['life'];
  readonly values: Map<string, Json>;
  links: readonly PlannedLink[];
  /** The values that have to be unique, and the type with all its unique properties. */
  readonly unique: { readonly whole: ObjectType; readonly place: Draft['place']; readonly values: Properties };
  readonly told: Told;
}

/** The verdict on a record, which can be all three at once. */
interface Told {
  reverted: boolean;
  kept: boolean;
  readonly refused: Set<Reason>;
}

/** The plans of those of the records of which the caller may know something. They are locked. */
export async function planRecords(
  unit: Unit,
  undone: UndoneRequest,
  records: readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[],
): Promise<readonly RecordPlan[]> {
  const histories = await readHistory(unit, undone, records);
  const toOne = takesOne(unit.call.session);
  const decided = new Map<string, Decided>();
  for (const [id, history] of histories) {
    decided.set(id, { id, history, back: whatGoesBack(history.events, history.later, toOne) });
  }
  const former = await readFormer(unit, [...decided.values()]);
  const plans: RecordPlan[] = [];
  const { slice } = unit.call;
  await unit.links.loadTargets(timerSources(records.filter(({ type }) => type.id === stageTimerType)));
  for (const { type: whole, id } of records) {
    if (slice?.isOver() === true) await slice.next();
    const found = decided.get(id);
    const type = undone.types.get(whole.id);
    if (found === undefined || type === undefined) continue;
    const draft = (await unit.records.lock(type, id)) ?? (await unit.records.lockTrashed(type, id));
    if (draft === undefined || (type.id === stageTimerType && !(await isHistory(unit, draft)))) continue;
    plans.push(planRecord(unit, type, draft, found, former));
  }
  return plans;
}

interface Decided {
  readonly id: string;
  readonly history: RecordHistory;
  readonly back: GoesBack;
}

/** The value that a record had, by its id and the key of the value; undefined if it is not stored where it should be. */
type Former = (id: string, key: string, value: FormerValue) => Json | undefined;

async function readFormer(unit: Unit, decided: readonly Decided[]): Promise<Former> {
  const wanted = decided.flatMap(({ id, back }) =>
    [...back.values].flatMap(([property, value]) =>
      'replacedBy' in value ? [{ recordId: id, property, version: value.replacedBy }] : [],
    ),
  );
  const stored = await findReplaced(unit.transaction, unit.call.session.caller.orgId, wanted);
  const found = new Map(stored.map(({ recordId, property, value }) => [`${recordId}/${property}`, value]));
  return (id, key, value) => ('replacedBy' in value ? found.get(`${id}/${key}`) : value.value);
}

function planRecord(unit: Unit, type: ObjectType, draft: Draft, decided: Decided, former: Former): RecordPlan {
  const { history, back } = decided;
  const told: Told = { reverted: false, kept: back.kept, refused: new Set() };
  const permits = (operation: WriteOperation) => {
    const reason = type.id === stageTimerType ? undefined : reasonAgainst(type, operation);
    if (reason !== undefined) told.refused.add(reason);
    return reason === undefined;
  };
  const plan: RecordPlan = {
    type,
    id: draft.id,
    lastSeq: history.lastSeq,
    life: back.life !== undefined && permits('delete') ? back.life : undefined,
    values: new Map(),
    links: [],
    unique: { whole: draft.type, place: draft.place, values: uniqueValues(draft) },
    told,
  };
  // A record in the trash changes only if it comes back.
  if (draft.place === 'trash' && plan.life !== 'to_live') {
    told.kept ||= back.life === undefined && back.values.size + back.links.length > 0;
    return plan;
  }
  if (back.values.size > 0 && permits('update')) planValues(unit.call.session, plan, draft, back.values, former);
  const links = back.links.flatMap((link) => linkOf(unit.call.session, type, link));
  const mine = isOperator(unit.call.session) ? links : links.filter(({ change }) => change !== 'dated');
  if (mine.length < links.length) told.refused.add('type_is_read_only');
  if (mine.length > 0 && permits('associate')) plan.links = mine;
  return plan;
}

function takesOne({ orgCatalog }: Session): (associationTypeId: number) => boolean {
  const toOne = new Set(orgCatalog.pairs.filter((pair) => pair.cardinality === 'many_to_one').map((pair) => pair.id));
  return (associationTypeId) => toOne.has(associationTypeId);
}

/** Each value must be one that the caller could write. */
function planValues(
  { catalog }: Session,
  plan: RecordPlan,
  draft: Draft,
  values: GoesBack['values'],
  former: Former,
): void {
  const { type, id, told } = plan;
  for (const [key, reference] of values) {
    const property = propertyOf(type, key);
    if (property === undefined) continue;
    const value = former(id, key, reference);
    if (value === undefined) {
      throw new MissingValue({ recordId: id, version: String(draft.version) }, key);
    }
    const { faults } = checkValues(type, { [property.name]: value }, '', 1);
    const [fault] = faults;
    if (fault === undefined) plan.values.set(key, value);
    else told.refused.add(fault.reason);
  }
  try {
    refuseTooLarge(print(applyChanges(draft.properties, plan.values)), '', catalog.hiddenKeys.get(plan.type.id));
  } catch (error) {
    const { reason } = refusalOf(error);
    if (reason !== undefined) told.refused.add(reason);
    plan.values.clear();
  }
}

/** The pair that the caller sees. Links that are made with their source go with it. */
function linkOf({ catalog, orgTypes, caller }: Session, type: ObjectType, link: LinkBack): readonly PlannedLink[] {
  const { associationTypeId, targetTypeId, targetId, change, linkedAtMs } = link;
  const association = catalog.associationNames.get(associationTypeId);
  if (association === undefined) return [];
  const targetType = orgTypes.get(targetTypeId)?.name ?? association.hiddenTarget;
  const pair = catalog.pairsFrom(type.name, association.name).find((each) => each.targetType === targetType);
  if (pair === undefined || pair.fixed === true) return [];
  return [{ pair, targetId: targetId ?? String(caller.orgId), change, linkedAtMs }];
}

function uniqueValues({ type, properties }: Draft): Properties {
  const keys = type.groups.unique.map(({ key }) => key);
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(properties, key) ? [[key, properties[key] ?? null]] : [])),
  );
}

/** The unique values that the record gives up by its plan, and those that it takes. */
export function uniqueMoves({ unique, life, values }: RecordPlan): {
  readonly lost: readonly UniqueKey[];
  readonly claimed: readonly UniqueKey[];
} {
  const { whole, place, values: former } = unique;
  if (whole.groups.unique.length === 0) return { lost: [], claimed: [] };
  const before = place === 'live' ? uniqueKeys(whole, former) : [];
  const isLive = life === undefined ? place === 'live' : life === 'to_live';
  const after = isLive ? uniqueKeys(whole, applyChanges(former, values)) : [];
  return {
    lost: before.filter((key) => !includesKey(after, key)),
    claimed: after.filter((key) => !includesKey(before, key)),
  };
}
