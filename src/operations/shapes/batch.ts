// The wire shapes of a batch: its items, one shape for each operation, and its results.

import { type Static, type TSchema, Type } from 'typebox';
import { counted } from '../../base/counted.ts';
import { bounds, limits } from '../../base/limits.ts';
import { shape } from '../../base/shape.ts';
import { ByValueShape } from '../../query/match.ts';
import { storablePattern } from '../../schema/fields/rules/texts.ts';
import { type BodyDeclaration, readAs } from '../operation.ts';

const strict = { additionalProperties: false } as const;
const RefName = Type.String({ minLength: 1, maxLength: 64, description: 'a name of 1 to 64 characters' });
const TypeName = Type.String({ description: 'the name of an object type' });
const AssociationName = Type.String({
  description: 'the name of an association type of which the record is the source',
});
const UniqueName = Type.String({ description: 'the name of a unique property' });
const Values = Type.Record(Type.String(), Type.Unknown(), { description: 'an object of values by property name' });
const Id = Type.Union([Type.String(), Type.Object({ ref: RefName }, strict), ByValueShape], {
  description:
    'an id, {"ref": "name"} for the record of an earlier item, or {"match": {"property": value}} for the live record ' +
    'that has this value of a unique property',
});
const Links = Type.Array(Type.Object({ association_type: AssociationName, target_id: Id }, strict), {
  maxItems: bounds.operations.linksPerCreate,
  description: `at most ${bounds.operations.linksPerCreate} links`,
});

const ExternalIds = Type.Array(
  Type.Object(
    {
      source: Type.String({
        minLength: 1,
        maxLength: bounds.engine.externalSourceCharacters,
        pattern: storablePattern,
        description: `the other system, such as "hubspot": 1 to ${bounds.engine.externalSourceCharacters} characters`,
      }),
      id: Type.String({
        minLength: 1,
        maxLength: bounds.engine.externalIdCharacters,
        pattern: storablePattern,
        description: `the id there: 1 to ${bounds.engine.externalIdCharacters} characters`,
      }),
    },
    strict,
  ),
  {
    maxItems: bounds.operations.externalIdsPerItem,
    description:
      `at most ${bounds.operations.externalIdsPerItem} ids that the record has in other systems; they are added to ` +
      'those that it has, and make no new version',
  },
);

function item<N extends string, P extends Record<string, TSchema>>(operation: N, description: string, members: P) {
  return Type.Object(
    { operation: Type.Literal(operation), object_type: TypeName, ...members, ref: Type.Optional(RefName) },
    { ...strict, title: operation, description },
  );
}

export const itemShapes = {
  create: item('create', 'Like createRecord.', {
    properties: Values,
    associations: Type.Optional(Links),
    external_ids: Type.Optional(ExternalIds),
  }),
  update: item('update', 'Like updateRecord.', {
    id: Id,
    properties: Values,
    external_ids: Type.Optional(ExternalIds),
  }),
  upsert: item('upsert', 'Like upsertRecord, with its query parameter `match` as a member.', {
    match: UniqueName,
    properties: Values,
    associations: Type.Optional(Links),
    external_ids: Type.Optional(ExternalIds),
  }),
  delete: item('delete', 'Like deleteRecord.', { id: Id }),
  restore: item('restore', 'Restores a record from the trash, with its links. A live record stays as it is.', {
    id: Id,
  }),
  erase: item(
    'erase',
    'Erases a record for good, live or in the trash: no value of it remains in the record, the trash, the change feed or kept ' +
      'answers, nor of duplicates that were merged into it. Its id, type, versions and times remain, and the feed reports ' +
      '`record.deleted`. It cannot be restored. Linked notes and activities are not erased: `note` in the result counts ' +
      'them. Needs `delete`, the reach `org`, and a key from which no property of the type is hidden or locked.',
    { id: Id },
  ),
  merge: item(
    'merge',
    'Merges two records into one. The values of `id` stay, unset ones are filled from `duplicate_id`, and lists are ' +
      'combined. Links move to `id`, unless it already has the link, or another target where only one is allowed. The ' +
      'duplicate goes to the trash.',
    { id: Id, duplicate_id: Id },
  ),
  associate: item('associate', 'Like putAssociation.', { id: Id, association_type: AssociationName, target_id: Id }),
  dissociate: item('dissociate', 'Like deleteAssociation.', {
    id: Id,
    association_type: AssociationName,
    target_id: Id,
  }),
  revert: Type.Object(
    {
      operation: Type.Literal('revert'),
      request_id: Type.Optional(Type.String({ description: 'the id of a request' })),
      job_id: Type.Optional(Type.String({ description: 'the id of an import, which is a job' })),
    },
    {
      ...strict,
      title: 'revert',
      description:
        'Takes back what a request or an import wrote, as new writes: values, links and stages return, deleted records come ' +
        'back, and created ones go to the trash if nobody has changed them since. Whatever a later request has changed stays ' +
        'as it is. Each part needs the grant that the opposite write needs. Give either `request_id` or `job_id`. At most ' +
        `${counted(bounds.engine.revertedRecords)} records; each counts as one operation for the rate limit. ` +
        'What is no longer in the change feed cannot be taken back (410).',
    },
  ),
} as const;

