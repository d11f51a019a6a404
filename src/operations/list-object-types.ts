// GET /objects/: exactly the object types that the key can see.
import { Type } from 'typebox';
import { objectTypeEntry } from './object-type-entry.ts';
import type { KeyOperation } from './operation.ts';
import { ObjectTypeShape } from './shapes.ts';

export const listObjectTypes: KeyOperation = {
  id: 'listObjectTypes',
  method: 'GET',
  path: '/objects/',
  tag: 'Schema',
  access: 'key',
  summary: 'Object types',
  description:
    'Every object type that the key can see, built-in and custom. `writable_operations` tells what may be done to its ' +
    'records; a type that is not listed does not exist for this key.',
  answer: { status: 200, description: 'The object types.', schema: Type.Array(ObjectTypeShape) },
  run: ({ session: { catalog } }) => ({ data: [...catalog.objectTypes.values()].map(objectTypeEntry) }),
};
