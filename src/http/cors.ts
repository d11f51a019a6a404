// Cross-origin requests: off unless the operator lists exact origins, and never with the browser's own credentials.
import type { IncomingMessage } from 'node:http';
import type { HttpSettings } from './context.ts';

const exposed = [
  'Svc-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Location',
  'Svc-Idempotent-Replay',
  'Deprecation',
  'Sunset',
].join(', ');

/** The headers for a request from a listed origin; any other origin gets only `Vary`. */
export function corsHeaders(request: IncomingMessage, { corsOrigins }: HttpSettings): Record<string, string> {
  if (corsOrigins.size === 0) return {};
  const origin = request.headers.origin;
  if (origin === undefined || !corsOrigins.has(origin)) return { Vary: 'Origin' };
  return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed };
}

/** Whether a browser is asking for permission to send a request. */
export function isPreflight(request: IncomingMessage, { corsOrigins }: HttpSettings): boolean {
  const { origin } = request.headers;
  return (
    request.method === 'OPTIONS' &&
    origin !== undefined &&
    corsOrigins.has(origin) &&
    request.headers['access-control-request-method'] !== undefined
  );
}

export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Svc-Dry-Run',
  'Access-Control-Max-Age': '600',
} as const;
