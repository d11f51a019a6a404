// The pages outside /rest/v1: health, metrics, the Postman collection, and the documentation, which problems and the root
// link to. They are not operations.
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../base/problem.ts';
import { DiskFull } from '../../engine/process/engine.ts';
import { networkOf } from '../../engine/shares/network.ts';
import type { HttpContext } from '../context.ts';
import { printCollection } from '../postman/collection.ts';
import { addressOf } from '../request-head.ts';
import { acceptsHtml } from '../sending/content-coding.ts';
import { bodyBytes } from '../sending/pieces.ts';
import type { Reply } from '../sending/reply.ts';
import { documentReply, findDocument, missingReply } from './documents.ts';

interface Visit {
  readonly requestId: string;
  /** Scheme and host as the client knows them. */
  readonly origin: () => string;
  route: string;
}

type Page = (context: HttpContext, visit: Visit, request: IncomingMessage) => Reply | Promise<Reply>;

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/', () => ({ status: 302, headers: { Location: '/docs/' }, body: '' })],
  ['/healthz', (_, { requestId }) => state(200, 'ok', requestId)],
  ['/readyz', readiness],
  ['/metrics', metrics],
  ['/docs/postman.json', (_, { origin }) => collection(origin())],
]);

/**
 * What a request for the page counts against. Liveness counts against nothing: it costs nothing, and an orchestrator
 * would restart a service whose probe is refused.
 */
export function pageLimit(path: string): 'spend' | 'spendProbe' | undefined {
  const known = withoutSlash(path);
  if (known === '/healthz') return undefined;
  return known === '/readyz' || known === '/metrics' ? 'spendProbe' : 'spend';
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=[^/])\/$/, '');
}

export async function findPage(
  context: HttpContext,
  visit: Visit,
  request: IncomingMessage,
  path: string,
): Promise<Reply> {
  const known = withoutSlash(path);
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const page = pages.get(known) ?? (await documentPage(known)) ?? (await consolePage(known));
  if (page === undefined) {
    // A browser shows a page; every other client gets a problem.
    if (isReading && acceptsHtml(request.headers.accept)) return missingReply(request);
    throw new Problem('not_found', 'route_unknown', 'There is no page at this path. See /docs/.');
  }
  // All documents share one route, so that they do not multiply the metrics.
  visit.route = routeOf(known);
  if (!isReading) {
    throw new Problem('method_not_allowed', undefined, 'This page supports GET and HEAD only.', {
      headers: { Allow: 'GET, HEAD' },
    });
  }
  const reply = await page(context, visit, request);
  // The build has compressed what is the same for everybody.
  if (reply.isKept === true) return reply;
  return context.compression.coded(request, networkOf(addressOf(request)), reply, bodyBytes(reply.body));
}

function routeOf(path: string): string {
  if (pages.has(path)) return path;
  return path === '/console' || path.startsWith('/console/') ? '/console/{page}' : '/docs/{document}';
}

/** All pages of the console are one document, which reads the address itself. Its assets have names that are known. */
function consolePage(path: string): Promise<Page | undefined> | undefined {
  const isPage = path.startsWith('/console/') && !path.startsWith('/console/assets/') && !path.includes('.');
  return isPage ? documentPage('/console') : undefined;
}

async function documentPage(path: string): Promise<Page | undefined> {
  const document = await findDocument(path);
  if (document === undefined) return undefined;
  return (_, visit, request) => documentReply(document, request, visit.origin());
}

/**
 * Ready means that the database answers, its tables exist, and the process is not stopping. With a full disk the service can
 * still read, so it stays in use.
 */
async function readiness(context: HttpContext, { requestId }: Visit): Promise<Reply> {
  if (context.isDraining()) return state(503, 'shutting_down', requestId);
  try {
    const found = await context.readiness();
    if (found === 'read_only') context.log.warn({ request_id: requestId }, diskFullText);
    if (found === 'partly_ready') context.log.warn({ request_id: requestId }, workerAwayText);
    if (found !== undefined) return state(200, found, requestId);
    context.log.warn({ request_id: requestId }, 'not ready: the database does not answer');
    return state(503, 'storage_unavailable', requestId);
  } catch (error) {
    context.log.warn({ request_id: requestId, err: error }, 'not ready');
    return state(503, error instanceof DiskFull ? 'disk_full' : 'storage_unavailable', requestId);
  }
}

const workerAwayText = 'a worker of the cluster is away: its orgs get 503, and the others are served';

const diskFullText = 'the disk of the database is full: nothing can be written until space is freed';

async function metrics(context: HttpContext): Promise<Reply> {
  const { type, text } = await context.printMetrics();
  return { status: 200, headers: { 'Content-Type': type }, body: text };
}

/** Named, because people import it as a file. */
function collection(origin: string): Reply {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Disposition': 'attachment; filename="orrery.postman_collection.json"',
  };
  return { status: 200, headers, body: JSON.stringify(printCollection(origin)) };
}

function state(status: number, text: string, requestId: string): Reply {
  const headers: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-8' };
  if (status === 503) headers['Retry-After'] = '1';
  return { status, headers, body: JSON.stringify({ status: text, request_id: requestId }) };
}
