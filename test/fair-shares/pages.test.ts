// Requests without a key that are not operations: pages, probes and preflights count against their address, and asking for
// them often costs no more than asking once.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anonymousPolicy, bounds } from '../../src/base/limits.ts';
import { aroundStatements } from '../support/around-statements.ts';
import { until } from '../support/eventually.ts';
import { type AddressedAnswer, askFrom } from '../support/fair-shares/from-address.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { movableClock } from '../support/movable-clock.ts';
import { openConnection } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

/** Elsewhere a machine has only one address of its own to ask from. */
const onLinux = test.runIf(process.platform === 'linux');

const origin = 'https://app.example';
const preflight = {
  method: 'OPTIONS',
  headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
};
const [noisy, quiet] = ['127.0.0.2', '127.0.0.3'] as const;
/** How long answers are kept here: a busy machine must not make a difference. */
const keptMs = 30_000;

const clock = movableClock();
const pings: string[] = [];
let restoreBounds: () => void;
let service: TestService;
beforeAll(async () => {
  restoreBounds = lowerBounds({ http: { readinessKeptMs: keptMs, metricsKeptMs: keptMs } });
  service = await startService({
    clock,
    settings: { corsOrigins: new Set([origin]) },
    adapt: (database) =>
      aroundStatements(database, (text, run) => {
        if (text.includes('from orrery.epoch')) pings.push(text);
        return run();
      }),
  });
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});
beforeEach(() => {
  clock.advance(anonymousPolicy.windowSeconds * 1_000);
  pings.length = 0;
});

type Asked = Parameters<typeof askFrom>[3];

function ask(address: string, path: string, request?: Asked): Promise<AddressedAnswer> {
  return askFrom(address, service.port, path, request);
}

async function askOften(address: string, path: string, request?: Asked): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < anonymousPolicy.quota; count += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => ask(address, path, request)));
    statuses.push(...some.map(({ status }) => status));
  }
  return statuses;
}

function expectLimited({ status, headers, reason }: AddressedAnswer): void {
  expect([status, reason]).toEqual([429, 'anonymous_limit']);
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers['svc-request-id']).toMatch(/\S/);
}

onLinux.each([
  ['/docs/', 200, undefined],
  ['/docs/limits/', 200, undefined],
  ['/llms.txt', 200, undefined],
  ['/', 302, undefined],
  ['/nowhere', 404, undefined],
  ['/rest/v1/self/', 200, preflight],
])('%s counts like every other request without a key', async (path, status, request) => {
  expect(new Set(await askOften(noisy, path, request))).toEqual(new Set([status]));
  expectLimited(await ask(noisy, path, request));
  expectLimited(await ask(noisy, '/rest/v1/'));
  expect((await ask(quiet, path, request)).status).toBe(status);
  // Probes have a window of their own: other requests of the same address must not make them fail.
  expect((await ask(noisy, '/readyz')).status).toBe(200);
  clock.advance(anonymousPolicy.windowSeconds * 1_000);
  expect((await ask(noisy, path, request)).status).toBe(status);
});

onLinux('a refused preflight still tells the browser who may read it', async () => {
  await askOften(noisy, '/rest/v1/self/', preflight);
  const refused = await ask(noisy, '/rest/v1/self/', preflight);
  expectLimited(refused);
  expect(refused.headers['access-control-allow-origin']).toBe(origin);
  expect(refused.headers['ratelimit']).toMatch(/^"anonymous";r=0;t=[0-9]+$/);
});

onLinux.each(['/readyz', '/metrics'])(
  '%s counts, and a flood from one address does not refuse another',
  async (path) => {
    expect(new Set(await askOften(noisy, path))).toEqual(new Set([200]));
    for (const probe of ['/readyz', '/metrics/']) expectLimited(await ask(noisy, probe));
    expect((await ask(quiet, path)).status).toBe(200);
    expect((await ask(noisy, '/rest/v1/')).status).toBe(200);
  },
);

onLinux('liveness is never refused', async () => {
  expect(new Set(await askOften(noisy, '/healthz'))).toEqual(new Set([200]));
  expect((await ask(noisy, '/healthz/')).status).toBe(200);
  expect((await ask(noisy, '/rest/v1/')).headers['ratelimit']).toMatch(/^"anonymous";r=299;/);
});

onLinux('the database is asked once for all probes of a moment', async () => {
  await askOften(noisy, '/readyz');
  expect(pings).toHaveLength(1);
  clock.advance(anonymousPolicy.windowSeconds * 1_000);
  await ask(noisy, '/readyz');
  expect(pings).toHaveLength(2);
});

onLinux('the metrics are printed once for all who ask within a moment', async () => {
  const count = async () => {
    const { text } = await ask(quiet, '/metrics');
    return Number(/orrery_http_request_duration_seconds_count\{[^}]*route="\/healthz"[^}]*\} ([0-9]+)/.exec(text)?.[1]);
  };
  await ask(quiet, '/healthz');
  clock.advance(keptMs);
  const before = await count();
  for (let round = 0; round < 5; round++) await ask(quiet, '/healthz');
  expect(await count()).toBe(before);
  clock.advance(keptMs);
  expect(await count()).toBe(before + 5);
});

onLinux('an address has at most its share of the connections, and gets them back', async () => {
  const restore = lowerBounds({ shares: { connectionsOfAddress: 3 } });
  try {
    const held = await Promise.all(Array.from({ length: 3 }, () => openConnection(service.port)));
    for (const connection of held) connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    for (const connection of held) expect(await connection.answer()).toMatchObject({ status: 200 });
    const fourth = await openConnection(service.port);
    expect(await fourth.closed()).toBe('');
    expect((await ask(quiet, '/healthz')).status).toBe(200);
    held[0]?.destroy();
    await until(async () => {
      const next = await openConnection(service.port);
      next.send('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      return next.answer().then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    for (const connection of held) connection.destroy();
  } finally {
    restore();
  }
});

onLinux(
  'connections of an address beyond a few wait to be read, and those of another address do not wait for them',
  async () => {
    await ask(quiet, '/healthz');
    const restore = lowerBounds({ shares: { requestsAtOnce: 2, crowdPauseMs: 2_000 } });
    const idle = await Promise.all([1, 2].map(() => openConnection(service.port)));
    try {
      const answered: string[] = [];
      const third = await openConnection(service.port);
      third.send('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const waiting = third.answer().then(({ status }) => answered.push(`noisy ${status}`));
      for (let count = 0; count < 3; count++) answered.push(`quiet ${(await ask(quiet, '/healthz')).status}`);
      await waiting;
      expect(answered).toEqual(['quiet 200', 'quiet 200', 'quiet 200', 'noisy 200']);
      // Those that wait for their first request do not keep the place for ever.
      for (const connection of idle) connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      for (const connection of idle) expect(await connection.answer()).toMatchObject({ status: 200 });
      const fourth = await openConnection(service.port);
      fourth.send('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const fifth = ask(quiet, '/healthz').then(() => new Promise((resolve) => setTimeout(resolve, 1_000, 'later')));
      expect(await Promise.race([fourth.answer(), fifth])).toMatchObject({ status: 200 });
    } finally {
      for (const connection of idle) connection.destroy();
      restore();
    }
  },
);

onLinux('the share of an address is at most half of all connections', () => {
  expect(bounds.shares.connectionsOfAddress * 2).toBeLessThanOrEqual(bounds.http.connections);
});
