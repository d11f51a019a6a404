// The rules of links, on a unit of work. An association type is found in the caller's catalog, a target with the
// caller's eyes; what a link replaces or leaves unchanged is known before anything is written.
import { isId } from '../../base/id.ts';
import { shorten } from '../../base/json.ts';
import { Problem, type Reason } from '../../base/problem.ts';
import { type AssociationPair, isHiddenType } from '../../schema/association-type.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { NewLink } from '../../store/records/associations.ts';
import type { Draft } from '../unit/draft.ts';
import { noteEntry } from '../unit/note-entry.ts';
import type { Unit } from '../unit/unit.ts';
import { feeds, stirLink } from './last-activity.ts';
import type { LinkEffect, LinkRequest, ResolvedLink } from './link-effect.ts';
import { leaveStage } from './stage.ts';

/** The association pairs of that name that begin at the type; none of them: a 404. */
function requirePairs(
  unit: Unit,
  type: ObjectType,
  name: string,
  pointer: string | undefined,
): readonly AssociationPair[] {
  const pairs = unit.call.session.catalog.pairsFrom(type.name, name);
  if (pairs.length > 0) return pairs;
  const asked = JSON.stringify(shorten(name, 64));
  throw absent('association_type_unknown', `${type.name} has no association type ${asked} as a source.`, pointer);
}

/** Where the names of a link stand in a body; nowhere, if they stand in the path. */
interface LinkPointers {
  readonly type: string;
  readonly target: string;
}

/** Finds the target among the types that the association type leads to. */
export async function resolveLink(
  unit: Unit,
  type: ObjectType,
  { associationType, targetId }: LinkRequest,
  pointers?: LinkPointers,
): Promise<ResolvedLink> {
  const pairs = requirePairs(unit, type, associationType, pointers?.type);
  for (const pair of pairs) {
    if (isHiddenType(pair.targetType) && (await hiddenTargetExists(unit, pair, targetId))) {
      return { pair, targetId };
    }
  }
  const { objectTypes } = unit.call.session.catalog;
  // What an activity is linked to changes with it, so it is locked like what is to be changed.
  const fed = isId(targetId) ? pairs.flatMap((pair) => feeds(unit, type, pair.id, pair.targetType) ?? []) : [];
  if (fed.length > 0) await unit.loadRecords(fed.map(({ id }) => ({ typeId: id, id: targetId })));
  const typeIds = pairs.flatMap((pair) => objectTypes.get(pair.targetType)?.id ?? []);
  const found = isId(targetId) && typeIds.length > 0 ? await unit.typeOfLive(typeIds, targetId) : undefined;
  const pair = pairs.find((each) => found !== undefined && objectTypes.get(each.targetType)?.id === found);
  if (pair !== undefined) return { pair, targetId };
  const asked = JSON.stringify(shorten(targetId, 64));
  throw absent(
    'target_unknown',
    `There is no record ${asked} that ${associationType} could lead to.`,
    pointers?.target,
  );
}

async function hiddenTargetExists(unit: Unit, pair: AssociationPair, targetId: string): Promise<boolean> {
  if (pair.targetType === 'svc_org') return targetId === String(unit.call.session.caller.orgId);
  return isId(targetId) && unit.hasUser(targetId);
}

function absent(reason: Reason, detail: string, pointer: string | undefined): Problem {
  const errors = pointer === undefined ? undefined : [{ pointer, reason, detail }];
  return new Problem('not_found', reason, detail, errors === undefined ? {} : { errors });
}

/** What the links would change, in order; nothing for those that are there already. */
export async function planLinks(
  unit: Unit,
  draft: Draft,
  links: readonly ResolvedLink[],
): Promise<readonly LinkEffect[]> {
  const effects: LinkEffect[] = [];
  await loadLinks(unit, draft, links);
  for (const { pair, targetId } of links) {
    if (effects.some((effect) => effect.makes && effect.pair === pair && effect.targetId === targetId)) continue;
    if (await isLinked(unit, draft, pair, targetId)) continue;
    if (kindOf(pair) === 'record' && pair.cardinality === 'many_to_one') {
      const former = await unit.links.target({ sourceId: draft.id, associationTypeId: pair.id });
      if (former !== undefined) effects.push(planReplacement(unit, pair, former));
    }
    effects.push({ kind: kindOf(pair), pair, targetId, makes: true });
  }
  return effects;
}

