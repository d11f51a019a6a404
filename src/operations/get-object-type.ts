// GET /objects/{object_type}/: one object type with its properties, labels and options as the org has them.
import { objectTypeEntry, propertyEntry } from './object-type-entry.ts';
import type { KeyOperation } from './operation.ts';
import { requireObjectType } from './permit.ts';
import { ObjectTypeDetailShape, objectTypeParameter } from './shapes.ts';

export const getObjectType: KeyOperation = {
  id: 'getObjectType',
  method: 'GET',
  path: '/objects/{object_type}/',
  tag: 'Schema',
  access: 'key',
  summary: 'One object type with its properties',
  description: 'The authoritative list of properties: an org may add properties and options and rename labels.',
  pathParameters: { object_type: objectTypeParameter },
  answer: { status: 200, description: 'The object type.', schema: ObjectTypeDetailShape },
  problems: ['not_found'],
  run: ({ session }, { path }) => {
    const type = requireObjectType(session, path['object_type'] ?? '');
    return { data: { ...objectTypeEntry(type), properties: [...type.properties.values()].map(propertyEntry) } };
  },
};
