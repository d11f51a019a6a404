// GET /objects/{object_type}/: one object type with its properties, labels and options as the org has them.
import { keyOperation } from './operation.ts';
import { objectTypeParameter } from './request/parameters.ts';
import { ObjectTypeDetailShape, objectTypeBody, propertyBody } from './shapes/object-type.ts';
import { requireObjectType } from './shared/permit.ts';

export const getObjectType = keyOperation({
  id: 'getObjectType',
  method: 'GET',
  path: '/objects/{object_type}/',
  tag: 'Schema',
  access: 'key',
  summary: 'Get an object type with its properties',
  description:
    'Returns an object type with its properties, their labels and their options. Read it instead of assuming a fixed list: ' +
    'an org can add properties and options, and change labels.',
  pathParameters: { object_type: objectTypeParameter },
  answer: { status: 200, description: 'The object type.', schema: ObjectTypeDetailShape },
  problems: ['not_found'],
  examples: {
    company: {
      summary: 'Companies, with some of their properties',
      excerpt: true,
      path: { object_type: 'svc_company' },
      answer: {
        data: {
          name: 'svc_company',
          label: 'Company',
          plural_label: 'Companies',
          description: 'An organisation, identified by its domain, to which contacts, deals and risks belong.',
          category: 'core',
          kind: 'organization',
          writable_operations: ['create', 'update', 'delete', 'associate'],
          title_property: 'svc_name',
          unique_properties: ['svc_domain'],
          properties: [
            {
              name: 'svc_domain',
              label: 'Domain',
              description: 'The host name that identifies the company. No two companies share one.',
              field_type: 'domain',
              multi_valued: false,
              read_only: false,
              required: false,
              unique: true,
              custom: false,
            },
            {
              name: 'svc_headcount_range',
              label: 'Headcount range',
              description: 'Approximate number of people who work there.',
              field_type: 'select',
              multi_valued: false,
              read_only: false,
              required: false,
              unique: false,
              options: [
                { value: '1-10', label: '1 to 10' },
                { value: '11-50', label: '11 to 50' },
              ],
              custom: false,
            },
          ],
        },
      },
    },
  },
  parse: ({ session }, { path }) => ({ type: requireObjectType(session, path.object_type) }),
  run: (_, { type }) => ({
    data: { ...objectTypeBody(type), properties: [...type.properties.values()].map(propertyBody) },
  }),
});
