// GET /: what this service is, and where its documents are (specification 9).
import { Type } from 'typebox';
import { exampleOrigin } from './examples/records.ts';
import { basePath, type DataAnswer, type PublicOperation } from './operation.ts';

export const getRoot: PublicOperation = {
  id: 'getRoot',
  method: 'GET',
  path: '/',
  tag: 'Service',
  access: 'public',
  summary: 'Get versions and documents',
  description:
    'Returns the version of the API, the release of the service, and the addresses of its documents. It needs no key.',
  answer: {
    status: 200,
    description: 'The service.',
    schema: Type.Object(
      {
        name: Type.Literal('orrery'),
        version: Type.Literal('v1', { description: 'The version of the API, as in the path.' }),
        release: Type.String({ description: 'The release of this service.' }),
        status: Type.Literal('beta', {
          description: 'During beta, breaking changes are announced before they ship.',
        }),
        openapi_url: Type.String({ format: 'uri', description: 'The OpenAPI document.' }),
        docs_url: Type.String({ format: 'uri', description: 'The guide and the reference.' }),
      },
      { $id: 'Service' },
    ),
  },
  examples: {
    service: { summary: 'The service', answer: answerOf('0.1.0', exampleOrigin) },
  },
  run: ({ release, origin }) => answerOf(release, origin),
};

function answerOf(release: string, origin: string): DataAnswer {
  return {
    data: {
      name: 'orrery',
      version: 'v1',
      release,
      status: 'beta',
      openapi_url: `${origin}${basePath}/openapi.json`,
      docs_url: `${origin}/docs/`,
    },
  };
}
