// The log: one line per request, with everything that an operator needs to find it and nothing that is private to the
// client.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawQuery } from '../support/database.ts';
import { sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Line = Record<string, unknown>;

function linesOf(requestId: string): readonly Line[] {
  return service.logLines
    .flatMap((chunk) => chunk.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line['request_id'] === requestId);
}

test('every request logs one line that says who asked for what, and with what result', async () => {
  const orgId = await service.createOrg();
  const { key, credentialId } = await service.createKey(orgId);
  const client = service.client(key);
  const cases = [
    ['GET', '/self/', '/rest/v1/self/', 200],
    ['HEAD', '/self/', '/rest/v1/self/', 200],
    ['GET', '/objects/svc_contact/', '/rest/v1/objects/{object_type}/', 200],
    ['GET', '/objects/none/', '/rest/v1/objects/{object_type}/', 404],
    ['DELETE', '/self/', '/rest/v1/self/', 405],
    ['GET', '/self/?none=1', '/rest/v1/self/', 400],
    ['GET', '/none/', '(unknown)', 404],
  ] as const;
  for (const [method, path, route, status] of cases) {
    const { headers } = await client.call(method, path);
    const lines = linesOf(headers.get('svc-request-id') ?? '');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'info', method, route, status, org_id: orgId, key_id: credentialId });
    expect(lines[0]?.['ms']).toBeGreaterThan(0);
    expect(lines[0]?.['ms']).toBeLessThan(60_000);
    expect(lines[0]?.['address']).toBe('127.0.0.1');
    const time = String(lines[0]?.['time']);
    expect(new Date(time).toISOString()).toBe(time);
    expect(Math.abs(Date.now() - Date.parse(time))).toBeLessThan(60_000);
  }
});

test('a request without a key, and one of a page, log a line without org and key', async () => {
  const anonymous = await service.client().get('/self/');
  const page = await service.client().raw('GET', '/docs/');
  for (const { headers } of [anonymous, page]) {
    const [line, ...others] = linesOf(headers.get('svc-request-id') ?? '');
    expect(others).toEqual([]);
    expect(line).toHaveProperty('status');
    expect(line).not.toHaveProperty('org_id');
    expect(line).not.toHaveProperty('key_id');
  }
});

test('a request over the limit logs its org, its key and its route', async () => {
  const orgId = await service.createOrg({ quota: 1, windowSeconds: 600 });
  const { key, credentialId } = await service.createKey(orgId);
  const client = service.client(key);
  await client.raw('GET', '/rest/v1/self/');
  const { status, headers } = await client.raw('GET', '/rest/v1/self/');
  expect(status).toBe(429);
  const [line] = linesOf(headers.get('svc-request-id') ?? '');
  expect(line).toMatchObject({ status: 429, route: '/rest/v1/self/', org_id: orgId, key_id: credentialId });
});

test('malformed input can be found in the log by the id of its answer', async () => {
  const { body } = await sendOnce(service.port, 'nonsense-marker\r\n\r\n');
  const cause = { code: 'invalid_request', reason: 'malformed_http' };
  expect(linesOf(body.request_id)).toMatchObject([{ status: 400, ...cause }]);
  expect(service.logLines.join('')).not.toContain('nonsense-marker');
});

test('the line of a refused request has the code and the reasons of its problem, and no other line has them', async () => {
  const client = await service.newClient();
  const records = '/rest/v1/objects/svc_contact/records/';
  const faulty = {
    headers: { 'content-type': 'application/json' },
    body: '{"properties":{"no_such":1,"svc_email":["b"]}}',
  };
  const cases = [
    [await client.raw('GET', '/rest/v1/self/'), {}],
    [await client.raw('GET', '/rest/v1/self/?a=1'), { code: 'invalid_request', reason: 'unknown_parameter' }],
    [await client.raw('GET', '/rest/v1/none/'), { code: 'not_found', reason: 'route_unknown' }],
    [await client.raw('PUT', '/rest/v1/self/'), { code: 'method_not_allowed' }],
    [await service.client().raw('GET', '/rest/v1/self/'), { code: 'unauthenticated', reason: 'key_missing' }],
    [await client.raw('GET', '/none'), { code: 'not_found', reason: 'route_unknown' }],
    [
      await client.raw('GET', '/none', { headers: { accept: 'text/html' } }),
      { code: 'not_found', reason: 'route_unknown' },
    ],
    [
      await client.raw('POST', records, faulty),
      { code: 'validation_failed', reason: 'unknown_property', reasons: ['unknown_property', 'wrong_shape'] },
    ],
  ] as const;
  for (const [{ headers }, cause] of cases) {
    const [line = {}, ...others] = linesOf(headers.get('svc-request-id') ?? '');
    expect(others).toEqual([]);
    const { code, reason, reasons } = line;
    expect({ code, reason, reasons }).toEqual({ code: undefined, reason: undefined, reasons: undefined, ...cause });
  }
});

