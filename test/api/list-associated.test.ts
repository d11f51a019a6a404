// GET /objects/{object_type}/records/{id}/associations/{association_type}/: works, refuses (contract 2, 5, 6, 7 and 8),
// page by page. association-grants.test.ts has who may read it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { associated, type End, idsOf, instant, link, linksPath, makeAll } from '../support/links.ts';
import { absentId } from '../support/operation-examples.ts';
import { faultsOf, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const worksAt = 'svc_contact_to_company';
const text = (name: string) => ({ name, label: name, field_type: 'text' });
const schema = {
  object_types: [
    { name: 'freelancer', label: 'Freelancer', kind: 'person', properties: [text('alias')] },
    { name: 'thing', label: 'Thing', properties: [text('label')] },
  ],
  association_types: [
    { name: 'part_of', source: 'thing', target: 'thing', cardinality: 'many_to_many' },
    { name: 'kept_by', source: 'thing', target: { kind: 'person' }, cardinality: 'many_to_many' },
  ],
};

let service: TestService;
let orgId: number;
let client: Client;
/** A contact with seven companies, which were linked in another order than they were made. */
let contact: RecordData;
let companies: readonly RecordData[];
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, schema);
  client = service.client((await service.createKey(orgId)).key);
  contact = await make(client, 'svc_contact', { svc_last_name: 'Lovelace' });
  const made: RecordData[] = [];
  for (let index = 0; index < 7; index++) {
    made.push(await make(client, 'svc_company', { svc_name: `Company ${index}`, svc_city: 'London' }));
  }
  companies = made;
  for (const { id } of [...made].reverse()) await link(client, contact, worksAt, id);
});
afterAll(() => service.stop());

async function page(caller: Client, record: End, type: string, query: string) {
  const { status, body, text: sent } = await caller.get(`${linksPath(record, type)}?${query}`);
  expect(status, sent).toBe(200);
  return { ids: idsOf(body.data), next: body.pagination?.next_cursor ?? null };
}

/** A cursor after the second of the companies. */
async function firstCursor(caller = client): Promise<string> {
  const { next } = await page(caller, contact, worksAt, 'limit=2');
  expect(next).toEqual(expect.any(String));
  return next ?? '';
}

