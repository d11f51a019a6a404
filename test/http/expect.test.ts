// A client that waits before it sends its body (Expect: 100-continue, RFC 9110, 10.1.1): errors in the head are answered
// at once, and the 100 is sent only for a body that will be read. test/api/bodies.test.ts has sizes, types and paths.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { openConnection, sendOnce } from '../support/raw-connection.ts';
import { contacts } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
let spent: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
  const orgId = await service.createOrg();
  spent = service.client((await service.createKey(orgId)).key);
  await service.database.query(sql`
    update orrery.rate_window set started_at = now(), leased = 6000 where org_id = ${orgId}`);
});
afterAll(() => service.stop());

const json = 'Content-Type: application/json';
const body = '{"properties":{"svc_first_name":"Ada"}}';

function headOf(line: string, key: string | undefined, ...headers: readonly string[]): string {
  const lines = [`${line} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, ...headers, 'Expect: 100-continue'];
  return `${[...lines, ...(key === undefined ? [] : [`Authorization: Bearer ${key}`])].join('\r\n')}\r\n\r\n`;
}

test('a head that is refused is answered, and no body is asked for', async () => {
  const post = `POST /rest/v1${contacts}`;
  const length = `Content-Length: ${body.length}`;
  // Each connection stays open for a second, in case the body is sent anyway; all of them wait at the same time.
  const refusals = [
    ['no key', 401, service.client(), headOf(post, undefined, json, length)],
    ['a broken key', 401, service.client(), headOf(post, 'svc_live_x', json, length)],
    ['nothing left of the limit', 429, spent, headOf(post, spent.key, json, length)],
    ['no JSON wanted', 406, client, headOf(post, client.key, json, length, 'Accept: text/html')],
    ['two media types', 400, client, headOf(post, client.key, json, json, length)],
    ['an empty body', 400, client, headOf(post, client.key, json, 'Content-Length: 0')],
  ] as const;
  await Promise.all(
    refusals.map(async ([what, status, caller, text]) => {
      const answer = await sendOnce(service.port, text);
      expect(answer.status, what).toBe(status);
      await caller.verify('POST', contacts, answer);
    }),
  );
});

test('an operation without a body does not ask for one', async () => {
  const asked = await sendOnce(service.port, headOf('GET /rest/v1/self/', client.key, 'Connection: close'));
  expect((await client.verify('GET', '/self/', asked)).status).toBe(200);
  const sent = await sendOnce(service.port, headOf('GET /rest/v1/self/', client.key, 'Content-Length: 2'));
  expect((await client.verify('GET', '/self/', sent)).body.reason).toBe('body_not_taken');
});

test('a body without a length is asked for, and read', async () => {
  const connection = await openConnection(service.port);
  try {
    connection.send(headOf(`POST /rest/v1${contacts}`, client.key, json, 'Transfer-Encoding: chunked'));
    expect((await connection.answer()).status).toBe(100);
    connection.send(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect((await client.verify('POST', contacts, await connection.answer())).status).toBe(201);
  } finally {
    connection.destroy();
  }
});
