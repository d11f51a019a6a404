// POST /objects/{object_type}/records/query/: works, refuses, permits (contract 2, 4, 5, 7, 8 and 9). That filters, sorts,
// searches and pages mean what they should is in test/query.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { newId } from '../../src/base/id.ts';
import { refusals } from '../support/api/query-refusals.ts';
import { hops, nested } from '../support/api/refused-filters.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { askAll, askPage, query, queryPath } from '../support/query/ask.ts';
import type { Filter } from '../support/query/model.ts';
import { faultsOf, make, pathOfRecord, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, client } = await newOrg());
});
afterAll(() => service.stop());

async function newOrg(): Promise<{ readonly orgId: number; readonly client: Client }> {
  const org = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const score = { name: 'score', label: 'Score', field_type: 'number' };
  const vip = { name: 'vip', label: 'VIP', field_type: 'boolean' };
  await service.applySchema(org, { properties: { svc_contact: [score, vip] } });
  return { orgId: org, client: service.client((await service.createKey(org)).key) };
}

const is = (property: string, operator: string, value?: unknown): Filter => ({ property, operator, value });
const found = (caller: Client, filter: Filter, type = 'svc_contact') => askAll(caller, type, { filter });
const toCompany = (target_id: string) => [{ association_type: 'svc_contact_to_company', target_id }];
const linked = (more: object = {}): Filter => ({
  association: 'svc_contact_to_company',
  operator: 'exists',
  ...more,
});