describe('the list of linked records', () => {
  test('has whole records with the time of their link, in ascending order of id, from either end', async () => {
    const { body } = await client.get(linksPath(contact, worksAt));
    const items = companies.map((record) => ({ ...record, associated_at: expect.stringMatching(instant) }));
    expect(body.data).toEqual(items);
    expect(body.pagination).toEqual({ next_cursor: null });
    const [lonely] = await makeAll(client, 'svc_contact');
    expect(await associated(client, lonely, worksAt)).toEqual([]);
    const [back] = await associated(client, companies[0] as RecordData, worksAt);
    expect(back).toEqual({ ...(await read(client, contact)), associated_at: expect.stringMatching(instant) });
  });

  test('shows when the link was made, and not when the records were', async () => {
    const [one, two] = await makeAll(client, 'thing', 'thing');
    await sleep(5);
    await link(client, one, 'part_of', two.id);
    const [to] = await associated(client, one, 'part_of');
    const [from] = await associated(client, two, 'part_of', 'direction=incoming');
    expect(to?.associated_at).toBe(from?.associated_at);
    expect(to?.associated_at).toBe((await read(client, one)).properties['svc_updated_at']);
  });

  test('is the outgoing side unless asked otherwise, if the type is at both ends', async () => {
    const [one, two, three] = await makeAll(client, 'thing', 'thing', 'thing');
    await link(client, one, 'part_of', two.id);
    await link(client, two, 'part_of', three.id);
    const asked = async (query: string) => idsOf(await associated(client, two, 'part_of', query));
    expect(await asked('')).toEqual([three.id]);
    expect(await asked('direction=outgoing')).toEqual([three.id]);
    expect(await asked('direction=incoming')).toEqual([one.id]);
    // If there is only one direction, it may still be named.
    expect(idsOf(await associated(client, contact, worksAt, 'direction=outgoing'))).toHaveLength(7);
    const [company] = companies as readonly [RecordData];
    expect(idsOf(await associated(client, company, worksAt, 'direction=incoming'))).toEqual([contact.id]);
  });

  test('brings the types of a kind together, also custom ones', async () => {
    const [thing, freelancer, person] = await makeAll(client, 'thing', 'freelancer', 'svc_contact');
    for (const { id } of [person, freelancer]) await link(client, thing, 'kept_by', id);
    const found = await associated(client, thing, 'kept_by');
    expect(found.map(({ object_type, id }) => [object_type, id])).toEqual([
      ['freelancer', freelancer.id],
      ['svc_contact', person.id],
    ]);
    for (const end of [freelancer, person]) expect(idsOf(await associated(client, end, 'kept_by'))).toEqual([thing.id]);
  });

  test('gives users and the org by id and title alone', async () => {
    const userId = await service.createUser(orgId);
    const own = service.client((await service.createKey(orgId, { userId })).key);
    const thing = await make(own, 'thing');
    const associated_at = expect.stringMatching(instant);
    expect(await associated(client, thing, 'svc_record_to_user')).toEqual([
      { id: userId, object_type: 'svc_user', title: 'Ada', associated_at },
    ]);
    expect(await associated(client, thing, 'svc_record_to_org')).toEqual([
      { id: String(orgId), object_type: 'svc_org', title: 'Test', associated_at },
    ]);
    const users = [userId];
    for (let index = 0; index < 3; index++) users.push(await service.createUser(orgId));
    for (const id of users) await link(client, thing, 'svc_record_to_user', id);
    const first = await page(client, thing, 'svc_record_to_user', 'limit=3');
    const second = await page(client, thing, 'svc_record_to_user', `limit=3&cursor=${first.next}`);
    expect([...first.ids, ...second.ids]).toEqual(users.sort());
    expect(second.next).toBeNull();
  });

  test('leaves out deleted records, and has them again once they are restored', async () => {
    const [thing, one, two] = await makeAll(client, 'thing', 'svc_contact', 'svc_contact');
    for (const { id } of [one, two]) await link(client, thing, 'kept_by', id);
    const before = await associated(client, thing, 'kept_by');
    await client.delete(pathOfRecord(one));
    expect(idsOf(await associated(client, thing, 'kept_by'))).toEqual([two.id]);
    await succeed(client, [item('restore', 'svc_contact', { id: one.id })]);
    expect(idsOf(await associated(client, thing, 'kept_by'))).toEqual(idsOf(before));
    await client.delete(pathOfRecord(thing));
    await expectProblem(await client.get(linksPath(thing, 'kept_by')), 'not_found', 'record_unknown');
    expect(await associated(client, two, 'kept_by')).toEqual([]);
  });
});

