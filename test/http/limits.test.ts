// Input that is not a request, is too large or never ends: it gets a problem, the connection is closed where necessary,
// and the next client is not affected.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { expectProblem, expectStandardHeaders, openConnection, sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let authorization: string;
beforeAll(async () => {
  service = await startService();
  const { key } = await service.createKey(await service.createOrg());
  authorization = `Authorization: Bearer ${key}`;
});
afterAll(() => service.stop());

const request = (line: string, ...headers: readonly string[]) => [line, ...headers, '', ''].join('\r\n');
const getRoot = (...headers: readonly string[]) => request('GET /rest/v1/ HTTP/1.1', 'Host: a', ...headers);
const getSelf = (...headers: readonly string[]) =>
  request('GET /rest/v1/self/ HTTP/1.1', 'Host: a', authorization, ...headers);

async function expectHealthy(): Promise<void> {
  const answer = await sendOnce(service.port, getSelf());
  expect(answer.status, answer.text).toBe(200);
  expectStandardHeaders(answer);
}

test.each([
  ['a header of 17 KiB', getRoot(`X-Long: ${'a'.repeat(17_000)}`), 'invalid_header'],
  ['headers of 17 KiB together', getRoot(...Array(1_000).fill(`X-A: ${'a'.repeat(16)}`)), 'invalid_header'],
  ['a URL of 20 KiB', request(`GET /rest/v1/?${'a'.repeat(20_000)} HTTP/1.1`, 'Host: a'), 'invalid_header'],
  ['a request line of one word', request('GET', ''), 'malformed_http'],
  ['a method that does not exist', request('FETCH /rest/v1/ HTTP/1.1', 'Host: a'), 'malformed_http'],
  ['a method in lower case', request('get /rest/v1/ HTTP/1.1', 'Host: a'), 'malformed_http'],
  ['a version that does not exist', request('GET /rest/v1/ HTTP/1.9', 'Host: a'), 'malformed_http'],
  ['the preface of HTTP/2', request('PRI * HTTP/2.0', '', 'SM'), 'malformed_http'],
  ['the first bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'malformed_http'],
  ['a NUL in the URL', request('GET /rest/v1/\0 HTTP/1.1', 'Host: a'), 'malformed_http'],
  ['raw bytes in the URL', request('GET /rest/v1/\xc3\xa4 HTTP/1.1', 'Host: a'), 'malformed_http'],
  ['Content-Length before Transfer-Encoding', getRoot('Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\n'],
  ['Transfer-Encoding before Content-Length', getRoot('Transfer-Encoding: chunked', 'Content-Length: 5') + '0\r\n\r\n'],
  ['two Content-Length of one value', getRoot('Content-Length: 5', 'Content-Length: 5') + 'abcde'],
  ['two Content-Length of two values', getRoot('Content-Length: 5', 'Content-Length: 6') + 'abcdef'],
  ['a Content-Length with a sign', getRoot('Content-Length: +5') + 'abcde'],
  ['a Content-Length below zero', getRoot('Content-Length: -1')],
  ['a Content-Length past all numbers', getRoot(`Content-Length: ${'9'.repeat(40)}`)],
  ['a Transfer-Encoding that ends in another', getRoot('Transfer-Encoding: chunked, identity') + '0\r\n\r\n'],
  ['a bare LF after the request line', 'GET /rest/v1/ HTTP/1.1\nHost: a\n\n'],
  ['a bare LF after a header', 'GET /rest/v1/ HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n'],
  ['a bare CR in a header', getRoot('X-A: a\rb')],
  ['a folded header', getRoot('X-A: a', ' b')],
  ['a folded key', request('GET /rest/v1/self/ HTTP/1.1', 'Host: a', 'Authorization: Bearer', ' svc_live_a')],
  ['a space before the colon', getRoot('X-A : b')],
  ['a header without a name', getRoot(': b')],
])('%s is a problem, and the connection closes', async (_, text, reason = 'malformed_http') => {
  const answer = await sendOnce(service.port, text);
  expectProblem(answer, 400, 'invalid_request', reason);
  expect(answer.closes).toBe(true);
  await expectHealthy();
});

test.each([
  ['a body of 1 GiB', 'Content-Length: 1073741824'],
  ['a small body', 'Content-Length: 1'],
  ['an endless body', 'Transfer-Encoding: chunked'],
])('%s on GET is refused before it arrives, and the connection closes', async (_, header) => {
  const answer = await sendOnce(service.port, getSelf(header));
  expectProblem(answer, 400, 'invalid_request', 'body_not_taken');
  expect(answer.closes).toBe(true);
  await expectHealthy();
});

test('a body is not waited for, whatever else is wrong with the request', async () => {
  const body = 'Content-Length: 1073741824';
  const answers = await Promise.all([
    sendOnce(service.port, request('GET /rest/v1/self/ HTTP/1.1', 'Host: a', body)),
    sendOnce(service.port, request('GET /rest/v1/none/ HTTP/1.1', 'Host: a', body)),
    sendOnce(service.port, request('POST /rest/v1/self/ HTTP/1.1', 'Host: a', authorization, body)),
    sendOnce(service.port, getSelf('Accept: text/html', body)),
    sendOnce(service.port, request('POST /healthz HTTP/1.1', 'Host: a', body)),
    sendOnce(service.port, request('GET /healthz HTTP/1.1', 'Host: a', body)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([401, 404, 405, 406, 405, 200]);
  for (const answer of answers) expect(answer.closes).toBe(true);
});

/** Sends without end and without a pause, like a client that uploads everything before it reads the answer. */
async function flood(head: string, piece: string) {
  const connection = await openConnection(service.port);
  connection.send(head);
  const began = performance.now();
  while (!connection.socket.destroyed && performance.now() - began < 60_000) {
    for (let index = 0; index < 4; index++) connection.send(piece);
    await sleep(1);
  }
  return { answer: await connection.answer(), tookMs: performance.now() - began };
}

test.each([
  ['a body', () => getSelf('Transfer-Encoding: chunked'), `10000\r\n${'a'.repeat(65_536)}\r\n`, 'body_not_taken'],
  ['a header', () => getSelf('X-Long: a').trimEnd(), 'a'.repeat(65_536), 'invalid_header'],
] as const)(
  'a client that sends %s without end can read the answer, and is cut off soon after',
  async (_, head, piece, reason) => {
    const before = process.memoryUsage().rss;
    for (const { answer, tookMs } of await Promise.all(Array.from({ length: 5 }, () => flood(head(), piece)))) {
      expectProblem(answer, 400, 'invalid_request', reason);
      expect(tookMs).toBeLessThan(20_000);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    await expectHealthy();
  },
);

test('a broken chunk is a problem, whether or not the answer has started', async () => {
  const answer = await sendOnce(service.port, getSelf('Transfer-Encoding: chunked') + 'zz\r\n\r\n');
  expect(answer.status).toBe(400);
  expectStandardHeaders(answer);
  expect(answer.closes).toBe(true);
});

test('a URL of more than 8 KiB is refused, and the connection stays usable', async () => {
  const answer = await sendOnce(service.port, request(`GET /rest/v1/?${'a'.repeat(9_000)} HTTP/1.1`, 'Host: a'));
  expectProblem(answer, 400, 'invalid_request', 'limit_out_of_range');
  expect(answer.closes).toBe(false);
  const exact = `/rest/v1/?${'a'.repeat(8_192 - '/rest/v1/?'.length)}`;
  const longest = await sendOnce(service.port, request(`GET ${exact} HTTP/1.1`, 'Host: a'));
  expect(longest.body.reason).toBe('unknown_parameter');
});

test('no header is dropped, even when there are 2,000 before it', async () => {
  const many = Array(2_000).fill('a:b');
  const headers = ['Host: a', ...many, authorization];
  const answer = await sendOnce(service.port, request('GET /rest/v1/self/ HTTP/1.1', ...headers));
  expect(answer.status, answer.text).toBe(200);
  const body = await sendOnce(service.port, getSelf(...many, 'Content-Length: 1'));
  expectProblem(body, 400, 'invalid_request', 'body_not_taken');
});

test('an Expect that is not 100-continue is a problem', async () => {
  expectProblem(await sendOnce(service.port, getSelf('Expect: something')), 400, 'invalid_request', 'invalid_header');
});

test('a tunnel is refused with a problem, and its bytes are not taken for a request', async () => {
  const connect = request('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443');
  const answer = await sendOnce(service.port, connect + getSelf());
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toContain('GET');
  expect(answer.closes).toBe(true);
});

test('a client that has closed its side is answered, whether it sent a request or half of one', async () => {
  const whole = await openConnection(service.port);
  whole.socket.end(getSelf());
  expect(await whole.answer()).toMatchObject({ status: 200 });
  await whole.closed();
  const half = await openConnection(service.port);
  half.socket.end(getSelf().slice(0, 30));
  expectProblem(await half.answer(), 400, 'invalid_request', 'malformed_http');
  await half.closed();
});

test('HTTP/1.1 without a Host, or with two, is a problem', async () => {
  const none = await sendOnce(service.port, request('GET /rest/v1/ HTTP/1.1'));
  expectProblem(none, 400, 'invalid_request', 'invalid_header');
  expectProblem(await sendOnce(service.port, getRoot('Host: b')), 400, 'invalid_request', 'invalid_header');
});

test('HTTP/1.0 without a Host is served, and the connection closes', async () => {
  const answer = await sendOnce(service.port, request('GET /rest/v1/ HTTP/1.0'));
  expect(answer.status).toBe(200);
  expectStandardHeaders(answer);
  expect(answer.closes).toBe(true);
  expect(answer.body.data.docs_url).toBe(`http://localhost:${service.port}/docs/`);
});

test('a target in absolute form is served as its path', async () => {
  const line = `GET http://127.0.0.1:${service.port}/rest/v1/self/ HTTP/1.1`;
  const answer = await sendOnce(service.port, request(line, `Host: 127.0.0.1:${service.port}`, authorization));
  expect(answer.status).toBe(200);
  expectStandardHeaders(answer);
});

test('OPTIONS * names no resource of the service', async () => {
  const answer = await sendOnce(service.port, request('OPTIONS * HTTP/1.1', 'Host: a'));
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', reason: 'route_unknown' } });
  expect(answer.headers.get('svc-request-id')).toBe(answer.body.request_id);
});

test('an upgrade is ignored, and the request is served', async () => {
  const answer = await sendOnce(service.port, getSelf('Connection: Upgrade', 'Upgrade: websocket'));
  expect(answer.status).toBe(200);
});

test('a thousand connections full of nonsense leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const talkNonsense = async (count: number) => {
    for (let index = 0; index < count; index++) await sendOnce(service.port, `nonsense ${'a'.repeat(8_000)}\r\n\r\n`);
  };
  const used = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  await Promise.all(Array.from({ length: 10 }, () => talkNonsense(10)));
  const before = used();
  await Promise.all(Array.from({ length: 10 }, () => talkNonsense(100)));
  // The sockets stay open for a second for clients that read slowly.
  await expect.poll(() => used() - before).toBeLessThan(3_000_000);
  await expectHealthy();
});
