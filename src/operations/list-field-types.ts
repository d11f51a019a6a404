// GET /field_types/: the field types of properties. Every field type describes itself.
import { Type } from 'typebox';
import type { FieldType } from '../schema/field-type.ts';
import { fieldTypes } from '../schema/fields/all.ts';
import { keyOperation } from './operation.ts';

const FieldTypeShape = Type.Object(
  {
    name: Type.String({ description: 'The `field_type` of a property.' }),
    label: Type.String(),
    value_shape: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema (2020-12) of one value.' }),
    example: Type.Unknown({ description: 'A valid value.' }),
    filter_operators: Type.Array(Type.String(), { description: 'The operators that a filter can use.' }),
    aggregations: Type.Array(Type.String(), { description: 'The functions that an aggregation can use.' }),
    sortable: Type.Boolean({ description: 'Whether `sort` accepts it; never if the property is multi-valued.' }),
    groupable: Type.Boolean({ description: 'Whether `group_by` accepts it.' }),
    granularities: Type.Optional(
      Type.Array(Type.String(), { description: 'The periods that `group_by` can group by.' }),
    ),
  },
  { $id: 'FieldType' },
);

export const listFieldTypes = keyOperation({
  id: 'listFieldTypes',
  method: 'GET',
  path: '/field_types/',
  tag: 'Schema',
  access: 'key',
  summary: 'List field types',
  description:
    'Returns every field type with the shape of its values, its filter operators and its aggregations. They are the same in ' +
    'every org; the `field_type` of a property names one of them.',
  answer: { status: 200, description: 'The field types.', schema: Type.Array(FieldTypeShape) },
  examples: {
    field_types: {
      summary: 'Two of them',
      excerpt: true,
      answer: { data: entries(({ name }) => name === 'number' || name === 'date') },
    },
  },
  parse: () => ({}),
  run: () => ({ data: entries(() => true) }),
});

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
