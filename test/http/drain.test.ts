// Stopping: open requests finish, new ones are refused, and no client can delay the end of the process.
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { movableClock } from '../support/movable-clock.ts';
import { expectProblem, openConnection } from '../support/raw-connection.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';

const getRoot = 'GET /rest/v1/ HTTP/1.1\r\nHost: a\r\n\r\n';

/** A service with open requests that wait for the database until they are released. */
async function busyService(count: number, options: ServiceOptions = {}) {
  const service = await startService(options);
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  const letGo = await holdRow(service.databaseUrl, `select from orrery.rate_window where org_id = ${orgId} for update`);
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(service.port)));
  for (const connection of connections) {
    connection.send(`GET /rest/v1/self/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  }
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await rawQuery(service.databaseUrl, waiting)).rowCount).toBeGreaterThan(0);
  // Sent after all of them, on its own connection: once it is answered, they are in progress.
  await service.client().raw('GET', '/healthz');
  return { service, connections, letGo };
}

async function timed(work: Promise<void>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

function refusesConnections({ port }: TestService): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: Error & { code?: string }) => resolve(error.code));
  });
}

/** Each connection gets its answer, and is closed after it. */
async function expectLastAnswers(connections: readonly Awaited<ReturnType<typeof openConnection>>[]): Promise<void> {
  for (const connection of connections) {
    const answer = await connection.answer();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await connection.closed()).toBe('');
  }
}

test('open requests finish with 200 and close their connection, while new connections are refused', async () => {
  const { service, connections, letGo } = await busyService(5);
  const drained = service.drain();
  await expect.poll(() => refusesConnections(service)).toBe('ECONNREFUSED');
  await sleep(100);
  await letGo();
  await expectLastAnswers(connections);
  await drained;
  await service.stop();
});

test('a request that was half sent when draining started is still answered, and its connection closed', async () => {
  const { service, connections, letGo } = await busyService(1);
  const half = await openConnection(service.port);
  half.send(getRoot.slice(0, 20));
  await expect.poll(() => half.socket.bytesWritten).toBe(20);
  await service.client().raw('GET', '/healthz');
  const drained = service.drain();
  half.send(getRoot.slice(20));
  const answer = await half.answer();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
  await letGo();
  await connections[0]?.answer();
  await drained;
  await service.stop();
});

test('connections that nobody has accepted yet when draining starts are accepted, and their requests answered', async () => {
  const service = await startService();
  const { key } = await service.createKey(await service.createOrg());
  const opening = Array.from({ length: 100 }, () => openConnection(service.port));
  // The operating system has made the connections, and this process has not looked at them: it has only begun to wait.
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
  const drained = service.drain();
  const connections = await Promise.all(opening);
  for (const connection of connections) {
    connection.send(`GET /rest/v1/self/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  }
  await expectLastAnswers(connections);
  await drained;
  await service.stop();
});

test('a request that comes too late to be finished gets 503, with the time to try again', async () => {
  const clock = movableClock();
  const service = await startService({ clock });
  const half = await openConnection(service.port);
  half.send(getRoot.slice(0, 20));
  await service.client().raw('GET', '/healthz');
  const drained = service.drain();
  clock.advance(bounds.http.drainTimeoutMs / 2 + 1);
  half.send(getRoot.slice(20));
  const answer = await half.answer();
  expectProblem(answer, 503, 'unavailable', 'shutting_down');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.headers.get('connection')).toBe('close');
  await drained;
  await service.stop();
});

test('a connection that becomes idle while the process drains is closed', async () => {
  const { service, connections, letGo } = await busyService(1);
  const reading = await openConnection(service.port);
  reading.socket.pause();
  // Its answer begins before the process drains, so that it does not say that the connection closes.
  reading.send('GET /rest/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
  await service.client().raw('GET', '/healthz');
  const drained = service.drain();
  await letGo();
  expect((await connections[0]?.answer())?.status).toBe(200);
  reading.socket.resume();
  const answer = await reading.answer();
  expect(JSON.parse(answer.text)).toHaveProperty('openapi');
  expect(await reading.closed()).toBe('');
  expect(await timed(drained)).toBeLessThan(bounds.http.drainTimeoutMs / 2);
  await service.stop();
});

test('connections that are idle, or have never sent anything, cause no delay', async () => {
  const service = await startService();
  const idle = await openConnection(service.port);
  idle.send(getRoot);
  await idle.answer();
  const silent = await openConnection(service.port);
  // The service knows the silent one once a later connection has been answered.
  await service.client().raw('GET', '/healthz');
  expect(await timed(service.drain())).toBeLessThan(bounds.http.drainTimeoutMs / 2);
  expect(await idle.closed()).toBe('');
  expect(await silent.closed()).toBe('');
  await service.stop();
});

test('draining ends within its bound, whatever a client or the database does', async () => {
  const { service, connections, letGo } = await busyService(2, { timeouts: { drainTimeoutMs: 600 } });
  const half = await openConnection(service.port);
  half.send(getRoot.slice(0, 20));
  await service.client().raw('GET', '/healthz');
  const took = await timed(service.drain());
  expect(took).toBeGreaterThan(500);
  expect(took).toBeLessThan(bounds.http.drainTimeoutMs);
  for (const connection of [...connections, half]) expect(await connection.closed()).toBe('');
  await letGo();
  await service.stop();
});

test('by default the bound leaves time for the longest statement, and a supervisor time to wait for it', () => {
  expect(bounds.http.drainTimeoutMs).toBeGreaterThan(10_000);
  expect(bounds.http.drainTimeoutMs).toBeLessThan(30_000);
});