describe('parameters', () => {
  test('properties names the values that are answered', async () => {
    const found = await associated(client, contact, worksAt, 'properties=svc_name,svc_domain&limit=2');
    expect(found.map(({ properties }) => properties)).toEqual([{ svc_name: 'Company 0' }, { svc_name: 'Company 1' }]);
    const answer = await client.get(`${linksPath(contact, worksAt)}?properties=svc_nmae,svc_last_name,svc_city`);
    await expectProblem(answer, 'invalid_request', 'unknown_property');
    expect(faultsOf(answer)).toMatchObject([
      { parameter: 'properties', property: 'svc_nmae', nearest: 'svc_name' },
      { parameter: 'properties', property: 'svc_last_name' },
    ]);
  });

  test('properties may name what one type of a kind has', async () => {
    const thing = await make(client, 'thing');
    const freelancer = await make(client, 'freelancer', { alias: 'X' });
    const person = await make(client, 'svc_contact', { svc_first_name: 'Ada', svc_last_name: 'Lovelace' });
    for (const { id } of [freelancer, person]) await link(client, thing, 'kept_by', id);
    const found = await associated(client, thing, 'kept_by', 'properties=alias,svc_first_name');
    expect(found.map(({ properties }) => properties)).toEqual([{ alias: 'X' }, { svc_first_name: 'Ada' }]);
    const wrong = await client.get(`${linksPath(thing, 'kept_by')}?properties=alias,label`);
    expect(faultsOf(wrong)).toMatchObject([{ parameter: 'properties', property: 'label' }]);
  });

  test('without a limit a page has 50', async () => {
    const created = Array.from({ length: 52 }, () => item('create', 'thing', { properties: {} }));
    const ids = (await succeed(client, created)).map(({ id }) => id ?? '');
    const [hub = '', ...others] = ids;
    const joins = others.map((id) => item('associate', 'thing', { id, association_type: 'part_of', target_id: hub }));
    await succeed(client, joins);
    const record = { object_type: 'thing', id: hub };
    const first = await page(client, record, 'part_of', 'direction=incoming');
    expect(first.ids).toEqual(others.slice(0, 50));
    const second = await page(client, record, 'part_of', `direction=incoming&cursor=${first.next}`);
    expect(second).toEqual({ ids: others.slice(50), next: null });
  });

  test.each([
    ...['0', '-1', '501', '1.5', '1e1', '', 'all'].map((text) => ['limit', text, 'limit_out_of_range']),
    ...['both', '', 'Outgoing', 'in'].map((text) => ['direction', text, 'invalid_parameter']),
  ])('%s of "%s" is refused', async (parameter, value, reason) => {
    const answer = await client.get(`${linksPath(contact, worksAt)}?${parameter}=${value}`);
    await expectProblem(answer, 'invalid_request', reason);
    expect(faultsOf(answer)).toEqual([{ parameter, reason }]);
  });

  test('are reported together', async () => {
    const query = 'limit=0&cursor=abc&properties=nope&direction=up&include=svc_record_to_org';
    const answer = await client.get(`${linksPath(contact, worksAt)}?${query}`);
    await expectProblem(answer, 'invalid_request');
    const places = faultsOf(answer).map(({ parameter, reason }) => `${parameter} ${reason}`);
    expect(places).toEqual(
      expect.arrayContaining([
        'cursor invalid_cursor',
        'direction invalid_parameter',
        'include unknown_parameter',
        'limit limit_out_of_range',
      ]),
    );
  });
});

test('anything that does not exist is refused', async () => {
  const [company] = companies as readonly [RecordData];
  const from = (id: string, object_type = 'svc_contact') => ({ object_type, id });
  for (const [record, type, query, reason] of [
    [from(contact.id, 'nope'), worksAt, '', 'object_type_unknown'],
    [from(String(orgId), 'svc_org'), 'svc_record_to_org', '', 'object_type_unknown'],
    [from(absentId), worksAt, '', 'record_unknown'],
    [from(company.id), worksAt, '', 'record_unknown'],
    [from('abc'), worksAt, '', 'record_unknown'],
    [contact, 'nope', '', 'association_type_unknown'],
    [contact, 'svc_deal_to_company', '', 'association_type_unknown'],
    [contact, worksAt, '?direction=incoming', 'association_type_unknown'],
    [company, worksAt, '?direction=outgoing', 'association_type_unknown'],
  ] as const) {
    const answer = await client.get(`${linksPath(record, type)}${query}`);
    await expectProblem(answer, 'not_found', reason);
  }
});

test.each([1, 2, 6, 7, 8, 500])('a limit of %i cuts the list into pages without gaps or repetitions', async (limit) => {
  const seen: string[] = [];
  let query = `limit=${limit}`;
  for (let pages = 0; pages < Math.ceil(companies.length / limit); pages++) {
    const { ids, next } = await page(client, contact, worksAt, query);
    expect(ids.length).toBe(Math.min(limit, companies.length - seen.length));
    seen.push(...ids);
    expect(next === null).toBe(seen.length === companies.length);
    query = `limit=${limit}&cursor=${next}`;
  }
  expect(seen).toEqual(idsOf(companies));
});

