// Who sees the totals of open deals, and where (contract 6 and 7): every key that can read deals and their stages,
// whatever else they may see of them; and nowhere is anything written because of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { sql } from '../../src/base/sql.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { totalsIn } from '../support/computed/totals-questions.ts';
import { inContact, inStage, potential, weighted } from '../support/computed/totals-world.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { askAll, query } from '../support/query/ask.ts';
import { contacts, faultsOf, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const usd = (amount: string) => ({ amount, unit: 'USD' });
const both = { [potential]: usd('30.5'), [weighted]: usd('2.05') };

let service: TestService;
let orgId: number;
let client: Client;
let ada: RecordData;
let other: RecordData;
let deal: RecordData;
let stage: RecordData;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
  ada = await make(client, 'svc_contact', { svc_last_name: 'Lovelace', svc_email: ['ada@example.com'] });
  other = await make(client, 'svc_contact', { svc_last_name: 'Menabrea' });
  stage = await make(client, 'svc_deal_pipeline_stage', { svc_probability: '10' });
  deal = await make(client, 'svc_deal', { svc_amount: usd('20.50') }, [
    { association_type: inContact, target_id: ada.id },
    { association_type: inStage, target_id: stage.id },
  ]);
  await make(client, 'svc_deal', { svc_amount: usd('10') }, [{ association_type: inContact, target_id: ada.id }]);
});
afterAll(() => service.stop());

/** The answer's record, with the status that it must have. */
function recordOf({ status, text, body }: Awaited<ReturnType<Client['get']>>, expected = 200): RecordData {
  expect(status, text).toBe(expected);
  return body.data;
}

describe('answers', () => {
  test('of writes have them, except that of a new record', async () => {
    const path = pathOfRecord(ada);
    const send = { properties: { svc_job_title: 'Analyst' } };
    expect(totalsIn(recordOf(await client.patch(path, send, { 'Svc-Dry-Run': 'true' })))).toEqual(both);
    expect(totalsIn(recordOf(await client.patch(path, send)))).toEqual(both);
    expect(totalsIn(recordOf(await client.patch(path, send)))).toEqual(both);
    const upsert = { properties: { svc_email: ['ada@example.com'], svc_headline: 'Notes' } };
    const matched = recordOf(await client.put(`${contacts}?match=svc_email`, upsert));
    expect(matched.properties).toMatchObject({ ...both, svc_headline: 'Notes', svc_last_name: 'Lovelace' });
    const fresh = { properties: { svc_email: ['new@example.com'] } };
    expect(totalsIn(recordOf(await client.put(`${contacts}?match=svc_email`, fresh), 201))).toEqual({});
    expect(totalsIn(recordOf(await client.patch(pathOfRecord(other), send)))).toEqual({});
    const [row] = await service.database.query<{ stored: boolean }>(sql`
      select r.properties::text like '%deal_total%' as stored from orrery.record as r
      where r.org_id = ${orgId} and r.id = ${ada.id}`);
    expect(row?.stored).toBe(false);
  });

  test('have those that are asked for', async () => {
    const one = await client.get(`${pathOfRecord(ada)}?properties=${weighted},svc_last_name`);
    expect(recordOf(one).properties).toEqual({ [weighted]: both[weighted], svc_last_name: 'Lovelace' });
    const none = await client.get(`${pathOfRecord(ada)}?properties=svc_last_name`);
    expect(recordOf(none).properties).toEqual({ svc_last_name: 'Lovelace' });
    for (const limit of [50, 500]) {
      const list = await client.get(`${contacts}?properties=${potential}&limit=${limit}`);
      expect(list.body.data[0].properties).toEqual({ [potential]: both[potential] });
      expect(list.body.data[1].properties).toEqual({});
      const found = await query(client, 'svc_contact', { properties: [potential, weighted], limit });
      expect(found.body.data[0].properties).toEqual(both);
    }
  });

  test('have them at the other end of a link', async () => {
    const include = `${pathOfRecord(deal)}?include=${inContact}&properties=svc_name`;
    const { associations } = recordOf(await client.get(include)) as RecordData & {
      readonly associations: Readonly<Record<string, { readonly items: readonly RecordData[] }>>;
    };
    expect(associations[inContact]?.items.map(totalsIn)).toEqual([both]);
    const links = `${pathOfRecord(deal)}associations/${inContact}/`;
    const { body } = await client.get(links);
    expect(body.data.map(totalsIn)).toEqual([both]);
    const some = await client.get(`${links}?properties=svc_last_name,${weighted}`);
    expect(some.body.data.map(({ properties }: RecordData) => properties)).toEqual([
      { svc_last_name: 'Lovelace', [weighted]: both[weighted] },
    ]);
  });

  test('refuse to write them', async () => {
    const answer = await client.patch(pathOfRecord(ada), { properties: { [potential]: usd('1') } });
    await expectProblem(answer, 'validation_failed', 'read_only_property');
  });

  test('of an invalid probability say what is expected', async () => {
    const answer = await client.patch(pathOfRecord(stage), { properties: { svc_probability: '100.5' } });
    await expectProblem(answer, 'validation_failed', 'wrong_shape');
    expect(answer.body.errors?.[0]).toMatchObject({
      pointer: '/properties/svc_probability',
      expected: { type: 'string', description: 'A number from 0 to 100.' },
    });
  });
});

