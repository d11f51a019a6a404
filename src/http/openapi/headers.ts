// The response headers as the OpenAPI document describes them: those of every response, and those of some. The
// declaration of an operation says which of these it sends.
import { orgPolicyDefault } from '../../base/limits.ts';
import { exampleIds, exampleRequestId } from '../../operations/examples/records.ts';
import { basePath } from '../../operations/operation.ts';

const { quota, windowSeconds } = orgPolicyDefault;

export const headerComponents = {
  'Svc-Request-Id': header(
    'The id of this request, also `request_id` in the body. Quote it when you ask for help.',
    { type: 'string' },
    exampleRequestId,
  ),
  'Cache-Control': header('Responses are never cached.', { type: 'string', const: 'no-store' }, 'no-store'),
  'X-Content-Type-Options': header(
    'Browsers must not guess another media type.',
    { type: 'string', const: 'nosniff' },
    'nosniff',
  ),
  'RateLimit-Policy': header(
    'The rate limit that the request counted against: quota `q` in a window of `w` seconds. It belongs to the org or, ' +
      'without a valid key, to the address.',
    { type: 'string', pattern: '^"(org|anonymous)";q=[0-9]+;w=[0-9]+$' },
    `"org";q=${quota};w=${windowSeconds}`,
  ),
  RateLimit: header(
    'The remaining units (`r`) and the seconds until the window ends (`t`).',
    { type: 'string', pattern: '^"(org|anonymous)";r=[0-9]+;t=[0-9]+$' },
    `"org";r=${quota - 1};t=${windowSeconds}`,
  ),
  'WWW-Authenticate': header(
    'How to authenticate (RFC 6750).',
    { type: 'string', pattern: '^Bearer ' },
    'Bearer realm="orrery"',
  ),
  Allow: header('The methods that the path supports.', { type: 'string' }, 'GET, HEAD'),
  'Retry-After': header(
    'The number of seconds to wait before trying again.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1',
  ),
  ETag: header(
    'The version of the record in quotes, for If-Match.',
    { type: 'string', pattern: '^"[1-9][0-9]*"$' },
    '"1"',
  ),
  'Document-ETag': header(
    'The digest of the document, for If-None-Match.',
    { type: 'string', pattern: '^W/"[A-Za-z0-9_-]{43}"$' },
    `W/"${'0'.repeat(43)}"`,
  ),
  Location: header(
    'The path of the new record.',
    { type: 'string', format: 'uri-reference' },
    `${basePath}/objects/svc_contact/records/${exampleIds.newRecord}/`,
  ),
  'Svc-Idempotent-Replay': {
    ...header(
      'Present if this is the stored answer to an earlier request with the same Idempotency-Key.',
      { type: 'string', const: 'true' },
      'true',
    ),
    required: false,
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

export function headerReferences(more: readonly HeaderName[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...everyResponsesHeaders, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Those of an answer that is a document. */
export const documentHeaders = { ...headerReferences([]), ETag: { $ref: '#/components/headers/Document-ETag' } };

function header(description: string, schema: Readonly<Record<string, unknown>>, example: string) {
  return { description, required: true, schema, example };
}
