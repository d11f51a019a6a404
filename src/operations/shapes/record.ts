// Wire shapes and parameters of the record operations.
import { type Static, Type } from 'typebox';
import { shorten } from '../../base/json.ts';
import { bounds, limits } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import { shape } from '../../base/shape.ts';
import type { Call } from '../../engine/process/call.ts';
import type { Projection } from '../../engine/read/records.ts';
import type { BodyDeclaration, Input } from '../operation.ts';
import type { Parameter } from '../request/parameter.ts';

const strict = { additionalProperties: false } as const;

/** Values by the names of their properties. Which there are is the org's own affair, so the document leaves them open. */
const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Values by property name, each of the shape that `GET /field_types/` gives for its field type.',
});

const Version = Type.String({ pattern: '^[1-9][0-9]*$', description: 'Grows by one with each write; also the ETag.' });
const StoredValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The values that the record has. An unset property is absent; null never appears.',
});

/** The other end of a link: a record, or a user or org, which has a title and nothing else. */
export const AssociatedRecordShape = Type.Object(
  {
    id: Type.String(),
    object_type: Type.String(),
    version: Type.Optional(Version),
    properties: Type.Optional(StoredValues),
    title: Type.Optional(Type.String({ description: 'The name of a user or org, which have no properties.' })),
    associated_at: Type.String({ format: 'date-time', description: 'When the link was made.' }),
  },
  { $id: 'AssociatedRecord' },
);

export const RecordShape = Type.Object(
  {
    id: Type.String({ description: 'Opaque; sorts in order of creation.' }),
    object_type: Type.String({ description: 'The name of its object type.' }),
    version: Version,
    properties: StoredValues,
    associations: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          items: Type.Array(AssociatedRecordShape),
          next_cursor: Type.Union([Type.String(), Type.Null()], {
            description: 'Goes on with listAssociated; null when all are here.',
          }),
        }),
        { description: 'What `include` asked for, by association type: the first of the other ends, by rising id.' },
      ),
    ),
  },
  { $id: 'Record' },
);

const LinkShape = Type.Object(
  {
    association_type: Type.String({ description: 'An association type that begins at the record.' }),
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

export interface RecordBody {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly associations?: readonly Static<typeof LinkShape>[];
}

export const createBody: BodyDeclaration = {
  description: 'The values of the record, and links that are made with it.',
  schema: CreateBody,
  shape: shape(CreateBody),
  bytesMax: limits.bodyBytes,
};

export const updateBody: BodyDeclaration = {
  description: 'What is to change: an absent property is untouched, null clears, each value is replaced whole.',
  schema: UpdateBody,
  shape: shape(UpdateBody),
  bytesMax: limits.bodyBytes,
};

export const idParameter: Parameter = {
  description: "The record's id.",
  schema: Type.String({ minLength: 1, maxLength: 64 }),
};

export const propertiesParameter: Parameter = {
  description: 'The properties to answer, separated by commas; without it, all that the key can see.',
  schema: Type.String({ minLength: 1 }),
};

export const limitParameter: Parameter = {
  description: `How many records a page has, from 1 to ${limits.pageSize}.`,
  schema: Type.Integer({ minimum: 1, maximum: limits.pageSize, default: limits.pageSizeDefault }),
  check: (text) =>
    /^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= limits.pageSize
      ? undefined
      : {
          parameter: 'limit',
          reason: 'limit_out_of_range',
          detail: `Expected a whole number from 1 to ${limits.pageSize}; got ${JSON.stringify(shorten(text))}.`,
        },
};

export const cursorParameter: Parameter = {
  description: '`pagination.next_cursor` of the page before. Opaque, and good for this operation and this key alone.',
  schema: Type.String({ minLength: 1 }),
};

/** The properties that are asked for. */
export function projectionOf({ query }: Input): Projection {
  return query.get('properties')?.split(',');
}

/** Names in `properties` that the type does not have, as far as the caller can see; none for an unknown type. */
export function projectionFaults({ session }: Call, { path, query }: Input): readonly Fault[] {
  const type = session.catalog.objectTypes.get(path['object_type'] ?? '');
  const asked = query.get('properties');
  if (type === undefined || asked === undefined) return [];
  return [...new Set(asked.split(','))]
    .filter((name) => !type.properties.has(name))
    .map((name) => {
      const near = type.nearestProperty(name);
      const property = shorten(name, 64);
      return {
        parameter: 'properties',
        property,
        reason: 'unknown_property',
        detail: `${type.name} has no property ${JSON.stringify(property)} that this key can see.`,
        ...(near === undefined ? {} : { nearest: near }),
      };
    });
}
