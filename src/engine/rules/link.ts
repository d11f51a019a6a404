// The rules of links, on a unit of work: what a link replaces or leaves unchanged is known before anything is written.
// A link to a stage is a move, and belongs to the rules of stages.
import { Problem, problemOf } from '../../base/problem.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import { isGoverned } from '../../schema/object-type.ts';
import type { Draft } from '../unit/draft.ts';
import { type LinkChange, type LinkEffect, madeBy, type ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { makeRecordLink, removeRecordLink } from './record-link.ts';
import { leaveStage, moveStage, planLeave, planMove, shareTimersOf } from './stage.ts';

/** The changes that the links make, in order; none for links that exist already. */
export async function planLinks(
  unit: Unit,
  draft: Draft,
  links: readonly ResolvedLink[],
): Promise<readonly LinkEffect[]> {
  if (links.length === 0) return [];
  const effects: LinkEffect[] = [];
  await loadLinks(unit, draft, links);
  for (const { pair, targetId } of links) {
    refuseGoverned(draft, pair);
    if (isPlanned(effects, pair, targetId) || (await isLinked(unit, draft, pair, targetId))) continue;
    const kind = kindOf(pair);
    if (pair.stage) effects.push(await planMove(unit, draft, { pair, targetId }));
    else {
      if (kind === 'record' && pair.cardinality === 'many_to_one') {
        effects.push(...(await planReplacement(unit, draft, pair)));
      }
      effects.push({ kind, pair, targetId, change: 'made' });
    }
  }
  return effects;
}

function isPlanned(effects: readonly LinkEffect[], pair: AssociationPair, targetId: string): boolean {
  return effects.some((effect) => {
    const made = madeBy(effect);
    return made !== undefined && made.pair === pair && made.targetId === targetId;
  });
}

/** The end of the link to the one target that the record had. */
async function planReplacement(unit: Unit, draft: Draft, pair: AssociationPair): Promise<readonly LinkChange[]> {
  const former = await unit.links.target({ sourceId: draft.id, associationTypeId: pair.id });
  if (former === undefined) return [];
  // The association type may lead to several types.
  const targetType = unit.call.session.orgTypes.get(former.targetTypeId)?.name ?? pair.targetType;
  return [{ kind: 'record', pair: { ...pair, targetType }, targetId: former.targetId, change: 'removed' }];
}

/** Who sees a record that obeys rules of its own is decided by these rules. */
function refuseGoverned({ type }: Draft, pair: AssociationPair): void {
  if (kindOf(pair) === 'record' || !isGoverned(type)) return;
  throw new Problem('forbidden', 'type_is_read_only', `The service decides who sees records of ${type.name}.`);
}

/** Refuses to change a link that is made with its source. `at` is the place of the links in the request. */
export function refuseFixedLink({ pair }: ResolvedLink, at: string): void {
  if (pair.fixed !== true) return;
  const detail = `A link of ${pair.name} is made when its source is created, and cannot change.`;
  throw problemOf('validation_failed', [{ pointer: at, reason: 'fixed_property', detail }]);
}

/** Reads everything that the links of one write ask for at once. */
async function loadLinks(unit: Unit, draft: Draft, links: readonly ResolvedLink[]): Promise<void> {
  const wanted = links
    .filter(({ pair }) => kindOf(pair) === 'record')
    .map(({ pair, targetId }) => ({ sourceId: draft.id, associationTypeId: pair.id, targetId, pair }));
  await unit.links.loadTargets(wanted.filter(({ pair }) => pair.cardinality === 'many_to_one'));
  await unit.links.load(wanted.filter(({ pair }) => pair.cardinality === 'many_to_many'));
}

/** The change that removing the link makes; none if it does not exist. */
export async function planUnlink(unit: Unit, draft: Draft, link: ResolvedLink): Promise<readonly LinkEffect[]> {
  const { pair, targetId } = link;
  refuseGoverned(draft, pair);
  if (!(await isLinked(unit, draft, pair, targetId))) return [];
  if (pair.stage) return [await planLeave(unit, draft, pair)];
  return [{ kind: kindOf(pair), pair, targetId, change: 'removed' }];
}

/** Makes the changes and notes their entries; returns the timers. The source has its new version by now. */
export async function applyLinks(unit: Unit, draft: Draft, effects: readonly LinkEffect[]): Promise<readonly Draft[]> {
  for (const effect of effects) {
    if (effect.kind === 'stage') moveStage(unit, draft, effect);
    else if (effect.kind === 'record') changeRecordLink(unit, draft, effect);
    else changeVisibility(unit, draft, effect);
  }
  // The feed reports the links of the record before its timers.
  const timers: Draft[] = [];
  for (const effect of effects) {
    if (effect.kind === 'stage' && effect.from !== undefined) {
      timers.push(await leaveStage(unit, draft, effect.from.stored));
    }
  }
  return timers;
}

function changeRecordLink(unit: Unit, draft: Draft, link: LinkChange): void {
  if (link.change === 'made') makeRecordLink(unit, draft, link);
  else removeRecordLink(unit, draft, link);
}

/** Links to users and to the org decide who sees the record, and with it its timers. */
function changeVisibility(unit: Unit, draft: Draft, { kind, pair, targetId, change }: LinkChange): void {
  const record = { typeId: draft.type.id, id: draft.id };
  const made = change === 'made';
  shareTimersOf(unit, record);
  if (kind === 'org') draft.orgVisible = made;
  else if (made) unit.users.link({ ...record, userId: targetId });
  else unit.users.unlink({ ...record, userId: targetId });
  unit.noteEntry(draft, made ? 'association.created' : 'association.deleted', null, {
    associationTypeId: pair.id,
    // Users and orgs are not records: as targets they have the type 0, and the association type says which they are.
    targetTypeId: 0,
    // The number of an org is not an id of this form, and there is only one org that it could be.
    targetId: kind === 'org' ? null : targetId,
  });
}

async function isLinked(unit: Unit, draft: Draft, pair: AssociationPair, targetId: string): Promise<boolean> {
  const kind = kindOf(pair);
  if (kind === 'org') return draft.orgVisible;
  if (kind === 'user') return unit.users.isLinked({ typeId: draft.type.id, id: draft.id, userId: targetId });
  return unit.links.has({ sourceId: draft.id, associationTypeId: pair.id, targetId });
}

function kindOf(pair: AssociationPair): LinkChange['kind'] {
  if (pair.targetType === 'svc_org') return 'org';
  return pair.targetType === 'svc_user' ? 'user' : 'record';
}
