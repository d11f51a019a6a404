// What holds for every operation, whatever it does (contract 2, 8, 9). The table of operations is walked, so that a new
// operation is under these rules from its first day.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf, newCredentialId, newKey } from '../../src/access/api-key.ts';
import { revokeKey } from '../../src/engine/keys.ts';
import { operations } from '../../src/operations/all.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Answer, Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/compare.ts';
import { expectProblem, limitOf } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';
import { exchange, type WireHeaders } from '../support/wire.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const foreign = 'foreign.example';
const table = operations.map((operation) => [operation.id, operation] as const);
const keyTable = table.filter(([, operation]) => operation.access === 'key');
const publicTable = table.filter(([, operation]) => operation.access === 'public');

let service: TestService;
let client: Client;
let badKeys: readonly (readonly [reason: string, headers: WireHeaders])[];
beforeAll(async () => {
  service = await startService();
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
  const path = pathOf(operation);
  const method = operation.method;

  test('names the request in header and body, a new one each time, and is not cached', async () => {
    const [first, second] = [await client.call(method, path), await client.call(method, path)];
    expect(first.status).toBe(operation.answer.status);
    expect(requestIdOf(first)).toBe(first.headers.get('svc-request-id'));
    expect(requestIdOf(first)).not.toBe(requestIdOf(second));
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (const name of ['server', 'x-powered-by', 'set-cookie', 'etag', 'access-control-allow-origin', 'deprecation']) {
      expect(first.headers.get(name), name).toBeNull();
    }
  });

  test('reports the limit of the org as structured fields, one unit less each time', async () => {
    const own = await service.newClient();
    const [first, second] = [await own.call(method, path), await own.call(method, path)];
    expect(limitOf(first, 'ratelimit-policy')).toEqual({ name: 'org', q: 6_000, w: 60 });
    expect(limitOf(first, 'ratelimit')).toEqual({ name: 'org', r: 5_999, t: 60 });
    expect(limitOf(second, 'ratelimit')).toMatchObject({ name: 'org', r: 5_998 });
  });

  test('takes no other method, and says which it takes', async () => {
    const taken = operations.filter((each) => each.path === operation.path).map((each) => each.method as string);
    const allowed = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
    for (const other of methods.filter((each) => !allowed.includes(each))) {
      const answer = await exchange(service.port, { method: other, target: `/rest/v1${path}`, headers: authorized() });
      await client.verify(other, path, answer);
      expect(answer.status, other).toBe(405);
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort());
      await expectProblem(answer, 'method_not_allowed');
    }
  });

  test('refuses unknown and repeated query parameters, all of them together', async () => {
    const repeated = Object.keys(operation.query ?? {});
    const query = ['nope=1', 'limits', 'x%20y=%00', ...repeated.flatMap((name) => [`${name}=a`, `${name}=a`])];
    const { status, body } = await client.call(method, `${path}?${query.join('&')}`);
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
    const faults = body.errors?.map(({ parameter, reason }) => [parameter, reason]);
    expect(faults).toEqual(
      expect.arrayContaining([
        ['nope', 'unknown_parameter'],
        ['limits', 'unknown_parameter'],
        ['x y', 'unknown_parameter'],
        ...repeated.map((name) => [name, 'repeated_parameter']),
      ]),
    );
    expect(faults).toHaveLength(3 + repeated.length);
  });

  test('answers in JSON or not at all', async () => {
    for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1', 'APPLICATION/JSON', undefined]) {
      const answer = await wire(path, method, accept === undefined ? [] : [['Accept', accept]]);
      expect(answer.status, accept ?? 'no Accept').toBe(operation.answer.status);
    }
    for (const accept of ['text/html', 'application/json;q=0', 'application/json; q=0.000', 'text/*;q=1, image/png']) {
      await expectProblem(await wire(path, method, [['Accept', accept]]), 'not_acceptable');
    }
  });

  test('lets a range that names JSON win over a wider one, as RFC 9110 has it', async () => {
    const answer = await wire(path, method, [['Accept', 'application/json;q=0, */*']]);
    await expectProblem(answer, 'not_acceptable');
  });

  test('repeats nothing of another host that a header names', async () => {
    const headers = ['X-Forwarded-Host', 'X-Forwarded-For', 'X-Original-Url', 'Referer', 'Origin'];
    const sent = headers.map((name) => [name, `http://${foreign}`] as const);
    const answers = [
      await wire(path, method, [...sent, ['Forwarded', `host=${foreign}`]]),
      await wire(`${path}?nope=1`, method, sent),
      await exchange(service.port, { target: `http://${foreign}/rest/v1${path}`, headers: [...sent, ...authorized()] }),
    ];
    for (const { text, headers: received } of answers) {
      expect(text).not.toContain(foreign);
      expect(JSON.stringify([...received])).not.toContain(foreign);
      expect([...received.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe.each(table.filter(([, { method }]) => method === 'GET'))('%s', (_, operation) => {
  const path = pathOf(operation);

  test('answers HEAD as GET, with the same headers and no body', async () => {
    for (const asked of [path, `${path}?nope=1`]) {
      const [get, head] = [await client.get(asked), await client.call('HEAD', asked)];
      expect(head.status).toBe(get.status);
      expect(head.text).toBe('');
      expect(comparableHeaders(head)).toEqual(comparableHeaders(get));
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  test('refuses a body, which it would have to ignore', async () => {
    const lengths = [['Content-Length', '2']] as const;
    await expectProblem(await wire(path, 'GET', lengths, '{}'), 'invalid_request');
    const chunked = [['Transfer-Encoding', 'chunked']] as const;
    await expectProblem(await wire(path, 'GET', chunked, '2\r\n{}\r\n0\r\n\r\n'), 'invalid_request');
    expect((await wire(path, 'GET', [['Content-Length', '0']])).status).toBe(200);
  });

  test('refuses a body above every limit with a status that the document has', async () => {
    const answer = await wire(path, 'GET', [['Content-Length', '9000000']]);
    expect([400, 413]).toContain(answer.status);
  });
});

describe.each(table.filter(([, { path }]) => path.endsWith('/')))('%s', (_, operation) => {
  test('is the same without the slash at the end, and no redirect', async () => {
    const path = pathOf(operation);
    const [slash, bare] = [await client.get(path), await client.get(path.slice(0, -1))];
    expect(bare.status).toBe(200);
    expect(unnamed(bare)).toBe(unnamed(slash));
    expect(comparableHeaders(bare)).toEqual(comparableHeaders(slash));
  });
});

describe.each(keyTable)('%s', (_, operation) => {
  test('refuses every request without a valid key, and says what is wrong with it', async () => {
    const path = pathOf(operation);
    for (const [reason, headers] of badKeys) {
      const answer = await exchange(service.port, { method: operation.method, target: `/rest/v1${path}`, headers });
      await service.client().verify(operation.method, path, answer);
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
    const path = pathOf(operation);
    const answer = await client.call(operation.method, path, { headers: { authorization: `bEARER ${client.key}` } });
    expect(answer.status).toBe(operation.answer.status);
  });
});

describe.each(publicTable)('%s', (_, operation) => {
  test('answers whatever the key', async () => {
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

test('a request without a host, which Node refuses by itself, gets a problem and the headers all the same', async () => {
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
    for (const path of [...operations.map(pathOf), '/nope/']) {
      const { headers } = await old.client().get(path);
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

/** A path of the operation that answers; a new path parameter needs its example here. */
function pathOf({ path }: Operation): string {
  const examples: Readonly<Record<string, string>> = { object_type: 'svc_contact' };
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`There is no example for the path parameter ${name}.`);
    return example;
  });
}

function authorized(): readonly (readonly [string, string])[] {
  return [['Authorization', `Bearer ${client.key}`]];
}

/** One checked exchange with exactly these headers beside the key. */
async function wire(path: string, method: string, headers: WireHeaders, body = ''): Promise<Answer> {
  const all = [...headers, ...authorized()];
  return client.verify(
    method,
    path,
    await exchange(service.port, { method, target: `/rest/v1${path}`, headers: all, body }),
  );
}

function requestIdOf({ body }: Answer): unknown {
  const named = body as unknown as Record<string, unknown>;
  return named['request_id'] ?? named['x-request-id'];
}
