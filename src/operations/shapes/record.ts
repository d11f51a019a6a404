// The wire shapes of a record, of the other end of a link, and of the bodies that create and update one record.
import { type Static, Type } from 'typebox';
import { bounds, limits } from '../../base/limits.ts';
import { shape } from '../../base/shape.ts';
import { type BodyDeclaration, readAs } from '../operation.ts';

const strict = { additionalProperties: false } as const;

/** Values by property name. Every org has its own properties, so the document does not list them. */
const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values by property name, each in the shape that `GET /field_types/` gives for its field type.',
});

const Version = Type.String({
  pattern: '^[1-9][0-9]*$',
  description: 'Increases by one with each write; also the ETag.',
});
const StoredValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The values of the record. An unset property is absent; null never appears.',
});

/** The other end of a link: a record, or a user or org, which have only a title. */
export const AssociatedRecordShape = Type.Object(
  {
    id: Type.String(),
    object_type: Type.String(),
    version: Type.Optional(Version),
    properties: Type.Optional(StoredValues),
    title: Type.Optional(
      Type.String({ description: 'The name of a user or org, which have no properties; empty if it is hidden.' }),
    ),
    associated_at: Type.String({ format: 'date-time', description: 'When the link was created.' }),
  },
  { $id: 'AssociatedRecord' },
);

export const RecordShape = Type.Object(
  {
    id: Type.String({ description: 'Opaque; ids sort in order of creation.' }),
    object_type: Type.String({ description: 'The name of the object type.' }),
    version: Version,
    properties: StoredValues,
    external_ids: Type.Optional(
      Type.Array(
        Type.Object({
          source: Type.String({ description: 'The other system.' }),
          id: Type.String({ description: 'The id of the record there.' }),
        }),
        { description: 'The ids that the record has in other systems, if `include_external_ids` asked for them.' },
      ),
    ),
    associations: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          items: Type.Array(AssociatedRecordShape),
          next_cursor: Type.Union([Type.String(), Type.Null()], {
            description: 'Continues the list with listAssociated; null if the list is complete.',
          }),
        }),
        { description: 'The linked records that `include` asked for, by association type, in ascending order of id.' },
      ),
    ),
  },
  { $id: 'Record' },
);

const LinkShape = Type.Object(
  {
    association_type: Type.String({ description: 'An association type of which the record is the source.' }),
    target_id: Type.String({ description: 'The record to link to.' }),
  },
  { ...strict, $id: 'Link' },
);

const CreateBody = Type.Object(
  {
    properties: Values,
    associations: Type.Optional(Type.Array(LinkShape, { maxItems: bounds.operations.linksPerCreate })),
  },
  strict,
);
const UpdateBody = Type.Object({ properties: Values }, strict);

export type RecordBody = Static<typeof CreateBody>;

export const createBody: BodyDeclaration<RecordBody> = {
  description: 'The values of the record, and links to create with it.',
  schema: CreateBody,
  read: readAs(shape(CreateBody)),
  bytesMax: limits.bodyBytes,
  valuesMax: bounds.shares.bodyValues,
};

export const updateBody: BodyDeclaration<Static<typeof UpdateBody>> = {
  description:
    'The changes: an absent property stays as it is, null clears a property, and a value replaces the old one.',
  schema: UpdateBody,
  read: readAs(shape(UpdateBody)),
  bytesMax: limits.bodyBytes,
  valuesMax: bounds.shares.bodyValues,
};
