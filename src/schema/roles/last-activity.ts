// The last activity of a record (contract 6): which types have one, and which associations lead to it.
import type { AssociationPair } from '../association-type.ts';
import type { ObjectType } from '../object-type.ts';

export const lastActivityProperty = 'svc_last_activity_at';

export function hasLastActivity({ properties }: ObjectType): boolean {
  return properties.has(lastActivityProperty);
}

export function isActivity({ kind }: ObjectType): boolean {
  return kind === 'activity';
}

/** The association types that lead from activities to records that have a last activity. */
export function activityAssociationTypes(
  pairs: readonly AssociationPair[],
  objectTypes: ReadonlyMap<string, ObjectType>,
): readonly number[] {
  const leading = pairs.filter(({ sourceType, targetType }) => {
    const source = objectTypes.get(sourceType);
    const target = objectTypes.get(targetType);
    return source !== undefined && target !== undefined && isActivity(source) && hasLastActivity(target);
  });
  return [...new Set(leading.map(({ id }) => id))];
}
