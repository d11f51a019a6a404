// Prints the OpenAPI 3.1 document from the operations' own declarations and the one table of problem codes.
import { bounds } from '../base/limits.ts';
import { type ProblemCode, problemCodes } from '../base/problem.ts';
import { operations } from '../operations/all.ts';
import { basePath, type Operation, tags } from '../operations/operation.ts';
import type { Parameter } from '../operations/parameter.ts';
import { requestHeaders } from '../operations/request-headers.ts';
import type { HttpSettings } from './service.ts';

type Node = Record<string, unknown>;

/** The problems that any operation can answer with, and those that need something of it. */
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
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-release': settings.release,
    },
    servers: [{ url: `${settings.publicUrl ?? ''}${basePath}`, description: 'This service.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of the org, made with `orrery key create`.' },
      },
      headers: headerComponents,
      responses: Object.fromEntries([...used].map((code) => [code, printProblem(code)])),
      schemas: { ...schemas, Pagination: paginationSchema, Problem: problemSchema },
    },
  };
}

const introduction = [
  'One small, regular surface over every object type of an org. Success bodies are `{"data": …, "request_id": "…"}`;',
  'errors are `application/problem+json` (RFC 9457) with a `code` from a closed list and a `reason` from an open one.',
  'Unknown members and unknown values of `reason` can appear at any time and must be tolerated. Every response names',
  'its request in `Svc-Request-Id`, is never cached, and reports the rate limit that it counted against.',
].join(' ');

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
      ...printParameters('path', operation.pathParameters ?? {}),
      ...printParameters('query', operation.query ?? {}),
      ...printParameters('header', headers),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.description,
            required: true,
            content: { 'application/json': { schema: hoist(body.schema, schemas) } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        [answer, ...(answer.or === undefined ? [] : [answer.or])].map((each) => [
          each.status,
          {
            description: each.description,
            headers: headerReferences(each.headers ?? []),
            content: { 'application/json': { schema: printAnswer(operation, schemas) } },
          },
        ]),
      ),
      ...Object.fromEntries(
        codes
          .map((code) => [String(problemCodes[code].status), { $ref: `#/components/responses/${code}` }] as const)
          .sort(([left], [right]) => Number(left) - Number(right)),
      ),
    },
  };
}

function printParameters(
  place: 'path' | 'query' | 'header',
  parameters: Readonly<Record<string, Parameter>>,
): readonly Node[] {
  return Object.entries(parameters).map(([name, { description, schema, required }]) => ({
    name,
    in: place,
    ...(place === 'path' || required ? { required: true } : {}),
    description,
    schema: hoist(schema, {}),
  }));
}

/** The shape of a success: data in its envelope, with what stands beside it. */
function printAnswer({ answer, headers }: Operation, schemas: Node): unknown {
  const data = hoist(answer.schema, schemas);
  if (answer.bare) return data;
  return {
    type: 'object',
    required: ['data', ...(answer.paged ? ['pagination'] : []), 'request_id'],
    properties: {
      data,
      ...(answer.paged ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
      ...(headers?.includes('Svc-Dry-Run') ? { dry_run: { const: true, description: 'Nothing was stored.' } } : {}),
      request_id: { type: 'string', description: 'The same as in Svc-Request-Id.' },
    },
  };
}

/** The shape as plain data; each part that has an `$id` becomes a component, and a reference stands in its place. */
function hoist(schema: unknown, schemas: Node): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Node;
  const plain = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, hoist(part, schemas)]));
  if (typeof $id !== 'string') return plain;
  schemas[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

const paginationSchema = {
  type: 'object',
  required: ['next_cursor'],
  properties: {
    next_cursor: { type: ['string', 'null'], description: 'Leads to the next page; null on the last one.' },
    changes_cursor: {
      type: 'string',
      description:
        'On the first page of a list or query: from here the change feed tells everything that the pages do not show yet.',
    },
  },
};

const headerComponents = {
  'Svc-Request-Id': header('The id of this request; also in the body.', { type: 'string' }),
  'Cache-Control': header('Responses are never cached.', { type: 'string', const: 'no-store' }),
  'X-Content-Type-Options': header('The body is what its media type says.', { type: 'string', const: 'nosniff' }),
  'RateLimit-Policy': header('The rate limit that the request counted against: quota `q` in a window of `w` seconds.', {
    type: 'string',
    pattern: '^"(org|anonymous)";q=[0-9]+;w=[0-9]+$',
  }),
  RateLimit: header('Units left (`r`) and seconds until the window ends (`t`).', {
    type: 'string',
    pattern: '^"(org|anonymous)";r=[0-9]+;t=[0-9]+$',
  }),
  'WWW-Authenticate': header('How to authenticate (RFC 6750).', { type: 'string', pattern: '^Bearer ' }),
  Allow: header('The methods that the path takes.', { type: 'string' }),
  'Retry-After': header('Seconds after which to try again.', { type: 'string', pattern: '^[0-9]+$' }),
  ETag: header('The version of the record, for If-Match.', { type: 'string', pattern: '^"[1-9][0-9]*"$' }),
  Location: header('The path of the new record.', { type: 'string', format: 'uri-reference' }),
  'Svc-Idempotent-Replay': {
    description: 'Present when this is the stored answer to an earlier request with the same Idempotency-Key.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
};

type HeaderName = keyof typeof headerComponents;

const everyResponsesHeaders: readonly HeaderName[] = [
  'Svc-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'RateLimit-Policy',
  'RateLimit',
];

const problemHeaders: Partial<Record<ProblemCode, readonly HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

function header(description: string, schema: Node): Node {
  return { description, required: true, schema };
}

function headerReferences(more: readonly HeaderName[]): Node {
  return Object.fromEntries(
    [...everyResponsesHeaders, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function printProblem(code: ProblemCode): Node {
  const { status, title, reasons } = problemCodes[code];
  const known = reasons.length === 0 ? '' : ` Reasons known today: ${reasons.map((each) => `\`${each}\``).join(', ')}.`;
  return {
    description: `${title}.${known}`,
    headers: headerReferences(problemHeaders[code] ?? []),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { code: { const: code }, status: { const: status } } },
          ],
        },
      },
    },
  };
}

const problemSchema = {
  type: 'object',
  description: 'What went wrong (RFC 9457). `code` is from a closed list; new values of `reason` can appear any time.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: "The address of the code's section in the documentation." },
    title: { type: 'string' },
    status: { type: 'integer', enum: [...new Set(Object.values(problemCodes).map((each) => each.status))] },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    reason: { type: 'string' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      maxItems: bounds.faultsReported,
      items: {
        type: 'object',
        required: ['reason', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'An RFC 6901 pointer into the body.' },
          parameter: { type: 'string', description: 'The name of a parameter or header.' },
          property: { type: 'string' },
          reason: { type: 'string' },
          detail: { type: 'string' },
          expected: { type: 'object', description: 'A JSON Schema that the value must fit.' },
          allowed: { type: 'array', description: 'The values that would do.' },
          nearest: { type: 'string', description: 'The nearest name that the key can see.' },
        },
      },
    },
    conflict: {
      type: 'object',
      required: ['object_type', 'property'],
      properties: {
        object_type: { type: 'string' },
        property: { type: 'string' },
        existing_id: { type: 'string' },
      },
    },
  },
};
