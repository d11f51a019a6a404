// The wire shapes of a batch: its items, one for each operation, and its results.
import { type Static, type TSchema, Type } from 'typebox';
import { bounds, limits } from '../../base/limits.ts';
import { shape } from '../../base/shape.ts';
import { type BodyDeclaration, readAs } from '../operation.ts';

const strict = { additionalProperties: false } as const;
const RefName = Type.String({ minLength: 1, maxLength: 64, description: 'a name of 1 to 64 characters' });
const TypeName = Type.String({ description: 'the name of an object type' });
const AssociationName = Type.String({ description: 'the name of an association type that begins at the record' });
const UniqueName = Type.String({ description: 'the name of a unique property' });
const Values = Type.Record(Type.String(), Type.Unknown(), { description: 'an object of values by property name' });
const Id = Type.Union([Type.String(), Type.Object({ ref: RefName }, strict)], {
  description: 'an id, or {"ref": "name"} for the record of an earlier item',
});
const Links = Type.Array(Type.Object({ association_type: AssociationName, target_id: Id }, strict), {
  maxItems: bounds.operations.linksPerCreate,
  description: `at most ${bounds.operations.linksPerCreate} links`,
});

function item<N extends string, P extends Record<string, TSchema>>(operation: N, description: string, members: P) {
  return Type.Object(
    { operation: Type.Literal(operation), object_type: TypeName, ...members, ref: Type.Optional(RefName) },
    { ...strict, title: operation, description },
  );
}

export const itemShapes = {
  create: item('create', 'As createRecord.', { properties: Values, associations: Type.Optional(Links) }),
  update: item('update', 'As updateRecord.', { id: Id, properties: Values }),
  upsert: item('upsert', 'As upsertRecord, with `match` as there in the query.', {
    match: UniqueName,
    properties: Values,
    associations: Type.Optional(Links),
  }),
  delete: item('delete', 'As deleteRecord.', { id: Id }),
  restore: item(
    'restore',
    'Takes a record out of the trash, with its links. One that is live already stays as it is.',
    { id: Id },
  ),
  merge: item(
    'merge',
    'Makes one record of two. Values of `id` stay, unset ones are filled from `duplicate_id`, and lists are united. Links ' +
      'move, unless `id` has the link, or has its one target already. The duplicate goes to the trash.',
    { id: Id, duplicate_id: Id },
  ),
  associate: item('associate', 'As putAssociation.', { id: Id, association_type: AssociationName, target_id: Id }),
  dissociate: item('dissociate', 'As deleteAssociation.', {
    id: Id,
    association_type: AssociationName,
    target_id: Id,
  }),
} as const;

/** Items are checked one by one, so that the faults of one are its own: of the list itself little can be wrong. */
const CheckedBody = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean({ description: 'true or false' })),
    operations: Type.Array(Type.Unknown(), { minItems: 1, description: 'an array of operations' }),
  },
  strict,
);

const BatchOperation = Type.Union(Object.values(itemShapes), { $id: 'BatchOperation' });

export const batchBody: BodyDeclaration<Static<typeof CheckedBody>> = {
  description: 'The operations, in the order in which they happen.',
  schema: Type.Object(
    {
      atomic: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether the first failure undoes everything.' }),
      ),
      operations: Type.Array(BatchOperation, { minItems: 1, maxItems: limits.batchOperations }),
    },
    strict,
  ),
  read: readAs(shape(CheckedBody)),
  bytesMax: limits.batchBodyBytes,
};

export const BatchResultShape = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'The place of the item in `operations`, from 0.' }),
        status: Type.Integer({ description: 'What the operation would have answered by itself.' }),
        id: Type.Optional(Type.String({ description: 'The record; absent where the item failed.' })),
        version: Type.Optional(Type.String({ description: 'The version of the record after the item.' })),
        problem: Type.Optional(Type.Unsafe({ $ref: '#/components/schemas/Problem' })),
      }),
      { description: 'One for each item, in their order.' },
    ),
    succeeded: Type.Integer({ minimum: 0, description: 'How many items succeeded.' }),
    failed: Type.Integer({ minimum: 0, description: 'How many items failed; each has its `problem`.' }),
  },
  { $id: 'BatchResult' },
);
