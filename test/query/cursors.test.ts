// A query's cursor belongs to one query of one credential (contract 5): with any other query it is refused, and so is
// one that was changed; limit, properties and include may differ from page to page.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotateKey } from '../../src/engine/admin/keys.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { askPage, query } from '../support/query/ask.ts';
import { contacts, faultsOf, make, type RecordData } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let credentialId: string;
let client: Client;
let made: readonly RecordData[];
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const issued = await service.createKey(orgId);
  credentialId = issued.credentialId;
  client = service.client(issued.key);
  made = await makeContacts(client);
});
afterAll(() => service.stop());

/** Seven contacts of one last name, first names from Ada 6 down to Ada 0. */
async function makeContacts(caller: Client): Promise<readonly RecordData[]> {
  const records: RecordData[] = [];
  for (let index = 0; index < 7; index++) {
    const properties = { svc_first_name: `Ada ${6 - index}`, svc_last_name: 'Lovelace', svc_lead_score: 'hot' };
    records.push(await make(caller, 'svc_contact', properties));
  }
  return records;
}

const question = {
  filter: { property: 'svc_last_name', operator: 'eq', value: 'Lovelace' },
  search: 'love',
  sort: [{ property: 'svc_first_name', direction: 'asc' }],
};
const sorted = () => made.map(({ id }) => id).reverse();

async function firstCursor(caller: Client, body: object = question): Promise<string> {
  const { next } = await askPage(caller, 'svc_contact', { ...body, limit: 2 });
  expect(next).toEqual(expect.any(String));
  return next ?? '';
}

async function expectRefused(answer: Answer): Promise<void> {
  await expectProblem(answer, 'invalid_request', 'invalid_cursor');
  expect(faultsOf(answer)).toEqual([{ pointer: '/cursor', reason: 'invalid_cursor' }]);
}

test('a cursor continues where its page ended, as often as it is sent', async () => {
  const cursor = await firstCursor(client);
  for (let time = 0; time < 2; time++) {
    const page = await askPage(client, 'svc_contact', { ...question, limit: 3, cursor });
    expect(page.ids).toEqual(sorted().slice(2, 5));
    expect(page.next).not.toBeNull();
  }
});

test('limit, properties and include may change from page to page', async () => {
  const cursor = await firstCursor(client);
  for (const more of [
    { limit: 1 },
    { limit: 500 },
    {},
    { properties: ['svc_email'] },
    { include: ['svc_contact_to_company'] },
    { properties: ['svc_first_name'], include: ['svc_deal_to_contact', 'svc_record_to_org'], limit: 4 },
  ]) {
    const { status, body, text } = await query(client, 'svc_contact', { ...question, ...more, cursor });
    expect(status, text).toBe(200);
    const ids = body.data.map(({ id }: RecordData) => id);
    expect(ids).toEqual(sorted().slice(2, 2 + ('limit' in more ? (more.limit ?? 50) : 50)));
  }
});

const { filter, search, sort } = question;
const otherQuestions: readonly (readonly [string, object])[] = [
  ['without a filter', { search, sort }],
  ['with another value in the filter', { search, sort, filter: { ...filter, value: 'Lovelac' } }],
  ['with another operator in the filter', { search, sort, filter: { ...filter, operator: 'contains' } }],
  ['with another property in the filter', { search, sort, filter: { ...filter, property: 'svc_first_name' } }],
  ['with its filter negated', { search, sort, filter: { not: filter } }],
  ['without a search', { filter, sort }],
  ['with another search', { filter, sort, search: 'lovel' }],
  ['without a sort', { filter, search }],
  ['with an empty sort', { filter, search, sort: [] }],
  ['with another direction', { filter, search, sort: [{ ...sort[0], direction: 'desc' }] }],
  ['with another sort property', { filter, search, sort: [{ property: 'svc_last_name', direction: 'asc' }] }],
  ['with one more sort key', { filter, search, sort: [...sort, { property: 'svc_last_name', direction: 'asc' }] }],
];

