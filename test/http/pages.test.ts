// What is served outside /rest/v1: health, readiness, metrics and the pages that problems point to.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemCodes } from '../../src/base/problem.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startProxy } from '../support/proxy.ts';
import { openConnection } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestService;
beforeAll(async () => {
  database = await createDatabase();
  proxy = await startProxy(database.url);
  service = await startService({ databaseUrl: proxy.url });
});
afterAll(async () => {
  await service.stop();
  await proxy.cut();
  await database.drop();
});

test.each(['/healthz', '/healthz/', '/readyz', '/readyz/'])('%s answers 200 while all is well', async (path) => {
  const { status, headers, body } = await service.client().raw('GET', path);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body.request_id).toBe(headers.get('svc-request-id'));
  const head = await service.client().raw('HEAD', path);
  expect(head).toMatchObject({ status: 200, text: '' });
});

test('readiness goes with the database and comes back with it, health does not', async () => {
  const client = service.client();
  await proxy.cut();
  const gone = await client.raw('GET', '/readyz');
  expect(gone).toMatchObject({ status: 503, body: { status: 'storage_unavailable' } });
  expect(Number(gone.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(gone.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1/);
  expect((await client.raw('GET', '/healthz')).status).toBe(200);
  const twenty = await Promise.all(Array.from({ length: 20 }, () => client.raw('GET', '/readyz')));
  expect(twenty.map(({ status }) => status)).toEqual(Array(20).fill(503));
  await proxy.mend();
  expect(await client.raw('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

test('readiness ends when draining starts, for those who can still ask', async () => {
  const draining = await startService();
  const connection = await openConnection(draining.port);
  connection.send('GET /readyz HTTP/1.1\r\n');
  await expect.poll(() => connection.socket.bytesWritten).toBeGreaterThan(0);
  // The service has the first line once it has answered another connection that spoke later.
  await draining.client().raw('GET', '/healthz');
  const drained = draining.drain();
  connection.send('Host: a\r\n\r\n');
  expect(await connection.answer()).toMatchObject({ status: 503, body: { status: 'draining' } });
  await connection.closed();
  await drained;
  await draining.stop();
});

test('metrics count by route template: their labels stay few, whatever is asked for', async () => {
  const client = await service.newClient();
  for (let index = 0; index < 50; index++) {
    await client.raw('GET', `/rest/v1/objects/type_${index}/`);
    await client.raw('GET', `/rest/v1/objects/type_${index}/associations/`);
    await client.raw('GET', `/rest/v1/nowhere/${index}/`);
    await client.raw('GET', `/nowhere/${index}`);
    await client.raw('GET', `/rest/v1/self/?marker_${index}=1`);
  }
  const { status, headers, text } = await service.client().raw('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map((match) => match[1]));
  const own = [...routes].filter((route) => route?.startsWith('/rest/v1/'));
  expect(new Set(own)).toEqual(
    new Set(['/rest/v1/objects/{object_type}/', '/rest/v1/objects/{object_type}/associations/', '/rest/v1/self/']),
  );
  expect(routes).toContain('(unknown)');
  expect(routes.size).toBeLessThan(10);
  expect(text).not.toMatch(/type_[0-9]|nowhere|marker_|svc_live_/);
  expect(text).not.toContain(client.key);
  const counted =
    /orrery_http_request_duration_seconds_count\{method="GET",route="\/rest\/v1\/self\/",status="400"\} (\d+)/;
  expect(Number(counted.exec(text)?.[1])).toBe(50);
  expect(text).toMatch(/orrery_database_connections\{state="(busy|idle|waiting)"\} \d+/);
});

test('a refused request is counted under its route and its policy', async () => {
  const { key } = await service.createKey(await service.createOrg({ quota: 1, windowSeconds: 600 }));
  const client = service.client(key);
  await client.raw('GET', '/rest/v1/field_types/');
  expect((await client.raw('GET', '/rest/v1/field_types/')).status).toBe(429);
  const { text } = await service.client().raw('GET', '/metrics');
  expect(text).toMatch(/orrery_rate_limited_total\{policy="org"\} 1\n/);
  expect(text).toContain('route="/rest/v1/field_types/",status="429"');
});

test.each(['/docs', '/docs/', '/docs/errors', '/docs/errors/'])(
  '%s is a page that asks no other host for anything',
  async (path) => {
    const { status, headers, text } = await service.client().raw('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text).not.toMatch(/https?:|<script|@import|url\(/i);
    for (const [, address] of text.matchAll(/(?:href|src|action)="([^"]*)"/g)) expect(address).toMatch(/^\/(?!\/)|^#/);
  },
);

test('every problem code has its place on the page that problems point to', async () => {
  const { text } = await service.client().raw('GET', '/docs/errors/');
  for (const [code, { status, reasons }] of Object.entries(problemCodes)) {
    const section = new RegExp(`<section id="${code}">.*?</section>`, 's').exec(text)?.[0] ?? '';
    expect(section, code).toContain(String(status));
    for (const reason of reasons) expect(section).toContain(`<code>${reason}</code>`);
  }
  const { body } = await service.client().get('/self/');
  expect(body.type).toBe(`${service.url}/docs/errors/#unauthenticated`);
});

test('the address alone leads to the documentation', async () => {
  const { status, headers } = await service.client().raw('GET', '/');
  expect(status).toBe(302);
  expect(headers.get('location')).toBe('/docs/');
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('a page does not take %s', async (method) => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/docs/']) {
    const answer = await service.client().raw(method, path);
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  }
});

test('what is no page is not found, with a problem and a request id', async () => {
  for (const path of ['/none', '/rest/', '/rest/v2/', '/favicon.ico', '/docs/none/']) {
    const { status, headers, body } = await service.client().raw('GET', path);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(body).toMatchObject({ code: 'not_found', request_id: headers.get('svc-request-id') });
  }
});
