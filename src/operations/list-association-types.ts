// GET /objects/{object_type}/associations/: one entry per concrete pair in which the type is source or target.
import { Type } from 'typebox';
import type { KeyOperation } from './operation.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { requireObjectType } from './shared/permit.ts';

const AssociationTypeShape = Type.Object(
  {
    name: Type.String({ description: 'What paths and requests call it.' }),
    label: Type.String({ description: 'What people read, from the source to the target.' }),
    source_type: Type.String({ description: 'The object type that links begin at, and from which they are written.' }),
    target_type: Type.String({ description: 'The object type that they lead to.' }),
    direction: Type.Enum(['outgoing', 'incoming'], {
      description: '`outgoing` where the object type is the source, `incoming` where it is the target.',
    }),
    cardinality: Type.Enum(['many_to_many', 'many_to_one'], {
      description: 'With `many_to_one` a record has one target, and a new link replaces the one before.',
    }),
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
  examples: {
    of_deals: {
      summary: 'Some of those of deals',
      excerpt: true,
      path: { object_type: 'svc_deal' },
      answer: {
        data: [
          {
            name: 'svc_deal_to_company',
            label: 'Deal of',
            source_type: 'svc_deal',
            target_type: 'svc_company',
            direction: 'outgoing',
            cardinality: 'many_to_one',
            stage: false,
            writable: true,
          },
          {
            name: 'svc_deal_to_deal_pipeline_stage',
            label: 'In stage',
            source_type: 'svc_deal',
            target_type: 'svc_deal_pipeline_stage',
            direction: 'outgoing',
            cardinality: 'many_to_one',
            stage: true,
            writable: true,
          },
          {
            name: 'svc_note_to_deal',
            label: 'About deal',
            source_type: 'svc_note',
            target_type: 'svc_deal',
            direction: 'incoming',
            cardinality: 'many_to_many',
            stage: false,
            writable: true,
          },
        ],
      },
    },
  },
  run: ({ session }, { path }) => {
    const type = requireObjectType(session, path['object_type'] ?? '');
    return {
      data: session.catalog.pairsOf(type.name).map(({ pair, direction }) => ({
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
