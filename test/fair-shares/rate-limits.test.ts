// The rate limit as a client meets it (contract 9): what is reported, whom it counts, and how it ends.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { createMigratedDatabase, rawQuery } from '../support/database.ts';
import { startProxy } from '../support/database-proxy.ts';
import { movableClock } from '../support/movable-clock.ts';
import { expectProblem } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const self = '/rest/v1/self/';

async function newOrg(quota: number, windowSeconds: number) {
  const orgId = await service.createOrg({ quota, windowSeconds });
  const { key } = await service.createKey(orgId);
  return { orgId, client: service.client(key) };
}

test.each([
  [1, 60],
  [200, 1],
  [201, 10],
  [6_000, 60],
  [999_999_999, 99_999],
])(
  'the first answer of a window of %i in %i seconds reports all but itself, and the whole window',
  async (quota, seconds) => {
    const { client } = await newOrg(quota, seconds);
    const { headers } = await client.raw('GET', self);
    expect(headers.get('ratelimit-policy')).toBe(`"org";q=${quota};w=${seconds}`);
    expect(headers.get('ratelimit')).toBe(`"org";r=${quota - 1};t=${seconds}`);
  },
);

test.each([50, 1_000])('the rest of %i falls by one with every request, and the time with the clock', async (quota) => {
  const { client } = await newOrg(quota, 60);
  let timeBefore = 60;
  for (let used = 1; used <= 40; used++) {
    const { status, headers } = await client.raw('GET', used % 3 === 0 ? '/rest/v1/none/' : self);
    expect(status).toBe(used % 3 === 0 ? 404 : 200);
    const [, left, time] = /^"org";r=([0-9]+);t=([0-9]+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    expect(Number(left)).toBe(quota - used);
    expect(Number(time)).toBeLessThanOrEqual(timeBefore);
    timeBefore = Number(time);
  }
  expect(timeBefore).toBeGreaterThan(40);
});

test('past the quota the answer is 429 with the time to wait, and after that time the next request succeeds', async () => {
  const { client } = await newOrg(3, 5);
  const statuses = await Promise.all([1, 2, 3].map(async () => (await client.raw('GET', self)).status));
  expect(statuses).toEqual([200, 200, 200]);
  const refused = await client.call('GET', '/self/');
  expectProblem(refused, 429, 'rate_limited', 'org_limit');
  const [, left, time] = /^"org";r=([0-9]+);t=([0-9]+)$/.exec(refused.headers.get('ratelimit') ?? '') ?? [];
  expect(Number(left)).toBe(0);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(Number(time));
  expect(wait).toBeLessThanOrEqual(5);
  await sleep(wait * 1_000);
  const { status, headers } = await client.raw('GET', self);
  expect(status).toBe(200);
  expect(headers.get('ratelimit')).toBe('"org";r=2;t=5');
});

test('all keys of an org share its limit, and other orgs have their own', async () => {
  const { orgId, client } = await newOrg(10, 60);
  const second = service.client((await service.createKey(orgId)).key);
  const other = await newOrg(10, 60);
  for (let used = 1; used <= 10; used++) {
    const { headers } = await (used % 2 === 0 ? client : second).raw('GET', self);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"org";r=${10 - used};`));
  }
  expect((await client.raw('GET', self)).status).toBe(429);
  expect((await second.raw('GET', self)).status).toBe(429);
  const { status, headers } = await other.client.raw('GET', self);
  expect(status).toBe(200);
  expect(headers.get('ratelimit')).toBe('"org";r=9;t=60');
});

test('an org whose window began in the future, because the clock of the database was set back, is not locked out', async () => {
  const { orgId, client } = await newOrg(5, 60);
  const update = "update orrery.rate_window set started_at = now() + interval '1 hour', leased = 5 where org_id = $1";
  await rawQuery(service.databaseUrl, update, [orgId]);
  const { status, headers } = await client.raw('GET', self);
  expect(status).toBe(200);
  expect(headers.get('ratelimit')).toBe('"org";r=4;t=60');
});

test('a window that began a moment in the future is kept, and never reported longer than it is', async () => {
  const { orgId, client } = await newOrg(5, 60);
  const update = "update orrery.rate_window set started_at = now() + interval '1 second', leased = 5 where org_id = $1";
  await rawQuery(service.databaseUrl, update, [orgId]);
  const { status, headers } = await client.raw('GET', self);
  expect(status).toBe(429);
  expect(headers.get('ratelimit')).toBe('"org";r=0;t=60');
});

test('without the database the answer is 503 with the headers of every response, until it is back', async () => {
  const database = await createMigratedDatabase();
  const proxy = await startProxy(database.url);
  const through = await startService({ databaseUrl: proxy.url });
  const { key } = await through.createKey(await through.createOrg({ quota: 100, windowSeconds: 60 }));
  const client = through.client(key);
  expect((await client.get('/self/')).status).toBe(200);
  await proxy.cut();
  const began = performance.now();
  for (let round = 0; round < 5; round++) {
    const answer = await client.call('GET', '/self/', { allowFault: true });
    expectProblem(answer, 503, 'unavailable', 'storage_unavailable');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await sleep(50);
  }
  expect(performance.now() - began).toBeLessThan(20_000);
  await proxy.restore();
  const answer = await client.get('/self/');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('ratelimit')).toMatch(/^"org";r=98;/);
  await through.stop();
  await proxy.cut();
  await database.drop();
});

test('requests without a valid key are limited by address, and a valid key from there is still served', async () => {
  const clock = movableClock();
  const limited = await startService({ clock });
  const { key } = await limited.createKey(await limited.createOrg());
  const anonymous = limited.client();
  const forged = limited.client(`${key.slice(0, -6)}000000`);
  const first = await anonymous.raw('GET', '/rest/v1/');
  expect(first.headers.get('ratelimit-policy')).toBe('"anonymous";q=300;w=60');
  expect(first.headers.get('ratelimit')).toBe('"anonymous";r=299;t=60');
  for (let used = 2; used <= 300; used++) {
    const answer = await (used % 2 === 0 ? forged : anonymous).raw('GET', self, {
      headers: { 'X-Forwarded-For': `10.0.0.${used % 250}` },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"anonymous";r=${300 - used};`));
  }
  for (const client of [anonymous, forged]) {
    for (const path of [self, '/rest/v1/', '/rest/v1/none/']) {
      const refused = await client.raw('GET', path);
      expectProblem(refused, 429, 'rate_limited', 'anonymous_limit');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  }
  const served = await limited.client(key).raw('GET', self);
  expect(served.status).toBe(200);
  expect(served.headers.get('ratelimit-policy')).toBe('"org";q=6000;w=60');
  expect((await anonymous.raw('GET', '/healthz')).status).toBe(200);
  clock.advance(60_000);
  const restarted = await anonymous.raw('GET', '/rest/v1/');
  expect(restarted.status).toBe(200);
  expect(restarted.headers.get('ratelimit')).toBe('"anonymous";r=299;t=60');
  await limited.stop();
});

test.runIf(process.platform === 'linux')('each address has a limit of its own', async () => {
  const from = (localAddress: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: service.port, path: '/rest/v1/', localAddress };
      const asked = request(options, (response) => {
        response.resume();
        resolve(response.headers['ratelimit'] as string | undefined);
      });
      asked.on('error', reject);
      asked.end();
    });
  expect(await from('127.0.0.2')).toBe('"anonymous";r=299;t=60');
  expect(await from('127.0.0.2')).toBe('"anonymous";r=298;t=60');
  expect(await from('127.0.0.3')).toBe('"anonymous";r=299;t=60');
});
