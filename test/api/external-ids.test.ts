// External ids (migration.md 1): given in a batch, found by a filter, shown by getRecord, and never a value of the record.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { bounds } from '../../src/base/limits.ts';
import { item, outcomesOf, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { countRows } from '../support/ingest/ingest.ts';
import { contacts, faultsOf, make, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});

const hubspot = (id: string) => ({ source: 'hubspot', id });
const create = (ids: readonly object[], properties: object = {}) =>
  item('create', 'svc_contact', { properties, external_ids: ids });
const update = (id: unknown, ids: readonly object[], properties: object = {}) =>
  item('update', 'svc_contact', { id, properties, external_ids: ids });

async function found(filter: object, by = client): Promise<readonly string[]> {
  const answer = await by.post(`${contacts}query/`, { filter });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }: { id: string }) => id);
}

const named = (id: string, source = 'hubspot') => ({ external_id: id, source });

async function idsOf(id: string, by = client): Promise<unknown> {
  const path = pathOfRecord({ object_type: 'svc_contact', id });
  return (await by.get(`${path}?include_external_ids=true`)).body.data.external_ids;
}

const made = async (...items: readonly object[]) => (await succeed(client, items)).map(({ id }) => id ?? '');

describe('an external id', () => {
  test('is given by create, update and upsert, shown when it is asked for, and names one record for a source', async () => {
    const [ada, bob] = await made(create([hubspot('1')]), create([hubspot('2'), { source: 'attio', id: '1' }]));
    await succeed(client, [
      update(ada, [{ source: 'attio', id: 'a/1' }]),
      item('upsert', 'svc_contact', {
        match: 'svc_email',
        properties: { svc_email: ['eve@upsert.example'] },
        external_ids: [hubspot('3')],
      }),
    ]);
    expect(await idsOf(ada ?? '')).toEqual([{ source: 'attio', id: 'a/1' }, hubspot('1')]);
    expect(await idsOf(bob ?? '')).toEqual([{ source: 'attio', id: '1' }, hubspot('2')]);
    expect(await found(named('1'))).toEqual([ada]);
    expect(await found(named('1', 'attio'))).toEqual([bob]);
    expect(await found(named('3'))).toHaveLength(1);
    expect(await found(named('1', 'HubSpot'))).toEqual([]);
    const plain = await client.get(pathOfRecord({ object_type: 'svc_contact', id: ada ?? '' }));
    expect(plain.body.data).not.toHaveProperty('external_ids');
    expect(await idsOf((await make(client, 'svc_contact')).id)).toEqual([]);
  });

  test('is a condition in every position: negated, in a list, behind a link, and in an aggregation', async () => {
    const [ada, bob] = await made(create([hubspot('1')]), create([hubspot('2')]));
    const deal = await make(client, 'svc_deal', {}, [
      { association_type: 'svc_deal_to_contact', target_id: bob ?? '' },
    ]);
    expect(await found({ not: named('1') })).toEqual([bob]);
    expect(await found({ or: [named('1'), named('2'), named('3')] })).toEqual([ada, bob]);
    expect(await found({ and: [named('1'), named('2')] })).toEqual([]);
    const filter = { association: 'svc_deal_to_contact', operator: 'exists', filter: named('2') };
    const deals = await client.post('/objects/svc_deal/records/query/', { filter });
    expect(deals.body.data.map(({ id }: { id: string }) => id)).toEqual([deal.id]);
    const aggregate = { filter: named('2'), aggregations: [{ function: 'count' }] };
    const counted = await client.post(`${contacts}aggregate/`, aggregate);
    expect(counted.body.data).toEqual([{ key: [], values: { count: '1' } }]);
  });

  test('gives no version and no entry in the feed, and an owned one changes nothing', async () => {
    const [ada] = await made(create([hubspot('1')]));
    const before = await countRows(service.database, orgId, 'change');
    const [again] = await succeed(client, [update(ada, [hubspot('1'), hubspot('2')])]);
    expect(again).toMatchObject({ status: 200, id: ada, version: '1' });
    expect(await idsOf(ada ?? '')).toEqual([hubspot('1'), hubspot('2')]);
    expect(await countRows(service.database, orgId, 'change')).toBe(before);
    expect(await countRows(service.database, orgId, 'external_id')).toBe(2);
  });

  test('that is taken is a conflict, and the refused item leaves no trace', async () => {
    const [ada, bob] = await made(create([hubspot('1')]), create([]));
    const answer = await runBatch(client, [
      create([hubspot('9'), hubspot('1')], { svc_last_name: 'No' }),
      update(bob, [hubspot('1')], { svc_last_name: 'No' }),
      item('upsert', 'svc_contact', {
        match: 'svc_email',
        properties: { svc_email: ['x@taken.example'] },
        external_ids: [hubspot('1')],
      }),
      create([hubspot('5')]),
      create([hubspot('5')]),
    ]);
    expect(outcomesOf(answer)).toEqual([
      '409 unique_value_taken',
      '409 unique_value_taken',
      '409 unique_value_taken',
      '201 1',
      '409 unique_value_taken',
    ]);
    const [first] = resultsOf(answer);
    expect(first?.problem?.conflict).toEqual({ object_type: 'svc_contact', existing_id: ada });
    expect(first?.problem?.errors).toMatchObject([
      { pointer: '/operations/0/external_ids/1', reason: 'unique_value_taken' },
    ]);
    expect(await read(client, { object_type: 'svc_contact', id: bob ?? '' })).toMatchObject({ version: '1' });
    expect(await found({ property: 'svc_email', operator: 'eq', value: 'x@taken.example' })).toEqual([]);
    expect(await found(named('9'))).toEqual([]);
  });

  test('that a hidden record has is refused like one of a visible record, without its id', async () => {
    const [user, other] = [await service.createUser(orgId), await service.createUser(orgId)];
    const keyOf = async (userId: string) =>
      service.client((await service.createKey(orgId, { userId, reach: 'user', grants: [fullGrant] })).key);
    const [mine, theirs] = [await keyOf(user), await keyOf(other)];
    const [hidden] = await succeed(theirs, [create([hubspot('1')])]);
    await theirs.delete(
      `${pathOfRecord({ object_type: 'svc_contact', id: hidden?.id ?? '' })}associations/svc_record_to_org/${orgId}/`,
    );
    expect(await found(named('1'), mine)).toEqual([]);
    expect(await found(named('1'), theirs)).toEqual([hidden?.id]);
    const answer = await runBatch(mine, [create([hubspot('1')])]);
    expect(outcomesOf(answer)).toEqual(['409 unique_value_taken']);
    expect(resultsOf(answer)[0]?.problem?.conflict).toEqual({ object_type: 'svc_contact' });
    const [seen] = resultsOf(await runBatch(theirs, [create([hubspot('1')])]));
    expect(seen?.problem).toMatchObject({ errors: resultsOf(answer)[0]?.problem?.errors });
  });

  test('goes to the trash with its record and returns with it, unless another record was given it', async () => {
    const [ada, bob] = await made(create([hubspot('1')]), create([hubspot('2')]));
    await succeed(
      client,
      [ada, bob].map((id) => item('delete', 'svc_contact', { id })),
    );
    expect(await found({ or: [named('1'), named('2')] })).toEqual([]);
    const [eve] = await made(create([hubspot('2')]));
    await succeed(
      client,
      [ada, bob].map((id) => item('restore', 'svc_contact', { id })),
    );
    expect([await found(named('1')), await found(named('2'))]).toEqual([[ada], [eve]]);
    expect(await idsOf(bob ?? '')).toEqual([]);
    const within = await succeed(client, [
      item('delete', 'svc_contact', { id: eve }),
      create([hubspot('2')]),
      item('restore', 'svc_contact', { id: eve }),
    ]);
    expect(await found(named('2'))).toEqual([within[1]?.id]);
  });

  test('moves to the record that a merge keeps, and is gone after an erasure', async () => {
    const [ada, bob] = await made(create([hubspot('1')]), create([hubspot('2')]));
    await succeed(client, [item('merge', 'svc_contact', { id: ada, duplicate_id: bob }), update(ada, [hubspot('2')])]);
    expect(await idsOf(ada ?? '')).toEqual([hubspot('1'), hubspot('2')]);
    await succeed(client, [item('erase', 'svc_contact', { id: ada }), create([hubspot('1')])]);
    expect(await countRows(service.database, orgId, 'external_id')).toBe(1);
    expect(await found(named('1'))).toHaveLength(1);
  });

  test('of a dry run, a failed atomic batch or a replayed one is not given', async () => {
    const { key } = await service.createKey(orgId);
    const one = [create([hubspot('1')])];
    expect((await runBatch(client, one, {}, { 'Svc-Dry-Run': 'true' })).status).toBe(200);
    await expectProblem(await runBatch(client, [...one, ...one], { atomic: true }), 'conflict', 'unique_value_taken');
    expect(await countRows(service.database, orgId, 'external_id')).toBe(0);
    const again = service.client(key);
    const sent = [1, 2].map(() => runBatch(again, one, { atomic: true }, { 'Idempotency-Key': 'once' }));
    for (const answer of await Promise.all(sent)) expect([200, 409]).toContain(answer.status);
    expect((await runBatch(again, one, { atomic: true }, { 'Idempotency-Key': 'once' })).status).toBe(200);
    expect(await found(named('1'))).toHaveLength(1);
  });

  test('is won by one of several that want it at the same time', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => runBatch(client, [create([hubspot('1')])])));
    expect(answers.flatMap(outcomesOf).sort()).toEqual(['201 1', ...Array(4).fill('409 unique_value_taken')]);
    expect(await found({ property: 'svc_created_at', operator: 'is_set' })).toHaveLength(1);
  });

  test('has bounds, and what is wrong with one is said at its place', async () => {
    const { externalIdCharacters: most, externalSourceCharacters } = bounds.engine;
    const many = Array.from({ length: bounds.operations.externalIdsPerItem + 1 }, (_, index) => hubspot(`${index}`));
    const answer = await runBatch(client, [
      create(many),
      create([
        { source: '', id: 'x'.repeat(most + 1) },
        { source: 's'.repeat(externalSourceCharacters + 1), id: '\u0000' },
      ]),
      create([{ id: '1' }]),
      create([{ source: 's'.repeat(externalSourceCharacters), id: '\u{1f600}'.repeat(most) }]),
    ]);
    expect(outcomesOf(answer)).toEqual([...Array(3).fill('400 invalid_member'), '201 1']);
    expect(resultsOf(answer)[1]?.problem?.errors?.map(({ pointer }) => pointer)).toEqual([
      '/operations/1/external_ids/0/source',
      '/operations/1/external_ids/0/id',
      '/operations/1/external_ids/1/source',
      '/operations/1/external_ids/1/id',
    ]);
    const asked = await client.post(`${contacts}query/`, { filter: { external_id: 5, extra: 1 } });
    await expectProblem(asked, 'invalid_request', 'unknown_member');
    const places = new Set(faultsOf(asked).map(({ pointer }) => pointer));
    expect(places).toEqual(new Set(['/filter/external_id', '/filter/extra', '/filter/source']));
    const path = pathOfRecord(await make(client, 'svc_contact'));
    await expectProblem(await client.get(`${path}?include_external_ids=yes`), 'invalid_request', 'invalid_parameter');
  });
});
