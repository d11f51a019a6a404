// Nobody gives more than they have: whether what a caller may do covers what a key, a role or a member holds.
import type { Catalog } from '../schema/catalog.ts';
import type { Reach } from './caller.ts';
import { type Grant, isWord, names, type Permission, permission } from './grant.ts';

/** What a key, a role or a member holds, or what a caller may do. */
export interface Power {
  readonly reach: Reach;
  readonly grants: readonly Grant[];
}

export function covers(caller: Power, held: Power, catalog: Catalog): boolean {
  if (caller.reach === 'user' && held.reach === 'org' && held.grants.length > 0) return false;
  const named = new Set(held.grants.flatMap(({ objectTypes }) => objectTypes));
  return [...named].every((name) => {
    const wanted = permission(about(held.grants, name, catalog));
    const { properties } = catalog.objectTypes.get(name) ?? {};
    const has = (property: string) => properties?.has(property) ?? true;
    return wanted === undefined || isWithin(permission(about(caller.grants, name, catalog)), wanted, has);
  });
}

/**
 * The grants that are about what a name in a grant means. The words for every type are covered only by themselves: they
 * also name types that are yet to come. A type that the org no longer has was its own, and may come again.
 */
function about(grants: readonly Grant[], name: string, { objectTypes }: Catalog): readonly Grant[] {
  const type = objectTypes.get(name) ?? ({ name, category: 'custom' } as const);
  return grants.filter((grant) =>
    isWord(name) ? grant.operations.length > 0 && grant.objectTypes.includes(name) : names(grant, type),
  );
}

function isWithin(given: Permission | undefined, wanted: Permission, has: (property: string) => boolean): boolean {
  return (
    given !== undefined &&
    [...wanted.operations].every((operation) => given.operations.has(operation)) &&
    [...given.hidden].every((name) => !has(name) || wanted.hidden.has(name)) &&
    [...given.locked].every((name) => !has(name) || wanted.locked.has(name))
  );
}
