// Grants: which object types a key may use, and for what. Deny by default; every operation implies `read`.
import type { Catalog } from '../schema/catalog.ts';
import { type WriteOperation, writeOperations } from '../schema/object-type.ts';

export const grantOperations = ['read', ...writeOperations] as const;
export type GrantOperation = (typeof grantOperations)[number];

/** Stands for every type but platform types, later custom ones included. */
export const everyType = '*';

export interface Grant {
  readonly objectTypes: readonly string[];
  readonly operations: readonly GrantOperation[];
}

export const fullGrant: Grant = { objectTypes: [everyType], operations: grantOperations };

/** `TYPE[,TYPE…]:OP[,OP…]`, as it is written on the command line. Undefined when the text has another form. */
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

/** The names in a grant that are no object types of the org. Hidden types are none: they cannot be granted. */
export function unknownTypes(grant: Pick<Grant, 'objectTypes'>, catalog: Catalog): readonly string[] {
  return grant.objectTypes.filter((name) => name !== everyType && !catalog.objectTypes.has(name));
}

/** What the grants permit on one type; undefined when they do not name it, so that it is not visible at all. */
export function permitted(grants: readonly Grant[], objectType: string): ReadonlySet<WriteOperation> | undefined {
  const naming = grants.filter(
    (grant) =>
      grant.operations.length > 0 && (grant.objectTypes.includes(objectType) || grant.objectTypes.includes(everyType)),
  );
  if (naming.length === 0) return undefined;
  return new Set(naming.flatMap((grant) => grant.operations.filter((operation) => operation !== 'read')));
}
