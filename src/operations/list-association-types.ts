// GET /objects/{object_type}/associations/: one entry per concrete pair in which the type is source or target.
import { Type } from 'typebox';
import { pairsOf } from '../schema/catalog.ts';
import type { KeyOperation } from './operation.ts';
import { requireObjectType } from './permit.ts';
import { objectTypeParameter } from './shapes.ts';

const AssociationTypeShape = Type.Object(
  {
    name: Type.String(),
    label: Type.String(),
    source_type: Type.String(),
    target_type: Type.String(),
    direction: Type.Enum(['outgoing', 'incoming']),
    cardinality: Type.Enum(['many_to_many', 'many_to_one']),
    stage: Type.Boolean({ description: "Whether the target is the source's stage: leaving it writes a timer." }),
    writable: Type.Boolean({ description: 'Whether this key may link and unlink, which is done from the source.' }),
  },
  { $id: 'AssociationType' },
);

export const listAssociationTypes: KeyOperation = {
  id: 'listAssociationTypes',
  method: 'GET',
  path: '/objects/{object_type}/associations/',
  tag: 'Schema',
  access: 'key',
  summary: 'Association types of an object type',
  description:
    'One entry per concrete pair of types, so one name can stand here more than once: match on the pair. A pair whose ' +
    'other end the key cannot see is left out. A type that is both ends of a pair has two entries.',
  pathParameters: { object_type: objectTypeParameter },
  answer: { status: 200, description: 'The association types.', schema: Type.Array(AssociationTypeShape) },
  problems: ['not_found'],
  run: ({ session }, { path }) => {
    const type = requireObjectType(session, path['object_type'] ?? '');
    return {
      data: pairsOf(session.catalog, type.name).map(({ pair, direction }) => ({
        name: pair.name,
        label: pair.label,
        source_type: pair.sourceType,
        target_type: pair.targetType,
        direction,
        cardinality: pair.cardinality,
        stage: pair.stage,
        writable: session.catalog.objectTypes.get(pair.sourceType)?.writableOperations.includes('associate') ?? false,
      })),
    };
  },
};
