// The share of an org in the connections: whatever it asks, others find a connection at once, and statements that turn
// out to be long move to the lane.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import type { Client } from '../support/client.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { newGate } from '../support/fair-shares/gate.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { untilUseIsNoted } from '../support/noted-use.ts';
import { openConnection } from '../support/raw-connection.ts';
import { contacts, make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const gate = newGate();
const share = bounds.store.poolConnections * (1 - bounds.shares.connectionsReserved);
let service: TestService;
let restoreBounds: () => void;
let quiet: Client;
let quietOrg: number;
let quietPath: string;

beforeAll(async () => {
  // Connections learn the first when they are opened. The others are raised: a slow machine must not change the counts.
  const patient = { burstMs: 600_000, waitMs: 60_000, scanWaitMs: 60_000, aloneAfterMs: 600_000 };
  // Each read needs a connection of its own.
  const lonely = { tripStatements: 1 };
  restoreBounds = lowerBounds({ shares: { briefStatementMs: 300, ...patient, ...lonely } });
  service = await startService({ adapt: gate.adapt });
  // The gate recognizes an org by its number, which must not be equal to any other number in a statement.
  await rawQuery(service.databaseUrl, "select setval('orrery.org_id', 900000)");
  quietOrg = await service.createOrg();
  quiet = service.client((await service.createKey(quietOrg)).key);
  quietPath = await pathOfNew(quiet);
  await untilUseIsNoted(service, quiet);
});
afterAll(async () => {
  gate.open();
  await service.stop();
  restoreBounds();
});

/** A client of another org, of whose use nothing is noted any more. */
async function newNoisy(): Promise<Client> {
  const client = await service.newClient();
  await untilUseIsNoted(service, client);
  return client;
}

async function pathOfNew(client: Client): Promise<string> {
  return pathOfRecord(await make(client, 'svc_contact', { svc_first_name: 'Ada' }));
}

/** The requests that wait, by what they wait for. */
async function waiting(): Promise<Readonly<Record<string, number>>> {
  const { text } = await service.client().raw('GET', '/metrics');
  const found = text.matchAll(/orrery_waiting_requests\{for="(\w+)"\} (\d+)/g);
  return Object.fromEntries([...found].map(([, what = '', count]) => [what, Number(count)]));
}

/** What runs and what waits, by the lane that it is in; lanes without work are left out. */
async function lanes(): Promise<Readonly<Record<string, number>>> {
  const { text } = await service.client().raw('GET', '/metrics');
  const found = text.matchAll(/orrery_lane_work\{lane="(\w+)",state="(\w+)"\} ([1-9]\d*)/g);
  return Object.fromEntries([...found].map(([, lane, state, work]) => [`${lane} ${state}`, Number(work)]));
}

const count = { aggregations: [{ function: 'count' }] };
const readRecord = (client: Client, path: string) => client.get(path);
const createNote = (client: Client) => client.post(recordsPath('svc_note'), { properties: {} });
const repeat = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

test.each([
  ['reads of a record', 'read', readRecord],
  ['lists', 'read', (noisy: Client) => noisy.get(contacts)],
  ['aggregations', 'read', (noisy: Client) => noisy.post(`${contacts}aggregate/`, count)],
  ['writes', 'write', createNote],
  [
    'reads and writes',
    undefined,
    (noisy: Client, path: string, index: number) => [readRecord, createNote][index % 2]?.(noisy, path),
  ],
])('an org whose %s all hang leaves connections to others', async (_, lane, ask) => {
  const noisy = await newNoisy();
  const path = await pathOfNew(noisy);
  gate.close(quietOrg);
  const asked = repeat(40, async (index) => ask(noisy, path, index));
  await expect.poll(() => gate.running).toBe(share);
  await expect.poll(async () => (await waiting())['connection']).toBe(40 - share);
  const held = { [`${lane} running`]: share, [`${lane} waiting`]: 40 - share };
  if (lane !== undefined) await expect.poll(lanes).toEqual(held);
  for (let round = 0; round < 5; round++) expect((await quiet.get(quietPath)).status).toBe(200);
  expect(gate.most).toBe(share);
  gate.open();
  for (const answer of await asked) expect(answer?.status).toBeLessThan(300);
  expect(gate.most).toBe(share);
  await expect.poll(waiting).toEqual({ connection: 0, lane: 0, record: 0 });
});

// Only searches read the words: what the service reads besides, of the org and its keys, does not wait for their lock.
const lockWords = 'lock table orrery.search in access exclusive mode';
const searched = { search: 'ada' };

test('statements that turn out to be long run again in the lane, one of an org at a time', async () => {
  const noisy = await newNoisy();
  await pathOfNew(noisy);
  const release = await holdRow(service.databaseUrl, lockWords);
  const asked = repeat(6, () => noisy.post(`${contacts}query/`, searched));
  // Connections that wait for the lock do so for a short time only: one statement waits in the lane's turn.
  await expect.poll(waiting).toEqual({ connection: 0, lane: 5, record: 0 });
  await expect.poll(lanes).toEqual({ 'scan running': 1, 'scan waiting': 5 });
  await expect.poll(() => service.database.gauge()).toMatchObject({ waiting: 0 });
  const { total, idle } = service.database.gauge();
  expect(total - idle).toBe(1);
  await release();
  const answers = await asked;
  expect(answers.map(({ status, body }) => [status, body.data.length])).toEqual(Array(6).fill([200, 1]));
});

/** Sends the request on connections of their own; closing them abandons the requests. */
async function askAndLeave(noisy: Client, line: string, times: number, body = '') {
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const request = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${noisy.key}\r\n${type}\r\n${body}`;
  const connections = await repeat(times, () => openConnection(service.port));
  for (const connection of connections) connection.send(request);
  return () => {
    for (const connection of connections) connection.destroy();
  };
}

const abandoned = () => service.logLines.filter((line) => line.includes('closed the connection while')).length;

test('reads whose clients have gone while they waited for a connection do not begin', async () => {
  const noisy = await newNoisy();
  const path = await pathOfNew(noisy);
  const before = abandoned();
  gate.close(quietOrg);
  const leave = await askAndLeave(noisy, `GET /rest/v1${path}`, 20);
  await expect.poll(async () => (await waiting())['connection']).toBe(20 - share);
  leave();
  // The service notices one closed connection like the others.
  expect((await quiet.get(quietPath)).status).toBe(200);
  gate.open();
  await expect.poll(() => abandoned() - before).toBe(20 - share);
});

test('long reads whose clients have gone while they waited for the lane do not begin', async () => {
  const noisy = await newNoisy();
  await pathOfNew(noisy);
  const before = abandoned();
  const release = await holdRow(service.databaseUrl, lockWords);
  const leave = await askAndLeave(noisy, `POST /rest/v1${contacts}query/`, 6, JSON.stringify(searched));
  await expect.poll(async () => (await waiting())['lane']).toBe(5);
  leave();
  await service.client().raw('GET', '/healthz');
  await release();
  await expect.poll(() => abandoned() - before).toBe(5);
  expect((await noisy.post(`${contacts}query/`, searched)).status).toBe(200);
});

test('a create that waits for a lock is written once', async () => {
  const noisy = await newNoisy();
  const release = await holdRow(service.databaseUrl, 'lock table orrery.record in share mode');
  const creating = noisy.post(contacts, { properties: { svc_first_name: 'Late', svc_email: ['late@noisy.example'] } });
  // The first attempt is ended; the second has all its time.
  await expect.poll(() => gate.fullStatements).toBe(1);
  await release();
  expect((await creating).status).toBe(201);
  const filter = { property: 'svc_first_name', operator: 'eq', value: 'Late' };
  expect((await noisy.post(`${contacts}query/`, { filter })).body.data).toHaveLength(1);
});
