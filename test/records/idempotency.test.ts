// Idempotency-Key (contract 2): a request that is sent again is answered again and written once, whatever happened to
// the first one: another copy at the same time, a refusal, a lost connection, a commit whose answer never came back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { unnamed } from '../support/comparable-answers.ts';
import { createMigratedDatabase, rawQuery, type TestDatabase } from '../support/database.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { findingsIn } from '../support/integrity.ts';
import { endWaiters, holdRecord, holdUniqueValue } from '../support/records/held-rows.ts';
import { type LossyProxy, startLossyProxy } from '../support/records/lossy-proxy.ts';
import { startService, type TestService } from '../support/service.ts';

let own: TestDatabase;
let proxy: LossyProxy;
let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  own = await createMigratedDatabase();
  proxy = await startLossyProxy(own.url);
  service = await startService({ databaseUrl: proxy.url });
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, {
    properties: { svc_contact: [{ name: 'badge', label: 'Badge', field_type: 'text', unique: true }] },
  });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  await service.stop();
  await proxy.close();
  await own.drop();
});

const contacts = '/objects/svc_contact/records/';

function keyed(key: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { 'idempotency-key': key, ...more };
}

/** A body that no other test sends. */
function fresh(more: Record<string, unknown> = {}): { readonly name: string; readonly body: { properties: object } } {
  const name = `Name ${newId()}`;
  return { name, body: { properties: { svc_last_name: name, ...more } } };
}

async function countOf(name: string): Promise<number> {
  const { rows } = await rawQuery(
    own.url,
    `select count(*)::integer as count from orrery.record where org_id = $1 and properties->>'svc_last_name' = $2`,
    [orgId, name],
  );
  return rows[0].count;
}

async function keptKeys(key: string): Promise<number> {
  const { rows } = await rawQuery(
    own.url,
    'select count(*)::integer as count from orrery.idempotency where org_id = $1 and key = $2',
    [orgId, key],
  );
  return rows[0].count;
}

function isReplay({ headers }: Answer): boolean {
  const value = headers.get('svc-idempotent-replay');
  expect([null, 'true']).toContain(value);
  return value !== null;
}

/** The same status, body and headers, and the header that marks a replay. */
function expectReplay(replay: Answer, original: Answer): void {
  expect(replay.status, replay.text).toBe(original.status);
  expect([isReplay(original), isReplay(replay)]).toEqual([false, true]);
  expect(replay.body.data).toEqual(original.body.data);
  for (const name of ['etag', 'location', 'content-type']) {
    expect(replay.headers.get(name)).toBe(original.headers.get(name));
  }
}