/** Items are checked one by one, so that the faults of an item belong to it; only the list itself is checked here. */
const CheckedBody = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean({ description: 'true or false' })),
    operations: Type.Array(Type.Unknown(), { minItems: 1, description: 'an array of operations' }),
  },
  strict,
);

const BatchOperation = Type.Union(Object.values(itemShapes), { $id: 'BatchOperation' });

export const batchBody: BodyDeclaration<Static<typeof CheckedBody>> = {
  description: 'The operations, in the order in which they are run.',
  schema: Type.Object(
    {
      atomic: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether the first failure rolls back the whole batch.' }),
      ),
      operations: Type.Array(BatchOperation, { minItems: 1, maxItems: limits.batchOperations }),
    },
    strict,
  ),
  read: readAs(shape(CheckedBody)),
  bytesMax: limits.batchBodyBytes,
  valuesMax: bounds.shares.batchValues,
};

function undoneList(description: string, more: Record<string, TSchema> = {}) {
  const entry = Type.Object({ object_type: Type.String(), id: Type.String(), ...more });
  return Type.Optional(Type.Array(entry, { maxItems: bounds.operations.revertsListed, description }));
}

const count = Type.Integer({ minimum: 0 });

/** What became of the records of a request that was taken back. */
const undoneMembers = {
  reverted: undoneList('Of `revert`: records of which something went back.'),
  kept: undoneList('Of `revert`: records of which something stays, because a later request has changed it.'),
  refused: undoneList('Of `revert`: records of which something could not go back, and the first reason.', {
    reason: Type.String({ description: 'The reason that the opposite write would have been refused with.' }),
  }),
  counts: Type.Optional(
    Type.Object(
      { reverted: count, kept: count, refused: count },
      { description: 'Of `revert`: how many records each list would have in full. A record can be in several.' },
    ),
  ),
};

interface UndoneRecord {
  readonly object_type: string;
  readonly id: string;
}

export interface UndoneRecords {
  readonly reverted: readonly UndoneRecord[];
  readonly kept: readonly UndoneRecord[];
  readonly refused: readonly (UndoneRecord & { readonly reason: string })[];
  readonly counts: { readonly reverted: number; readonly kept: number; readonly refused: number };
}

export const BatchResultShape = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'The index of the item in `operations`, from 0.' }),
        status: Type.Integer({ description: 'The status that the operation would have had as a single request.' }),
        id: Type.Optional(
          Type.String({ description: 'The id of the record; absent if the item failed, and for `revert`.' }),
        ),
        version: Type.Optional(Type.String({ description: 'The version of the record after the item.' })),
        properties: Type.Optional(
          Type.Object(
            { svc_key: Type.String() },
            { description: 'The key whose secret the item has made. It is in no other answer.' },
          ),
        ),
        ...undoneMembers,
        note: Type.Optional(
          Type.String({
            description:
              'What an erasure leaves: linked notes and activities that are not erased, backups that hold the values, and ' +
              'work that a job still does.',
          }),
        ),
        problem: Type.Optional(Type.Unsafe({ $ref: '#/components/schemas/Problem' })),
      }),
      { description: 'One result for each item, in order.' },
    ),
    succeeded: Type.Integer({ minimum: 0, description: 'The number of items that succeeded.' }),
    failed: Type.Integer({ minimum: 0, description: 'The number of items that failed; each has a `problem`.' }),
  },
  { $id: 'BatchResult' },
);
