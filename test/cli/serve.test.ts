import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStorage, orreryJson, type ServeProcess, type Storage, startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { openConnection } from '../support/raw-connection.ts';

const getRoot = 'GET /rest/v1/ HTTP/1.1\r\nHost: a\r\n\r\n';

let storage: Storage;
let running: ServeProcess[];
beforeEach(async () => {
  storage = await createStorage();
  running = [];
});
afterEach(async () => {
  for (const service of running) await service.stop();
  await storage.remove();
});

async function serve(...more: readonly string[]): Promise<ServeProcess> {
  const service = await startServe([...more, ...storage.args]);
  running.push(service);
  return service;
}

async function newKey(policy = '6000/60'): Promise<string> {
  const org = ['org', 'create', 'Acme', '--rate-limit', policy, ...storage.args];
  const { org_id } = await orreryJson<{ org_id: number }>(org);
  const { key } = await orreryJson<{ key: string }>(['key', 'create', '--org', String(org_id), ...storage.args]);
  return key;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service with status 0, and nothing answers any more',
  async (signal) => {
    const service = await serve();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const { status, stdout, stderr } = await service.stop(signal);
    expect(status).toBe(0);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('"msg":"stopped"');
    await expect(fetch(`${service.url}/readyz`)).rejects.toThrow();
  },
);

test('a killed service starts again on the same data, with the same keys', async () => {
  const first = await serve();
  const key = await newKey();
  expect((await new Client(first.url, key).get('/self/')).status).toBe(200);
  first.child.kill('SIGKILL');
  await first.stop('SIGKILL');
  running = [];
  const second = await serve();
  expect((await new Client(second.url, key).get('/self/')).status).toBe(200);
});

test('workers share one port, one rate limit and one page of metrics, and a dead one is replaced', async () => {
  const service = await serve('--workers', '2');
  const key = await newKey('100/60');
  const statuses = await Promise.all(
    Array.from({ length: 130 }, async () => {
      const response = await fetch(`${service.url}/rest/v1/self/`, {
        headers: { authorization: `Bearer ${key}`, connection: 'close' },
      });
      await response.text();
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  const served = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const lines = [...text.matchAll(/^orrery_http_request_duration_seconds_count\{.*self.*\} ([0-9]+)$/gm)];
    return lines.reduce((sum, line) => sum + Number(line[1]), 0);
  };
  expect(await served()).toBe(130);
  /** The processes that answered since the test began. */
  const pids = async (atLeast: number) => {
    const seen = new Set<number>();
    for (let attempt = 0; attempt < 100 && seen.size < atLeast; attempt++) {
      await (await fetch(`${service.url}/rest/v1/`, { headers: { connection: 'close' } })).text();
      for (const line of logOf(service)) if (line.msg === 'request') seen.add(line.pid);
    }
    return seen;
  };
  const [victim = 0] = await pids(2);
  process.kill(victim, 'SIGKILL');
  const says = (words: string) => logOf(service).some((line) => line.msg.includes(words));
  await expect.poll(() => says('a worker serves again')).toBe(true);
  // The first two workers and the replacement of the killed one.
  expect((await pids(3)).size).toBe(3);
  const { status } = await service.stop();
  expect(status).toBe(0);
});

test('a client whose connection was being handed to a worker that is killed is not kept waiting', async () => {
  const service = await serve('--workers', '2');
  const victim = await workerOf(service);
  // A stopped worker does not say that it has taken a connection, so that one of these is left with the first process.
  process.kill(victim, 'SIGSTOP');
  const { port } = new URL(service.url);
  const connections = await Promise.all(Array.from({ length: 6 }, () => openConnection(Number(port))));
  for (const connection of connections) connection.send(getRoot);
  const ends = connections.map((connection) =>
    connection.answer().then(
      ({ status }) => status,
      () => 'closed',
    ),
  );
  await Promise.race(ends);
  process.kill(victim, 'SIGKILL');
  const found = await Promise.all(ends);
  expect(found.filter((end) => end === 200).length).toBeGreaterThan(0);
  expect(found.filter((end) => end !== 200 && end !== 'closed')).toEqual([]);
  for (const connection of connections) connection.destroy();
  const says = (words: string) => logOf(service).some((line) => line.msg.includes(words));
  await expect.poll(() => says('a worker serves again')).toBe(true);
});

test.each([[], ['--workers', '2']])(
  'connections that have come when the service is told to stop are accepted and answered: %s',
  async (...more) => {
    const service = await serve(...more);
    const { port } = new URL(service.url);
    // A stopped process accepts nothing, so that the connections wait in the queue of the operating system.
    process.kill(service.pid, 'SIGSTOP');
    const connections = await Promise.all(Array.from({ length: 30 }, () => openConnection(Number(port))));
    for (const connection of connections) connection.send(getRoot);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGTERM');
    process.kill(service.pid, 'SIGCONT');
    for (const connection of connections) {
      const answer = await connection.answer();
      expect(answer.status).toBe(200);
      expect(await connection.closed()).toBe('');
    }
    expect((await exited)[0]).toBe(0);
  },
);

test.each([[], ['--workers', '2']])(
  'a Ctrl-C that comes twice at once, as from a terminal and npm, is one: %s',
  async (...more) => {
    const service = await serve(...more);
    service.child.kill('SIGINT');
    const { status, stderr } = await service.stop('SIGINT');
    expect(status).toBe(0);
    expect(stderr).toContain('"msg":"stopped"');
  },
);

test('two services on one database never exceed the rate limit together, and a revoked key ends on both', async () => {
  const [first, second] = [await serve(), await serve()];
  const key = await newKey('300/60');
  const clients = [new Client(first.url, key), new Client(second.url, key)];
  const statuses = await Promise.all(
    Array.from({ length: 400 }, async (_, index) => (await clients[index % 2]?.get('/self/'))?.status),
  );
  const served = statuses.filter((status) => status === 200).length;
  expect(served).toBeLessThanOrEqual(300);
  expect(served).toBeGreaterThanOrEqual(285);
  const other = await newKey();
  for (const { url } of [first, second]) expect((await new Client(url, other).get('/self/')).status).toBe(200);
  const { data } = (await new Client(first.url, other).get('/self/')).body;
  await orreryJson(['key', 'revoke', data.credential.id, ...storage.args]);
  await sleep(1_000);
  for (const { url } of [first, second])
    expect((await new Client(url, other).get('/self/')).body.reason).toBe('key_revoked');
});

/** One of the processes that answer. */
async function workerOf(service: ServeProcess): Promise<number> {
  logOf(service);
  await (await fetch(`${service.url}/rest/v1/`, { headers: { connection: 'close' } })).text();
  const line = () => logOf(service).find(({ msg }) => msg === 'request');
  await expect.poll(line).toBeDefined();
  return line()?.pid ?? 0;
}

interface LogLine {
  readonly msg: string;
  readonly pid: number;
}

const logs = new WeakMap<ServeProcess, string[]>();

/** The lines that the service has logged since the first call. */
function logOf(service: ServeProcess): readonly LogLine[] {
  const known = logs.get(service);
  const chunks = known ?? [];
  if (known === undefined) {
    logs.set(service, chunks);
    service.child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  return chunks
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}