interface Scene {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** One request of each operation that takes a key, each of which writes something. */
const scenes = {
  create: async () => ({ method: 'POST', path: contacts, body: fresh().body }),
  'create with links': async () => {
    const company = await client.post('/objects/svc_company/records/', { properties: { svc_name: 'Linked' } });
    const link = { association_type: 'svc_contact_to_company', target_id: company.body.data.id };
    return { method: 'POST', path: contacts, body: { ...fresh().body, associations: [link] } };
  },
  update: async () => {
    const { body } = await client.post(contacts, fresh().body);
    return { method: 'PATCH', path: `${contacts}${body.data.id}/`, body: { properties: { svc_headline: newId() } } };
  },
  'upsert that creates': async () => {
    return { method: 'PUT', path: `${contacts}?match=badge`, body: fresh({ badge: newId() }).body };
  },
  'upsert that updates': async () => {
    const { name, body } = fresh({ badge: newId() });
    await client.post(contacts, body);
    const properties = { ...body.properties, svc_headline: name };
    return { method: 'PUT', path: `${contacts}?match=badge`, body: { properties } };
  },
  'batch that succeeds': async () => {
    const create = { operation: 'create', object_type: 'svc_contact', ...fresh().body };
    return { method: 'POST', path: '/batch/', body: { operations: [create, create] } };
  },
  'batch that fails in part': async () => {
    const create = { operation: 'create', object_type: 'svc_contact', ...fresh().body };
    const wrong = { ...create, properties: { '\u0000\ud800': 1, svc_email: 'not a list' } };
    const absent = { operation: 'delete', object_type: 'svc_contact', id: newId() };
    return { method: 'POST', path: '/batch/', body: { operations: [create, wrong, absent] } };
  },
} satisfies Record<string, () => Promise<Scene>>;

test.each(Object.keys(scenes) as (keyof typeof scenes)[])(
  'a %s that is sent again with its key gets the stored answer and writes nothing',
  async (name) => {
    const { method, path, body } = await scenes[name]();
    const key = newId();
    const original = await client.send(method, path, body, keyed(key));
    expect(original.status, original.text).toBeLessThan(300);
    const changes = 'select count(*)::integer as count from orrery.change where org_id = $1';
    const before = (await rawQuery(own.url, changes, [orgId])).rows;
    for (let time = 0; time < 2; time++) expectReplay(await client.send(method, path, body, keyed(key)), original);
    expect((await rawQuery(own.url, changes, [orgId])).rows).toEqual(before);
  },
);

test('every process replays the answer, whatever happened to the record since', async () => {
  const { body } = fresh();
  const key = newId();
  const original = await client.post(contacts, body, keyed(key));
  const path = `${contacts}${original.body.data.id}/`;
  await client.patch(path, { properties: { svc_last_name: 'Another' } });
  expectReplay(await client.post(contacts, body, keyed(key)), original);
  await client.delete(path);
  const other = await startService({ databaseUrl: own.url });
  try {
    expectReplay(await other.client(client.key).post(contacts, body, keyed(key)), original);
  } finally {
    await other.stop();
  }
  expect((await client.get(path)).status).toBe(404);
});

test('an update with If-Match that is sent again is answered again, although the record has a newer version', async () => {
  const { body } = await client.post(contacts, fresh().body);
  const path = `${contacts}${body.data.id}/`;
  const headers = keyed(newId(), { 'if-match': '"1"' });
  const change = { properties: { svc_headline: 'Once' } };
  const original = await client.patch(path, change, headers);
  expect(original.body.data.version).toBe('2');
  expectReplay(await client.patch(path, change, headers), original);
});

test('a key means the same with its quotes and without', async () => {
  const { name, body } = fresh();
  const key = newId();
  const original = await client.post(contacts, body, keyed(`"${key}"`));
  expectReplay(await client.post(contacts, body, keyed(key)), original);
  expect(await countOf(name)).toBe(1);
  const escaped = fresh();
  const first = await client.post(contacts, escaped.body, keyed('"a \\"quoted\\" \\\\ key"'));
  expectReplay(await client.post(contacts, escaped.body, keyed('a "quoted" \\ key')), first);
});

test('a path means the same with its last slash and without', async () => {
  const { name, body } = fresh();
  const key = newId();
  const original = await client.post(contacts, body, keyed(key));
  expectReplay(await client.post(contacts.slice(0, -1), body, keyed(key)), original);
  expect(await countOf(name)).toBe(1);
});

test('another body with a key that was used is refused, even if it means the same', async () => {
  const { name, body } = fresh();
  const key = newId();
  const original = await client.post(contacts, body, keyed(key));
  for (const other of [fresh().body, ` ${JSON.stringify(body)}`, `${JSON.stringify(body)}\n`]) {
    const answer = await client.post(contacts, other, keyed(key));
    await expectProblem(answer, 'validation_failed', 'idempotency_key_reused');
    expect(isReplay(answer)).toBe(false);
  }
  expectReplay(await client.post(contacts, body, keyed(key)), original);
  expect(await countOf(name)).toBe(1);
});

test('one key under another path, query, method, credential or org is another key', async () => {
  const key = newId();
  const { name, body } = fresh({ badge: newId(), svc_email: [`${newId()}@example.com`] });
  const plain = { properties: { svc_last_name: name } };
  const answers = [await client.post(contacts, plain, keyed(key))];
  answers.push(await client.put(`${contacts}?match=badge`, body, keyed(key)));
  answers.push(await client.put(`${contacts}?match=svc_email`, body, keyed(key)));
  const ids = answers.map((answer) => answer.body.data.id);
  answers.push(await client.patch(`${contacts}${ids[0]}/`, { properties: { svc_headline: 'A' } }, keyed(key)));
  answers.push(await client.patch(`${contacts}${ids[1]}/`, { properties: { svc_headline: 'A' } }, keyed(key)));
  answers.push(await client.post('/objects/svc_call/records/', { properties: {} }, keyed(key)));
  const sameOrg = service.client((await service.createKey(orgId)).key);
  answers.push(await sameOrg.post(contacts, plain, keyed(key)));
  answers.push(await (await service.newClient()).post(contacts, plain, keyed(key)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 201, 201, 201]);
  expect(answers.map(isReplay)).toEqual(Array(8).fill(false));
  // The upsert by address changed nothing of the record that the one by badge had made: nothing was kept of it.
  expect(await keptKeys(key)).toBe(6);
  expect(await countOf(name)).toBe(3);
});

test('of twelve requests at once with one key one writes, and the others wait their turn or get its answer', async () => {
  for (let round = 0; round < 4; round++) {
    const { name, body } = fresh();
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.post(contacts, body, keyed(key))));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(made.map((answer) => JSON.stringify(answer.body.data))).size).toBe(1);
    for (const answer of answers) {
      if (answer.status !== 201) await expectProblem(answer, 'conflict', 'idempotency_in_progress');
    }
    expect(await countOf(name)).toBe(1);
    expectReplay(
      await client.post(contacts, body, keyed(key)),
      made.find((answer) => !isReplay(answer)) ?? expect.fail('none'),
    );
  }
});

