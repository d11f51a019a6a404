// Finds the ends of links that a request names: the association type in the caller's catalog, the target among the records
// that the caller sees. The links of one record are found together, and all that is missing is reported together.

import { shorten } from '../../../client/import/described.ts';
import { isId } from '../../base/id.ts';
import { type Fault, Problem, problemOf, type Reason } from '../../base/problem.ts';
import type { Named } from '../../query/match.ts';
import { type AssociationPair, isHiddenType } from '../../schema/association-type.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { LinkPointers, LinkRequest, PlacedLink, ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { activityTarget } from './last-activity.ts';
import { findByValue } from './named-by-value.ts';
import { preloadLinks } from './preload.ts';

/** Finds the ends of the links that a body names. An association type that takes one target accepts only one. */
export async function resolveLinks(
  unit: Unit,
  type: ObjectType,
  links: readonly PlacedLink[],
): Promise<readonly ResolvedLink[]> {
  if (links.length === 0) return [];
  await preloadLinks(unit, [{ type, links }]);
  const resolved: ResolvedLink[] = [];
  const faults: Fault[] = [];
  const refusals: Problem[] = [];
  for (const link of links) {
    const found = await resolveLink(unit, type, link, link.pointers).catch(collectAbsent(refusals));
    if (found === undefined) continue;
    const rival = resolved.find(({ pair }) => pair.id === found.pair.id && pair.cardinality === 'many_to_one');
    if (rival !== undefined && rival.targetId !== found.targetId) {
      const detail = `${found.pair.name} takes one target, and two are given.`;
      faults.push({ pointer: link.pointers.link, reason: 'invalid_member', detail });
    }
    resolved.push(found);
  }
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  const [first] = refusals;
  if (first === undefined) return resolved;
  const errors = refusals.flatMap((refusal) => refusal.errors ?? []);
  throw new Problem(first.code, first.reason, first.message, { errors });
}

/** Collects problems about what is absent, so that they are reported together; throws any other error. */
function collectAbsent(refusals: Problem[]) {
  return (error: unknown): undefined => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    refusals.push(error);
  };
}

/**
 * Finds the target among the types that the association type leads to. A link that the path names has no pointers. A link that
 * the source has leads to its target, even if that is a member who was deleted.
 */
export async function resolveLink(
  unit: Unit,
  type: ObjectType,
  { associationType, target }: LinkRequest,
  pointers?: LinkPointers,
  sourceId?: string,
): Promise<ResolvedLink> {
  const pairs = requirePairs(unit, type, associationType, pointers?.associationType);
  const targetId = typeof target === 'string' ? target : await findByValue(unit, target);
  if (targetId === undefined) throw targetUnknown(associationType, target, pointers);
  for (const pair of pairs) {
    if (!isHiddenType(pair.targetType)) continue;
    const link = { typeId: type.id, id: sourceId ?? '', userId: targetId };
    const isLinked = sourceId !== undefined && isId(targetId) && (await unit.users.isLinked(link));
    if (isLinked || (await hiddenTargetExists(unit, pair, targetId))) return { pair, targetId };
  }
  const { objectTypes } = unit.call.session.catalog;
  // The target of an activity changes with the link, so it is locked like any record that is to be changed.
  const changed = isId(targetId)
    ? pairs.flatMap((pair) => activityTarget(unit, type, pair.id, pair.targetType) ?? [])
    : [];
  if (changed.length > 0) await unit.records.lockAll(changed.map(({ id }) => ({ typeId: id, id: targetId })));
  const typeIds = pairs.flatMap((pair) => objectTypes.get(pair.targetType)?.id ?? []);
  const found = isId(targetId) && typeIds.length > 0 ? await unit.records.typeOfLive(typeIds, targetId) : undefined;
  const pair = pairs.find((each) => found !== undefined && objectTypes.get(each.targetType)?.id === found);
  if (pair !== undefined) return { pair, targetId };
  throw targetUnknown(associationType, target, pointers);
}

/** A record that is hidden is not found by its value either, and its id is not told. */
function targetUnknown(associationType: string, target: Named, pointers: LinkPointers | undefined): Problem {
  const asked =
    typeof target === 'string'
      ? `record ${JSON.stringify(shorten(target, 64))}`
      : `record with this ${target.property}`;
  return absent('target_unknown', `There is no ${asked} that ${associationType} could lead to.`, pointers?.target);
}

/** The pairs of that association type that begin at the type; a 404 when there are none. */
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

async function hiddenTargetExists(unit: Unit, pair: AssociationPair, targetId: string): Promise<boolean> {
  if (pair.targetType === 'svc_org') return targetId === String(unit.call.session.caller.orgId);
  return isId(targetId) && unit.users.exists(targetId);
}

function absent(reason: Reason, detail: string, pointer: string | undefined): Problem {
  const errors = pointer === undefined ? undefined : [{ pointer, reason, detail }];
  return new Problem('not_found', reason, detail, errors === undefined ? {} : { errors });
}
