// What an org's schema consists of, as records: object types, properties, options and association types.
import { fieldTypes } from '../fields/all.ts';
import { boolean } from '../fields/boolean.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import type { ObjectType } from '../object-type.ts';
import { labelled, objectType, property } from './declare.ts';

const kept = { readOnly: true } as const;
const fixed = { required: true, fixed: true } as const;

const objectTypeType = objectType({
  id: 30,
  name: 'svc_object_type',
  label: 'Object Type',
  pluralLabel: 'Object Types',
  description: 'A type of records of the org, built in or its own.',
  category: 'platform',
  nature: 'governed_unlinked',
  titleProperty: 'svc_label',
  properties: [
    property(3, 'svc_name', 'Name', text, { ...fixed, unique: true, description: 'The name in requests.' }),
    property(4, 'svc_label', 'Label', text, { required: true, description: 'The name that people read.' }),
    property(5, 'svc_plural_label', 'Plural label', text),
    property(6, 'svc_description', 'Description', longText),
    property(7, 'svc_kind', 'Kind', text, {
      fixed: true,
      description: 'Types of one kind take part in the association types of that kind, as `person` does.',
    }),
    property(8, 'svc_title_property', 'Title property', text, {
      description: 'The name of the text property that is the title of a record.',
    }),
    property(9, 'svc_category', 'Category', text, { ...kept, description: 'Where the type comes from.' }),
  ],
});

const propertyType = objectType({
  id: 31,
  name: 'svc_property',
  label: 'Property',
  pluralLabel: 'Properties',
  description: 'A property of an object type.',
  category: 'platform',
  nature: 'governed',
  titleProperty: 'svc_label',
  properties: [
    property(3, 'svc_name', 'Name', text, { ...fixed, description: 'The name in requests, unique within the type.' }),
    property(4, 'svc_label', 'Label', text, { required: true, description: 'The name that people read.' }),
    property(5, 'svc_description', 'Description', longText),
    property(6, 'svc_field_type', 'Field type', select, {
      ...fixed,
      options: [...fieldTypes.values()].map(({ name, label }) => ({ value: name, label })),
      description: 'What its values are.',
    }),
    property(7, 'svc_multi_valued', 'Multi-valued', boolean, {
      fixed: true,
      description: 'Whether a record has a list of values.',
    }),
    property(8, 'svc_unique', 'Unique', boolean, { fixed: true, description: 'Whether no two records share a value.' }),
    property(9, 'svc_required', 'Required', boolean, {
      description: 'Whether each record must have a value. It can become true only while no record lacks one.',
    }),
    property(10, 'svc_position', 'Position', number, { description: 'Place among the properties of the type.' }),
    property(11, 'svc_custom', 'Custom', boolean, { ...kept, description: 'Whether the org has added it.' }),
  ],
});

const propertyOption = objectType({
  id: 32,
  name: 'svc_property_option',
  label: 'Property Option',
  pluralLabel: 'Property Options',
  description: 'One of the values that a select property can have.',
  category: 'platform',
  nature: 'governed',
  titleProperty: 'svc_label',
  properties: [
    property(3, 'svc_value', 'Value', text, { ...fixed, description: 'The value in records, unique in the property.' }),
    property(4, 'svc_label', 'Label', text, { required: true, description: 'The name that people read.' }),
    property(5, 'svc_position', 'Position', number, { description: 'Place in the order of the options.' }),
  ],
});

const associationTypeType = objectType({
  id: 33,
  name: 'svc_association_type',
  label: 'Association Type',
  pluralLabel: 'Association Types',
  description: 'A way in which records can be linked.',
  category: 'platform',
  nature: 'governed_unlinked',
  titleProperty: 'svc_label',
  properties: [
    property(3, 'svc_name', 'Name', text, { ...fixed, unique: true, description: 'The name in requests.' }),
    property(4, 'svc_label', 'Label', text, { description: 'The name that people read.' }),
    property(5, 'svc_source', 'Source', text, {
      ...fixed,
      description: 'The name of the type that links begin at, or `kind:` and the name of a kind.',
    }),
    property(6, 'svc_target', 'Target', text, {
      ...fixed,
      description: 'The name of the type that links lead to, or `kind:` and the name of a kind.',
    }),
    property(7, 'svc_cardinality', 'Cardinality', select, {
      ...fixed,
      options: labelled({ many_to_many: 'Many to many', many_to_one: 'Many to one' }),
      description: 'Whether a record can have several links, or one.',
    }),
    property(8, 'svc_stage', 'Stage', boolean, {
      fixed: true,
      description: 'Whether the target is the stage of the source: leaving it writes a timer.',
    }),
  ],
});

export const definitionTypes: readonly ObjectType[] = [
  objectTypeType,
  propertyType,
  propertyOption,
  associationTypeType,
];
