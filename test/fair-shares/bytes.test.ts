// Bytes in flight: bodies that never end and answers that nobody reads are bounded for an org, are cut off, and leave
// nothing behind. Long answers are the same on the wire as if they were sent at once. The bounds are lower here.
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Client } from '../support/client.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { expectProblem, openConnection, sendOnce } from '../support/raw-connection.ts';
import { contacts, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const megabyte = 1_048_576;
const pagePath = `${recordsPath('svc_note')}?limit=100`;
const records = 100;
const recordCharacters = 60_000;

let service: TestService;
let client: Client;
let resetBounds: () => void;
beforeAll(async () => {
  resetBounds = lowerBounds({
    shares: { bytesOfOrg: 8 * megabyte, bytes: 16 * megabyte },
    http: { stalledMs: 60_000, stallSweepMs: 50 },
    // A page that is longer than what the operating system keeps for a client that does not read.
    store: { pageBytes: 16 * megabyte },
  });
  service = await startService();
  client = await service.newClient();
  const body = '😀 äöü € '.padEnd(recordCharacters, 'word ');
  const create = { operation: 'create', object_type: 'svc_note', properties: { svc_body: body } };
  const operations = Array.from({ length: records }, () => create);
  expect((await client.post('/batch/', { operations })).status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  resetBounds();
});

async function inFlight(): Promise<number> {
  const { text } = await service.client().raw('GET', '/metrics');
  return Number(/^orrery_bytes_in_flight ([0-9]+)$/m.exec(text)?.[1]);
}

/** The metrics are up to a second old, and asking for them more often would be refused. */
const patiently = { timeout: 20_000, interval: 250 };

async function expectNothingInFlight(): Promise<void> {
  await expect.poll(inFlight, patiently).toBe(0);
}

const headOf = (method: string, path: string, { key }: Client, ...headers: readonly string[]) =>
  [`${method} /rest/v1${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');

const batchHead = (sender: Client, framing: string) =>
  headOf('POST', '/batch/', sender, 'Content-Type: application/json', framing);

/** A client that sends its requests and then reads nothing. */
async function openDeaf(...requests: readonly string[]): Promise<Socket> {
  const { socket } = await openConnection(service.port);
  socket.pause();
  socket.write(requests.join(''));
  return socket;
}

const cutOff = () => service.logLines.filter((line) => line.includes('cut off')).length;

/** From now on, and until the returned function is called, clients that make no progress are cut off soon. */
const cutSoon = () => lowerBounds({ http: { stalledMs: 300 } });

async function expectClosed(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.resume();
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed), { timeout: 20_000 }).toBe(true);
}

test('an org whose answers nobody reads is refused while others are served, until the readers are cut off', async () => {
  const deaf: Socket[] = [];
  const listenNot = async () => {
    deaf.push(await openDeaf(headOf('GET', pagePath, client)));
    await sleep(100);
    return inFlight();
  };
  await expect.poll(listenNot).toBeGreaterThan(8 * megabyte);
  for (const path of ['/self/', pagePath]) {
    const refused = await client.get(path, { allowFault: true });
    expect(refused, refused.text).toMatchObject({ status: 503, body: { code: 'unavailable', reason: 'overloaded' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body.detail).toContain('8 MiB');
  }
  const other = await service.newClient();
  expect((await other.get('/self/')).status).toBe(200);
  expect((await other.post(contacts, { properties: {} })).status).toBe(201);
  const reset = cutSoon();
  await expectNothingInFlight();
  reset();
  expect(cutOff()).toBeGreaterThan(1);
  await expectClosed(deaf.slice(0, 2));
  for (const socket of deaf) socket.destroy();
  expect((await client.get('/self/')).status).toBe(200);
});

test('a compressed answer counts by the bytes of that form', async () => {
  const page = headOf('GET', `${recordsPath('svc_note')}?limit=1`, client, 'Accept-Encoding: br');
  // It cannot leave before the answer of the long poll.
  const deaf = await openDeaf(headOf('GET', '/changes/?cursor=latest&wait=20', client), page);
  await expect.poll(inFlight, patiently).toBeGreaterThan(100);
  expect(await inFlight()).toBeLessThan(recordCharacters / 10);
  deaf.destroy();
  await expectNothingInFlight();
});

test('an answer that waits behind a long poll is not taken for one that nobody reads', async () => {
  const reset = cutSoon();
  const connection = await openConnection(service.port);
  connection.send(headOf('GET', '/changes/?cursor=latest&wait=2', client) + headOf('GET', pagePath, client));
  const [first, second] = [await connection.answer(), await connection.answer()];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.data).toHaveLength(records);
  connection.destroy();
  await expectNothingInFlight();
  reset();
});

test('after a long answer the next read of its org waits, beside others', async () => {
  const reset = lowerBounds({ shares: { answerRestMs: 60_000, restMs: 4_000 } });
  const other = await service.newClient();
  expect((await other.get(recordsPath('svc_contact'))).status).toBe(200);
  expect((await client.get(pagePath)).body.data).toHaveLength(records);
  const startedMs = performance.now();
  expect((await client.get(`${recordsPath('svc_note')}?limit=1`)).status).toBe(200);
  expect(performance.now() - startedMs).toBeGreaterThan(400);
  reset();
});

test('a slow reader gets its page as long as it makes progress', async () => {
  const reset = cutSoon();
  const connection = await openConnection(service.port);
  connection.send(headOf('GET', pagePath, client));
  let isReading = true;
  const read = async () => {
    while (isReading) {
      connection.socket.pause();
      await sleep(60);
      connection.socket.resume();
      await sleep(1);
    }
  };
  const reading = read();
  expect((await connection.answer()).body.data).toHaveLength(records);
  isReading = false;
  await reading;
  connection.destroy();
  reset();
});

test('a reader that makes too little progress is cut off when its time is over', async () => {
  const before = cutOff();
  const reset = lowerBounds({ http: { answerMs: 300, answerBytesPerSecond: 100 * megabyte } });
  const deaf = await openDeaf(headOf('GET', pagePath, client));
  await expect.poll(cutOff, { timeout: 20_000 }).toBe(before + 1);
  reset();
  await expectClosed([deaf]);
  await expectNothingInFlight();
});

test('bodies that stop before their last byte count in full, are refused above the bound, and are cut off', async () => {
  const length = 2 * megabyte;
  const body = '["'.padEnd(length - 1, 'x');
  const stopped = await Promise.all([1, 2, 3, 4].map(() => openConnection(service.port)));
  for (const connection of stopped) connection.send(batchHead(client, `Content-Length: ${length}`) + body);
  await expect.poll(inFlight, patiently).toBe(4 * length);
  const late = await sendOnce(service.port, batchHead(client, `Content-Length: ${length}`) + body);
  expectProblem(late, 503, 'unavailable', 'overloaded');
  expect(late.headers.get('retry-after')).toBe('1');
  const chunk = `${length.toString(16)}\r\n${body} \r\n`;
  const chunked = await sendOnce(service.port, batchHead(client, 'Transfer-Encoding: chunked') + chunk);
  expectProblem(chunked, 503, 'unavailable', 'overloaded');
  // A short body is neither counted nor refused, unless the org has more than its bound already.
  expect((await client.post(contacts, { properties: {} })).status).toBe(201);
  const other = await service.newClient();
  const fits = await sendOnce(service.port, `${batchHead(other, 'Content-Length: 5000')}${' '.repeat(5_000)}`);
  expect(fits.status).toBe(400);
  for (const connection of stopped) connection.destroy();
  await expectNothingInFlight();
});

test('a body that stops is answered and cut off before the time of a whole request is over', async () => {
  const reset = cutSoon();
  const connection = await openConnection(service.port);
  connection.send(`${batchHead(client, 'Content-Length: 100000')}{"operations":`);
  expectProblem(await connection.answer(), 400, 'invalid_request', 'request_too_slow');
  expect(await connection.closed()).toBe('');
  reset();
  await expectNothingInFlight();
});

test('nothing stays in flight after requests that fail or are broken off, and after answers without a body', async () => {
  const long = `{"operations":["${'x'.repeat(100_000)}`;
  await sendOnce(service.port, batchHead(client, `Content-Length: ${long.length}`) + long);
  await sendOnce(service.port, batchHead(client, `Content-Length: ${9 * megabyte}`));
  for (const framing of [`Content-Length: ${long.length + 1}`, 'Transfer-Encoding: chunked']) {
    const sent = framing.startsWith('Content') ? long : `${long.length.toString(16)}\r\n${long}\r\n`;
    const connection = await openConnection(service.port);
    connection.send(batchHead(client, framing) + sent);
    await expect.poll(inFlight, patiently).toBeGreaterThan(0);
    connection.destroy();
    await expectNothingInFlight();
  }
  const head = await client.raw('HEAD', `/rest/v1${pagePath}`);
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(records * recordCharacters);
  // Broken off in the middle of its answer, and behind an answer that never had its turn.
  const behind = headOf('GET', '/changes/?cursor=latest&wait=20', client);
  for (const first of ['', behind]) {
    const deaf = await openDeaf(first, headOf('GET', pagePath, client));
    await expect.poll(inFlight, patiently).toBeGreaterThan(0);
    deaf.destroy();
    await expectNothingInFlight();
  }
});

test('a long page is the same on the wire whether it is sent in pieces or at once', async () => {
  const [pieces, whole] = [await wirePage(1_000), await wirePage(100 * megabyte)];
  expect(pieces.headers.get('content-length')).toBe(String(Buffer.byteLength(pieces.text)));
  expect([...pieces.headers.keys()]).toEqual([...whole.headers.keys()]);
  const comparable = (text: string) => text.replace(/"(request_id|changes_cursor)":"[^"]+"/g, '');
  expect(comparable(pieces.text) === comparable(whole.text)).toBe(true);
  expect(pieces.body.data).toHaveLength(records);
});

async function wirePage(pieceBytes: number) {
  const reset = lowerBounds({ http: { pieceBytes } });
  const connection = await openConnection(service.port);
  connection.send(headOf('GET', pagePath, client));
  const answer = await connection.answer();
  connection.destroy();
  reset();
  return answer;
}
