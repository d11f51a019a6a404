// The wire shapes of a batch: its items, one for each operation, and its results.
import { type TSchema, Type } from 'typebox';
import { bounds, limits } from '../base/limits.ts';
import { shape } from '../base/shape.ts';
import type { BodyDeclaration } from './operation.ts';

const strict = { additionalProperties: false } as const;
const RefName = Type.String({ minLength: 1, maxLength: 64, description: 'a name of 1 to 64 characters' });
const Name = Type.String({ description: 'a name' });
const Values = Type.Record(Type.String(), Type.Unknown(), { description: 'an object of values' });
const Id = Type.Union([Type.String(), Type.Object({ ref: RefName }, strict)], {
  description: 'an id, or {"ref": "name"} for the record of an earlier item',
});
const Links = Type.Array(Type.Object({ association_type: Name, target_id: Id }, strict), {
  maxItems: bounds.linksPerCreate,
  description: `at most ${bounds.linksPerCreate} links`,
});

function item<N extends string, P extends Record<string, TSchema>>(operation: N, members: P) {
  return Type.Object(
    { operation: Type.Literal(operation), object_type: Name, ...members, ref: Type.Optional(RefName) },
    strict,
  );
}

export const itemShapes = {
  create: item('create', { properties: Values, associations: Type.Optional(Links) }),
  update: item('update', { id: Id, properties: Values }),
  upsert: item('upsert', { match: Name, properties: Values, associations: Type.Optional(Links) }),
  delete: item('delete', { id: Id }),
  restore: item('restore', { id: Id }),
  merge: item('merge', { id: Id, duplicate_id: Id }),
  associate: item('associate', { id: Id, association_type: Name, target_id: Id }),
  dissociate: item('dissociate', { id: Id, association_type: Name, target_id: Id }),
} as const;

/** Items are checked one by one, so that the faults of one are its own: of the list itself little can be wrong. */
const CheckedBody = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean({ description: 'true or false' })),
    operations: Type.Array(Type.Unknown(), { minItems: 1, description: 'an array of operations' }),
  },
  strict,
);

export interface BatchBody {
  readonly atomic?: boolean;
  readonly operations: readonly unknown[];
}

const BatchOperation = Type.Union(Object.values(itemShapes), { $id: 'BatchOperation' });

export const batchBody: BodyDeclaration = {
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
  shape: shape(CheckedBody),
  bytesMax: limits.batchBodyBytes,
};

export const BatchResultShape = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        status: Type.Integer({ description: 'What the operation would have answered by itself.' }),
        id: Type.Optional(Type.String()),
        version: Type.Optional(Type.String()),
        problem: Type.Optional(Type.Unsafe({ $ref: '#/components/schemas/Problem' })),
      }),
    ),
    succeeded: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  },
  { $id: 'BatchResult' },
);
