// The wire shapes of an aggregation and its groups.
import { Type } from 'typebox';
import { bounds, limits } from '../../base/limits.ts';
import { shape } from '../../base/shape.ts';
import { aggregations, havingOperators, havingPattern } from '../../query/aggregate.ts';
import type { Members } from '../../query/fault-list.ts';
import { directions } from '../../query/hop.ts';
import { sortDirections } from '../../query/sort.ts';
import { fieldTypes } from '../../schema/fields/all.ts';
import type { BodyDeclaration } from '../operation.ts';
import { CursorShape, FilterShape, ObjectsShape, readMembers, SearchShape } from './query.ts';

const strict = { additionalProperties: false } as const;
const granularities = [...new Set([...fieldTypes.values()].flatMap((fieldType) => fieldType.granularities ?? []))];

/** A list of objects with a bounded length; the objects are checked one by one when they are parsed. */
function objects(most: number, least: 0 | 1 = 0) {
  return Type.Array(ObjectsShape.items, {
    minItems: least,
    maxItems: most,
    description: `an array of ${least} to ${most} objects`,
  });
}

const CheckedBody = Type.Object(
  {
    filter: Type.Optional(Type.Unknown()),
    search: Type.Optional(SearchShape),
    group_by: Type.Optional(objects(limits.groupKeys)),
    aggregations: objects(limits.aggregations, 1),
    having: Type.Optional(objects(bounds.query.havings)),
    sort: Type.Optional(ObjectsShape),
    limit: Type.Optional(Type.Unknown()),
    cursor: Type.Optional(CursorShape),
  },
  strict,
);

const GroupByShape = Type.Union([
  Type.Object(
    {
      property: Type.String(),
      granularity: Type.Optional(
        Type.Enum(granularities, {
          description: 'For dates and datetimes; the default is `day`. Weeks start on Monday.',
        }),
      ),
      timezone: Type.Optional(
        Type.String({ description: 'For datetimes: an IANA time zone name; the default is `UTC`.' }),
      ),
    },
    strict,
  ),
  Type.Object({ association: Type.String(), direction: Type.Optional(Type.Enum([...directions])) }, strict),
]);

const AggregationShape = Type.Object(
  {
    function: Type.Enum([...aggregations]),
    property: Type.Optional(Type.String({ description: 'If absent, `count` counts records.' })),
    as: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: bounds.query.nameCharacters,
        description: 'The name of the value; the default is `count` or `<function>_<property>`.',
      }),
    ),
  },
  strict,
);

const HavingShape = Type.Object(
  {
    as: Type.String(),
    operator: Type.Enum([...havingOperators]),
    value: Type.String({ pattern: havingPattern.source }),
  },
  strict,
);

const GroupSortShape = Type.Object(
  {
    as: Type.Optional(Type.String({ description: 'The name of a value; not together with `key`.' })),
    key: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The index of a group key, from 0; not together with `as`.' }),
    ),
    direction: Type.Enum([...sortDirections]),
  },
  strict,
);

export const aggregateBody: BodyDeclaration<Members> = {
  description: 'Which records to aggregate, in which groups, and what to compute for each group.',
  schema: Type.Object(
    {
      filter: Type.Optional(FilterShape),
      search: Type.Optional(SearchShape),
      group_by: Type.Optional(
        Type.Array(GroupByShape, {
          maxItems: limits.groupKeys,
          description: 'One group for each value of a property, or for each record at the other end of a link.',
        }),
      ),
      aggregations: Type.Array(AggregationShape, {
        minItems: 1,
        maxItems: limits.aggregations,
        description: 'The values to compute for each group.',
      }),
      having: Type.Optional(
        Type.Array(HavingShape, {
          maxItems: bounds.query.havings,
          description: 'Conditions that a group must match, all of them.',
        }),
      ),
      sort: Type.Optional(
        Type.Array(GroupSortShape, {
          maxItems: limits.sortKeys,
          description: 'By values or by keys; the default is by key.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: limits.groups, default: bounds.operations.groupsDefault }),
      ),
      cursor: Type.Optional(CursorShape),
    },
    strict,
  ),
  read: readMembers(shape(CheckedBody)),
  bytesMax: limits.bodyBytes,
  valuesMax: bounds.shares.bodyValues,
};

export const GroupShape = Type.Object(
  {
    key: Type.Array(Type.Unknown(), {
      description:
        'One member for each group key: the value, the first day of the period, the hour with its offset, or ' +
        '`{"id", "object_type", "title"}` of the other end; null for records without a value or link.',
    }),
    values: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'By name: a numeric string, a list of amounts with one entry for each unit, the stored value for min and max, or null.',
    }),
  },
  { $id: 'Group' },
);
