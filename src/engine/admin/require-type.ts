// Finds the org that a command is about, and object types in its catalog.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { nearest } from '../../base/nearest.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { CommandEngine } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { requireOrg } from './orgs.ts';

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

/** The org with its catalog, for a command that writes its records. */
export async function requireKnown({ database, directory }: CommandEngine, orgId: number): Promise<KnownOrg> {
  await requireOrg(database, orgId);
  const known = await directory.find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  return known;
}

/** A type that every org has. */
export function typeNumbered({ typesById }: Pick<KnownOrg, 'typesById'>, typeId: number): ObjectType {
  const type = typesById.get(typeId);
  if (type === undefined) throw new TypeError(`The type ${typeId} no longer exists.`);
  return type;
}
