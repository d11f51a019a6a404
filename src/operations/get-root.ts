// GET /: what this service is and where its documents are (specification 9).
import { Type } from 'typebox';
import { basePath, type PublicOperation } from './operation.ts';

export const getRoot: PublicOperation = {
  id: 'getRoot',
  method: 'GET',
  path: '/',
  tag: 'Service',
  access: 'public',
  summary: 'Version and documents',
  description: 'The version of the interface, the release of the service, and the addresses of its documents.',
  answer: {
    status: 200,
    description: 'The service.',
    schema: Type.Object(
      {
        name: Type.Literal('orrery'),
        version: Type.Literal('v1'),
        release: Type.String({ examples: ['0.1.0'] }),
        status: Type.Literal('beta'),
        openapi_url: Type.String({ format: 'uri' }),
        docs_url: Type.String({ format: 'uri' }),
      },
      { $id: 'Service' },
    ),
  },
  run: ({ release, origin }) => ({
    data: {
      name: 'orrery',
      version: 'v1',
      release,
      status: 'beta',
      openapi_url: `${origin}${basePath}/openapi.json`,
      docs_url: `${origin}/docs/`,
    },
  }),
};