test('while a request is running its key is in progress, for every body, and no other key is', async () => {
  const { body } = await client.post(contacts, fresh().body);
  const path = `${contacts}${body.data.id}/`;
  const key = newId();
  const held = await holdRecord(own.url, orgId, body.data.id);
  const change = { properties: { svc_headline: 'Slow' } };
  const running = client.patch(path, change, keyed(key));
  await held.waitedFor(1);
  for (const other of [change, { properties: { svc_headline: 'Other' } }]) {
    await expectProblem(await client.patch(path, other, keyed(key)), 'conflict', 'idempotency_in_progress');
  }
  expect((await client.post(contacts, fresh().body, keyed(key))).status).toBe(201);
  await held.release();
  const original = await running;
  expect(original.status).toBe(200);
  expectReplay(await client.patch(path, change, keyed(key)), original);
});

test('a request that is refused leaves its key free for a better one', async () => {
  const key = newId();
  const email = `${newId()}@example.com`;
  const holder = await client.post(contacts, { properties: { svc_email: [email] } });
  const { body } = await client.post(contacts, fresh().body);
  const path = `${contacts}${body.data.id}/`;
  const create = (properties: object) => client.post(contacts, { properties }, keyed(key));
  const update = (properties: object, tag: string) =>
    client.patch(path, { properties }, keyed(key, { 'if-match': tag }));

  await expectProblem(await create({ svc_email: 'not a list' }), 'validation_failed', 'wrong_shape');
  await expectProblem(await create({ svc_email: [email] }), 'conflict', 'unique_value_taken');
  await expectProblem(await client.post(contacts, { nothing: true }, keyed(key)), 'invalid_request');
  await expectProblem(
    await client.post(
      contacts,
      { properties: {}, associations: [{ association_type: 'svc_contact_to_company', target_id: newId() }] },
      keyed(key),
    ),
    'not_found',
    'target_unknown',
  );
  await client.delete(`${contacts}${holder.body.data.id}/`);
  const made = await create({ svc_email: [email] });
  expect([made.status, isReplay(made)]).toEqual([201, false]);

  await expectProblem(await update({ svc_headline: 'A' }, '"9"'), 'precondition_failed', 'version_mismatch');
  const updated = await update({ svc_headline: 'A' }, '"1"');
  expect([updated.status, isReplay(updated)]).toEqual([200, false]);

  const again = newId();
  const change = { properties: { svc_headline: 'C' } };
  await client.delete(path);
  await expectProblem(await client.patch(path, change, keyed(again)), 'not_found', 'record_unknown');
  await client.post('/batch/', {
    operations: [{ operation: 'restore', object_type: 'svc_contact', id: body.data.id }],
  });
  const found = await client.patch(path, change, keyed(again));
  expect([found.status, found.body.data.version, isReplay(found)]).toEqual([200, '5', false]);

  const badge = newId();
  const createOnly = keyed(key, { 'if-none-match': '*' });
  await client.post(contacts, { properties: { badge } });
  const upsert = { properties: { badge, svc_headline: 'B' } };
  await expectProblem(
    await client.put(`${contacts}?match=badge`, upsert, createOnly),
    'precondition_failed',
    'already_exists',
  );
  const upserted = await client.put(`${contacts}?match=badge`, upsert, keyed(key));
  expect([upserted.status, isReplay(upserted)]).toEqual([200, false]);
});

test('a batch whose items all fail has written nothing, so it is run again when it is sent again', async () => {
  for (const atomic of [false, true]) {
    const email = `${newId()}@example.com`;
    const holder = await client.post(contacts, { properties: { svc_email: [email] } });
    const operation = { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [email] } };
    const body = { atomic, operations: [operation] };
    const key = newId();
    const refused = await client.post('/batch/', body, keyed(key));
    expect(refused.status).toBe(atomic ? 409 : 207);
    expect(await keptKeys(key)).toBe(0);
    await client.delete(`${contacts}${holder.body.data.id}/`);
    const made = await client.post('/batch/', body, keyed(key));
    expect([made.status, isReplay(made)]).toEqual([200, false]);
    expectReplay(await client.post('/batch/', body, keyed(key)), made);
  }
});

