// The pages outside /rest/v1: health, readiness, metrics and the documentation that problems link to.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pageNames } from '../../scripts/site/guide.ts';
import { problemCodes } from '../../src/base/problem.ts';
import { asBackupJobs } from '../../src/engine/admin/jobs.ts';
import { operations } from '../../src/operations/all.ts';
import type { Answer } from '../support/answer.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database-proxy.ts';
import { until } from '../support/eventually.ts';
import { movableClock } from '../support/movable-clock.ts';
import { openConnection, sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

/** Put forward between tests, so that the pages of one do not count against the address in the next. */
const clock = movableClock();
beforeEach(() => clock.advance(60_000));

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestService;
beforeAll(async () => {
  database = await createMigratedDatabase();
  proxy = await startProxy(database.url);
  service = await startService({ databaseUrl: proxy.url, clock });
});
afterAll(async () => {
  await service.stop();
  await proxy.cut();
  await database.drop();
});

test.each(['/healthz', '/healthz/', '/readyz', '/readyz/'])(
  '%s answers 200 while the service is healthy',
  async (path) => {
    const { status, headers, body } = await service.client().raw('GET', path);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.request_id).toBe(headers.get('svc-request-id'));
    const head = await service.client().raw('HEAD', path);
    expect(head).toMatchObject({ status: 200, text: '' });
  },
);

