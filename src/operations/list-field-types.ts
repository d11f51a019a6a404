// GET /field_types/: what a property can hold, and what can be asked of it. Every field type answers for itself.
import { Type } from 'typebox';
import type { FieldType } from '../schema/field-type.ts';
import { fieldTypes } from '../schema/fields/all.ts';
import type { KeyOperation } from './operation.ts';

const FieldTypeShape = Type.Object(
  {
    name: Type.String({ description: '`field_type` of a property.' }),
    label: Type.String(),
    value_shape: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema (2020-12) of one value.' }),
    example: Type.Unknown({ description: 'A value that fits.' }),
    filter_operators: Type.Array(Type.String(), { description: 'What a condition on such a property can ask.' }),
    aggregations: Type.Array(Type.String(), { description: 'What can be computed of such a property.' }),
    sortable: Type.Boolean({ description: 'Whether `sort` takes it; of a multi-valued property never.' }),
    groupable: Type.Boolean({ description: 'Whether `group_by` takes it.' }),
    granularities: Type.Optional(Type.Array(Type.String(), { description: 'The buckets that it groups into.' })),
  },
  { $id: 'FieldType' },
);

export const listFieldTypes: KeyOperation = {
  id: 'listFieldTypes',
  method: 'GET',
  path: '/field_types/',
  tag: 'Schema',
  access: 'key',
  summary: 'Field types',
  description:
    'The authority on the shape of every value, and on the filter operators and aggregations that it supports.',
  answer: { status: 200, description: 'The field types.', schema: Type.Array(FieldTypeShape) },
  examples: {
    field_types: {
      summary: 'Two of them',
      excerpt: true,
      answer: { data: entries(({ name }) => name === 'number' || name === 'date') },
    },
  },
  run: () => ({ data: entries(() => true) }),
};

function entries(isWanted: (type: FieldType) => boolean) {
  return [...fieldTypes.values()].filter(isWanted).map((type) => ({
    name: type.name,
    label: type.label,
    value_shape: type.shape,
    example: type.example,
    filter_operators: type.operators,
    aggregations: type.aggregations,
    sortable: type.sortable,
    groupable: type.groupable,
    ...(type.granularities === undefined ? {} : { granularities: type.granularities }),
  }));
}
