// GET /objects/{object_type}/associations/: one entry for each pair of types in which the type is source or target.
import { Type } from 'typebox';
import { type AssociationPair, isHiddenType } from '../schema/association-type.ts';
import { isGoverned, type ObjectType } from '../schema/object-type.ts';
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { requireObjectType } from './shared/permit.ts';

const AssociationTypeShape = Type.Object(
  {
    name: Type.String({ description: 'The name in paths and requests.' }),
    label: Type.String({ description: 'The name that people see, read from the source to the target.' }),
    source_type: Type.String({ description: 'The object type of the source, from which links are written.' }),
    target_type: Type.String({ description: 'The object type of the target.' }),
    direction: Type.Enum(['outgoing', 'incoming'], {
      description: '`outgoing` if the object type is the source, `incoming` if it is the target.',
    }),
    cardinality: Type.Enum(['many_to_many', 'many_to_one'], {
      description: 'With `many_to_one`, a source has one target, and a new link replaces the old one.',
    }),
    stage: Type.Boolean({ description: "Whether the target is the source's stage; leaving a stage writes a timer." }),
    writable: Type.Boolean({ description: 'Whether this key can link and unlink, which is done from the source.' }),
  },
  { $id: 'AssociationType' },
);

export const listAssociationTypes = keyOperation({
  id: 'listAssociationTypes',
  method: 'GET',
  path: '/objects/{object_type}/associations/',
  tag: 'Schema',
  access: 'key',
  summary: 'List the association types of an object type',
  description:
    'Returns the association types that begin or end at an object type. There is one entry for each pair of types, so a name ' +
    'can appear more than once: match on the pair. A pair whose other end the key cannot see is left out. A type that is ' +
    'both ends of a pair has two entries.',
  pathParameters: { object_type: objectTypeParameter },
  answer: { status: 200, description: 'The association types.', schema: Type.Array(AssociationTypeShape) },
  problems: ['not_found'],
  examples: {
    of_deals: {
      summary: 'Some of the association types of deals',
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
  parse: ({ session }, { path }) => ({ type: requireObjectType(session, path.object_type) }),
  run: ({ session: { catalog } }, { type }) => ({
    data: catalog.pairsOf(type.name).map(({ pair, direction }) => ({
      name: pair.name,
      label: pair.label,
      source_type: pair.sourceType,
      target_type: pair.targetType,
      direction,
      cardinality: pair.cardinality,
      stage: pair.stage,
      writable: isWritable(pair, catalog.objectTypes.get(pair.sourceType)),
    })),
  }),
});

function isWritable({ fixed, targetType }: AssociationPair, source: ObjectType | undefined): boolean {
  if (source?.writableOperations.includes('associate') !== true || fixed === true) return false;
  return !(isGoverned(source) && isHiddenType(targetType));
}
