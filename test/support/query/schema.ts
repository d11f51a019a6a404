// The custom part of the org that query is tested on: a type with every field type, single and multi-valued, a second
// type of a built-in kind, and links within one type, to a kind, and from a kind to itself.
import { selectOptions } from './pools.ts';
import { operatorsOf } from './values.ts';

const fieldTypes: readonly string[] = Object.keys(operatorsOf);

const options = selectOptions.map((value) => ({ value, label: `Option ${value}` }));

function property(name: string, field_type: string, more: object = {}): object {
  return { name, label: name, field_type, ...(field_type === 'select' && { options }), ...more };
}

export const querySchema = {
  object_types: [
    {
      name: 'specimen',
      label: 'Specimen',
      properties: [
        ...fieldTypes.map((type) => property(`${type}_one`, type)),
        ...fieldTypes.map((type) => property(`${type}_many`, type, { multi_valued: true })),
        property('constructor', 'text'),
        property('prototype', 'number'),
        property('length', 'datetime'),
      ],
    },
    {
      name: 'freelancer',
      label: 'Freelancer',
      kind: 'person',
      properties: [
        property('score', 'number'),
        property('alias', 'text', { multi_valued: true }),
        property('motto', 'long_text'),
      ],
    },
  ],
  properties: { svc_contact: [property('score', 'number'), property('hue', 'select')] },
  association_types: [
    { name: 'likes', label: 'Likes', source: 'specimen', target: 'specimen', cardinality: 'many_to_many' },
    { name: 'kept_by', label: 'Kept by', source: 'specimen', target: { kind: 'person' }, cardinality: 'many_to_many' },
    { name: 'owned_by', label: 'Owned by', source: 'specimen', target: 'svc_company', cardinality: 'many_to_one' },
    {
      name: 'friend_of',
      label: 'Friend of',
      source: { kind: 'person' },
      target: { kind: 'person' },
      cardinality: 'many_to_many',
    },
  ],
};
