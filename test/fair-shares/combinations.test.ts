// Groups that multiply: a record is in every combination of its groups, so their number is found before they are made.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { ReadCounter } from '../support/fair-shares/rows-read.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const counter = new ReadCounter();
let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService({ adapt: counter.adapt });
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** A contact with so many addresses, companies and deals. */
async function makeHub(addresses: number, companies: number, deals: number): Promise<string> {
  const times = (count: number, make: (place: number) => object) => Array.from({ length: count }, (_, at) => make(at));
  const link = (association_type: string, target_id: object) => ({ association_type, target_id });
  const name = `hub${addresses}x${companies}x${deals}`;
  const [hub] = await succeed(client, [
    item('create', 'svc_contact', {
      ref: 'hub',
      properties: { svc_email: Array.from({ length: addresses }, (_, at) => `${name}.${at}@example.com`) },
    }),
    ...times(companies, (at) => item('create', 'svc_company', { ref: `c${at}`, properties: { svc_name: `c${at}` } })),
    ...times(companies, (at) =>
      item('associate', 'svc_contact', { id: { ref: 'hub' }, ...link('svc_contact_to_company', { ref: `c${at}` }) }),
    ),
    ...times(deals, (at) =>
      item('create', 'svc_deal', {
        properties: { svc_name: `d${at}` },
        associations: [link('svc_deal_to_contact', { ref: 'hub' })],
      }),
    ),
  ]);
  return hub?.id ?? '';
}

const company = { association: 'svc_contact_to_company' };
const deal = { association: 'svc_deal_to_contact' };
const address = { property: 'svc_email' };

function aggregate(id: string, group_by: readonly object[], aggregations: readonly object[] = [{ function: 'count' }]) {
  const filter = { property: 'id', operator: 'eq', value: id };
  return client.post(`${contacts}aggregate/`, { filter, group_by, aggregations });
}

test('millions of combinations of one record are refused after reading its links once', async () => {
  const id = await makeHub(100, 200, 200);
  const { answer, counts } = await counter.during(() => aggregate(id, [address, company, deal]));
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body).toMatchObject({ code: 'invalid_request', reason: 'too_many_combinations' });
  expect(answer.body.detail).toContain(bounds.shares.combinations.toLocaleString('en-US'));
  expect(counts.reduce((sum, each) => sum + each, 0)).toBeLessThan(3_000);
  const pairs = await aggregate(id, [company, deal]);
  expect([pairs.status, pairs.body.data.length]).toEqual([200, 100]);
});

test('exactly as many as allowed are answered, and one more is refused', async () => {
  const id = await makeHub(3, 4, 5);
  const groups = [address, company, deal];
  const refused = async (combinations: number, ...asked: Parameters<typeof aggregate>) => {
    const restore = lowerBounds({ shares: { combinations } });
    try {
      return (await aggregate(...asked)).body.reason === 'too_many_combinations';
    } finally {
      restore();
    }
  };
  expect(await refused(60, id, groups)).toBe(false);
  expect(await refused(59, id, groups)).toBe(true);
  // The values of a measured list multiply the rows as well, and a record counts at least once.
  const addresses = [{ function: 'count_distinct', property: 'svc_email' }];
  expect(await refused(60, id, [company, deal], addresses)).toBe(false);
  expect(await refused(59, id, [company, deal], addresses)).toBe(true);
  expect(await refused(0, await makeHub(0, 0, 0), [company, deal])).toBe(true);
  // One key alone multiplies nothing.
  expect(await refused(0, id, [company])).toBe(false);
});

test('links that the caller does not see are not counted', async () => {
  const id = await makeHub(2, 2, 2);
  const userId = await service.createUser(orgId);
  const own = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
  const deals = await client.get(`${contacts}${id}/associations/svc_deal_to_contact/`);
  const dealId = deals.body.data[0].id;
  const taken = await client.call(
    'DELETE',
    `/objects/svc_deal/records/${dealId}/associations/svc_record_to_org/${orgId}/`,
  );
  expect(taken.status, taken.text).toBe(200);
  const restore = lowerBounds({ shares: { combinations: 5 } });
  try {
    const body = {
      filter: { property: 'id', operator: 'eq', value: id },
      group_by: [company, deal, address],
      aggregations: [{ function: 'count' }],
    };
    const [whole, seen] = [
      await client.post(`${contacts}aggregate/`, body),
      await own.post(`${contacts}aggregate/`, body),
    ];
    expect([whole.status, seen.status]).toEqual([400, 200]);
    expect(seen.body.data).toHaveLength(4);
  } finally {
    restore();
  }
});
