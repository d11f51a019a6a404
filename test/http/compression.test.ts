// Answers are compressed for clients that accept it, and say the same as those that are not.
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
const filter = '/objects/svc_note/records/?limit=';
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
  const notes = Array.from({ length: 100 }, (_, index) => `Nöte ${index} ${'words and words '.repeat(60)}`);
  await succeed(
    client,
    notes.map((svc_body) => item('create', 'svc_note', { properties: { svc_body } })),
  );
});
afterAll(() => service.stop());

interface Sent {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is on the wire: `fetch` would hide the coding. */
function send(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${service.url}/rest/v1${path}`,
      { method, headers: { authorization: `Bearer ${client.key}`, ...headers }, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const dataOf = (text: Buffer) => JSON.parse(text.toString()).data;

test.each([
  ['br', 2],
  ['gzip', 2],
  ['br', 100],
  ['gzip', 100],
] as const)('%s: a page of %i notes is small, and the same', async (coding, limit) => {
  const plain = await send(`${filter}${limit}`, {});
  expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.body.length > 65_536).toBe(limit === 100);
  const coded = await send(`${filter}${limit}`, { 'accept-encoding': coding });
  expect(coded.headers).toMatchObject({
    'content-encoding': coding,
    'content-length': String(coded.body.length),
    vary: 'Accept-Encoding',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(coded.body.length).toBeLessThan(plain.body.length / 3);
  expect(dataOf(decoders[coding](coded.body))).toEqual(dataOf(plain.body));
});

test('short answers are sent as they are, and HEAD has the headers of GET', async () => {
  const short = await send('/', { 'accept-encoding': 'br, gzip' });
  expect(short.headers['content-encoding']).toBeUndefined();
  expect(short.headers['vary']).toBeUndefined();
  const head = await send(`${filter}100`, { 'accept-encoding': 'br' }, 'HEAD');
  expect([head.headers['content-encoding'], head.body.length]).toEqual(['br', 0]);
});

test('an answer is compressed from 1,024 bytes on', async () => {
  const { id: measured } = await make(client, 'svc_note', { svc_body: 'x'.repeat(500) });
  const path = (id: string) => `/objects/svc_note/records/${id}/?properties=svc_body`;
  const around = (await send(path(measured), {})).body.length - 500;
  for (const [bytes, coding] of [
    [1_023, undefined],
    [1_024, 'gzip'],
  ] as const) {
    const { id } = await make(client, 'svc_note', { svc_body: 'x'.repeat(bytes - around) });
    const plain = await send(path(id), {});
    expect([plain.body.length, plain.headers['vary']]).toEqual([bytes, coding && 'Accept-Encoding']);
    const { headers } = await send(path(id), { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding'], `${bytes} bytes`).toBe(coding);
  }
});

test('problems are compressed too', async () => {
  const { status, headers, body } = await send(`/objects/svc_note/records/?${'unknown=1&'.repeat(20)}`, {
    'accept-encoding': 'gzip',
  });
  expect([status, headers['content-encoding']]).toEqual([400, 'gzip']);
  expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ code: 'invalid_request' });
});

test('more long answers than are compressed at once are sent as they are', async () => {
  const usual = lowerBounds({ http: { compressedOfOwner: 0 } });
  try {
    const { headers, body } = await send(`${filter}100`, { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(dataOf(body)).toHaveLength(100);
  } finally {
    usual();
  }
  const together = await Promise.all(
    Array.from({ length: 12 }, () => send(`${filter}100`, { 'accept-encoding': 'br' })),
  );
  for (const { headers, body } of together) {
    const isCoded = headers['content-encoding'] === 'br';
    expect(dataOf(isCoded ? brotliDecompressSync(body) : body)).toHaveLength(100);
  }
  // Each has given its turn back.
  expect((await send(`${filter}100`, { 'accept-encoding': 'br' })).headers['content-encoding']).toBe('br');
});

test('the OpenAPI document has a tag, and is not sent again to those who have it', async () => {
  const first = await send('/openapi.json', { 'accept-encoding': 'br' });
  const tag = String(first.headers['etag']);
  expect(tag).toMatch(/^W\/"[\w-]{43}"$/);
  expect(JSON.parse(brotliDecompressSync(first.body).toString())).toMatchObject({ openapi: '3.1.1' });
  const again = await send('/openapi.json', { 'if-none-match': tag });
  expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, tag]);
  expect([first.headers['vary'], again.headers['vary']]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
  expect(again.headers['svc-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect((await send('/openapi.json', { 'if-none-match': '"other"' })).status).toBe(200);
});
