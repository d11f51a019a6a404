import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from '../support/raw-exchange.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ settings: { release: '1.2.3-root' } });
});
afterAll(() => service.stop());

test('the root shows name, version, release, status and addresses to anybody', async () => {
  const { status, body } = await service.client().get('/');
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['data', 'request_id']);
  expect(body.data).toEqual({
    name: 'orrery',
    version: 'v1',
    release: '1.2.3-root',
    status: 'beta',
    openapi_url: `${service.url}/rest/v1/openapi.json`,
    docs_url: `${service.url}/docs/`,
  });
});

test('a key changes nothing but the limit that the request counts against', async () => {
  const client = await service.newClient();
  const anonymous = await service.client().get('/');
  const known = await client.get('/');
  expect(known.body.data).toEqual(anonymous.body.data);
  expect(anonymous.headers.get('ratelimit-policy')).toBe('"anonymous";q=300;w=60');
  expect(known.headers.get('ratelimit-policy')).toBe('"org";q=6000;w=60');
});

test('both addresses are served', async () => {
  const { data } = (await service.client().get('/')).body;
  const document = await fetch(data.openapi_url, { redirect: 'manual' });
  expect(document.status).toBe(200);
  expect(await document.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  const docs = await fetch(data.docs_url, { redirect: 'manual' });
  expect(docs.status).toBe(200);
  expect(docs.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('the addresses follow the host that the client asked', async () => {
  for (const host of [`localhost:${service.port}`, 'crm.example', 'crm.example:8443', '[::1]:4610']) {
    const answer = await exchange(service.port, { target: '/rest/v1/', headers: [['Host', host]] });
    await service.client().verify('GET', '/', answer);
    expect(answer.body.data).toMatchObject({
      openapi_url: `http://${host}/rest/v1/openapi.json`,
      docs_url: `http://${host}/docs/`,
    });
  }
});

test.each([
  'evil.example/path',
  'evil.example?query',
  'evil.example#part',
  'user@evil.example',
  'evil.example:99999',
  'evil.example:port',
  'evil.example, other.example',
  'evil.example\\',
  '"><script>evil.example</script>',
  'http://evil.example',
  '[evil.example]',
])('the hostile Host %s is not echoed, and the addresses stay usable', async (host) => {
  const answer = await exchange(service.port, { target: '/rest/v1/', headers: [['Host', host]] });
  await service.client().verify('GET', '/', answer);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain('evil');
  for (const address of [answer.body.data.openapi_url, answer.body.data.docs_url]) {
    expect(URL.canParse(address), address).toBe(true);
  }
});

test('a configured public address wins over every host that is sent', async () => {
  const configured = await startService({ settings: { publicUrl: 'https://crm.example/orrery' } });
  try {
    const headers = [
      ['Host', 'evil.example'],
      ['X-Forwarded-Host', 'evil.example'],
    ] as const;
    const root = await exchange(configured.port, { target: '/rest/v1/', headers });
    await configured.client().verify('GET', '/', root);
    expect(root.body.data).toMatchObject({
      openapi_url: 'https://crm.example/orrery/rest/v1/openapi.json',
      docs_url: 'https://crm.example/orrery/docs/',
    });
    const refused = await exchange(configured.port, { target: '/rest/v1/self/', headers });
    expect(refused.body.type).toBe('https://crm.example/orrery/docs/errors/#unauthenticated');
    expect(root.text + refused.text).not.toContain('evil');
    const document = JSON.parse((await configured.client().raw('GET', '/rest/v1/openapi.json')).text);
    expect(document.servers[0].url).toBe('https://crm.example/orrery/rest/v1');
  } finally {
    await configured.stop();
  }
});