test('readiness is lost and regained with the database, health is not', async () => {
  const client = service.client();
  await proxy.cut();
  const gone = await client.raw('GET', '/readyz');
  expect(gone).toMatchObject({ status: 503, body: { status: 'storage_unavailable' } });
  expect(Number(gone.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(gone.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1/);
  expect((await client.raw('GET', '/healthz')).status).toBe(200);
  const twenty = await Promise.all(Array.from({ length: 20 }, () => client.raw('GET', '/readyz')));
  expect(twenty.map(({ status }) => status)).toEqual(Array(20).fill(503));
  await proxy.restore();
  expect(await client.raw('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

test('readiness ends when draining starts, for those who can still ask', async () => {
  const draining = await startService();
  const connection = await openConnection(draining.port);
  connection.send('GET /readyz HTTP/1.1\r\n');
  await expect.poll(() => connection.socket.bytesWritten).toBeGreaterThan(0);
  // The service has received the first line once it has answered a later connection.
  await draining.client().raw('GET', '/healthz');
  const drained = draining.drain();
  connection.send('Host: a\r\n\r\n');
  expect(await connection.answer()).toMatchObject({ status: 503, body: { status: 'shutting_down' } });
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
  expect(text).toMatch(/^orrery_waiting_requests\{for="record"\} 0$/m);
});

test('metrics show the release, the database, its last backup, and who waits for changes', async () => {
  const client = await service.newClient();
  /** What is older is not shown: of the figures of the database after 15 seconds, of others after one. */
  const read = async (olderThanMs = 60_000) => {
    clock.advance(olderThanMs);
    return (await service.client().raw('GET', '/metrics')).text;
  };
  const before = await read();
  const numberIn = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(before).toContain('\norrery_build_info{release="0.0.0-test"} 1\n');
  expect(numberIn(before, 'orrery_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(before).not.toMatch(/^orrery_backup_age_seconds /m);
  expect(numberIn(before, 'orrery_long_polls')).toBe(0);
  for (const lane of ['read', 'write', 'scan']) {
    for (const state of ['running', 'waiting']) {
      expect(before).toContain(`\norrery_lane_work{lane="${lane}",state="${state}"} 0\n`);
    }
  }
  await expect(asBackupJobs(service.database, () => Promise.reject(new Error('no room')))).rejects.toThrow();
  expect(await read()).not.toMatch(/^orrery_backup_age_seconds /m);
  await asBackupJobs(service.database, async () => {});
  const age = numberIn(await read(), 'orrery_backup_age_seconds');
  expect(age).toBeGreaterThan(60);
  expect(numberIn(await read(), 'orrery_backup_age_seconds')).toBeGreaterThan(age + 60);
  const waiting = client.get('/changes/?cursor=latest&wait=20');
  await until(async () => service.waitingRequests() === 1);
  expect(numberIn(await read(1_000), 'orrery_long_polls')).toBe(1);
  expect((await client.post('/objects/svc_contact/records/', { properties: {} })).status).toBe(201);
  expect((await waiting).body.data).toHaveLength(1);
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

const documentPaths = [
  ...pageNames.map((name) => `/docs/${name}/`),
  ...operations.map(({ id }) => `/docs/reference/${id}/`),
  '/docs/reference/object-types/',
];

test.each(['/docs', '/docs/', ...documentPaths])('%s is a page that asks no other host for anything', async (path) => {
  const { status, headers, text } = await service.client().raw('GET', path);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache');
  const policy = headers.get('content-security-policy') ?? '';
  const rules = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
  for (const rule of [...rules, "script-src 'self'", "connect-src 'self'"]) expect(policy).toContain(rule);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(text).not.toMatch(/@import|url\(|<script(?! defer src="\/docs\/assets\/)|\son[a-z]+=|style=/i);
  expect(text).not.toMatch(/\bundefined[,<]|\[object/);
  const addresses = [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map((match) => match[1] ?? '');
  expect(addresses.length).toBeGreaterThan(5);
  for (const address of addresses) {
    expect(address).toMatch(/^\/(?!\/)|^#/);
    linked.add(new URL(address, `${service.url}${path}`).href.slice(service.url.length));
  }
  shown.set(path, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1] ?? '')));
});

/** What pages link to or load, and the ids that each of them has. */
const linked = new Set<string>();
const shown = new Map<string, ReadonlySet<string>>();

test('everything that a page links to or loads exists, and so does each place in the index of the search', async () => {
  const { text } = await service.client().raw('GET', '/docs/');
  const index = /data-index="([^"]*)"/.exec(text)?.[1] ?? '';
  const { status, headers, text: json } = await service.client().raw('GET', index);
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
  });
  const found = JSON.parse(json) as readonly (readonly [kind: string, title: string, href: string, text: string])[];
  expect(new Set(found.map(([kind]) => kind)).size).toBe(8);
  for (const title of [
    'svc_email',
    'createRecord',
    'unknown_property',
    'Quick start',
    'next_cursor',
    'record_unknown',
  ]) {
    expect(
      found.some(([, name, , more]) => name === title || more.startsWith(title)),
      title,
    ).toBe(true);
  }
  const places = new Set([...linked, ...found.map(([, , href]) => href)]);
  expect(linked.size).toBeGreaterThan(500);
  for (const place of places) {
    const [path = '', id] = place.split('#');
    if (!shown.has(path)) expect((await service.client().raw('HEAD', path)).status, path).toBe(200);
    else if (id !== undefined) expect(shown.get(path), place).toContain(decodeURIComponent(id));
  }
});

test('the examples of a page name the address at which it is read, and never an invalid one', async () => {
  const read = (host: string, more: Readonly<Record<string, string>> = {}) => {
    const head = Object.entries({ Host: host, 'Accept-Encoding': 'identity', Connection: 'close', ...more });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`);
    return sendOnce(service.port, `GET /docs/reference/getSelf/ HTTP/1.1\r\n${lines.join('')}\r\n`);
  };
  const usual = await read('127.0.0.1:4610');
  expect(usual.text).toContain(' http://127.0.0.1:4610/rest/v1/self/');
  const other = await read('crm.example:8443');
  expect(other.text.replaceAll('http://crm.example:8443', 'http://127.0.0.1:4610')).toBe(usual.text);
  expect(other.text).toContain(' http://crm.example:8443/rest/v1/self/');
  const tags = [usual, other].map(({ headers }) => headers.get('etag') ?? '');
  expect(new Set(tags).size).toBe(2);
  expect(await read('crm.example:8443', { 'If-None-Match': tags[1] ?? '' })).toMatchObject({ status: 304, text: '' });
  expect(await read('crm.example:8443', { 'If-None-Match': tags[0] ?? '' })).toMatchObject({ status: 200 });
  for (const host of ['"><script>alert(1)</script>', "a'b", 'a b', 'crm.example/x', '$&']) {
    const { text } = await read(host);
    expect(text).not.toContain(`://${host}`);
    expect(text).toContain(`http://localhost:${service.port}/rest/v1/self/`);
  }
});

test.each([
  ['/docs/reference/batch/', () => `${service.url}/rest/v1/batch/`],
  ['/docs/postman.json', () => `"value":"${service.url}"`],
  ['/metrics', () => '\norrery_build_info{release="0.0.0-test"} 1\n'],
])('%s, which the build cannot compress, comes compressed too', async (path, told) => {
  const whole = await service.client().raw('GET', path);
  expect([whole.headers.get('content-encoding'), whole.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
  for (const coding of ['gzip', 'br']) {
    const answer = await service.client().raw('GET', path, { headers: { 'accept-encoding': coding } });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([coding, 'Accept-Encoding']);
    expect(answer.headers.get('content-type')).toBe(whole.headers.get('content-type'));
    expect(answer.text).toContain(told());
    expect(lengthOf(answer)).toBeLessThan(lengthOf(whole) / 3);
  }
});

function lengthOf({ headers }: Answer): number {
  return Number(headers.get('content-length') ?? Number.NaN);
}

test('the first page takes at most 60 kB, compressed with gzip, with everything that it loads', async () => {
  const bytes = async (path: string) => {
    const answer = await service.client().raw('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding'), path).toBe('gzip');
    expect(lengthOf(answer), path).toBeGreaterThan(0);
    return lengthOf(answer);
  };
  const { text } = await service.client().raw('GET', '/docs/');
  // The page, its style, its script and its icon; it has no typeface of its own.
  const loaded = [
    ...text.matchAll(/(?:<link rel="(?:icon|stylesheet)"[^>]* href|<script defer src|<img src)="([^"]*)"/g),
  ];
  const paths = new Set(['/docs/', ...loaded.map((match) => match[1] ?? '')]);
  expect(paths.size).toBe(4);
  let sum = 0;
  for (const path of paths) sum += await bytes(path);
  expect(sum).toBeLessThan(60_000);
});

test('the console runs scripts and workers of its own alone', async () => {
  const { status, headers } = await service.client().raw('GET', '/console/');
  expect(status).toBe(200);
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "script-src 'self'", "worker-src 'self'", "connect-src 'self'"]) {
    expect(policy).toContain(rule);
  }
  expect(policy).not.toMatch(/unsafe|https?:|blob:|data:|\*/);
});

test('assets of pages may be cached forever, and come in the smallest form that the client accepts', async () => {
  const { text } = await service.client().raw('GET', '/docs/');
  const script = /<script defer src="([^"]*)"/.exec(text)?.[1] ?? '';
  const whole = await service.client().raw('GET', script, { headers: { 'accept-encoding': 'identity' } });
  expect(whole.headers.get('content-encoding')).toBeNull();
  const sizes = [whole.text.length];
  for (const coding of ['gzip', 'br']) {
    const answer = await service.client().raw('GET', script, { headers: { 'accept-encoding': coding } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    // The client has decompressed it, so the text is the same in every form.
    expect(answer.text === whole.text).toBe(true);
    sizes.push(lengthOf(answer));
  }
  expect(sizes).toEqual(sizes.toSorted((left, right) => right - left));
});

test('a page that the client has is not sent again', async () => {
  for (const coding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': coding };
    const first = await service.client().raw('GET', '/docs/errors/', { headers });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[0-9a-f]{16}"$/);
    const again = await service.client().raw('GET', '/docs/errors/', { headers: { ...headers, 'if-none-match': tag } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(tag);
    expect(again.headers.get('content-length')).toBeNull();
    const other = await service
      .client()
      .raw('GET', '/docs/errors/', { headers: { ...headers, 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  }
});

test('pages are also served as Markdown, and llms.txt lists them', async () => {
  const { status, headers, text } = await service.client().raw('GET', '/llms.txt');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const listed = [...text.matchAll(/\]\((\/docs\/[^)]*)\)/g)].map((match) => match[1] ?? '');
  expect(listed).toEqual(pageNames.map((name) => `/docs/${name}.md`));
  for (const path of listed) {
    const page = await service.client().raw('GET', path);
    expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(page.text).toMatch(/^# /);
    expect(page.text).not.toContain('<!--');
  }
});

test('the Postman collection is a file to import, with the address that it was asked for at', async () => {
  const { status, headers, body } = await service.client().raw('GET', '/docs/postman.json');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="orrery.postman_collection.json"');
  const { variable } = body as unknown as { readonly variable: readonly { key: string; value: string }[] };
  expect(variable.find(({ key }) => key === 'url')?.value).toBe(service.url);
});

test('every problem code has its section on the page that problems link to', async () => {
  const { text } = await service.client().raw('GET', '/docs/errors/');
  for (const code of Object.keys(problemCodes)) expect(text).toContain(`<h2 id="${code}">`);
  const { body } = await service.client().get('/self/');
  expect(body.type).toBe(`${service.url}/docs/errors/#unauthenticated`);
});

test('the root path leads to the documentation', async () => {
  const { status, headers } = await service.client().raw('GET', '/');
  expect(status).toBe(302);
  expect(headers.get('location')).toBe('/docs/');
});

test('browsers that ask for an icon by themselves get one', async () => {
  const { status, headers, text } = await service.client().raw('GET', '/favicon.ico');
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'image/x-icon' });
  expect(text.length).toBeGreaterThan(500);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('a page does not take %s', async (method) => {
  for (const path of [
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs/',
    '/docs/errors.md',
    '/docs/postman.json',
    '/llms.txt',
  ]) {
    const answer = await service.client().raw(method, path);
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  }
});

test('an unknown page gets 404, with a problem and a request id', async () => {
  const site = [
    '/docs/none/',
    '/docs/assets/',
    '/docs/assets/site.css',
    '/docs/../manifest.json',
    '/docs/%2e%2e/main.js',
  ];
  for (const path of ['/none', '/rest/', '/rest/v2/', '/manifest.json', '/constructor', ...site]) {
    const { status, headers, body } = await service.client().raw('GET', path);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(body).toMatchObject({ code: 'not_found', request_id: headers.get('svc-request-id') });
  }
});

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test.each(['/docs/none/', '/none', '/rest/v2/'])(
  'a browser gets a page with links at the unknown path %s',
  async (path) => {
    const { status, headers, text } = await service.client().raw('GET', path, { headers: browser });
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toContain('Accept,');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('svc-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).toContain('<h1>Page not found</h1>');
    expect(text).not.toContain(path);
    const addresses = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map((match) => match[1] ?? '');
    expect(addresses).toContain('/docs/quick-start/');
    for (const address of new Set(addresses)) {
      expect((await service.client().raw('HEAD', address)).status, address).toBe(200);
    }
  },
);

test('a browser that asks the API for an unknown path, or an unknown page for something else, gets a problem', async () => {
  const path = await service.client().raw('GET', '/rest/v1/none/', { headers: browser });
  const method = await service.client().raw('POST', '/none', { headers: browser });
  for (const { status, headers } of [path, method]) {
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  }
});