test('a type of the same kind, to which deals are linked too, has none', async () => {
  const org = await service.createOrg();
  await service.applySchema(org, {
    object_types: [{ name: 'freelancer', label: 'Freelancer', kind: 'person', properties: [] }],
  });
  const own = service.client((await service.createKey(org)).key);
  const person = await make(own, 'freelancer');
  const contact = await make(own, 'svc_contact');
  await make(own, 'svc_deal', { svc_amount: usd('5') }, [
    { association_type: inContact, target_id: person.id },
    { association_type: inContact, target_id: contact.id },
  ]);
  expect(totalsIn(await read(own, person))).toEqual({});
  const found = await own.get(`${recordsPath('svc_deal')}?include=${inContact}`);
  const items: readonly RecordData[] = found.body.data[0].associations[inContact].items;
  expect(items.map((each) => [each.object_type, totalsIn(each)])).toEqual([
    ['freelancer', {}],
    ['svc_contact', { [potential]: usd('5'), [weighted]: usd('0') }],
  ]);
  const sort = [{ property: weighted, direction: 'asc' as const }];
  expect(await askAll(own, 'svc_contact', { sort })).toEqual([contact.id]);
});

test('a key that sees only shared records has the totals of all deals of the org', async () => {
  const userId = await service.createUser(orgId);
  const user = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
  const deals = await askAll(client, 'svc_deal', {});
  const hide = [...deals.map((id) => ['svc_deal', id]), ['svc_deal_pipeline_stage', stage.id]].map(([type = '', id]) =>
    item('dissociate', type, { id, association_type: 'svc_record_to_org', target_id: String(orgId) }),
  );
  for (const { status } of await succeed(client, hide)) expect(status).toBe(200);
  expect(await askAll(user, 'svc_deal', {})).toEqual([]);
  expect(totalsIn(await read(user, ada))).toEqual(both);
  const filter = { property: weighted, operator: 'eq', value: usd('2.050') };
  expect(await askAll(user, 'svc_contact', { filter })).toEqual([ada.id]);
  const sort = [{ property: potential, direction: 'desc' as const }];
  const sorted = await askAll(user, 'svc_contact', { sort }, () => 1);
  expect(sorted.slice(0, 2)).toEqual([ada.id, other.id]);
  const aggregations = [{ function: 'sum', property: potential, as: 'sum' }];
  const sums = await user.post(`${contacts}aggregate/`, { aggregations });
  expect(sums.body.data).toEqual([{ key: [], values: { sum: [both[potential]] } }]);
  // Contacts that such a caller cannot see show no totals either.
  const shared = item('dissociate', 'svc_contact', {
    id: ada.id,
    association_type: 'svc_record_to_org',
    target_id: String(orgId),
  });
  await succeed(client, [shared]);
  expect(await askAll(user, 'svc_contact', { filter })).toEqual([]);
  expect(await askAll(user, 'svc_contact', { sort })).not.toContain(ada.id);
  await succeed(client, [{ ...shared, operation: 'associate' }]);
});

test.each(['svc_deal', 'svc_deal_pipeline_stage'])(
  'without read on %s these properties do not exist',
  async (hidden) => {
    const { body } = await client.get('/objects/');
    const objectTypes = body.data.map(({ name }: { name: string }) => name).filter((name: string) => name !== hidden);
    const grants = [{ ...fullGrant, objectTypes }];
    const narrow = service.client((await service.createKey(orgId, { grants })).key);
    expect(totalsIn(await read(narrow, ada))).toEqual({});
    const list = await narrow.get(contacts);
    expect(list.body.data.map(totalsIn)).toEqual(list.body.data.map(() => ({})));
    const patched = await narrow.patch(pathOfRecord(ada), { properties: { svc_job_title: hidden } });
    expect(totalsIn(recordOf(patched))).toEqual({});
    for (const name of [potential, weighted]) {
      await expectProblem(await narrow.get(`${contacts}?properties=${name}`), 'invalid_request', 'unknown_property');
      const sorted = await query(narrow, 'svc_contact', { sort: [{ property: name, direction: 'asc' }] });
      expect(faultsOf(sorted)).toMatchObject([{ reason: 'unknown_property' }]);
      const filtered = await query(narrow, 'svc_contact', { filter: { property: name, operator: 'is_set' } });
      expect(faultsOf(filtered)).toMatchObject([{ reason: 'unknown_property' }]);
      const aggregations = [{ function: 'sum', property: name }];
      const summed = await narrow.post(`${contacts}aggregate/`, { aggregations });
      expect(faultsOf(summed)).toMatchObject([{ reason: 'unknown_property' }]);
    }
  },
);

test('changes of deals and stages write nothing to the contact', async () => {
  const before = await read(client, ada);
  const entries = () =>
    service.database.query(sql`select 1 from orrery.change as c where c.org_id = ${orgId} and c.record_id = ${ada.id}`);
  const told = await entries();
  await client.patch(pathOfRecord(deal), { properties: { svc_amount: usd('100') } });
  await client.patch(pathOfRecord(stage), { properties: { svc_probability: '50' } });
  const more = await make(client, 'svc_deal', { svc_amount: usd('1') }, [
    { association_type: inContact, target_id: ada.id },
  ]);
  await client.delete(pathOfRecord(more));
  const after = await read(client, ada);
  expect(totalsIn(after)).toEqual({ [potential]: usd('110'), [weighted]: usd('50') });
  expect(after).toEqual({ ...before, properties: { ...before.properties, ...totalsIn(after) } });
  expect(await entries()).toEqual(told);
});
