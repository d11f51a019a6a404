// A database that accepts everything and says nothing: probes are answered in time, and requests wait for it once, not for
// one thing after the other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import type { Answer } from '../support/answer.ts';
import { aroundStatements } from '../support/around-statements.ts';
import type { Client } from '../support/client.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database-proxy.ts';
import { until } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestService;
let client: Client;
let unknownKey: string;
/** Questions of /readyz to the database that are under way, and the most that ever were. */
const pings = { now: 0, most: 0 };
beforeAll(async () => {
  database = await createMigratedDatabase();
  proxy = await startProxy(database.url);
  service = await startService({
    databaseUrl: proxy.url,
    adapt: (own) =>
      aroundStatements(own, async (text, run) => {
        if (!text.includes('from orrery.epoch')) return run();
        pings.most = Math.max(pings.most, ++pings.now);
        return run().finally(() => pings.now--);
      }),
  });
  client = await service.newClient();
  unknownKey = (await service.createKey(await service.createOrg())).key;
});
afterAll(async () => {
  proxy.thaw();
  await service.stop();
  await proxy.cut();
  await database.drop();
});

async function ready(): Promise<{ readonly text: string; readonly ms: number }> {
  const began = performance.now();
  const { status, body } = await service.client().raw('GET', '/readyz');
  return { text: `${status} ${body.status}`, ms: performance.now() - began };
}

async function thawed(): Promise<void> {
  proxy.thaw();
  await until(async () => (await ready()).text === '200 ready');
}

/** More than a busy machine adds to an answer, and much less than a statement takes. */
const busyMs = 2_000;

test('readiness is answered in time, however often it is asked, with one question to the database at a time', async () => {
  expect((await ready()).text).toBe('200 ready');
  proxy.freeze();
  pings.most = 0;
  // Longer than the kept answer, so that the first of them asks.
  await sleep(300);
  const asked: ReturnType<typeof ready>[] = [];
  for (let count = 0; count < 40; count++) {
    asked.push(ready());
    await sleep(100);
  }
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['503 storage_unavailable']));
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_000 + busyMs);
  expect(pings.most).toBe(1);
  await thawed();
});

test('metrics are answered in time too: what the database would tell is missing, and readers of the feed are behind', async () => {
  const waiting = client.call('GET', '/changes/?cursor=latest&wait=20', { allowFault: true });
  await until(async () => service.waitingRequests() === 1);
  proxy.freeze();
  const scraped: { readonly text: string; readonly ms: number }[] = [];
  const lag = () => Number(/^orrery_feed_lag_seconds (\S+)$/m.exec(scraped.at(-1)?.text ?? '')?.[1] ?? 0);
  await until(async () => {
    const began = performance.now();
    const { text } = await service.client().raw('GET', '/metrics');
    scraped.push({ text, ms: performance.now() - began });
    return lag() > 0.5;
  }, 8_000);
  expect(Math.max(...scraped.map(({ ms }) => ms))).toBeLessThan(1_000 + busyMs);
  expect(scraped.at(-1)?.text).toMatch(/^orrery_long_polls 1$/m);
  expect(scraped.at(-1)?.text).not.toMatch(/^orrery_database_size_bytes /m);
  expect((await waiting).status).toBe(503);
  await thawed();
});

test('requests fail as unavailable within the time of one statement, and soon once it is known', async () => {
  const contacts = '/objects/svc_contact/records/';
  const body = JSON.stringify({ properties: { svc_first_name: 'Ada' } });
  const headers = { 'content-type': 'application/json' };
  const kinds = [
    () => client.raw('GET', `/rest/v1${contacts}`),
    () => client.raw('POST', `/rest/v1${contacts}`, { body, headers }),
    () => service.client(unknownKey).raw('GET', '/rest/v1/self/'),
  ];
  const timed = async (send: () => Promise<Answer>) => {
    const began = performance.now();
    const { status, body: problem, headers: answered } = await send();
    const text = `${status} ${problem.reason} ${answered.get('retry-after')}`;
    return { text, ms: performance.now() - began };
  };
  const unavailable = new Set(['503 storage_unavailable 1']);
  expect((await client.get(contacts)).status).toBe(200);
  proxy.freeze();
  // Some begin before and some after the caches of the process are trusted no longer.
  const first = Array.from({ length: 60 }, async (_, index) => {
    await sleep(index * 30);
    return timed(kinds[index % kinds.length] ?? (() => Promise.reject(new Error('no kind'))));
  });
  const answers = await Promise.all(first);
  expect(new Set(answers.map(({ text }) => text))).toEqual(unavailable);
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(limits.statementSeconds * 1_000);
  const later = await Promise.all(kinds.map(timed));
  expect(new Set(later.map(({ text }) => text))).toEqual(unavailable);
  expect(Math.max(...later.map(({ ms }) => ms))).toBeLessThan(busyMs);
  await thawed();
  expect((await client.get(contacts)).status).toBe(200);
});
