// Cross-origin requests of browsers: refused unless the operator lists the exact origin.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const corsHeaderNames = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (origin: string, method = 'POST') => ({
  Origin: origin,
  'Access-Control-Request-Method': method,
  'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
});

describe('without a list', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test('no answer has a header for other origins', async () => {
    const client = await service.newClient();
    for (const path of ['/self/', '/none/', '/objects/svc_contact/']) {
      const { headers } = await client.get(path, { headers: { Origin: 'https://app.example' } });
      expect(corsHeaderNames(headers)).toEqual([]);
      expect(headers.get('vary') ?? '').not.toContain('Origin');
    }
    const page = await client.raw('GET', '/docs/', { headers: { Origin: 'https://app.example' } });
    expect(corsHeaderNames(page.headers)).toEqual([]);
  });

  test('OPTIONS is a method that no path takes', async () => {
    const client = await service.newClient();
    const answer = await client.call('OPTIONS', '/self/', { headers: preflight('https://app.example') });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
    expect(corsHeaderNames(answer.headers)).toEqual([]);
  });
});

describe('with a list', () => {
  const origins = ['https://app.example', 'http://localhost:3000'];
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ settings: { corsOrigins: new Set(origins) } });
  });
  afterAll(() => service.stop());

  test.each(origins)('an answer to %s names that origin, and never allows credentials', async (origin) => {
    const client = await service.newClient();
    const { status, headers } = await client.get('/self/', { headers: { Origin: origin } });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.get('vary')).toBe('Origin');
  });

  test('scripts may read the headers that the contract names, on errors too', async () => {
    const { status, headers } = await service.client().get('/self/', { headers: { Origin: 'https://app.example' } });
    expect(status).toBe(401);
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'svc-request-id',
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'etag',
        'location',
        'svc-idempotent-replay',
        'deprecation',
        'sunset',
      ]),
    );
  });

  test.each([
    'null',
    'https://app.example.evil',
    'https://evil.app.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example/',
    'HTTPS://APP.EXAMPLE',
    'https://app.example, https://evil.example',
    '*',
  ])('the origin %s gets nothing', async (origin) => {
    const client = await service.newClient();
    const { status, headers } = await client.get('/self/', { headers: { Origin: origin } });
    expect(status).toBe(200);
    expect(corsHeaderNames(headers)).toEqual([]);
    expect(headers.get('vary')).toBe('Origin');
    const asked = await client.call('OPTIONS', '/self/', { headers: preflight(origin) });
    expect(asked.status).toBe(405);
    expect(corsHeaderNames(asked.headers)).toEqual([]);
  });

  test('a request without an origin gets nothing but Vary', async () => {
    const client = await service.newClient();
    const { headers } = await client.get('/self/');
    expect(corsHeaderNames(headers)).toEqual([]);
    expect(headers.get('vary')).toBe('Origin');
  });

  test('a preflight is answered 200 without a key, with what a browser needs and the headers of every response', async () => {
    const path = '/rest/v1/objects/svc_contact/records/';
    const answer = await service.client().raw('OPTIONS', path, { headers: preflight('https://app.example') });
    expect(answer.status).toBe(200);
    const { headers } = answer;
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('access-control-allow-methods')?.split(', ')).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    );
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'if-match',
        'if-none-match',
        'idempotency-key',
        'svc-dry-run',
      ]),
    );
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('ratelimit')).toMatch(/^"anonymous";r=[0-9]+;t=[0-9]+$/);
    expect(answer.body.request_id).toBe(headers.get('svc-request-id'));
  });

  test('OPTIONS that is not a preflight is a method that no path supports', async () => {
    const answer = await (await service.newClient()).call('OPTIONS', '/self/', {
      headers: { Origin: origins[0] ?? '' },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('access-control-allow-methods')).toBeNull();
  });
});