describe('a query', () => {
  test('of nothing but {} is the list: whole records in order of creation, 50 a page', async () => {
    const { client: own } = await newOrg();
    const creates = Array.from({ length: 60 }, (_, index) =>
      item('create', 'svc_contact', { properties: { svc_last_name: `Ada ${index}`, svc_email: [`${index}@a.b`] } }),
    );
    await succeed(own, creates);
    const first = await query(own, 'svc_contact', {});
    const listed = await own.get('/objects/svc_contact/records/?limit=60');
    expect(first.status, first.text).toBe(200);
    expect(first.body.data).toEqual(listed.body.data.slice(0, 50));
    const second = await query(own, 'svc_contact', { cursor: first.body.pagination?.next_cursor });
    expect(second.body.data).toEqual(listed.body.data.slice(50));
    expect(second.body.pagination?.next_cursor).toBeNull();
  });

  test('without a match is empty, and so is one of a type without records', async () => {
    expect(await askPage(client, 'svc_contact', { search: 'nobodyhasthis' })).toEqual({ ids: [], next: null });
    expect(await askPage(client, 'svc_risk', {})).toEqual({ ids: [], next: null });
  });

  test('answers the properties that it names, with any filter and sort', async () => {
    const { id } = await make(client, 'svc_contact', {
      svc_last_name: 'Projected',
      svc_first_name: 'P',
      score: '12.50',
    });
    const filter = is('svc_last_name', 'eq', 'PROJECTED');
    const sort = [{ property: 'svc_first_name', direction: 'asc' }];
    const { body } = await query(client, 'svc_contact', { filter, sort, properties: ['score', 'svc_email'] });
    expect(body.data).toEqual([{ id, object_type: 'svc_contact', version: '1', properties: { score: '12.50' } }]);
    const whole = await query(client, 'svc_contact', { filter, sort });
    expect(whole.body.data).toEqual([await read(client, { object_type: 'svc_contact', id })]);
  });

  test('sees create, update, delete and restore as soon as they are answered', async () => {
    const record = await make(client, 'svc_contact', { score: '7.0' });
    expect(await found(client, is('score', 'eq', '7'))).toEqual([record.id]);
    await client.patch(pathOfRecord(record), { properties: { score: '8' } });
    expect(await found(client, is('score', 'eq', '7'))).toEqual([]);
    expect(await found(client, is('score', 'gt', '7.999999999999'))).toContain(record.id);
    await client.delete(pathOfRecord(record));
    expect(await found(client, is('score', 'eq', '8'))).toEqual([]);
    expect(await found(client, is('id', 'in', [record.id]))).toEqual([]);
    await succeed(client, [item('restore', 'svc_contact', { id: record.id })]);
    expect(await found(client, is('score', 'between', ['8', '8']))).toEqual([record.id]);
  });

  test('sees links as soon as they are made and removed, and those of deleted and restored records', async () => {
    const company = await make(client, 'svc_company', { svc_name: 'Trashable' });
    const contact = await make(client, 'svc_contact', {}, toCompany(company.id));
    const filter = linked({ filter: is('svc_name', 'eq', 'trashable') });
    const contacts = linked({ target_id: contact.id });
    expect(await found(client, filter)).toEqual([contact.id]);
    expect(await found(client, contacts, 'svc_company')).toEqual([company.id]);
    await client.delete(pathOfRecord(company));
    expect(await found(client, filter)).toEqual([]);
    expect(await found(client, linked({ operator: 'not_exists' }))).toContain(contact.id);
    await succeed(client, [item('restore', 'svc_company', { id: company.id })]);
    expect(await found(client, filter)).toEqual([contact.id]);
    const unlink = { id: contact.id, association_type: 'svc_contact_to_company', target_id: company.id };
    await succeed(client, [item('dissociate', 'svc_contact', unlink)]);
    expect(await found(client, filter)).toEqual([]);
    expect(await found(client, contacts, 'svc_company')).toEqual([]);
  });

  test('accepts everything within the limits', async () => {
    const { id } = await make(client, 'svc_contact', { svc_last_name: 'a', score: '999' });
    const values = Array.from({ length: 1_000 }, (_, index) => String(index));
    expect(await found(client, is('score', 'in', values))).toContain(id);
    expect(await found(client, is('id', 'in', [...values.slice(1), id]))).toEqual([id]);
    const fifty = Array.from({ length: 50 }, () => is('score', 'eq', '999'));
    expect(await found(client, { and: fifty })).toEqual([id]);
    expect(await found(client, nested(5) as Filter)).not.toContain(id);
    expect((await query(client, 'svc_contact', { filter: hops(2), limit: 500 })).status).toBe(200);
    expect(await found(client, is('svc_last_name', 'not_in', ['😀'.repeat(1_024)]))).toContain(id);
    const search = Array.from({ length: 50 }, (_, index) => `w${index}`).join(' ');
    expect((await query(client, 'svc_contact', { search: `${search} w1 W2`, sort: [], limit: 1 })).status).toBe(200);
  });

  test('takes ids that no record can have, and finds nothing by them', async () => {
    for (const value of ['', 'x', '5', newId(), `${newId()}0`, '%', "'", '\u0001', 'constructor']) {
      expect(await found(client, is('id', 'eq', value)), value).toEqual([]);
      expect(await found(client, is('id', 'in', [value])), value).toEqual([]);
      if (value !== '') expect(await found(client, linked({ target_id: value })), value).toEqual([]);
    }
  });
});

