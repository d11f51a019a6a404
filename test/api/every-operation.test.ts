// Rules that hold for every operation (contract 2, 8, 9). The table of operations is walked, so that a new
// operation is under these rules from its first day.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCredentialId, newKey } from '../../src/access/api-key.ts';
import { digestOf } from '../../src/access/secret-text.ts';
import { systemClock } from '../../src/base/clock.ts';
import { revokeKey } from '../../src/engine/admin/keys.ts';
import { operations } from '../../src/operations/all.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { expectProblem, limitOf } from '../support/expect-problem.ts';
import { bodyHeaders, type Example, exampleOf, pathOf } from '../support/operation-examples.ts';
import { exchange, type WireHeaders } from '../support/raw-exchange.ts';
import { startService, type TestService } from '../support/service.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const foreign = 'foreign.example';
const table = operations.map((operation) => [operation.id, operation] as const);
const keyTable = table.filter(([, operation]) => operation.access === 'key');
const publicTable = table.filter(([, operation]) => operation.access === 'public');
/** How far the service's clock is ahead: there are more refusals here than an address may have in a minute. */
let aheadMs = 0;
const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };

let service: TestService;
let client: Client;
let badKeys: readonly (readonly [reason: string, headers: WireHeaders])[];
beforeAll(async () => {
  service = await startService({ clock });
  const orgId = await service.createOrg();
  const { key, credentialId } = await service.createKey(orgId);
  client = service.client(key);
  const revoked = await service.createKey(orgId);
  await revokeKey(service.database, revoked.credentialId);
  const expired = await service.createKey(orgId, { expiresAt: new Date(Date.now() - 1_000) });
  const otherLast = key.endsWith('0') ? '1' : '0';
  const bearer = (text: string): WireHeaders => [['Authorization', `Bearer ${text}`]];
  badKeys = [
    ['key_missing', []],
    ['key_missing', [['Cookie', `key=${key}`]]],
    ['key_missing', [['X-Api-Key', key]]],
    ['key_malformed', [['Authorization', '']]],
    ['key_malformed', [['Authorization', 'Bearer']]],
    ['key_malformed', bearer('garbage')],
    ['key_malformed', bearer(`${key.slice(0, -1)}${otherLast}`)],
    ['key_malformed', bearer(`${key}, Bearer ${key}`)],
    ['key_malformed', [['Authorization', key]]],
    ['key_malformed', [['Authorization', `Basic ${Buffer.from(`user:${key}`).toString('base64')}`]]],
    ['key_malformed', [...bearer(key), ...bearer(key)]],
    ['key_unknown', bearer(newKey(newCredentialId(2_000_000_000)))],
    ['key_unknown', bearer(newKey(newCredentialId(orgId)))],
    ['key_unknown', bearer(newKey(credentialId))],
    ['key_unknown', bearer(newKey(revoked.credentialId))],
    ['key_revoked', bearer(revoked.key)],
    ['key_expired', bearer(expired.key)],
  ];
});
afterAll(() => service.stop());

