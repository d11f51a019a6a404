// The wire shapes of a query. The service checks a filter itself, name by name; the document describes it as a schema that
// refers to itself.
import { Type } from 'typebox';
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

/** A reference to the component of that name, which may be the one that it stands in. */
const FilterReference = Type.Unsafe({ $ref: '#/components/schemas/Filter' });

export const FilterShape = Type.Union(
  [
    Type.Object({ and: Type.Array(FilterReference, { minItems: 1 }) }, { ...strict, title: 'and' }),
    Type.Object({ or: Type.Array(FilterReference, { minItems: 1 }) }, { ...strict, title: 'or' }),
    Type.Object({ not: FilterReference }, { ...strict, title: 'not' }),
    Type.Object(
      {
        property: Type.String({ description: 'A property, or `id` with the operators eq and in.' }),
        operator: Type.Enum(operators, { description: '`GET /field_types/` tells which ones its field type has.' }),
        value: Type.Optional(
          Type.Unknown({
            description:
              'Absent for is_set and is_not_set; an array for in, not_in and between (the lowest and the highest, both included).',
          }),
        ),
      },
      { ...strict, title: 'property' },
    ),
    Type.Object(
      {
        association: Type.String({ description: 'An association type of which the record is an end.' }),
        direction: Type.Optional(
          Type.Enum([...directions], {
            description: 'Needed only where both ends are of one type; outgoing without it.',
          }),
        ),
        operator: Type.Enum(['exists', 'not_exists'], { description: 'Whether there is such a link, or is not.' }),
        target_id: Type.Optional(Type.String({ description: 'The id of the other end.' })),
        filter: Type.Optional(
          Type.Unsafe({ ...FilterReference, description: 'What must hold of the record at the other end.' }),
        ),
      },
      { ...strict, title: 'association' },
    ),
  ],
  {
    $id: 'Filter',
    description:
      `At most ${limits.filterConditions} conditions, ${limits.filterDepth} levels of and, or, not and association, and two ` +
      'associations one after the other. neq, not_in, not_contains and not hold exactly where eq, in, contains and what is ' +
      'negated do not, so also where the property is unset. Of many values one is enough.',
  },
);

export const SearchShape = Type.String({
  minLength: 1,
  maxLength: bounds.operations.searchCharacters,
  pattern: storablePattern,
  description: `a text of 1 to ${bounds.operations.searchCharacters.toLocaleString('en-US')} characters`,
});
export const CursorShape = Type.String({ description: 'the next_cursor of the page before' });

const SortShape = Type.Array(
  Type.Object({ property: Type.String(), direction: Type.Enum([...sortDirections]) }, strict),
  { maxItems: limits.sortKeys, description: 'Unset values come last in both directions; ties by rising id.' },
);
const NamesShape = Type.Array(Type.String({ description: 'a name' }), { description: 'an array of names' });

/** Lists of objects whose members are looked at one by one; how many there are, and what they name, is checked there. */
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
  description: 'What is asked; `{}` asks for all records in order of creation.',
  schema: Type.Object(
    {
      filter: Type.Optional(FilterShape),
      search: Type.Optional(SearchShape),
      sort: Type.Optional(SortShape),
      properties: Type.Optional(
        Type.Array(Type.String(), { description: 'The properties to answer; without it, all.' }),
      ),
      include: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: bounds.operations.includes,
          description: `Association types: up to ${bounds.operations.includedOnPage} records at the other end of each come with a record.`,
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize, default: limits.pageSizeDefault })),
      cursor: Type.Optional(CursorShape),
    },
    strict,
  ),
  read: readMembers(shape(CheckedBody)),
  bytesMax: limits.bodyBytes,
};
