// Clients that hold a connection without using it: each is cut off after a timeout, with a problem if it can still be
// read. The timeouts are shorter here; their defaults are in base/limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { expectProblem, openConnection } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
/** On the same database with the usual times, to read what is stored however busy the machine is. */
let unhurried: TestService;
beforeAll(async () => {
  service = await startService({
    // A slow request is noticed up to a second late. The last timeout closes any silent connection without an answer, so
    // it leaves time for that, as its default does.
    timeouts: { headersTimeoutMs: 400, requestTimeoutMs: 800, keepAliveTimeoutMs: 3_000 },
  });
  unhurried = await startService({ databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await unhurried.stop();
  await service.stop();
});

test('the defaults are ten seconds for headers and thirty for a whole request', () => {
  expect(bounds.http).toMatchObject({ headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 });
});

test.concurrent.each([
  ['half a request line', 'GET /rest/v1/'],
  ['headers without an end', 'GET /rest/v1/ HTTP/1.1\r\nHost: a\r\nX-A: '],
])('%s is cut off with a problem', async (_, text) => {
  const connection = await openConnection(service.port);
  connection.send(text);
  expectProblem(await connection.answer(), 400, 'invalid_request', 'request_too_slow');
  expect(await connection.closed()).toBe('');
});

test.concurrent('a header that trickles in byte by byte is cut off all the same', async () => {
  const connection = await openConnection(service.port);
  connection.send('GET /rest/v1/ HTTP/1.1\r\nHost: a\r\nX-A: ');
  const trickle = setInterval(() => connection.send('a'), 50);
  expectProblem(await connection.answer(), 400, 'invalid_request', 'request_too_slow');
  await connection.closed();
  clearInterval(trickle);
});

test.concurrent('a connection that never sends anything is closed without an answer', async () => {
  const connection = await openConnection(service.port);
  const began = performance.now();
  expect(await connection.closed()).toBe('');
  expect(performance.now() - began).toBeLessThan(bounds.http.headersTimeoutMs);
});

test.concurrent('a connection that stays idle after a request is closed', async () => {
  const connection = await openConnection(service.port);
  connection.send('GET /rest/v1/ HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await connection.answer()).toMatchObject({ status: 200 });
  expect(await connection.closed()).toBe('');
});

test.concurrent('a body that never comes gets no second answer', async () => {
  const connection = await openConnection(service.port);
  connection.send('POST /rest/v1/ HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
  expectProblem(await connection.answer(), 405, 'method_not_allowed');
  expect(await connection.closed()).toBe('');
});

test.concurrent.each([
  ['stops half way', '{"properties":'],
  ['never begins', ''],
])('a body that is waited for and %s is cut off with one problem, and nothing is written', async (_, part) => {
  const client = await service.newClient();
  const connection = await openConnection(service.port);
  const head = `POST /rest/v1/objects/svc_contact/records/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}`;
  connection.send(`${head}\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n${part}`);
  expectProblem(await connection.answer(), 400, 'invalid_request', 'request_too_slow');
  expect(await connection.closed()).toBe('');
  expect((await unhurried.client(client.key).get('/objects/svc_contact/records/')).body.data).toEqual([]);
});

test.concurrent('a client that disconnects before its body has arrived leaves nothing behind', async () => {
  const client = await service.newClient();
  const head = `POST /rest/v1/objects/svc_contact/records/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}`;
  const body = '{"properties":{}}';
  for (const framing of ['Content-Length: 18', 'Transfer-Encoding: chunked']) {
    const connection = await openConnection(service.port);
    const sent = framing.startsWith('Content') ? body : `11\r\n${body}\r\n`;
    connection.send(`${head}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${sent}`);
    await sleep(100);
    connection.destroy();
  }
  await sleep(100);
  expect((await unhurried.client(client.key).get('/objects/svc_contact/records/')).body.data).toEqual([]);
  expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test.concurrent('a client that does not read its answers is cut off', async () => {
  const connection = await openConnection(service.port);
  connection.socket.pause();
  const asked = bounds.http.requestsBehind;
  connection.send('GET /rest/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(asked));
  // Once the service has sent nothing for longer than its timeout, the buffers are full.
  for (let handled = -1; handled !== service.logLines.length; ) {
    handled = service.logLines.length;
    await sleep(4_000);
  }
  // On a busy machine the timeout comes late.
  await sleep(4_000);
  connection.socket.resume();
  const received = await connection.closed();
  expect(received.split('HTTP/1.1 ').length - 1).toBeLessThan(asked);
});
