// Writers of one record wait in the process: they hold one connection together, all writes arrive, and other orgs are
// served meanwhile.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminGrant, fullGrant } from '../../src/access/grant.ts';
import { newId } from '../../src/base/id.ts';
import type { Database } from '../../src/store/database.ts';
import type { Answer } from '../support/answer.ts';
import { item } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { untilUseIsNoted } from '../support/noted-use.ts';
import { contacts, make, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let noisy: Client;
let quiet: Client;
let resetBounds: () => void;
/** How many transactions run now, and how many did at most. */
let atOnce: [now: number, most: number] = [0, 0];

function counting(database: Database): Database {
  return {
    ...database,
    transaction: async (run) => {
      atOnce[1] = Math.max(atOnce[1], ++atOnce[0]);
      try {
        return await database.transaction(run);
      } finally {
        atOnce[0]--;
      }
    },
  };
}

beforeAll(async () => {
  // Less than the updates of the first test, of which some are refused as they would be with more.
  resetBounds = lowerBounds({ shares: { waitingOfOrg: 100 } });
  service = await startService({ adapt: counting });
  [noisy, quiet] = [await service.newClient({ grants: [fullGrant, adminGrant] }), await service.newClient()];
  for (const client of [noisy, quiet]) await untilUseIsNoted(service, client);
});
afterAll(async () => {
  resetBounds();
  await service.stop();
});

const json = { 'content-type': 'application/json' };

/** Sends it many times at once; refusals are allowed, and checked. */
async function flood(count: number, method: string, path: string, bodyOf: (index: number) => unknown) {
  atOnce = [0, 0];
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      noisy.call(method, path, { headers: json, body: JSON.stringify(bodyOf(index)), allowFault: true }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 503);
  for (const { body, headers } of refused) {
    expect(body.reason).toBe('overloaded');
    expect(headers.get('retry-after')).toBe('1');
  }
  return answers.filter(({ status }) => status !== 503);
}

const versionsOf = (answers: readonly Answer[]) =>
  answers.map(({ body }) => Number(body.data.version)).toSorted((a, b) => a - b);

test('150 updates of one record use one connection, and another org is served meanwhile', async () => {
  const { id } = await make(noisy, 'svc_contact', { svc_headline: 'before' });
  const own = `${contacts}${(await make(quiet, 'svc_contact', {})).id}/`;
  let over = false;
  const reads: number[] = [];
  const reading = (async () => {
    while (!over) reads.push((await quiet.call('GET', own, { allowFault: true })).status);
  })();
  const written = await flood(150, 'PATCH', `${contacts}${id}/`, (index) => ({
    properties: { svc_headline: `headline ${index}` },
  }));
  over = true;
  await reading;
  expect(new Set(reads)).toEqual(new Set([200]));
  expect(atOnce[1]).toBe(1);
  expect(new Set(written.map(({ status }) => status))).toEqual(new Set([200]));
  expect(written.length).toBeGreaterThan(1);
  expect(versionsOf(written)).toEqual(written.map((_, index) => index + 2));
});

test('upserts of one value, links of one record and batches that name it take turns as well', async () => {
  const email = `${newId()}@noisy.example`;
  const upserted = await flood(60, 'PUT', `${contacts}?match=svc_email`, (index) => ({
    properties: { svc_email: [email], svc_headline: `headline ${index}` },
  }));
  expect(atOnce[1]).toBe(1);
  expect(new Set(upserted.map(({ body }) => body.data.id)).size).toBe(1);
  const { id } = (upserted[0] as Answer).body.data;
  const other = (await make(noisy, 'svc_contact', {})).id;
  const named = [
    item('update', 'svc_contact', { id, properties: {} }),
    item('update', 'svc_contact', { id: other, properties: {} }),
  ];
  const batches = await flood(40, 'POST', '/batch/', (index) => ({
    operations: (index % 2 === 0 ? named : named.toReversed()).map((operation) => ({
      ...operation,
      properties: { svc_headline: `batch ${index}` },
    })),
  }));
  expect(atOnce[1]).toBe(1);
  expect(new Set(batches.map(({ body }) => body.data.failed))).toEqual(new Set([0]));
  const companies = await Promise.all(Array.from({ length: 20 }, () => make(noisy, 'svc_company', {})));
  atOnce = [0, 0];
  const linked = await Promise.all(
    companies.map((company) => noisy.put(`${contacts}${id}/associations/svc_contact_to_company/${company.id}/`, '')),
  );
  expect(linked.map(({ body }) => body.data.changed)).toEqual(companies.map(() => true));
  expect(atOnce[1]).toBe(1);
});

test('activities that are created with a link to one contact change it one after the other', async () => {
  const { id } = await make(noisy, 'svc_contact');
  const associations = [{ association_type: 'svc_activity_to_contact', target_id: id }];
  const calls = '/objects/svc_call/records/';
  const answers = await flood(40, 'POST', calls, () => ({ properties: {}, associations }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(atOnce[1]).toBe(1);
});

test('changes of the administration of one org take turns, whatever records they name', async () => {
  const role = await make(noisy, 'svc_role', {
    svc_name: 'Sales',
    svc_reach: 'org',
    svc_grants: ['svc_deal:read'],
  });
  const created = await flood(30, 'POST', recordsPath('svc_member'), (index) => ({
    properties: { svc_name: `Member ${index}` },
  }));
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
  expect(atOnce[1]).toBe(1);
  const batches = await flood(30, 'POST', '/batch/', (index) => ({
    operations: [
      item('create', 'svc_access_key', { properties: { svc_name: `Key ${index}`, svc_grants: ['svc_deal:read'] } }),
      item('update', 'svc_role', { id: role.id, properties: { svc_name: `Sales ${index}` } }),
    ],
  }));
  expect(new Set(batches.map(({ body }) => body.data.failed))).toEqual(new Set([0]));
  expect(atOnce[1]).toBe(1);
});
