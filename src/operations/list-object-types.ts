// GET /objects/: the object types that the key can see.
import { Type } from 'typebox';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import { keyOperation } from './operation.ts';
import { ObjectTypeShape, objectTypeBody } from './shapes/object-type.ts';

export const listObjectTypes = keyOperation({
  id: 'listObjectTypes',
  method: 'GET',
  path: '/objects/',
  tag: 'Schema',
  access: 'key',
  summary: 'List object types',
  description:
    'Returns every object type that the key can see, built-in and custom. `writable_operations` lists what the key can do ' +
    'with its records. A type that is not listed does not exist for this key.',
  answer: { status: 200, description: 'The object types.', schema: Type.Array(ObjectTypeShape) },
  examples: {
    object_types: {
      summary: 'Two of them, as seen by a key with all grants',
      excerpt: true,
      answer: {
        data: [...builtinCatalog.objectTypes.values()]
          .filter(({ name }) => name === 'svc_company' || name === 'svc_meeting')
          .map(objectTypeBody),
      },
    },
  },
  parse: () => ({}),
  run: ({ session: { catalog } }) => ({ data: [...catalog.objectTypes.values()].map(objectTypeBody) }),
});
