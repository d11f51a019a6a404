// Several requests on one connection: answers keep the order of the requests, and the answer to broken input never comes
// in place of another one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { holdRow } from '../support/database.ts';
import { expectProblem, expectStandardHeaders, openConnection } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A request that waits for the database until it is released. */
async function heldRequest() {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  const letGo = await holdRow(service.databaseUrl, `select from orrery.rate_window where org_id = ${orgId} for update`);
  return { text: `GET /rest/v1/self/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`, orgId, letGo };
}

const getRoot = 'GET /rest/v1/ HTTP/1.1\r\nHost: a\r\n\r\n';

test('two requests that are sent at once are answered in their order', async () => {
  const held = await heldRequest();
  const connection = await openConnection(service.port);
  connection.send(held.text + getRoot);
  await sleep(50);
  await held.letGo();
  const first = await connection.answer();
  const second = await connection.answer();
  expect(first.body.data.org_id).toBe(held.orgId);
  expect(second.body.data.name).toBe('orrery');
  for (const answer of [first, second]) expectStandardHeaders(answer);
  connection.destroy();
});

test.each([
  ['nonsense', 'nonsense\r\n\r\n', 400, 'invalid_request', 'malformed_http'],
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405, 'method_not_allowed', undefined],
] as const)('%s after a request is answered after it', async (_, text, status, code, reason) => {
  const held = await heldRequest();
  const connection = await openConnection(service.port);
  connection.send(held.text + text);
  await sleep(50);
  await held.letGo();
  const first = await connection.answer();
  expect(first.status, first.text).toBe(200);
  expect(first.body.data.org_id).toBe(held.orgId);
  expectProblem(await connection.answer(), status, code, reason);
  expect(await connection.closed()).toBe('');
});

test('endless nonsense after a request is answered once', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const held = await heldRequest();
  const connection = await openConnection(service.port);
  connection.send(held.text);
  for (let index = 0; index < 30; index++) {
    connection.send('nonsense\r\n\r\n');
    await sleep(3);
  }
  await held.letGo();
  expect(await connection.answer()).toMatchObject({ status: 200 });
  expectProblem(await connection.answer(), 400, 'invalid_request', 'malformed_http');
  expect(await connection.closed()).toBe('');
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('a broken body after a request does not take the place of its answer', async () => {
  const held = await heldRequest();
  const connection = await openConnection(service.port);
  const broken = 'GET /rest/v1/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
  connection.send(held.text + broken);
  await sleep(50);
  await held.letGo();
  // The connection may end without an answer, but the first answer can only belong to the first request.
  const rest = await connection.answer().then(
    (answer) => answer.body.data.org_id,
    () => held.orgId,
  );
  expect(rest).toBe(held.orgId);
  await connection.closed();
});

test('twenty requests in one packet get twenty answers with ids of their own', async () => {
  const connection = await openConnection(service.port);
  connection.send(getRoot.repeat(20));
  const ids = new Set<string>();
  for (let index = 0; index < 20; index++) ids.add((await connection.answer()).body.request_id);
  expect(ids.size).toBe(20);
  connection.destroy();
});

test('a connection with too many requests behind an open one gets its answers and is closed, and one with fewer goes on', async () => {
  const held = await heldRequest();
  const [few, many] = [await openConnection(service.port), await openConnection(service.port)];
  few.send(held.text + getRoot.repeat(bounds.http.requestsBehind));
  many.send(held.text + getRoot.repeat(bounds.http.requestsBehind + 500));
  await held.letGo();
  for (let index = 0; index <= bounds.http.requestsBehind; index++) expect((await many.answer()).status).toBe(200);
  const last = await many.answer();
  expect([last.status, last.body.reason, last.headers.get('connection')]).toEqual([503, 'overloaded', 'close']);
  expect(await many.closed()).toBe('');
  for (let index = 0; index <= bounds.http.requestsBehind; index++) expect((await few.answer()).status).toBe(200);
  // Answered requests do not count any more.
  few.send(getRoot.repeat(bounds.http.requestsBehind));
  for (let index = 0; index < bounds.http.requestsBehind; index++) expect((await few.answer()).status).toBe(200);
  few.destroy();
});

test('a client that sends far too many requests, and goes on sending, still gets all answers before the connection ends', async () => {
  const held = await heldRequest();
  const connection = await openConnection(service.port);
  connection.send(held.text + getRoot.repeat(20_000));
  await held.letGo();
  for (let index = 0; index <= bounds.http.requestsBehind; index++)
    expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(503);
  expect(await connection.closed()).toBe('');
  // It was closed in order, not reset: a reset can take away answers that are on their way.
  expect(connection.socket.errored).toBeNull();
});
