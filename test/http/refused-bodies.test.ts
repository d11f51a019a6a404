// A refused body is discarded for a moment, so that its client can read the answer, but only so much of it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { openConnection } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const head = (framing: string) =>
  `POST /rest/v1/batch/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

test('a client without a key whose endless body comes in tiny chunks is cut off before the moment is over', async () => {
  const chunks = '1\r\n \r\n'.repeat(2 * bounds.http.lingerChunks);
  const startedMs = performance.now();
  const connection = await openConnection(service.port);
  connection.send(head('Transfer-Encoding: chunked') + chunks);
  expect((await connection.answer()).status).toBe(401);
  await connection.closed();
  expect(performance.now() - startedMs).toBeLessThan(bounds.http.lingerMs / 2);
});

test('a client that sends the longest body gets its answer when all of it has arrived', async () => {
  const body = 'x'.repeat(8_388_608);
  const connection = await openConnection(service.port);
  connection.send(head(`Content-Length: ${body.length}`) + body);
  expect((await connection.answer()).status).toBe(401);
  expect(await connection.closed()).toBe('');
  expect(connection.socket.errored).toBeNull();
});
