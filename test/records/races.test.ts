// Many requests at once on the same records, over two services on one database: no write is lost, no unique value has
// two holders, no request ends in an error of the service, and in the end every row agrees with every other (contract 2
// and 5).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { holdUniqueValue } from '../support/records/held-rows.ts';
import { startService, type TestService } from '../support/service.ts';

let first: TestService;
let second: TestService;
let orgId: number;
let clients: readonly [Client, Client];
beforeAll(async () => {
  first = await startService();
  second = await startService({ databaseUrl: first.databaseUrl });
  orgId = await first.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await first.applySchema(orgId, {
    properties: { svc_contact: [{ name: 'badge', label: 'Badge', field_type: 'text', unique: true }] },
  });
  const { key } = await first.createKey(orgId);
  clients = [first.client(key), second.client(key)];
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const contacts = '/objects/svc_contact/records/';

/** Each second request goes to the other service. */
function at(index: number): Client {
  return clients[index % 2 === 0 ? 0 : 1];
}

/** As many requests as asked for, all at once. */
function race(count: number, send: (client: Client, index: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(at(index), index)));
}

async function newRecord(type: string, properties: Record<string, unknown>): Promise<string> {
  const { status, body, text } = await at(0).post(`/objects/${type}/records/`, { properties });
  expect(status, text).toBe(201);
  return body.data.id;
}

async function newContact(properties: Record<string, unknown> = {}): Promise<string> {
  return newRecord('svc_contact', properties);
}

function patch(client: Client, id: string, properties: unknown, headers = {}): Promise<Answer> {
  return client.patch(`${contacts}${id}/`, { properties }, headers);
}

function batch(client: Client, operations: readonly unknown[], atomic = false): Promise<Answer> {
  return client.post('/batch/', { atomic, operations });
}

function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = body.reason === undefined ? String(status) : `${status} ${body.reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

interface FeedEntry {
  readonly kind: number;
  readonly version: number;
}

async function feedOf(id: string): Promise<readonly FeedEntry[]> {
  const { rows } = await rawQuery(
    first.databaseUrl,
    'select kind, version::integer from orrery.change where org_id = $1 and record_id = $2 order by seq',
    [orgId, id],
  );
  return rows as FeedEntry[];
}

/** The records that hold a unique value, in the table that decides it and in their own values. */
async function holdersOf(property: string, value: string): Promise<readonly string[]> {
  const held = await rawQuery(
    first.databaseUrl,
    'select record_id as id from orrery.unique_value where org_id = $1 and value = $2',
    [orgId, value],
  );
  const told = await rawQuery(
    first.databaseUrl,
    'select id from orrery.record where org_id = $1 and lower(properties->>$2) like $3',
    [orgId, property, `%${value}%`],
  );
  const ids = held.rows.map((row: { id: string }) => row.id);
  expect(told.rows.map((row: { id: string }) => row.id)).toEqual(ids);
  return ids;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('twenty updates of one record at once make twenty versions, each once in the feed', async () => {
  const id = await newContact({ svc_last_name: 'Start' });
  const answers = await race(20, (client, index) => patch(client, id, { svc_last_name: `Name ${index}` }));
  expect(tally(answers)).toEqual({ '200': 20 });
  const versions = answers.map(({ body }) => Number(body.data.version));
  expect(versions.sort((left, right) => left - right)).toEqual(range(2, 21));
  for (const { headers, body } of answers) expect(headers.get('etag')).toBe(`"${body.data.version}"`);
  expect(await feedOf(id)).toEqual([{ kind: 1, version: 1 }, ...range(2, 21).map((version) => ({ kind: 2, version }))]);
  const last = answers.find(({ body }) => body.data.version === '21');
  expect((await at(1).get(`${contacts}${id}/`)).body.data).toEqual(last?.body.data);
});

test('of twenty updates at once with the same If-Match one is made and nineteen get the mismatch', async () => {
  const id = await newContact();
  const answers = await race(20, (client, index) =>
    patch(client, id, { svc_last_name: `Name ${index}` }, { 'if-match': '"1"' }),
  );
  expect(tally(answers)).toEqual({ '200': 1, '412 version_mismatch': 19 });
  const winner = answers.find(({ status }) => status === 200);
  expect((await at(0).get(`${contacts}${id}/`)).body.data).toEqual(winner?.body.data);
  expect(await feedOf(id)).toHaveLength(2);
});

test('a counter that six clients raise with If-Match counts every raise that was acknowledged', async () => {
  const id = await newRecord('svc_company', { svc_employee_count: '0' });
  const path = `/objects/svc_company/records/${id}/`;
  let refused = 0;
  const raise = async (client: Client) => {
    for (let made = 0; made < 5; ) {
      const { headers, body } = await client.get(path);
      const next = String(Number(body.data.properties.svc_employee_count) + 1);
      const { status } = await client.patch(
        path,
        { properties: { svc_employee_count: next } },
        { 'if-match': headers.get('etag') ?? '' },
      );
      if (status === 200) made++;
      else refused++;
    }
  };
  await Promise.all(range(0, 5).map((index) => raise(at(index))));
  expect(refused).toBeGreaterThan(0);
  const { body } = await at(0).get(path);
  expect(body.data).toMatchObject({ version: '31', properties: { svc_employee_count: '30' } });
});

test('updates of different properties at once all survive', async () => {
  const id = await newContact();
  const values = {
    svc_first_name: 'Ada',
    svc_last_name: 'Lovelace',
    svc_job_title: 'Analyst',
    svc_headline: 'Engines',
    svc_location: 'London',
    svc_timezone: 'Europe/London',
    svc_email: ['disjoint@example.com'],
    badge: 'disjoint',
  };
  const answers = await race(8, (client, index) => {
    const [name = '', value] = Object.entries(values)[index] ?? [];
    return patch(client, id, { [name]: value });
  });
  expect(tally(answers)).toEqual({ '200': 8 });
  const { body } = await at(0).get(`${contacts}${id}/`);
  expect(body.data).toMatchObject({ version: '9', properties: values });
});

/** The ways to take an email address, each by its own request and for its own record. */
const takers = {
  create: async () => (client: Client, email: string) => client.post(contacts, { properties: { svc_email: [email] } }),
  update: async () => {
    const id = await newContact();
    return (client: Client, email: string) => patch(client, id, { svc_email: [`own-${id}@example.com`, email] });
  },
  upsert: async () => (client: Client, email: string) =>
    client.put(`${contacts}?match=badge`, { properties: { badge: newId(), svc_email: [email] } }),
  'atomic batch': async () => (client: Client, email: string) =>
    batch(
      client,
      [
        { operation: 'create', object_type: 'svc_contact', properties: { svc_first_name: 'with' } },
        { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [email] } },
      ],
      true,
    ),
  'batch of items': async () => (client: Client, email: string) =>
    batch(client, [{ operation: 'create', object_type: 'svc_contact', properties: { svc_email: [email] } }]),
} satisfies Record<string, () => Promise<(client: Client, email: string) => Promise<Answer>>>;

/** A batch of items that fails answers 207; its only item says how. */
function outcome({ status, body }: Answer): string {
  const problem = status === 207 ? body.data.results[0].problem : body;
  return problem.reason === undefined ? 'taken' : `${problem.status} ${problem.reason}`;
}

test.each([...Object.keys(takers), 'everything'] as ('everything' | keyof typeof takers)[])(
  'of twenty requests for one unique value by %s one gets it and the others learn who has it',
  async (way) => {
    const ways = way === 'everything' ? Object.values(takers) : [takers[way]];
    const sends = await Promise.all(range(0, 19).map((index) => (ways[index % ways.length] ?? takers.create)()));
    const email = `prize-${newId()}@example.com`;
    const answers = await race(
      20,
      (client, index) => sends[index]?.(client, index % 3 === 0 ? email.toUpperCase() : email) ?? Promise.reject(),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((each) => each === 'taken')).toHaveLength(1);
    expect(outcomes.filter((each) => each === '409 unique_value_taken')).toHaveLength(19);
    const [holder, ...others] = await holdersOf('svc_email', email);
    expect(others).toEqual([]);
    for (const { status, body } of answers) {
      const problem = status === 207 ? body.data.results[0].problem : body;
      if (problem.conflict === undefined) continue;
      expect(problem.conflict).toEqual({ object_type: 'svc_contact', property: 'svc_email', existing_id: holder });
    }
  },
);

test('twenty-four upserts of one key at once make one record and twenty-three updates of it', async () => {
  const email = `upsert-${newId()}@example.com`;
  const answers = await race(24, (client, index) =>
    client.put(`${contacts}?match=svc_email`, { properties: { svc_email: [email], svc_last_name: `Name ${index}` } }),
  );
  expect(tally(answers)).toEqual({ '200': 23, '201': 1 });
  const [id, ...others] = await holdersOf('svc_email', email);
  expect(others).toEqual([]);
  expect(new Set(answers.map(({ body }) => body.data.id))).toEqual(new Set([id]));
  const versions = answers.map(({ body }) => Number(body.data.version));
  expect(versions.sort((left, right) => left - right)).toEqual(range(1, 24));
  expect(answers.filter(({ headers }) => headers.has('location'))).toHaveLength(1);
});

test('of twelve upserts at once that may only create one creates', async () => {
  const badge = newId();
  const answers = await race(12, (client) =>
    client.put(`${contacts}?match=badge`, { properties: { badge } }, { 'if-none-match': '*' }),
  );
  expect(tally(answers)).toEqual({ '201': 1, '412 already_exists': 11 });
});

test('upserts at once whose lists of addresses overlap leave every address with one holder', async () => {
  for (let round = 0; round < 3; round++) {
    const mark = newId();
    const email = (index: number) => `ring${index % 12}-${mark}@example.com`;
    const answers = await race(12, (client, index) =>
      client.put(`${contacts}?match=svc_email`, { properties: { svc_email: [email(index), email(index + 1)] } }),
    );
    for (const answer of answers) {
      if (answer.status === 409) expect(['multiple_matches', 'unique_value_taken']).toContain(answer.body.reason);
      else expect([200, 201]).toContain(answer.status);
    }
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    // A request that succeeded had both addresses at that moment; two of them never shared one.
    for (const index of range(0, 11)) expect((await holdersOf('svc_email', email(index))).length).toBeLessThan(2);
  }
});

test('batches of upserts at once with the same keys in different orders make one record for each key', async () => {
  const badges = range(0, 5).map(() => newId());
  const answers = await race(8, (client, index) =>
    batch(
      client,
      badges.map((_, place) => ({
        operation: 'upsert',
        object_type: 'svc_contact',
        match: 'badge',
        properties: { badge: badges[(place * (index % 2 === 0 ? 1 : 5) + index) % 6], svc_headline: `${index}` },
      })),
    ),
  );
  expect(tally(answers)).toEqual({ '200': 8 });
  const items = answers.flatMap(({ body }) => body.data.results as { status: number; id: string }[]);
  expect(items.filter(({ status }) => status === 201)).toHaveLength(6);
  expect(new Set(items.map(({ id }) => id)).size).toBe(6);
  for (const badge of badges) expect(await holdersOf('badge', badge)).toHaveLength(1);
});

test('an address that eight clients keep creating and deleting never causes an error', async () => {
  const email = `hot-${newId()}@example.com`;
  const seen = new Set<string>();
  const burn = async (client: Client, index: number) => {
    for (let round = 0; round < 8; round++) {
      const properties = { svc_email: [email], svc_headline: `${index} ${round}` };
      const upserts = (index + round) % 2 === 0;
      const { status, body } = await (upserts
        ? client.put(`${contacts}?match=svc_email`, { properties })
        : client.post(contacts, { properties }));
      seen.add(`${upserts ? 'upsert' : 'create'} ${status} ${body.reason ?? ''}`);
      if (status === 201) await client.delete(`${contacts}${body.data.id}/`);
    }
  };
  await Promise.all(range(0, 7).map((index) => burn(at(index), index)));
  const allowed = ['create 201 ', 'create 409 unique_value_taken', 'upsert 200 ', 'upsert 201 '];
  expect([...seen].filter((each) => !allowed.includes(each))).toEqual([]);
  expect(await holdersOf('svc_email', email)).toEqual([]);
});

test('two batches that take two addresses in opposite order end without an error, and one of them has both', async () => {
  for (const atomic of [true, false]) {
    for (let round = 0; round < 4; round++) {
      const [one, other] = [`x-${newId()}@example.com`, `y-${newId()}@example.com`];
      const create = (email: string) => ({
        operation: 'create',
        object_type: 'svc_contact',
        properties: { svc_email: [email] },
      });
      const answers = await race(4, (client, index) =>
        batch(client, index % 2 === 0 ? [create(one), create(other)] : [create(other), create(one)], atomic),
      );
      if (atomic) expect(tally(answers)).toEqual({ '200': 1, '409 unique_value_taken': 3 });
      else {
        const items = answers.flatMap(({ body }) => body.data.results.map((each: { status: number }) => each.status));
        expect(items.toSorted((one: number, two: number) => one - two)).toEqual([201, 201, ...Array(6).fill(409)]);
      }
      expect(await holdersOf('svc_email', one)).toHaveLength(1);
      expect(await holdersOf('svc_email', other)).toHaveLength(1);
    }
  }
});

test('batches that update the same records in opposite order all succeed', async () => {
  const ids = await Promise.all(range(0, 4).map(() => newContact()));
  const answers = await race(12, (client, index) => {
    const order = index % 2 === 0 ? ids : ids.toReversed();
    return batch(
      client,
      order.map((id) => ({
        operation: 'update',
        object_type: 'svc_contact',
        id,
        properties: { svc_headline: `${index}` },
      })),
    );
  });
  expect(tally(answers)).toEqual({ '200': 12 });
  for (const id of ids) expect((await at(0).get(`${contacts}${id}/`)).body.data.version).toBe('13');
});

test('two records that request each other’s address at once are both refused, in any order', async () => {
  for (let round = 0; round < 3; round++) {
    const [one, other] = [`left-${newId()}@example.com`, `right-${newId()}@example.com`];
    const [left, right] = await Promise.all([newContact({ svc_email: [one] }), newContact({ svc_email: [other] })]);
    const answers = await Promise.all([
      patch(at(0), left ?? '', { svc_email: [other] }),
      patch(at(1), right ?? '', { svc_email: [one] }),
    ]);
    expect(tally(answers)).toEqual({ '409 unique_value_taken': 2 });
    expect(await holdersOf('svc_email', one)).toEqual([left]);
    expect(await holdersOf('svc_email', other)).toEqual([right]);
  }
});

test('a delete that races with updates wins once, and later updates do not find the record', async () => {
  for (let round = 0; round < 6; round++) {
    const email = `doomed-${newId()}@example.com`;
    const id = await newContact({ svc_email: [email] });
    const deletes: Answer[] = [];
    const updates: Answer[] = [];
    await race(8, async (client, index) => {
      const answer =
        index % 4 === 3
          ? await client.delete(`${contacts}${id}/`)
          : await patch(client, id, { svc_last_name: `Name ${index}` });
      (index % 4 === 3 ? deletes : updates).push(answer);
      return answer;
    });
    expect(tally(deletes)).toEqual({ '200': 1, '404 record_unknown': 1 });
    const made = updates.filter(({ status }) => status === 200).length;
    for (const { status } of updates) expect([200, 404]).toContain(status);
    expect((await at(0).get(`${contacts}${id}/`)).status).toBe(404);
    expect(await feedOf(id)).toEqual([
      { kind: 1, version: 1 },
      ...range(2, made + 1).map((version) => ({ kind: 2, version })),
      { kind: 3, version: made + 2 },
    ]);
    expect(await holdersOf('svc_email', email)).toEqual([]);
  }
});

test('an upsert that races with the delete of its match updates it or makes a new record, and is never refused', async () => {
  for (let round = 0; round < 6; round++) {
    const email = `gone-${newId()}@example.com`;
    const id = await newContact({ svc_email: [email] });
    const [deleted, ...upserts] = await race(5, (client, index) =>
      index === 0
        ? client.delete(`${contacts}${id}/`)
        : client.put(`${contacts}?match=svc_email`, {
            properties: { svc_email: [email], svc_last_name: `Name ${index}` },
          }),
    );
    expect(deleted?.status).toBe(200);
    for (const { status, text } of upserts) expect([200, 201], text).toContain(status);
    const made = upserts.filter(({ status }) => status === 201);
    const holders = await holdersOf('svc_email', email);
    expect(holders).toEqual(made.map(({ body }) => body.data.id));
    expect(made.length).toBeLessThan(2);
  }
});

test('an upsert whose match is handed from record to record always finds the current holder', async () => {
  const badge = newId();
  const ids = await Promise.all(range(0, 2).map(() => newContact()));
  // Fewer times than a request tries again, so that even one that comes too late each time gets its turn.
  const pass = async () => {
    for (let round = 0; round < 9; round++) {
      const give = { operation: 'update', object_type: 'svc_contact', id: ids[round % 3], properties: { badge } };
      const take = { ...give, id: ids[(round + 2) % 3], properties: { badge: null } };
      const answer = await batch(at(0), [take, give], true);
      expect(answer.status, answer.text).toBe(200);
    }
  };
  const found: Answer[] = [];
  const look = async (client: Client) => {
    for (let round = 0; round < 6; round++) {
      const properties = { badge, svc_headline: `${round} ${found.length}` };
      found.push(await client.put(`${contacts}?match=badge`, { properties }));
    }
  };
  await batch(at(0), [{ operation: 'update', object_type: 'svc_contact', id: ids[2], properties: { badge } }]);
  await Promise.all([pass(), look(at(0)), look(at(1))]);
  expect(tally(found)).toEqual({ '200': 12 });
  for (const { body } of found) expect(ids).toContain(body.data.id);
});

test('a restore that races with creates of its address gets it back, or is refused and stays in the trash', async () => {
  for (let round = 0; round < 8; round++) {
    const email = `back-${newId()}@example.com`;
    const id = await newContact({ svc_email: [email] });
    expect((await at(0).delete(`${contacts}${id}/`)).status).toBe(200);
    const answers = await race(3, (client, index) =>
      batch(client, [
        index === round % 3
          ? { operation: 'restore', object_type: 'svc_contact', id }
          : { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [email] } },
      ]),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.sort()).toEqual(['409 unique_value_taken', '409 unique_value_taken', 'taken']);
    const restored = answers[round % 3]?.status === 200;
    expect((await at(0).get(`${contacts}${id}/`)).status).toBe(restored ? 200 : 404);
    expect((await holdersOf('svc_email', email)).includes(id)).toBe(restored);
  }
});

test('a record that several restore at once comes back once, and no request is answered that the record is unknown', async () => {
  for (let round = 0; round < 3; round++) {
    const id = await newContact({ svc_email: [`often-${newId()}@example.com`] });
    await at(0).delete(`${contacts}${id}/`);
    const answers = await race(6, (client) =>
      batch(client, [{ operation: 'restore', object_type: 'svc_contact', id }]),
    );
    expect(answers.map(outcome)).toEqual(Array(6).fill('taken'));
    expect(await feedOf(id)).toEqual([
      { kind: 1, version: 1 },
      { kind: 3, version: 2 },
      { kind: 4, version: 3 },
    ]);
  }
});

test('two merges that each keep the other’s duplicate leave one record with the values of both', async () => {
  for (let round = 0; round < 4; round++) {
    const emails = [`one-${newId()}@example.com`, `two-${newId()}@example.com`];
    const [left, right] = await Promise.all(emails.map((email) => newContact({ svc_email: [email] })));
    const merge = (id: unknown, duplicate_id: unknown) => [
      { operation: 'merge', object_type: 'svc_contact', id, duplicate_id },
    ];
    const answers = await race(2, (client, index) =>
      batch(client, index === 0 ? merge(left, right) : merge(right, left)),
    );
    expect(answers.map(outcome).sort()).toEqual(['404 record_unknown', 'taken']);
    const kept = answers[0]?.status === 200 ? left : right;
    const { body } = await at(1).get(`${contacts}${kept}/`);
    expect(new Set(body.data.properties.svc_email)).toEqual(new Set(emails));
    for (const email of emails) expect(await holdersOf('svc_email', email)).toEqual([kept]);
  }
});

test('links of a type that has one target, written at once, leave one target and a version for each', async () => {
  const deal = await newRecord('svc_deal', { svc_name: 'Contested' });
  const companies = await Promise.all(range(0, 9).map((index) => newRecord('svc_company', { svc_name: `${index}` })));
  const answers = await race(10, (client, index) =>
    batch(client, [
      {
        operation: 'associate',
        object_type: 'svc_deal',
        id: deal,
        association_type: 'svc_deal_to_company',
        target_id: companies[index],
      },
    ]),
  );
  expect(tally(answers)).toEqual({ '200': 10 });
  const { rows } = await rawQuery(
    first.databaseUrl,
    'select target_id from orrery.association where org_id = $1 and source_id = $2',
    [orgId, deal],
  );
  expect(rows).toHaveLength(1);
  const last = answers.findIndex(({ body }) => body.data.results[0].version === '11');
  expect(rows[0].target_id).toBe(companies[last]);
});

test('a link that is made while its target is merged away leads to the record that stays', async () => {
  const [kept, duplicate] = await Promise.all([
    newContact({ svc_last_name: 'Kept' }),
    newContact({ svc_last_name: 'Twin' }),
  ]);
  const deal = await newRecord('svc_deal', { svc_name: 'Linked' });
  const email = `held-${newId()}@example.com`;
  // A request for this address waits, in the middle of its write, for a transaction of the test.
  const held = await holdUniqueValue(first.databaseUrl, orgId, email);
  const linking = batch(at(0), [
    {
      operation: 'associate',
      object_type: 'svc_deal',
      id: deal,
      association_type: 'svc_deal_to_contact',
      target_id: duplicate,
    },
    { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [email] } },
  ]);
  await held.waitedFor(1);
  const merging = batch(at(1), [{ operation: 'merge', object_type: 'svc_contact', id: kept, duplicate_id: duplicate }]);
  // The merge may wait for the request that links to the duplicate, or be done before; both are right.
  await held.waitedFor(2, merging);
  await held.release();
  expect((await merging).status).toBe(200);
  const linked = outcome(await linking);
  const { rows } = await rawQuery(
    first.databaseUrl,
    'select target_id from orrery.association where org_id = $1 and source_id = $2',
    [orgId, deal],
  );
  if (linked === 'taken') expect(rows).toEqual([{ target_id: kept }]);
  else expect([linked, rows]).toEqual(['404 target_unknown', []]);
});

test('pages of a list that is written to meanwhile hold every record that was there throughout, once and in order', async () => {
  const fixed: string[] = [];
  for (let index = 0; index < 40; index++) {
    fixed.push(await newRecord('svc_call', { svc_subject: `fixed ${index}` }));
    if (index % 4 === 0) await newRecord('svc_call', { svc_subject: 'passing' });
  }
  let walking = true;
  const churn = async (client: Client) => {
    while (walking) {
      const { body } = await client.get('/objects/svc_call/records/?limit=500');
      const passing = (body.data as { id: string; properties: { svc_subject: string } }[]).find(
        ({ properties }) => properties.svc_subject === 'passing',
      );
      if (passing !== undefined) await client.delete(`/objects/svc_call/records/${passing.id}/`);
      await client.post('/objects/svc_call/records/', { properties: { svc_subject: 'passing' } });
    }
  };
  const churning = Promise.all(clients.map(churn));
  for (const limit of [1, 3, 7]) {
    const seen: string[] = [];
    let cursor: string | null | undefined = '';
    for (let page = 0; cursor !== null && page < 200; page++) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body }: Answer = await at(page).get(`/objects/svc_call/records/?limit=${limit}${query}`);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      cursor = body.pagination?.next_cursor ?? null;
      if (seen.length > 400) break;
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen.filter((id) => fixed.includes(id))).toEqual(fixed);
  }
  walking = false;
  await churning;
});

test('after all these races records, indexes, unique values, search words, links and the feed agree', async () => {
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});
