// Prints the OpenAPI 3.1 document from the operations' own declarations and the one table of problem codes.
import { type ProblemCode, problemCodes } from '../../base/problem.ts';
import { operations } from '../../operations/all.ts';
import { basePath, type Operation, tags } from '../../operations/operation.ts';
import { requestHeaders } from '../../operations/request/headers.ts';
import type { Parameter } from '../../operations/request/parameters.ts';
import type { HttpSettings } from '../context.ts';
import { answerExamples, bodyExamples, parameterExample } from './examples.ts';
import { documentHeaders, headerComponents, headerReferences } from './headers.ts';
import { printProblem, problemSchema } from './problems.ts';
import { hoist, type Node } from './schemas.ts';

/** The problems that any operation can answer with. */
const everyOperationsProblems: readonly ProblemCode[] = [
  'invalid_request',
  'not_acceptable',
  'rate_limited',
  'internal_error',
  'unavailable',
  'timeout',
];

export function printDocument(settings: Pick<HttpSettings, 'release' | 'publicUrl'>): Node {
  const schemas: Node = {};
  const used = new Set<ProblemCode>(['method_not_allowed', 'not_found']);
  const paths: Record<string, Node> = {};
  for (const operation of operations) {
    const codes = problemsOf(operation);
    for (const code of codes) used.add(code);
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = printOperation(operation, codes, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Orrery',
      version: 'v1',
      summary: 'A self-hosted CRM back end.',
      description: introduction(settings.publicUrl ?? ''),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-release': settings.release,
    },
    servers: [{ url: `${settings.publicUrl ?? ''}${basePath}`, description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of the org, as printed by `orrery key create`.' },
      },
      headers: headerComponents,
      responses: Object.fromEntries([...used].map((code) => [code, printProblem(code)])),
      schemas: { ...schemas, Pagination: paginationSchema, Problem: problemSchema },
    },
  };
}

/** The rules that apply to every operation, in Markdown, with links to the guide. */
function introduction(origin: string): string {
  return [
    'One small, regular interface to every object type of an org. Start with `GET /objects/`: object types, properties, ' +
      'options and association types are data of the org, which clients read at run time.',
    '**Keys.** Send `Authorization: Bearer <key>`. A key belongs to one org, and paths do not name the org. Anything ' +
      "outside a key's grants and reach is invisible to it.",
    '**Answers.** A success is `{"data": …, "request_id": "…"}`. A problem is `application/problem+json` (RFC 9457) with ' +
      `a \`code\` from a closed list and a \`reason\` from an open one; its \`type\` links to [what to do](${origin}/docs/errors/). ` +
      'Unknown members, and unknown values of `reason`, can appear at any time and must be tolerated. The service ' +
      'ignores nothing: it refuses an unknown parameter or member, and reports all errors of a request together.',
    '**Pages.** Send `pagination.next_cursor` as `cursor` until it is null. To keep a copy up to date, continue with ' +
      `\`GET /changes/\` from the \`changes_cursor\` of the first page ([recipe](${origin}/docs/sync/)).`,
    '**Writes.** Every record has a version, which is its ETag: with `If-Match`, a write does not overwrite the changes ' +
      'of others. `Idempotency-Key` makes a write safe to repeat, and `Svc-Dry-Run` shows its result without storing it.',
    '**Limits.** Every response reports the rest of the rate limit in `RateLimit`. A 429 or 503 says in `Retry-After` ' +
      `when to try again. \`GET /self/\` has [all limits](${origin}/docs/limits/).`,
    '**Tools.** Generators of clients, linters and proxies take this document as it is. The same operations are a ' +
      `[Postman collection](${origin}/docs/postman.json).`,
  ].join('\n\n');
}

function problemsOf(operation: Operation): readonly ProblemCode[] {
  return [
    ...everyOperationsProblems,
    ...(operation.access === 'key' ? (['unauthenticated'] as const) : []),
    ...(operation.problems ?? []),
  ];
}

function printOperation(operation: Operation, codes: readonly ProblemCode[], schemas: Node): Node {
  const { answer, body } = operation;
  const headers = Object.fromEntries((operation.headers ?? []).map((name) => [name, requestHeaders[name]]));
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.access === 'public' ? { security: [] } : {}),
    parameters: [
      ...printParameters(operation, 'path', operation.pathParameters ?? {}),
      ...printParameters(operation, 'query', operation.query ?? {}),
      ...printParameters(operation, 'headers', headers),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.description,
            required: true,
            content: {
              'application/json': { schema: hoist(body.schema, schemas), examples: bodyExamples(operation) },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(
        [answer, ...(answer.or === undefined ? [] : [answer.or])].map((each) => [
          each.status,
          {
            description: each.description,
            headers: answer.bare ? documentHeaders : headerReferences(each.headers ?? []),
            content: {
              'application/json': {
                schema: printAnswer(operation, schemas),
                examples: answerExamples(operation, each.status),
              },
            },
          },
        ]),
      ),
      ...(answer.bare ? { 304: unchanged } : {}),
      ...Object.fromEntries(
        codes
          .map((code) => [String(problemCodes[code].status), { $ref: `#/components/responses/${code}` }] as const)
          .sort(([left], [right]) => Number(left) - Number(right)),
      ),
    },
  };
}

const unchanged = {
  description: 'The client has this document already: `If-None-Match` names its ETag.',
  headers: documentHeaders,
};

function printParameters(
  operation: Operation,
  place: 'path' | 'query' | 'headers',
  parameters: Readonly<Record<string, Parameter>>,
): readonly Node[] {
  return Object.entries(parameters).map(([name, { description, schema, required }]) => {
    const { value, isFilledIn } = parameterExample(operation, place, name);
    const plain = hoist(schema, {}) as Node;
    // A number, true and false are the same text in a query and in JSON.
    const isText = plain['type'] !== 'integer' && plain['type'] !== 'boolean';
    const example: unknown = isText || value === undefined ? value : JSON.parse(value);
    return {
      name,
      in: place === 'headers' ? 'header' : place,
      ...(place === 'path' || required ? { required: true } : {}),
      description,
      ...(isFilledIn ? { schema: plain, example } : { schema: { ...plain, examples: [example] } }),
    };
  });
}

/** The shape of a success: data in its envelope. */
function printAnswer({ answer, headers }: Operation, schemas: Node): unknown {
  const data = hoist(answer.schema, schemas);
  if (answer.bare) return data;
  return {
    type: 'object',
    required: ['data', ...(answer.paged ? ['pagination'] : []), 'request_id'],
    properties: {
      data,
      ...(answer.paged ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
      ...(headers?.includes('Svc-Dry-Run')
        ? { dry_run: { type: 'boolean', const: true, description: 'Nothing was stored.' } }
        : {}),
      request_id: { type: 'string', description: 'The same as the header Svc-Request-Id.' },
    },
  };
}

const paginationSchema = {
  type: 'object',
  required: ['next_cursor'],
  properties: {
    next_cursor: { type: ['string', 'null'], description: 'The cursor of the next page; null on the last page.' },
    changes_cursor: {
      type: 'string',
      description:
        'On the first page of a list or query: send it as `cursor` to `GET /changes/` once all pages are loaded, and the feed ' +
        'returns every change that they do not show yet.',
    },
  },
};