describe('a query is refused for', () => {
  test.each(refusals)('$what', async ({ body, pointer, reason, more }) => {
    const answer = await query(client, 'svc_contact', body);
    await expectProblem(answer, 'invalid_request', reason);
    const place = pointer.replace('*', '');
    const faults = answer.body.errors ?? [];
    expect(faults, answer.text).toHaveLength(1);
    const { allowed, ...fault } = faults[0] ?? {};
    const { allowed: offered, ...others } = more ?? {};
    expect(fault, answer.text).toMatchObject({ reason, ...others });
    if (offered !== undefined) expect(new Set(allowed)).toEqual(new Set(offered));
    if (pointer.endsWith('*')) expect(faults[0]?.pointer?.startsWith(place), answer.text).toBe(true);
    else expect(faults[0]?.pointer).toBe(place);
  });

  test.each([
    ['/limit', { limit: '5' }],
    ['/limit', { limit: null }],
    ['/cursor', { cursor: 5 }],
    ['/cursor', { cursor: null }],
    ['/search', { search: null }],
    ['/sort', { sort: null }],
    ['/filter/operator', { filter: { property: 'svc_last_name' } }],
  ])('a member that is missing or of another JSON type: %s in %o', async (pointer, body) => {
    const answer = await query(client, 'svc_contact', body);
    await expectProblem(answer, 'invalid_request');
    expect(faultsOf(answer).map((fault) => fault.pointer)).toEqual([pointer]);
  });

  test('all its errors together', async () => {
    const answer = await query(client, 'svc_contact', {
      filter: {
        and: [is('nope', 'eq', 'a'), is('score', 'like', '1'), is('score', 'in', ['x', '1', 'y']), is('vip', 'eq')],
      },
      search: '',
      sort: [{ property: 'svc_email', direction: 'up' }],
      properties: ['nope', 'svc_email', 'neither'],
      include: ['nothing'],
      limit: 501,
      cursor: 'abc',
      more: true,
    });
    await expectProblem(answer, 'invalid_request');
    const faults = faultsOf(answer).map(({ pointer, reason }) => `${pointer} ${reason}`);
    expect(faults.sort()).toEqual([
      '/cursor invalid_cursor',
      '/filter/and/0/property unknown_property',
      '/filter/and/1/operator operator_not_supported',
      '/filter/and/2/value/0 invalid_value',
      '/filter/and/2/value/2 invalid_value',
      '/filter/and/3/value invalid_member',
      '/include/0 unknown_association',
      '/limit limit_out_of_range',
      '/more unknown_member',
      '/properties/0 unknown_property',
      '/properties/2 unknown_property',
      '/search invalid_member',
      '/sort/0/direction invalid_member',
      '/sort/0/property not_sortable',
    ]);
  });

  test('a missing body, an unknown parameter and an unknown type', async () => {
    const headers = { 'content-type': 'application/json' };
    const path = queryPath('svc_contact');
    await expectProblem(await client.call('POST', path, { headers }), 'invalid_request', 'body_required');
    await expectProblem(await client.post(path, '{"filter":'), 'invalid_request', 'malformed_json');
    await expectProblem(await client.post(path, []), 'invalid_request');
    await expectProblem(await client.post(`${path}?limit=5`, {}), 'invalid_request', 'unknown_parameter');
    for (const type of ['svc_user', 'svc_org', 'nope']) {
      await expectProblem(await query(client, type, {}), 'not_found', 'object_type_unknown');
    }
  });
});