test('an update, an upsert or a batch that changes nothing is not kept', async () => {
  const badge = newId();
  const { name, body } = fresh({ badge });
  const { body: made } = await client.post(contacts, body);
  const path = `${contacts}${made.data.id}/`;
  const item = { operation: 'update', object_type: 'svc_contact', id: made.data.id, properties: { badge } };
  const key = newId();
  const answers = [
    await client.patch(path, { properties: { svc_last_name: name } }, keyed(key)),
    await client.put(`${contacts}?match=badge`, body, keyed(key)),
    await client.post('/batch/', { operations: [item] }, keyed(key)),
  ];
  for (const answer of answers) expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  expect(answers.slice(0, 2).map((answer) => answer.body.data.version)).toEqual(['1', '1']);
  expect(await keptKeys(key)).toBe(0);
  const changed = await client.patch(path, { properties: { svc_last_name: 'Another' } }, keyed(key));
  expect([changed.status, changed.body.data.version]).toEqual([200, '2']);
});

test('a dry run neither keeps its answer nor is answered with a kept one', async () => {
  const { name, body } = fresh();
  const key = newId();
  const dry = keyed(key, { 'svc-dry-run': 'true' });
  const before = await client.post(contacts, body, dry);
  expect([before.status, before.body.dry_run, isReplay(before)]).toEqual([201, true, false]);
  expect([await countOf(name), await keptKeys(key)]).toEqual([0, 0]);
  const real = await client.post(contacts, body, keyed(key));
  expect([real.status, real.body.dry_run, isReplay(real)]).toEqual([201, undefined, false]);
  const after = await client.post(contacts, body, dry);
  expect([after.status, after.body.dry_run, isReplay(after)]).toEqual([201, true, false]);
  expect(after.body.data.id).not.toBe(real.body.data.id);
  const other = await client.post(contacts, fresh().body, dry);
  expect([other.status, other.body.dry_run]).toEqual([201, true]);
  expectReplay(await client.post(contacts, body, keyed(key)), real);
  expect(await countOf(name)).toBe(1);
});

test('a key may have 255 characters, and keys of that length that differ at their end are two', async () => {
  const long = newId().padEnd(254, 'x');
  const one = fresh();
  const other = fresh();
  const original = await client.post(contacts, one.body, keyed(`${long}1`));
  const second = await client.post(contacts, other.body, keyed(`"${long}2"`));
  expect([original.status, second.status]).toEqual([201, 201]);
  expectReplay(await client.post(contacts, one.body, keyed(`"${long}1"`)), original);
  expectReplay(await client.post(contacts, other.body, keyed(`${long}2`)), second);
});

test.each([
  ['256 characters', 'x'.repeat(256)],
  ['256 characters in quotes', `"${'x'.repeat(256)}"`],
  ['no characters in quotes', '""'],
  ['an open quote', '"abc'],
  ['a quote inside quotes', '"a"b"'],
  ['a letter beyond ASCII', 'clé'],
  ['a tab', 'a\tb'],
])('a key of %s is refused and nothing is written', async (_, key) => {
  const { name, body } = fresh();
  const answer = await client.post(contacts, body, keyed(key));
  await expectProblem(answer, 'invalid_request', 'invalid_header');
  expect(answer.body.errors?.map(({ parameter }) => parameter)).toEqual(['Idempotency-Key']);
  expect(await countOf(name)).toBe(0);
});

test('a key is kept for 24 hours and is new afterwards', async () => {
  const { name, body } = fresh();
  const key = newId();
  const age = (interval: string) =>
    rawQuery(
      own.url,
      'update orrery.idempotency set created_at = now() - $3::interval where org_id = $1 and key = $2',
      [orgId, key, interval],
    );
  const original = await client.post(contacts, body, keyed(key));
  await age('23 hours 59 minutes');
  expectReplay(await client.post(contacts, body, keyed(key)), original);
  await age('24 hours 1 second');
  const second = await client.post(contacts, body, keyed(key));
  expect([second.status, isReplay(second)]).toEqual([201, false]);
  expect(second.body.data.id).not.toBe(original.body.data.id);
  expect(await countOf(name)).toBe(2);
  expectReplay(await client.post(contacts, body, keyed(key)), second);
  await age('24 hours 1 second');
  expect((await client.post(contacts, fresh().body, keyed(key))).status).toBe(201);
});