test.each([
  [
    'headers that are too long',
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
    400,
    'invalid_request',
    'invalid_header',
  ],
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed', undefined],
])(
  '%s, refused before any route is known, can be found in the log with its code',
  async (_, text, status, code, reason) => {
    const { body } = await sendOnce(service.port, text);
    const [line] = linesOf(body.request_id);
    expect([line?.['status'], line?.['code'], line?.['reason']]).toEqual([status, code, reason]);
  },
);

test('no line holds a key, a path, a query, a header or a body of a client', async () => {
  const { key, credentialId } = await service.createKey(await service.createOrg());
  const client = service.client(key);
  const secret = key.slice(key.lastIndexOf('_') + 1);
  const forged = `${key.slice(0, -6)}000000`;
  await client.get('/self/');
  await client.raw('GET', `/rest/v1/self/?key=${key}&marker_query=1`);
  await client.raw('GET', `/rest/v1/marker_path/${key}/`);
  await client.raw('GET', `/rest/v1/objects/marker_type/`);
  await client.raw('GET', `/marker_page/${key}`);
  await client.raw('POST', '/rest/v1/self/', { body: '{"marker_body": 1}' });
  await client.raw('GET', '/rest/v1/self/', {
    headers: { cookie: 'marker_cookie=1', 'x-marker-header': 'marker_value' },
  });
  await service.client(forged).raw('GET', '/rest/v1/self/');
  await service.client(`marker_key`).raw('GET', '/rest/v1/self/');
  await sendOnce(
    service.port,
    `GET /rest/v1/self/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nmarker bad\r\n\r\n`,
  );
  const log = service.logLines.join('');
  expect(log).toContain(credentialId);
  for (const hidden of [key, secret, forged, 'svc_live_', 'marker', 'uthorization', 'Bearer']) {
    expect(log).not.toContain(hidden);
  }
});

test('after an error of the service the client learns nothing, and the log has everything under the same id', async () => {
  const broken = await startService();
  const client = await broken.newClient();
  expect((await client.get('/self/')).status).toBe(200);
  await rawQuery(broken.databaseUrl, 'drop table orrery.rate_window');
  const other = await broken.newClient().catch(() => undefined);
  expect(other).toBeUndefined();
  const answer = await exhaust(() => client.call('GET', '/self/', { allowFault: true }));
  expect(answer.body).toMatchObject({ status: 500, code: 'internal_error' });
  expect(answer.body).not.toHaveProperty('reason');
  expect(answer.text).not.toMatch(
    /rate_window|orrery\.|relation|select|update|42P01|node_modules|\.ts|\bat \w+|src\//i,
  );
  const lines = broken.logLines.map((line) => JSON.parse(line) as Line);
  const own = lines.filter((line) => line['request_id'] === answer.body.request_id);
  expect(own.map((line) => line['level'])).toEqual(['error', 'info']);
  expect(own[0]?.['err']).toMatchObject({
    message: 'relation "orrery.rate_window" does not exist',
    code: '42P01',
    stack: expect.stringContaining('rate-windows.ts'),
  });
  expect(own[1]).toMatchObject({ status: 500, route: '/rest/v1/self/' });
  for (const { time } of own) expect(new Date(String(time)).toISOString()).toBe(time);
  await broken.stop();
});

/** Repeats a request until the leased units are spent and the service must query the database. */
async function exhaust<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  for (let index = 0; index < 200; index++) {
    const answer = await ask();
    if (answer.status !== 200) return answer;
  }
  throw new Error('The error did not occur.');
}