test.each(otherQuestions)('a cursor sent %s is refused', async (_, other) => {
  const cursor = await firstCursor(client);
  await expectRefused(await query(client, 'svc_contact', { ...other, cursor }));
  // And the other way round, if the other query has a second page.
  const { next } = await askPage(client, 'svc_contact', { ...other, limit: 2 });
  if (next !== null) await expectRefused(await query(client, 'svc_contact', { ...question, cursor: next }));
});

test('a cursor of another type, credential or org is refused without a word about its origin', async () => {
  const cursor = await firstCursor(client, {});
  const neighbour = service.client((await service.createKey(orgId)).key);
  const stranger = await service.newClient();
  await makeContacts(stranger);
  const madeUp = await query(client, 'svc_contact', { cursor: 'abc' });
  for (const answer of [
    await query(client, 'svc_company', { cursor }),
    await query(neighbour, 'svc_contact', { cursor }),
    await query(stranger, 'svc_contact', { cursor }),
    await query(client, 'svc_contact', { cursor: await firstCursor(stranger, {}) }),
  ]) {
    await expectRefused(answer);
    expect(answer.body.detail).toBe(madeUp.body.detail);
  }
});

test('a cursor of the list is not valid for a query, nor the other way round', async () => {
  const { body } = await client.get(`${contacts}?limit=2`);
  await expectRefused(await query(client, 'svc_contact', { cursor: body.pagination?.next_cursor }));
  const answer = await client.get(`${contacts}?cursor=${await firstCursor(client, {})}`);
  await expectProblem(answer, 'invalid_request', 'invalid_cursor');
  expect(faultsOf(answer)).toEqual([{ parameter: 'cursor', reason: 'invalid_cursor' }]);
});

test('a cursor that is changed by one character, cut, lengthened or made up is refused', async () => {
  const cursor = await firstCursor(client);
  const changed = Array.from(cursor, (character, index) => {
    const other = character === 'A' ? 'B' : 'A';
    return `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`;
  });
  const cut = [1, 2, 8, cursor.length - 1].map((count) => cursor.slice(0, -count));
  const longer = [`${cursor}A`, `${cursor}AAAA`, `${cursor}=`, `${cursor}==`, `${cursor}\n`, ` ${cursor}`];
  const madeUp = ['a', '\u0001', 'null', '😀', made[1]?.id ?? '', Buffer.from('{"id":1}').toString('base64url')];
  for (const wrong of [...changed, ...cut, ...longer, ...madeUp, cursor.toLowerCase(), 'A'.repeat(5_000)]) {
    const answer = await query(client, 'svc_contact', { ...question, cursor: wrong });
    expect(answer.status, wrong).toBe(400);
    expect(faultsOf(answer)).toEqual([{ pointer: '/cursor', reason: 'invalid_cursor' }]);
  }
  await expectRefused(await query(client, 'svc_contact', { ...question, cursor: cut[0] }));
  expect((await query(client, 'svc_contact', { ...question, cursor })).status).toBe(200);
});

test('the same query written another way keeps its cursor', async () => {
  const cursor = await firstCursor(client);
  const { value, operator, property } = filter;
  const reordered = { cursor, sort, search, filter: { value, operator, property } };
  expect((await query(client, 'svc_contact', reordered)).status).toBe(200);
});

test('a cursor outlives the rotation of its key, and the process that gave it', async () => {
  const cursor = await firstCursor(client);
  const rotated = await rotateKey(service.database, credentialId, 3_600);
  const other = await startService({ databaseUrl: service.databaseUrl });
  try {
    for (const caller of [client, service.client(rotated.key), other.client(rotated.key)]) {
      await withinASecond(
        () => caller.get('/self/'),
        ({ status }) => status === 200,
      );
      const page = await askPage(caller, 'svc_contact', { ...question, limit: 2, cursor });
      expect(page.ids).toEqual(sorted().slice(2, 4));
    }
  } finally {
    await other.stop();
  }
});