/** What giving up the one target that the record had changes. */
function planReplacement(unit: Unit, pair: AssociationPair, former: NewLink): LinkEffect {
  const { targetId, targetTypeId } = former;
  const effect = { kind: 'record', pair: pairTo(unit, pair, targetTypeId), targetId, makes: false } as const;
  return pair.stage ? { ...effect, left: former } : effect;
}

/** All that the links of one write ask for, at once. */
async function loadLinks(unit: Unit, draft: Draft, links: readonly ResolvedLink[]): Promise<void> {
  const wanted = links
    .filter(({ pair }) => kindOf(pair) === 'record')
    .map(({ pair, targetId }) => ({ sourceId: draft.id, associationTypeId: pair.id, targetId, pair }));
  await unit.links.loadTargets(wanted.filter(({ pair }) => pair.cardinality === 'many_to_one'));
  await unit.links.loadLinks(wanted.filter(({ pair }) => pair.cardinality === 'many_to_many'));
}

/** What taking the link away would change: nothing if it is not there. */
export async function planUnlink(unit: Unit, draft: Draft, link: ResolvedLink): Promise<readonly LinkEffect[]> {
  const { pair, targetId } = link;
  if (!(await isLinked(unit, draft, pair, targetId))) return [];
  const effect = { kind: kindOf(pair), pair, targetId, makes: false } as const;
  if (!pair.stage) return [effect];
  const left = await unit.links.target({ sourceId: draft.id, associationTypeId: pair.id });
  return [left === undefined ? effect : { ...effect, left }];
}

/** Notes the effects and their entries in the feed; returns the timers. The source has its new version by now. */
export async function applyLinks(unit: Unit, draft: Draft, effects: readonly LinkEffect[]): Promise<readonly Draft[]> {
  for (const effect of effects) {
    const { kind, pair, targetId, makes } = effect;
    const targetTypeId = typeIdOf(unit, pair.targetType);
    const source = { typeId: draft.type.id, id: draft.id };
    if (kind !== 'record') unit.reshared.set(draft.id, source);
    if (kind === 'org') draft.orgVisible = makes;
    else if (kind === 'user') {
      if (makes) unit.links.addUser({ ...source, userId: targetId });
      else unit.links.removeUser({ ...source, userId: targetId });
    } else {
      const link = { sourceId: draft.id, associationTypeId: pair.id, targetId };
      if (makes) unit.links.add({ ...link, sourceTypeId: draft.type.id, targetTypeId, atMs: draft.updatedAtMs });
      else unit.links.remove(link);
      stirLink(unit, draft, effect);
    }
    noteEntry(unit, draft, makes ? 'association.created' : 'association.deleted', null, {
      associationTypeId: pair.id,
      targetTypeId,
      // An org's number is no id of this form, and there is only one that it could be.
      targetId: kind === 'org' ? null : targetId,
    });
  }
  const timers: Draft[] = [];
  for (const { left } of effects) if (left !== undefined) timers.push(await leaveStage(unit, draft, left));
  return timers;
}

async function isLinked(unit: Unit, draft: Draft, pair: AssociationPair, targetId: string): Promise<boolean> {
  const kind = kindOf(pair);
  if (kind === 'org') return draft.orgVisible;
  if (kind === 'user') return unit.links.hasUser({ typeId: draft.type.id, id: draft.id, userId: targetId });
  return unit.links.has({ sourceId: draft.id, associationTypeId: pair.id, targetId });
}

function kindOf(pair: AssociationPair): LinkEffect['kind'] {
  if (pair.targetType === 'svc_org') return 'org';
  return pair.targetType === 'svc_user' ? 'user' : 'record';
}

/** Users and orgs are no records: as ends they have the number 0, and the association type tells which they are. */
function typeIdOf(unit: Unit, name: string): number {
  return unit.call.session.orgCatalog.objectTypes.get(name)?.id ?? 0;
}

/** The pair of the same association type that leads to another type. */
function pairTo(unit: Unit, pair: AssociationPair, targetTypeId: number): AssociationPair {
  const targetType = unit.call.session.orgTypes.get(targetTypeId)?.name ?? pair.targetType;
  return { ...pair, targetType };
}
