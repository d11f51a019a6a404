// GET /objects/: exactly the object types that the key can see.
import { Type } from 'typebox';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import type { KeyOperation } from './operation.ts';
import { ObjectTypeShape } from './shapes/shapes.ts';
import { objectTypeEntry } from './shared/object-type-entry.ts';

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
  examples: {
    object_types: {
      summary: 'Two of them, as a key sees them that may do everything',
      excerpt: true,
      answer: {
        data: [...builtinCatalog.objectTypes.values()]
          .filter(({ name }) => name === 'svc_company' || name === 'svc_meeting')
          .map(objectTypeEntry),
      },
    },
  },
  run: ({ session: { catalog } }) => ({ data: [...catalog.objectTypes.values()].map(objectTypeEntry) }),
};
