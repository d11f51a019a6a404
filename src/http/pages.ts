// What is served outside /rest/v1: health, metrics, and the pages that problems and the root point to. None of these is
// an operation. Pages ask nothing of any other host.
import type { IncomingMessage } from 'node:http';
import { Problem, problemCodes } from '../base/problem.ts';
import { operations } from '../operations/all.ts';
import { basePath } from '../operations/operation.ts';
import type { Reply } from './respond.ts';
import type { Service } from './service.ts';

interface Visit {
  readonly requestId: string;
  route: string;
}

type Page = (service: Service, visit: Visit) => Reply | Promise<Reply>;

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/', () => ({ status: 302, headers: { Location: '/docs/' }, body: '' })],
  ['/healthz', (_, { requestId }) => state(200, 'ok', requestId)],
  ['/readyz', readiness],
  ['/metrics', metrics],
  ['/docs', () => html('Orrery', overview())],
  ['/docs/errors', () => html('Orrery: errors', errors())],
]);

export async function findPage(service: Service, visit: Visit, request: IncomingMessage, path: string): Promise<Reply> {
  const known = path.replace(/(?<=[^/])\/$/, '');
  const page = pages.get(known);
  if (page === undefined) throw new Problem('not_found', 'route_unknown', 'There is no page here. Try /docs/.');
  visit.route = known;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Problem('method_not_allowed', undefined, 'This page takes GET and HEAD.', {
      headers: { Allow: 'GET, HEAD' },
    });
  }
  return page(service, visit);
}

/** Ready means: the database answers, its tables are there, and the process is not on its way out. */
async function readiness(service: Service, { requestId }: Visit): Promise<Reply> {
  if (service.isDraining()) return state(503, 'draining', requestId);
  try {
    await service.isReachable();
    return state(200, 'ready', requestId);
  } catch (error) {
    service.log.warn({ request_id: requestId, err: error }, 'not ready');
    return state(503, 'storage_unavailable', requestId);
  }
}

async function metrics(service: Service): Promise<Reply> {
  const { type, text } = await service.metrics.print();
  return { status: 200, headers: { 'Content-Type': type }, body: text };
}

function state(status: number, text: string, requestId: string): Reply {
  const headers: Record<string, string> = { 'Content-Type': 'application/json; charset=utf-8' };
  if (status === 503) headers['Retry-After'] = '1';
  return { status, headers, body: JSON.stringify({ status: text, request_id: requestId }) };
}

function html(title: string, content: string): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      'Referrer-Policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style><main>${content}</main></html>`,
  };
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:52rem;margin:2rem auto;
padding:0 1rem}code{font:0.9em ui-monospace,monospace}table{border-collapse:collapse}td{padding:.2rem .8rem .2rem 0;
vertical-align:top}section:target{outline:2px solid;outline-offset:.5rem}`;

function overview(): string {
  const rows = operations
    .map(({ method, path, summary }) => {
      return `<tr><td><code>${method}</code><td><code>${basePath}${escapeHtml(path)}</code><td>${escapeHtml(summary)}`;
    })
    .join('\n');
  return `<h1>Orrery</h1><p>The interface is described by its <a href="${basePath}/openapi.json">OpenAPI document</a>;
what an error means stands on the page of <a href="/docs/errors/">errors</a>.</p><table>${rows}</table>`;
}

function errors(): string {
  const sections = Object.entries(problemCodes).map(([code, { status, title, reasons }]) => {
    const known =
      reasons.length === 0 ? '' : `<p>Reasons: ${reasons.map((each) => `<code>${each}</code>`).join(', ')}.`;
    return `<section id="${code}"><h2><code>${code}</code> (${status})</h2><p>${escapeHtml(title)}.${known}</section>`;
  });
  return `<h1>Errors</h1><p>Every error is <code>application/problem+json</code> with one of these codes.
The list of codes is closed; new reasons can appear at any time.</p>${sections.join('\n')}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
