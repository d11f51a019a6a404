// The wire shapes of a query. The service checks a filter name by name; the OpenAPI document describes it as a recursive
// schema.

import { Type } from 'typebox';
import { counted } from '../../base/counted.ts';
import { isObject } from '../../base/json.ts';
import { bounds, limits } from '../../base/limits.ts';
import { type Shape, shape } from '../../base/shape.ts';
import type { Members } from '../../query/fault-list.ts';
import { directions } from '../../query/hop.ts';
import { sortDirections } from '../../query/sort.ts';
import type { Operator } from '../../schema/field-type.ts';
import { fieldTypes } from '../../schema/fields/all.ts';
import { storablePattern } from '../../schema/fields/rules/texts.ts';
import type { BodyDeclaration } from '../operation.ts';

const strict = { additionalProperties: false } as const;
const operators = [
  ...new Set([...fieldTypes.values()].flatMap((fieldType): readonly Operator[] => fieldType.operators)),
];

/** A reference to the component of that name, in which it is also used. */
const FilterReference = Type.Unsafe({ $ref: '#/components/schemas/Filter' });

export const FilterShape = Type.Union(
  [
    Type.Object({ and: Type.Array(FilterReference, { minItems: 1 }) }, { ...strict, title: 'and' }),
    Type.Object({ or: Type.Array(FilterReference, { minItems: 1 }) }, { ...strict, title: 'or' }),
    Type.Object({ not: FilterReference }, { ...strict, title: 'not' }),
    Type.Object(
      {
        property: Type.String({ description: 'The name of a property, or `id` with the operators eq and in.' }),
        operator: Type.Enum(operators, {
          description: 'One of the `filter_operators` that `GET /field_types/` lists for the field type.',
        }),
        value: Type.Optional(
          Type.Unknown({
            description:
              'Absent for is_set and is_not_set; an array for in, not_in and between (lowest and highest value, both inclusive).',
          }),
        ),
      },
      { ...strict, title: 'property' },
    ),
    Type.Object(
      {
        external_id: Type.String({
          minLength: 1,
          maxLength: bounds.engine.externalIdCharacters,
          description: 'The id that the record has in another system.',
        }),
        source: Type.String({
          minLength: 1,
          maxLength: bounds.engine.externalSourceCharacters,
          description: 'The other system, as it was named when the id was given; `ingest` for ids that ingest brought.',
        }),
      },
      { ...strict, title: 'external_id' },
    ),
    Type.Object(
      {
        association: Type.String({
          description: 'An association type that the record can be linked by, at either end.',
        }),
        direction: Type.Optional(
          Type.Enum([...directions], {
            description: 'Needed only if both ends have the same type; the default is then outgoing.',
          }),
        ),
        operator: Type.Enum(['exists', 'not_exists'], {
          description: 'Whether there must be such a link, or must not be one.',
        }),
        target_id: Type.Optional(Type.String({ description: 'The id of the other end.' })),
        filter: Type.Optional(
          Type.Unsafe({ ...FilterReference, description: 'A filter that the record at the other end must match.' }),
        ),
      },
      { ...strict, title: 'association' },
    ),
  ],
  {
    $id: 'Filter',
    description:
      `At most ${limits.filterConditions} conditions, ${limits.filterDepth} levels of and, or, not and association, and two ` +
      'associations inside each other. neq, not_in, not_contains and not match exactly the records that eq, in, contains and ' +
      'the negated filter do not match, including those where the property is unset. A multi-valued property matches if ' +
      'one of its values does.',
  },
);

export const SearchShape = Type.String({
  minLength: 1,
  maxLength: bounds.operations.searchCharacters,
  pattern: storablePattern,
  description: `a text of 1 to ${counted(bounds.operations.searchCharacters)} characters`,
});
export const CursorShape = Type.String({ description: 'the next_cursor of the previous page' });

const SortShape = Type.Array(
  Type.Object({ property: Type.String(), direction: Type.Enum([...sortDirections]) }, strict),
  {
    maxItems: limits.sortKeys,
    description: 'Unset values come last in both directions; equal values are sorted by ascending id.',
  },
);
const NamesShape = Type.Array(Type.String({ description: 'a name' }), { description: 'an array of names' });

/** A list of objects, which are checked one by one when they are parsed, as is their number. */
export const ObjectsShape = Type.Array(Type.Object({}, { description: 'an object' }), {
  description: 'an array of objects',
});

/** Reads a body that is parsed even if it does not match its shape, so that all its faults are reported together. */
export function readMembers(shape: Shape<unknown>): BodyDeclaration<Members>['read'] {
  return (sent, faults) => {
    faults.push(...shape.check(sent));
    return isObject(sent) ? sent : undefined;
  };
}

const CheckedBody = Type.Object(
  {
    filter: Type.Optional(Type.Unknown()),
    search: Type.Optional(SearchShape),
    sort: Type.Optional(ObjectsShape),
    properties: Type.Optional(NamesShape),
    include: Type.Optional(NamesShape),
    limit: Type.Optional(Type.Unknown()),
    cursor: Type.Optional(CursorShape),
  },
  strict,
);

export const queryBody: BodyDeclaration<Members> = {
  description: 'The query; `{}` returns all records in order of creation.',
  schema: Type.Object(
    {
      filter: Type.Optional(FilterShape),
      search: Type.Optional(SearchShape),
      sort: Type.Optional(SortShape),
      properties: Type.Optional(Type.Array(Type.String(), { description: 'The properties to return; all if absent.' })),
      include: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: bounds.operations.includes,
          description: `Association types: each record comes with up to ${bounds.operations.includedOnPage} linked records of each.`,
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize, default: limits.pageSizeDefault })),
      cursor: Type.Optional(CursorShape),
    },
    strict,
  ),
  read: readMembers(shape(CheckedBody)),
  bytesMax: limits.bodyBytes,
  valuesMax: bounds.shares.bodyValues,
};
