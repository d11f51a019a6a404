// Grants: which object types a key may use, and for which operations. Everything else is denied. Every operation
// implies `read`.
import type { Catalog } from '../schema/catalog.ts';
import { type WriteOperation, writeOperations } from '../schema/object-type.ts';

export const grantOperations = ['read', ...writeOperations] as const;
export type GrantOperation = (typeof grantOperations)[number];

/** Means every type except platform types, including custom types that are added later. */
const everyType = '*';

export interface Grant {
  readonly objectTypes: readonly string[];
  readonly operations: readonly GrantOperation[];
}

export const fullGrant: Grant = { objectTypes: [everyType], operations: grantOperations };

/** Parses `TYPE[,TYPE…]:OP[,OP…]` from the command line. Undefined if the text has another form. */
export function parseGrant(
  text: string,
): { objectTypes: readonly string[]; operations: readonly string[] } | undefined {
  const [types, operations, ...rest] = text.split(':');
  if (types === undefined || operations === undefined || rest.length > 0) return undefined;
  const lists = { objectTypes: types.split(','), operations: operations.split(',') };
  return [...lists.objectTypes, ...lists.operations].includes('') ? undefined : lists;
}

export function isGrantOperation(name: string): name is GrantOperation {
  return (grantOperations as readonly string[]).includes(name);
}

/** The names in a grant that are not object types of the org. Hidden types are among them: they cannot be granted. */
export function unknownTypes(grant: Pick<Grant, 'objectTypes'>, catalog: Catalog): readonly string[] {
  return grant.objectTypes.filter((name) => name !== everyType && !catalog.objectTypes.has(name));
}

/**
 * The write operations that the grants permit on one type; undefined if no grant names it, which makes it invisible.
 */
export function permitted(grants: readonly Grant[], objectType: string): ReadonlySet<WriteOperation> | undefined {
  const naming = grants.filter(
    (grant) =>
      grant.operations.length > 0 && (grant.objectTypes.includes(objectType) || grant.objectTypes.includes(everyType)),
  );
  if (naming.length === 0) return undefined;
  return new Set(naming.flatMap((grant) => grant.operations.filter((operation) => operation !== 'read')));
}