/** The service lost the connection to the database during the request: it cannot know the outcome. */
async function expectUnavailable(answer: Answer): Promise<void> {
  await expectProblem(answer, 'unavailable', 'storage_unavailable');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(isReplay(answer)).toBe(false);
}

/** Sends it like a client that was asked to try again. */
function sendFaulty(path: string, body: unknown, key: string | undefined, method = 'POST'): Promise<Answer> {
  return client.call(method, path, {
    allowFault: true,
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : keyed(key)) },
    body: JSON.stringify(body),
  });
}

test('a request whose connection the server ends in the middle of its transaction is written once by its retry', async () => {
  const email = `${newId()}@example.com`;
  const { name, body } = fresh({ svc_email: [email] });
  const key = newId();
  const held = await holdUniqueValue(own.url, orgId, email);
  const running = sendFaulty(contacts, body, key);
  await held.waitedFor(1);
  await endWaiters(own.url);
  await expectUnavailable(await running);
  await held.release();
  expect([await countOf(name), await keptKeys(key)]).toEqual([0, 0]);
  const made = await client.post(contacts, body, keyed(key));
  expect([made.status, isReplay(made)]).toEqual([201, false]);
  expectReplay(await client.post(contacts, body, keyed(key)), made);
  expect(await countOf(name)).toBe(1);
});

/** The end of a transaction, as the service sends it. */
const commit = 'commit\0';

test.each(['before', 'after'] as const)(
  'a create whose connection breaks %s its commit is done is written once by its retry',
  async (when) => {
    const { name, body } = fresh();
    const key = newId();
    const broken = proxy.breakAt(commit, when);
    await expectUnavailable(await sendFaulty(contacts, body, key));
    await broken;
    expect(await countOf(name)).toBe(when === 'after' ? 1 : 0);
    const retry = await client.post(contacts, body, keyed(key));
    expect([retry.status, isReplay(retry)]).toEqual([201, when === 'after']);
    expect(await countOf(name)).toBe(1);
    expect((await client.get(`${contacts}${retry.body.data.id}/`)).body.data).toEqual(retry.body.data);
  },
);

test.each(['before', 'after'] as const)(
  'a batch whose connection breaks %s its commit is done is there whole or not at all, and once after its retry',
  async (when) => {
    const { name, body } = fresh();
    const create = { operation: 'create', object_type: 'svc_contact', ...body };
    const operations = Array.from({ length: 20 }, () => create);
    const key = newId();
    const broken = proxy.breakAt(commit, when);
    await expectUnavailable(await sendFaulty('/batch/', { operations }, key));
    await broken;
    expect(await countOf(name)).toBe(when === 'after' ? 20 : 0);
    const retry = await client.post('/batch/', { operations }, keyed(key));
    expect([retry.status, isReplay(retry), retry.body.data.succeeded]).toEqual([200, when === 'after', 20]);
    expect(await countOf(name)).toBe(20);
  },
);

test.each(['before', 'after'] as const)(
  'an update whose connection breaks %s its commit is done makes one version with its retry',
  async (when) => {
    const { body } = await client.post(contacts, fresh().body);
    const path = `${contacts}${body.data.id}/`;
    const change = { properties: { svc_headline: 'Once' } };
    const key = newId();
    const broken = proxy.breakAt(commit, when);
    await expectUnavailable(await sendFaulty(path, change, key, 'PATCH'));
    await broken;
    const retry = await client.patch(path, change, keyed(key));
    expect([retry.status, retry.body.data.version]).toEqual([200, '2']);
    expect((await client.get(path)).body.data).toEqual(retry.body.data);
  },
);

test.each(['before', 'after'] as const)(
  'a create without a key whose connection breaks %s it is done is not tried again by the service',
  async (when) => {
    const { name, body } = fresh();
    const broken = proxy.breakAt(name, when);
    await expectUnavailable(await sendFaulty(contacts, body, undefined));
    await broken;
    expect(await countOf(name)).toBe(when === 'after' ? 1 : 0);
  },
);

test('a replay differs from the first answer in its request id alone', async () => {
  const { body } = fresh();
  const key = newId();
  const original = await client.post(contacts, body, keyed(key));
  const replay = await client.post(contacts, body, keyed(key));
  expect(unnamed(replay)).toBe(unnamed(original));
});

test('after all this records, indexes, unique values, search words, links and the feed agree', async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
