// When the operator has deprecated v1, every response says so (contract 10); otherwise none does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawQuery } from '../support/database.ts';
import { sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

const since = new Date('2027-01-31T12:34:56.789Z');
const sunset = new Date('2028-02-29T23:59:59.000Z');
let deprecated: TestService;
let current: TestService;
beforeAll(async () => {
  [deprecated, current] = await Promise.all([
    startService({ settings: { deprecation: { since, sunset }, corsOrigins: new Set(['https://app.example']) } }),
    startService(),
  ]);
});
afterAll(() => Promise.all([deprecated.stop(), current.stop()]));

/** One answer of every kind below /rest/v1. */
async function answersOf(service: TestService) {
  const orgId = await service.createOrg({ quota: 5, windowSeconds: 600 });
  const { key } = await service.createKey(orgId);
  const client = service.client(key);
  const anonymous = service.client();
  const answers = {
    200: await client.raw('GET', '/rest/v1/self/'),
    head: await client.raw('HEAD', '/rest/v1/self/'),
    400: await client.raw('GET', '/rest/v1/self/?none=1'),
    401: await anonymous.raw('GET', '/rest/v1/self/'),
    404: await client.raw('GET', '/rest/v1/none/'),
    406: await client.raw('GET', '/rest/v1/self/', { headers: { accept: 'text/html' } }),
    429: await client.raw('GET', '/rest/v1/self/'),
    405: await anonymous.raw('POST', '/rest/v1/self/'),
    document: await anonymous.raw('GET', '/rest/v1/openapi.json'),
    malformed: await sendOnce(service.port, 'nonsense\r\n\r\n'),
    preflight: await anonymous.raw('OPTIONS', '/rest/v1/self/', {
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
    }),
    500: await faulty(service),
  };
  for (const [name, { status }] of Object.entries(answers)) {
    if (/^[0-9]/.test(name)) expect(status).toBe(Number(name));
  }
  return Object.entries(answers).map(([name, { headers }]) => ({ name, headers }));
}

async function faulty(service: TestService) {
  const { key } = await service.createKey(await service.createOrg());
  await rawQuery(service.databaseUrl, 'alter table orrery.rate_window rename to away');
  const answer = await service.client(key).raw('GET', '/rest/v1/self/');
  await rawQuery(service.databaseUrl, 'alter table orrery.away rename to rate_window');
  return answer;
}

test('every response of a deprecated v1 carries Deprecation as a structured date and Sunset as an HTTP date', async () => {
  for (const { name, headers } of await answersOf(deprecated)) {
    expect(headers.get('deprecation'), name).toBe('@1801398896');
    expect(headers.get('sunset'), name).toBe('Tue, 29 Feb 2028 23:59:59 GMT');
  }
});

test('no response of a current v1 announces an end', async () => {
  for (const { name, headers } of await answersOf(current)) {
    expect(headers.has('deprecation'), name).toBe(false);
    expect(headers.has('sunset'), name).toBe(false);
  }
});
