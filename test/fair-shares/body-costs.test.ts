// What a body costs: one unit of the rate limit for each 64 KiB, paid before the body is read or, if its length is not
// known, before it is parsed. A request that its path alone forbids is refused before anything is read or paid.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../src/access/grant.ts';
import { sql } from '../../src/base/sql.ts';
import { firstCustomId } from '../../src/schema/object-type.ts';
import { dossierParts, noisySchema } from '../support/fair-shares/prepare.ts';
import { expectProblem, openConnection, sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const contacts = '/rest/v1/objects/svc_contact/records/';
const dossiers = '/rest/v1/objects/dossier/records/';
const kibibyte = 1_024;

/** A key of a new org, and the heads of its requests. */
async function newOrg(quota: number, grants?: readonly Grant[]) {
  const orgId = await service.createOrg({ quota, windowSeconds: 60 });
  await service.applySchema(orgId, noisySchema);
  const { key } = await service.createKey(orgId, grants === undefined ? {} : { grants });
  const head = (path: string, ...headers: readonly string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      ...headers,
      '',
      '',
    ].join('\r\n');
  return { orgId, client: service.client(key), head };
}

/** A create with so many bytes. */
function create(bytes: number): string {
  const print = (characters: number) => JSON.stringify({ properties: dossierParts(characters, 'x') });
  // A record may not be as long as the longest body: the rest are blanks.
  let characters = bytes > 1_000_000 ? bytes - 10_000 : bytes;
  let text = print(characters);
  while (text.length > bytes) {
    characters -= text.length - bytes;
    text = print(characters);
  }
  return text.padEnd(bytes);
}
const unitsLeft = (headers: Headers) => Number(/r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test.each([
  [100, 1],
  [64 * kibibyte, 1],
  [64 * kibibyte + 1, 2],
  [640 * kibibyte, 10],
  [1_024 * kibibyte, 16],
])('a create of %i bytes costs %i units, with a length and in chunks', async (bytes, units) => {
  const { head } = await newOrg(1_000);
  const body = create(bytes);
  const declared = await sendOnce(service.port, head(dossiers, `Content-Length: ${bytes}`) + body);
  expect([declared.status, unitsLeft(declared.headers)]).toEqual([201, 1_000 - units]);
  const chunked = `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const undeclared = await sendOnce(service.port, head(dossiers, 'Transfer-Encoding: chunked') + chunked);
  expect([undeclared.status, unitsLeft(undeclared.headers)]).toEqual([201, 1_000 - 2 * units]);
});

test('a batch costs what its operations cost, or its size if that is more', async () => {
  const { client } = await newOrg(1_000);
  const item = { operation: 'create', object_type: 'svc_contact', properties: {} };
  const body = JSON.stringify({ operations: Array.from({ length: 101 }, () => item) });
  expect(unitsLeft((await client.post('/batch/', body)).headers)).toBe(1_000 - 3);
  const properties = { svc_body: 'x'.repeat(3_000) };
  const long = Array.from({ length: 101 }, () => ({ ...item, object_type: 'svc_note', properties }));
  expect(unitsLeft((await client.post('/batch/', { operations: long })).headers)).toBe(1_000 - 3 - 5);
});

test('many chunks cost more than their bytes', async () => {
  const { head } = await newOrg(1_000);
  const chunks = create(60_000).replaceAll(/.{1,20}/gs, (each) => `${each.length.toString(16)}\r\n${each}\r\n`);
  const answer = await sendOnce(service.port, `${head(dossiers, 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`);
  expect([answer.status, unitsLeft(answer.headers)]).toEqual([201, 1_000 - 24]);
});

test('a body that the quota does not cover is refused before it is sent, and nothing is written', async () => {
  const { orgId, client, head } = await newOrg(20);
  const bytes = 1_024 * kibibyte;
  for (let index = 0; index < 5; index++) await client.get('/self/');
  const waiting = head(dossiers, `Content-Length: ${bytes}`, 'Expect: 100-continue');
  const refused = await sendOnce(service.port, waiting);
  expectProblem(refused, 429, 'rate_limited', 'org_limit');
  expect(refused.closes).toBe(true);
  const chunked = `${bytes.toString(16)}\r\n${create(bytes)}\r\n0\r\n\r\n`;
  const undeclared = await sendOnce(service.port, head(dossiers, 'Transfer-Encoding: chunked') + chunked);
  expectProblem(undeclared, 429, 'rate_limited', 'org_limit');
  expect(undeclared.body.detail).toContain('may spend 20 units in 60 seconds');
  expect(undeclared.body.detail).toContain('this request costs');
  // What has arrived of it is paid, so the key may not ask any more.
  const written = sql`select r.id from orrery.record as r where r.org_id = ${orgId} and r.type_id >= ${firstCustomId}`;
  expect(await service.database.query(written)).toEqual([]);
});

test('a body that would cost more than the quota costs the whole quota, with a length and in chunks', async () => {
  const body = create(1_024 * kibibyte);
  for (const [framing, sent] of [
    [`Content-Length: ${body.length}`, body],
    ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ] as const) {
    const { head } = await newOrg(10);
    const answer = await sendOnce(service.port, head(dossiers, framing) + sent);
    expect([answer.status, unitsLeft(answer.headers)]).toEqual([201, 0]);
  }
});

test('chunks are paid as they arrive, even if the body never ends', async () => {
  const { client, head } = await newOrg(1_000);
  const connection = await openConnection(service.port);
  connection.send(`${head('/rest/v1/batch/', 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(16_000)}`);
  let asked = 0;
  const left = async () => unitsLeft((await client.get('/self/')).headers) + ++asked;
  await expect.poll(left).toBeLessThan(1_000 - 10);
  connection.destroy();
});

const readOnly: readonly Grant[] = [{ objectTypes: ['svc_contact'], operations: ['read'] }];

test.each([
  ['create of an unknown type', '/rest/v1/objects/svc_person/records/', 404, 'not_found', 'object_type_unknown'],
  [
    'query of a type that is not granted',
    '/rest/v1/objects/svc_deal/records/query/',
    404,
    'not_found',
    'object_type_unknown',
  ],
  ['create without the grant', contacts, 403, 'forbidden', 'operation_not_granted'],
] as const)('a %s is refused without its body', async (_, path, status, code, reason) => {
  const { head } = await newOrg(1_000, readOnly);
  const answer = await sendOnce(service.port, head(path, 'Content-Length: 1048576', 'Expect: 100-continue'));
  expectProblem(answer, status, code, reason);
  expect(answer.closes).toBe(true);
  expect(unitsLeft(answer.headers)).toBe(999);
});

test('a body that is allowed is asked for', async () => {
  const { head } = await newOrg(1_000);
  const connection = await openConnection(service.port);
  const body = create(100_000);
  connection.send(head(dossiers, `Content-Length: ${body.length}`, 'Expect: 100-continue'));
  expect((await connection.answer()).status).toBe(100);
  connection.send(body);
  const answer = await connection.answer();
  expect([answer.status, unitsLeft(answer.headers)]).toEqual([201, 998]);
  connection.destroy();
});