describe('a key', () => {
  const withGrants = async (org: number, objectTypes: readonly string[]) =>
    service.client(
      (await service.createKey(org, { grants: [{ ...fullGrant, objectTypes, operations: ['read'] }] })).key,
    );

  test('needs no more than read, and finds nothing that it may not read', async () => {
    const company = await make(client, 'svc_company', { svc_name: 'Unseen' });
    const contact = await make(client, 'svc_contact', { svc_last_name: 'Seen' }, toCompany(company.id));
    const reader = await withGrants(orgId, ['svc_contact']);
    expect(await found(reader, is('svc_last_name', 'eq', 'seen'))).toEqual([contact.id]);
    for (const more of [
      {},
      { operator: 'not_exists' },
      { target_id: company.id },
      { filter: is('svc_name', 'is_set') },
    ]) {
      const answer = await query(reader, 'svc_contact', { filter: linked(more) });
      await expectProblem(answer, 'invalid_request', 'unknown_association');
      expect(faultsOf(answer)).toEqual([{ pointer: '/filter/association', reason: 'unknown_association' }]);
      const unknown = await query(reader, 'svc_contact', { filter: { ...linked(more), association: 'svc_no' } });
      expect(unknown.body.reason).toBe('unknown_association');
    }
    const included = await query(reader, 'svc_contact', { include: ['svc_contact_to_company'] });
    await expectProblem(included, 'invalid_request', 'unknown_association');
    const [hidden, absent] = [await query(reader, 'svc_company', {}), await query(reader, 'svc_nothing', {})];
    await expectProblem(hidden, 'not_found', 'object_type_unknown');
    expect(unnamed(hidden)).toBe(unnamed(absent).replaceAll('svc_nothing', 'svc_company'));
    expect(comparableHeaders(hidden)).toEqual({ ...comparableHeaders(absent), 'content-length': expect.any(String) });
  });

  test('of another org finds nothing of this one with any query', async () => {
    const company = await make(client, 'svc_company');
    const contact = await make(client, 'svc_contact', { svc_last_name: 'Foreign' }, toCompany(company.id));
    const { client: stranger } = await newOrg();
    expect(await found(stranger, is('id', 'eq', contact.id))).toEqual([]);
    expect(await found(stranger, linked({ target_id: company.id }))).toEqual([]);
    expect(await askAll(stranger, 'svc_contact', { search: 'foreign' })).toEqual([]);
    await make(stranger, 'svc_contact', { svc_last_name: 'Own' });
    expect(await found(stranger, { not: linked({ target_id: company.id }) })).toHaveLength(1);
  });

  test('of reach user finds, sorts and counts nothing that it cannot read', async () => {
    const { orgId: org, client: all } = await newOrg();
    const userId = await service.createUser(org);
    const user = service.client((await service.createKey(org, { userId, reach: 'user' })).key);
    const [open, secret] = [
      await make(all, 'svc_company', { svc_name: 'Open' }),
      await make(all, 'svc_company', { svc_name: 'Secret' }),
    ];
    const contact = await make(all, 'svc_contact', { svc_last_name: 'Both' }, [
      ...toCompany(open.id),
      ...toCompany(secret.id),
    ]);
    const buried = await make(all, 'svc_contact', { svc_last_name: 'Buried' }, toCompany(open.id));
    const hide = ({ id, object_type }: RecordData) =>
      item('dissociate', object_type, { id, association_type: 'svc_record_to_org', target_id: String(org) });
    await succeed(all, [secret, buried].map(hide));
    expect(await found(user, is('id', 'in', [contact.id, buried.id]))).toEqual([contact.id]);
    expect(await found(user, is('svc_last_name', 'neq', 'x'))).toEqual([contact.id]);
    expect(await askAll(user, 'svc_contact', { search: 'buried' })).toEqual([]);
    expect(await found(user, linked({ target_id: secret.id }))).toEqual([]);
    expect(await found(user, linked({ filter: is('svc_name', 'eq', 'secret') }))).toEqual([]);
    expect(await found(user, linked({ filter: is('svc_name', 'eq', 'secret'), operator: 'not_exists' }))).toEqual([
      contact.id,
    ]);
    expect(await found(user, linked({ target_id: buried.id }), 'svc_company')).toEqual([]);
    expect(await found(all, linked({ filter: is('svc_name', 'eq', 'secret') }))).toEqual([contact.id]);
    const paged = await askPage(user, 'svc_contact', {
      limit: 1,
      sort: [{ property: 'svc_last_name', direction: 'asc' }],
    });
    expect(paged).toEqual({ ids: [contact.id], next: null });
    const share = { association_type: 'svc_record_to_user', target_id: userId };
    await succeed(
      all,
      [buried, secret].map(({ id, object_type }) => item('associate', object_type, { id, ...share })),
    );
    expect(await found(user, linked({ target_id: secret.id }))).toEqual([contact.id]);
    const owned: Filter = { association: 'svc_record_to_user', operator: 'exists', target_id: userId };
    expect(await found(user, owned)).toEqual([buried.id]);
  });
});
