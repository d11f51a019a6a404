// GET /openapi.json: the document that the published reference is made from, as it is.
import { Type } from 'typebox';
import { exampleOrigin } from './examples/records.ts';
import { basePath, type PublicOperation } from './operation.ts';

export const getOpenapi: PublicOperation = {
  id: 'getOpenapi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Service',
  access: 'public',
  summary: 'This document',
  description:
    'The OpenAPI 3.1 document of this service, not wrapped in an envelope, so that tools can read it. The request id ' +
    'stands in `x-request-id` at its root.',
  answer: {
    status: 200,
    bare: true,
    description: 'An OpenAPI 3.1 document.',
    schema: Type.Object({
      openapi: Type.String({ pattern: '^3\\.1\\.' }),
      info: Type.Record(Type.String(), Type.Unknown()),
      servers: Type.Array(Type.Unknown()),
      tags: Type.Array(Type.Unknown()),
      security: Type.Array(Type.Unknown()),
      paths: Type.Record(Type.String(), Type.Unknown()),
      components: Type.Record(Type.String(), Type.Unknown()),
      'x-request-id': Type.String(),
    }),
  },
  examples: {
    document: {
      summary: 'Its frame: paths and components are left out here',
      excerpt: true,
      answer: {
        document: JSON.stringify({
          openapi: '3.1.1',
          info: { title: 'Orrery', version: 'v1' },
          servers: [{ url: `${exampleOrigin}${basePath}` }],
          tags: [{ name: 'Service' }, { name: 'Schema' }, { name: 'Records' }],
          security: [{ key: [] }],
          paths: {},
          components: {},
        }),
      },
    },
  },
  run: ({ document }) => ({ document: document() }),
};
