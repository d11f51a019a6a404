// Finds the hop that an association type makes from a type, in the caller's catalog alone.
import { describe, shorten } from '../../client/import/described.ts';
import { nearest } from '../base/nearest.ts';
import type { Fault } from '../base/problem.ts';
import { isHiddenType } from '../schema/association-type.ts';
import type { Catalog } from '../schema/catalog.ts';
import { nameCharactersMax, type ObjectType } from '../schema/object-type.ts';
import { platformTypes } from '../schema/roles/platform.ts';
import type { Direction, Hop } from './plan.ts';

export const directions: readonly Direction[] = ['outgoing', 'incoming'];

/** Without a direction: the one that begins at the type, or outgoing if it is both ends (contract 5). */
export function findHop(
  catalog: Catalog,
  type: ObjectType,
  name: string,
  direction: Direction | undefined,
): Hop | undefined {
  const outgoing = catalog.pairsFrom(type.name, name);
  const incoming = catalog.pairsTo(type.name, name);
  const chosen = direction ?? (outgoing.length > 0 ? 'outgoing' : 'incoming');
  const pairs = chosen === 'outgoing' ? outgoing : incoming;
  const [first] = pairs;
  if (first === undefined) return undefined;
  const names = pairs.map((pair) => (chosen === 'outgoing' ? pair.targetType : pair.sourceType));
  return {
    associationTypeId: first.id,
    direction: chosen,
    ends: names.flatMap((each) => catalog.objectTypes.get(each) ?? []),
    many: chosen === 'incoming' || first.cardinality === 'many_to_many',
    stage: chosen === 'outgoing' && first.stage,
    hidden: names.find(isHiddenType),
    namesUsers: !catalog.hiddenKeys.get(platformTypes.member)?.includes('svc_name'),
  };
}

/** The error for an association type that none of the types has, with the nearest name that one of them has. */
export function unknownAssociation(
  catalog: Catalog,
  types: readonly ObjectType[],
  name: unknown,
  direction?: unknown,
): Pick<Fault, 'reason' | 'detail' | 'nearest'> {
  const known = new Set(types.flatMap((type) => catalog.pairsOf(type.name).map(({ pair }) => pair.name)));
  const near = typeof name === 'string' && name.length <= nameCharactersMax ? nearest(name, known) : undefined;
  const asked = typeof name === 'string' ? JSON.stringify(shorten(name, nameCharactersMax)) : describe(name);
  const whose = types.map((type) => type.name).slice(0, 5);
  const where = direction === undefined ? '' : ' in this direction';
  return {
    reason: 'unknown_association',
    detail: `${whose.join(', ')} ${whose.length > 1 ? 'have' : 'has'} no association type ${asked}${where} that this key can see.`,
    ...(near === undefined || near === name ? {} : { nearest: near }),
  };
}