test('a cursor is bound to neither limit nor properties, and can be used again', async () => {
  const cursor = await firstCursor();
  for (let repeat = 0; repeat < 2; repeat++) {
    const { body } = await client.get(`${linksPath(contact, worksAt)}?limit=3&properties=svc_name&cursor=${cursor}`);
    expect(idsOf(body.data)).toEqual(idsOf(companies.slice(2, 5)));
    expect(body.data[0].properties).toEqual({ svc_name: 'Company 2' });
  }
});

test('a cursor is bound to path, direction, operation, credential and org', async () => {
  const cursor = await firstCursor();
  const [hub, one, two] = await makeAll(client, 'thing', 'thing', 'thing');
  for (const { id } of [one, two]) await link(client, hub, 'part_of', id);
  for (const { id } of [one, two]) await link(client, { object_type: 'thing', id }, 'part_of', hub.id);
  const outgoing = (await page(client, hub, 'part_of', 'limit=1')).next;
  const neighbour = service.client((await service.createKey(orgId)).key);
  const stranger = await service.newClient();
  const [other] = await makeAll(client, 'svc_contact');
  const madeUp = await client.get(`${linksPath(contact, worksAt)}?cursor=abc`);
  for (const answer of [
    madeUp,
    await client.get(`${linksPath(other, worksAt)}?cursor=${cursor}`),
    await client.get(`${linksPath(contact, 'svc_deal_to_contact')}?cursor=${cursor}`),
    await client.get(`${recordsPath('svc_company')}?cursor=${cursor}`),
    await client.get(`${linksPath(hub, 'part_of')}?direction=incoming&cursor=${outgoing}`),
    await neighbour.get(`${linksPath(contact, worksAt)}?cursor=${cursor}`),
    await client.get(`${linksPath(contact, worksAt)}?cursor=${cursor.slice(0, -1)}`),
    await client.get(`${linksPath(contact, worksAt)}?cursor=`),
  ]) {
    await expectProblem(answer, 'invalid_request', 'invalid_cursor');
    expect(faultsOf(answer)).toEqual([{ parameter: 'cursor', reason: 'invalid_cursor' }]);
  }
  // For another org the record does not exist at all.
  const foreign = await stranger.get(`${linksPath(contact, worksAt)}?cursor=${cursor}`);
  expect([400, 404]).toContain(foreign.status);
  expect((await page(client, hub, 'part_of', `direction=outgoing&cursor=${outgoing}`)).ids).toEqual([two.id]);
});

test('a cursor of an include continues here', async () => {
  const created = Array.from({ length: 13 }, () => item('create', 'svc_company', { properties: {} }));
  const ids = (await succeed(client, created)).map(({ id }) => id ?? '');
  const person = await make(
    client,
    'svc_contact',
    {},
    ids.map((id) => ({ association_type: worksAt, target_id: id })),
  );
  const filter = { property: 'id', operator: 'eq', value: person.id };
  const { body } = await client.post(`${recordsPath('svc_contact')}query/`, { filter, include: [worksAt] });
  const { items, next_cursor } = body.data[0].associations[worksAt];
  const rest = await page(client, person, worksAt, `cursor=${next_cursor}`);
  expect([...idsOf(items), ...rest.ids]).toEqual(ids);
  expect(rest.next).toBeNull();
});

test('a cursor skips and repeats nothing while links come and go', async () => {
  const person = await make(client, 'svc_contact');
  for (const { id } of companies) await link(client, person, worksAt, id);
  const first = await page(client, person, worksAt, 'limit=3');
  const [, , third, fourth, fifth] = companies as readonly RecordData[];
  for (const gone of [third, fourth]) await client.delete(`${linksPath(person, worksAt)}${gone?.id}/`);
  const late = await make(client, 'svc_company');
  await link(client, person, worksAt, late.id);
  const rest = await page(client, person, worksAt, `cursor=${first.next}`);
  expect(rest.ids).toEqual([fifth?.id, ...idsOf(companies.slice(5)), late.id]);
});
