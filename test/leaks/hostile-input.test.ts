// Hostile texts in every place of a query and an aggregate: everything that a caller sends reaches the database as a
// parameter, never as a part of a statement; it is refused as an error of the caller, and nothing changes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { type Ask, freeNames, needlesOf, payloads, places, values } from '../support/leaks/payloads.ts';
import { recordStatements } from '../support/leaks/statements.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

const statements = recordStatements();
let service: TestService;
let client: Client;
let before: Awaited<ReturnType<typeof snapshotOf>>;
beforeAll(async () => {
  service = await startService({ adapt: statements.adapt });
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
  const company = await make(client, 'svc_company', { svc_name: 'Engines' });
  const link = { association_type: 'svc_contact_to_company', target_id: company.id };
  for (const svc_last_name of ['Lovelace', 'Babbage']) {
    await make(client, 'svc_contact', { svc_last_name, svc_email: [`${svc_last_name}@example.com`] }, [link]);
  }
  before = await snapshotOf(service);
});
afterAll(() => service.stop());

/** Sends every payload to the place; the statuses that came, and nothing of any payload in a statement. */
async function statusesOf(ask: Ask): Promise<ReadonlyMap<unknown, number>> {
  const found = new Map<unknown, number>();
  for (const payload of payloads) {
    statements.texts.clear();
    const { status, text } = await ask(client, payload);
    found.set(payload, status);
    expect(status, `${JSON.stringify(payload)}: ${text}`).toBeLessThan(500);
    for (const needle of needlesOf(payload)) {
      const speaking = [...statements.texts].filter((statement) => statement.includes(needle));
      expect(speaking, JSON.stringify(payload)).toEqual([]);
    }
  }
  return found;
}

/** An ordinary query and an ordinary aggregate, with statements of their own. */
async function expectOrdinary(): Promise<void> {
  statements.texts.clear();
  const filter = { association: 'svc_contact_to_company', operator: 'exists' };
  const found = await client.post('/objects/svc_contact/records/query/', { filter, search: 'lovel' });
  expect(found.body.data).toMatchObject([{ properties: { svc_last_name: 'Lovelace' } }]);
  const aggregations = [{ function: 'count' }];
  const counted = await client.post('/objects/svc_contact/records/aggregate/', { aggregations });
  expect(counted.body.data).toEqual([{ key: [], values: { count: '2' } }]);
  expect(statements.texts.size).toBeGreaterThanOrEqual(2);
  expect(await snapshotOf(service)).toEqual(before);
}

test('there are 40 payloads and at least 25 places for names', () => {
  expect(payloads).toHaveLength(40);
  expect(Object.keys(places).length).toBeGreaterThanOrEqual(25);
});

describe('hostile names', () => {
  test.each(Object.entries(places))('as %s are refused and never part of a statement', async (_, ask) => {
    for (const [payload, status] of await statusesOf(ask)) {
      expect([400, 404], JSON.stringify(payload)).toContain(status);
    }
    await expectOrdinary();
  });

  test.each(Object.entries(freeNames))('as %s come back as they are, or are refused', async (_, ask) => {
    for (const [payload, status] of await statusesOf(ask)) {
      // Neither U+0000 nor half of a pair is text of the service (contract 4).
      const text = typeof payload === 'string' && payload.length <= 64 && payload.isWellFormed();
      const right = text && !payload.includes('\u0000');
      expect(status, JSON.stringify(payload)).toBe(right ? 200 : 400);
      if (right) expect(Object.keys((await ask(client, payload)).body.data[0].values)).toEqual([payload]);
    }
    await expectOrdinary();
  });
});

describe('hostile values', () => {
  test.each(Object.entries(values))('as %s are parameters', async (_, ask) => {
    for (const [payload, status] of await statusesOf(ask)) {
      expect([200, 400], JSON.stringify(payload)).toContain(status);
    }
    await expectOrdinary();
  });
});

test('a value that is nested too deep is refused in every member', async () => {
  const levels = 50_000;
  for (const [open, close] of [
    ['{"not":', '}'],
    ['{"and":[', ']}'],
    ['[', ']'],
  ] as const) {
    const deep = open.repeat(levels) + 1 + close.repeat(levels);
    for (const member of [
      'filter',
      'search',
      'sort',
      'properties',
      'include',
      'group_by',
      'having',
      'limit',
      'cursor',
    ]) {
      for (const path of ['query', 'aggregate']) {
        const answer = await client.post(`/objects/svc_contact/records/${path}/`, `{"${member}":${deep}}`);
        expect([path, member, answer.status]).toEqual([path, member, 400]);
      }
    }
  }
});