describe.each(table)('%s', (_, operation) => {
  test('names the request in header and body, a new one each time, and is not cached', async () => {
    const [first, second] = [await ask(operation), await ask(operation)];
    expect(first.status, first.text).toBe(operation.answer.status);
    expect(second.status, second.text).toBe(operation.answer.status);
    expect(requestIdOf(first)).toBe(first.headers.get('svc-request-id'));
    expect(requestIdOf(first)).not.toBe(requestIdOf(second));
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'access-control-allow-origin', 'deprecation']) {
      expect(first.headers.get(name), name).toBeNull();
    }
  });

  test('has an ETag exactly where its answer is one record, or the document', async () => {
    const { headers, body } = await ask(operation);
    const version: string | undefined = body.data?.version;
    const isRecord = operation.path.includes('/records/') && version !== undefined;
    if (operation.answer.bare) expect(headers.get('etag')).toMatch(/^W\/"/);
    else expect(headers.get('etag')).toBe(isRecord ? `"${version}"` : null);
  });

  test('reports the limit of the org as structured fields, one unit less each time', async () => {
    const own = await service.newClient();
    const [one, two] = [await exampleOf(operation, own), await exampleOf(operation, own)];
    const before = limitOf(await own.get('/self/'), 'ratelimit');
    const [first, second] = [await send(own, one), await send(own, two)];
    expect(limitOf(first, 'ratelimit-policy')).toEqual({ name: 'org', q: 6_000, w: 60 });
    expect(limitOf(first, 'ratelimit')).toMatchObject({ name: 'org', r: (before.r ?? 0) - 1 });
    expect(limitOf(second, 'ratelimit')).toMatchObject({ name: 'org', r: (before.r ?? 0) - 2 });
    expect([59, 60]).toContain(limitOf(second, 'ratelimit').t);
  });

  test('takes no other method, and says which it takes', async () => {
    const path = pathOf(operation);
    const taken = operations.filter((each) => each.path === operation.path).map((each) => each.method as string);
    const allowed = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
    for (const other of methods.filter((each) => !allowed.includes(each))) {
      const answer = await exchange(service.port, { method: other, target: `/rest/v1${path}`, headers: authorized() });
      await client.verify(other, path, answer);
      expect(answer.status, other).toBe(405);
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort());
      if (other !== 'HEAD') await expectProblem(answer, 'method_not_allowed');
    }
  });

  test('refuses unknown and repeated query parameters, all of them together', async () => {
    const repeated = Object.keys(operation.query ?? {});
    const query = ['nope=1', 'limits', 'x%20y=%00', ...repeated.flatMap((name) => [`${name}=a`, `${name}=a`])];
    const example = await exampleOf(operation, client);
    const path = `${example.path.split('?')[0]}?${query.join('&')}`;
    const { status, body } = await send(client, { ...example, path });
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
    // A value that is wrong as well is an error of its own.
    const faults = (body.errors ?? [])
      .filter(({ reason }) => reason === 'unknown_parameter' || reason === 'repeated_parameter')
      .map(({ parameter, reason }) => `${parameter} ${reason}`);
    expect(faults.sort()).toEqual(
      [
        'nope unknown_parameter',
        'limits unknown_parameter',
        'x y unknown_parameter',
        ...repeated.map((name) => `${name} repeated_parameter`),
      ].sort(),
    );
  });

  test('answers in JSON or not at all', async () => {
    for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', 'APPLICATION/JSON', undefined]) {
      const answer = await wire(await exampleOf(operation, client), accept === undefined ? [] : [['Accept', accept]]);
      expect(answer.status, accept ?? 'no Accept').toBe(operation.answer.status);
    }
    const example = await exampleOf(operation, client);
    for (const accept of ['text/html', 'application/json;q=0', 'application/json; q=0.000', 'text/*;q=1, image/png']) {
      await expectProblem(await wire(example, [['Accept', accept]]), 'not_acceptable');
    }
  });

  test('lets a range that names JSON win over a wider one, as RFC 9110 has it', async () => {
    const answer = await wire(await exampleOf(operation, client), [['Accept', 'application/json;q=0, */*']]);
    await expectProblem(answer, 'not_acceptable');
  });

  test('does not repeat another host that a header names', async () => {
    const headers = ['X-Forwarded-Host', 'X-Forwarded-For', 'X-Original-Url', 'Referer', 'Origin'];
    const sent = headers.map((name) => [name, `http://${foreign}`] as const);
    const example = await exampleOf(operation, client);
    const { method, path, body = '' } = await exampleOf(operation, client);
    const answers = [
      await wire(await exampleOf(operation, client), [...sent, ['Forwarded', `host=${foreign}`]]),
      await wire({ ...example, path: `${pathOf(operation)}?nope=1` }, sent),
      await exchange(service.port, {
        method,
        target: `http://${foreign}/rest/v1${path}`,
        headers: [...sent, ...authorized(), ...bodyHeaders(body === '' ? undefined : body)],
        body,
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([operation.answer.status, 400, operation.answer.status]);
    for (const { text, headers: received } of answers) {
      expect(text).not.toContain(foreign);
      expect(JSON.stringify([...received])).not.toContain(foreign);
      expect([...received.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe.each(table.filter(([, { method }]) => method === 'GET'))('%s', (_, operation) => {
  test('answers HEAD as GET, with the same headers and no body', async () => {
    const { path } = await exampleOf(operation, client);
    for (const asked of [path, `${path}?nope=1`]) {
      const [get, head] = [await client.get(asked), await client.call('HEAD', asked)];
      expect(head.status).toBe(get.status);
      expect(head.text).toBe('');
      expect(comparableHeaders(head)).toEqual(comparableHeaders(get));
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  test('is the same without the slash at the end, and does not redirect', async () => {
    const { path } = await exampleOf(operation, client);
    const [slash, bare] = [await client.get(path), await client.get(path.replace(/\/$/, ''))];
    expect(bare.status).toBe(200);
    expect(unnamed(bare)).toBe(unnamed(slash));
    expect(comparableHeaders(bare)).toEqual(comparableHeaders(slash));
  });
});

describe.each(table.filter(([, { method }]) => method !== 'GET'))('%s', (_, operation) => {
  test('does the same without the slash at the end, and does not redirect', async () => {
    const example = await exampleOf(operation, client);
    const answer = await send(client, { ...example, path: example.path.replace(/\/(?=$|\?)/, '') });
    expect(answer.status, answer.text).toBe(operation.answer.status);
  });
});

describe.each(table.filter(([, { body }]) => body === undefined))('%s', (_, operation) => {
  test('refuses a body, because it would have to ignore it', async () => {
    const { method, path } = await exampleOf(operation, client);
    const bare = { method, path, body: undefined };
    await expectProblem(await wire(bare, [['Content-Length', '2']], '{}'), 'invalid_request', 'body_not_taken');
    const chunked = [['Transfer-Encoding', 'chunked']] as const;
    await expectProblem(await wire(bare, chunked, '2\r\n{}\r\n0\r\n\r\n'), 'invalid_request', 'body_not_taken');
    expect((await wire(bare, [['Content-Length', '0']])).status).toBe(operation.answer.status);
  });
});

test('no operation takes a body above every limit, and each refuses it with a status that the document has', async () => {
  // Each waits a second for a body that never comes: all of them at the same time.
  const answers = operations.map(async (operation) => {
    const bare = { method: operation.method, path: pathOf(operation), body: undefined };
    const { status } = await wire(bare, [['Content-Length', '9000000']]);
    expect(operation.body === undefined ? [400, 413] : [413], operation.id).toContain(status);
  });
  await Promise.all(answers);
});

describe.each(keyTable)('%s', (_, operation) => {
  test('refuses every request without a valid key, and says what is wrong with it', async () => {
    aheadMs += 61_000;
    const { method, path, body } = await exampleOf(operation, client);
    for (const [reason, headers] of badKeys) {
      const sent = { method, target: `/rest/v1${path}`, headers: [...headers, ...bodyHeaders(body)], body: body ?? '' };
      const answer = await exchange(service.port, sent);
      await service.client().verify(method, path, answer);
      await expectProblem(answer, 'unauthenticated', reason);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer( |$)/);
      expect(limitOf(answer, 'ratelimit-policy')).toEqual({ name: 'anonymous', q: 300, w: 60 });
      const { r, t } = limitOf(answer, 'ratelimit');
      expect(r).toBeGreaterThanOrEqual(0);
      expect(r).toBeLessThan(300);
      expect(t).toBeGreaterThanOrEqual(1);
      expect(t).toBeLessThanOrEqual(60);
    }
  });

  test('takes the scheme in any case', async () => {
    const answer = await wireAs(await exampleOf(operation, client), [['Authorization', `bEARER ${client.key}`]]);
    expect(answer.status).toBe(operation.answer.status);
  });
});

describe.each(publicTable)('%s', (_, operation) => {
  test('answers with any key', async () => {
    aheadMs += 61_000;
    const path = pathOf(operation);
    for (const [reason, headers] of badKeys) {
      const answer = await exchange(service.port, { method: operation.method, target: `/rest/v1${path}`, headers });
      await service.client().verify(operation.method, path, answer);
      expect(answer.status, reason).toBe(200);
      expect(limitOf(answer, 'ratelimit-policy').name).toBe('anonymous');
    }
  });
});

test.each([
  '/nope/',
  '/nope',
  '/self/more/',
  '//self/',
  '/SELF/',
  '/objects/svc_contact/nope/',
  '/%zz/',
  '/openapi.yaml',
])('the unknown path %s is a 404 with the headers of every answer, with a key and without', async (path) => {
  for (const [caller, policy] of [
    [client, 'org'],
    [service.client(), 'anonymous'],
  ] as const) {
    const answer = await caller.get(path);
    await expectProblem(answer, 'not_found', 'route_unknown');
    expect(limitOf(answer, 'ratelimit-policy').name).toBe(policy);
    expect(limitOf(answer, 'ratelimit').name).toBe(policy);
    const head = await caller.call('HEAD', path);
    expect(comparableHeaders(head)).toEqual(comparableHeaders(answer));
  }
});

test('a request without a host, which Node itself refuses, still gets a problem and the headers', async () => {
  const answer = await exchange(service.port, { target: '/rest/v1/', headers: [['Host', null]] });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  await service.client().verify('GET', '/', answer);
  await expectProblem(answer, 'invalid_request');
});

test('a deprecated v1 says so in every answer, errors included', async () => {
  const deprecation = { since: new Date('2030-01-01T00:00:00Z'), sunset: new Date('2031-01-01T00:00:00Z') };
  const old = await startService({ settings: { deprecation } });
  try {
    const unknown = { method: 'GET', path: '/nope/' };
    for (const operation of [...operations, unknown]) {
      const path = 'id' in operation ? pathOf(operation) : operation.path;
      const { headers } = await old.client().call(operation.method, path);
      expect(headers.get('deprecation'), path).toBe('@1893456000');
      expect(headers.get('sunset'), path).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
    }
  } finally {
    await old.stop();
  }
});

test('no key and no digest of one ever reaches the log, wherever the client put it', async () => {
  await client.raw('GET', `/rest/v1/objects/${client.key}/?key=${client.key}`, {
    headers: { cookie: `${client.key}` },
  });
  const log = service.logLines.join('');
  expect(log).toContain('request_id');
  expect(log).not.toContain('svc_live_');
  expect(log).not.toContain(digestOf(client.key ?? '').toString('hex'));
});

function authorized(): readonly (readonly [string, string])[] {
  return [['Authorization', `Bearer ${client.key}`]];
}

/** A new request of the operation, over the client. */
async function ask(operation: Operation): Promise<Answer> {
  return send(client, await exampleOf(operation, client));
}

function send(caller: Client, { method, path, body }: Example): Promise<Answer> {
  return body === undefined ? caller.call(method, path) : caller.send(method, path, body);
}

/** One checked exchange with exactly these headers beside the key and those of the body. */
function wire(example: Example, headers: WireHeaders, bare?: string): Promise<Answer> {
  return wireAs(example, [...headers, ...authorized()], bare);
}

/** The same with the key among the headers. `bare` is sent as it is, behind headers that are the test's own. */
async function wireAs({ method, path, body }: Example, headers: WireHeaders, bare = ''): Promise<Answer> {
  const request = {
    method,
    target: `/rest/v1${path}`,
    headers: [...headers, ...bodyHeaders(body)],
    body: body ?? bare,
  };
  return client.verify(method, path, await exchange(service.port, request));
}

function requestIdOf({ body }: Answer): unknown {
  const named = body as unknown as Record<string, unknown>;
  return named['request_id'] ?? named['x-request-id'];
}
