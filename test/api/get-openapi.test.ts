import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('the document is served raw to anybody, with the request id at its root', async () => {
  const { status, headers, text } = await service.client().get('/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const document = JSON.parse(text);
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document['x-request-id']).toBe(headers.get('svc-request-id'));
  expect(document).not.toHaveProperty('data');
  expect(document).not.toHaveProperty('request_id');
  expect(document.info).toMatchObject({ version: 'v1', 'x-release': '0.0.0-test' });
});

test('two readers get the same document but for the request id, with a key or without', async () => {
  const client = await service.newClient({ grants: [] });
  const [first, second] = [await service.client().get('/openapi.json'), await client.get('/openapi.json')];
  const [one, other] = [JSON.parse(first.text), JSON.parse(second.text)];
  expect(one['x-request-id']).not.toBe(other['x-request-id']);
  expect({ ...one, 'x-request-id': '' }).toEqual({ ...other, 'x-request-id': '' });
});

test('operations below the document are found from its own address', async () => {
  const document = JSON.parse((await service.client().get('/openapi.json')).text);
  const base = new URL(document.servers[0].url, `${service.url}/rest/v1/openapi.json`);
  const answer = await fetch(`${base.href}/self/`);
  expect(base.origin).toBe(service.url);
  expect(answer.status).toBe(401);
});

test('it asks for a bearer key everywhere but in the two public operations', async () => {
  const document = JSON.parse((await service.client().get('/openapi.json')).text);
  expect(document.components.securitySchemes.key).toMatchObject({ type: 'http', scheme: 'bearer' });
  expect(document.security).toEqual([{ key: [] }]);
  const open = Object.entries<Record<string, { security?: unknown[] }>>(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .filter(({ operation }) => operation.security?.length === 0)
    .map(({ method, path }) => `${method} ${path}`);
  expect(open).toEqual(['get /', 'get /openapi.json']);
});

test('it contains no names of any org', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, {
    object_types: [{ name: 'cnry_type', label: 'Cnry label', properties: [] }],
    labels: { svc_deal: { label: 'Cnry deal' } },
  });
  const { key } = await service.createKey(orgId);
  const { text } = await service.client(key).get('/openapi.json');
  expect(text.toLowerCase()).not.toContain('cnry');
});
