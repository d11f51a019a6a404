// Finds the object type that a person names on the command line in the catalog of an org.
import { Failure } from '../../base/failure.ts';
import { shorten } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { KnownOrg } from '../process/directory.ts';

export function requireType(
  { org, catalog: { objectTypes } }: Pick<KnownOrg, 'org' | 'catalog'>,
  name: string,
): ObjectType {
  const type = objectTypes.get(name);
  if (type !== undefined) return type;
  // The prefix of built-in names is forgotten most often.
  const near = objectTypes.has(`svc_${name}`) ? `svc_${name}` : nearest(name, objectTypes.keys());
  const fix = near === undefined ? `"orrery types --org ${org.orgId}" lists all types.` : `Did you mean "${near}"?`;
  throw new Failure('not_found', `Org ${org.orgId} has no object type ${JSON.stringify(shorten(name, 64))}.`, fix);
}
