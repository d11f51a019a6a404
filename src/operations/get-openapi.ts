// GET /openapi.json: the OpenAPI document, from which the published reference is made.
import { Type } from 'typebox';
import { exampleOrigin } from './examples/records.ts';
import { basePath, type PublicOperation } from './operation.ts';

export const getOpenapi: PublicOperation = {
  id: 'getOpenapi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Service',
  access: 'public',
  summary: 'Get this document',
  description:
    'Returns the OpenAPI 3.1 document of this service, without an envelope, so that tools can read it. The request id is in ' +
    '`x-request-id` at its root. Send its ETag as `If-None-Match` to get 304 while the document has not changed.',
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
      summary: 'An outline: paths and components are left out here',
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
  run: ({ document }) => document(),
};
