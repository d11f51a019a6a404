// A record of another org, one outside the key's reach, one in a trash that is not the caller's, and one that never
// existed answer alike, byte for byte but for the request id and the id asked for, in every place that takes an id
// (contract 2: nothing hidden leaks). So do object types and association types that are not granted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { rawQuery } from '../support/database.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let own: World;
let theirs: World;
beforeAll(async () => {
  service = await startService();
  own = await createWorld('own');
  theirs = await createWorld('theirs');
  await hide(own);
});
afterAll(() => service.stop());

/** An org with a record of each sort, made by a key that sees everything. */
interface World {
  readonly orgId: number;
  readonly userId: string;
  readonly all: Client;
  /** Of reach `user`: sees what is the org's or its user's. */
  readonly user: Client;
  /** Contacts: one that everybody sees, one in the trash, and the same for those that will be hidden. */
  readonly seen: string;
  readonly trashed: string;
  readonly hidden: string;
  readonly hiddenTrashed: string;
  readonly company: string;
  readonly hiddenCompany: string;
  readonly deal: string;
}

const contacts = '/objects/svc_contact/records/';

async function createWorld(name: string): Promise<World> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const userId = await service.createUser(orgId);
  const all = service.client((await service.createKey(orgId)).key);
  const user = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
  const create = async (type: string, properties: object): Promise<string> => {
    const { status, text, body } = await all.post(`/objects/${type}/records/`, { properties });
    expect(status, text).toBe(201);
    return body.data.id;
  };
  const contact = (word: string) =>
    create('svc_contact', { svc_last_name: `${name} ${word}`, svc_email: [`${word}@${name}.example`] });
  const ids = {
    seen: await contact('seen'),
    trashed: await contact('trashed'),
    hidden: await contact('hidden'),
    hiddenTrashed: await contact('hidden-trashed'),
    company: await create('svc_company', { svc_name: name, svc_domain: `${name}.example` }),
    hiddenCompany: await create('svc_company', { svc_domain: `hidden.${name}.example` }),
    deal: await create('svc_deal', { svc_name: name }),
  };
  for (const id of [ids.trashed, ids.hiddenTrashed]) expect((await all.delete(`${contacts}${id}/`)).status).toBe(200);
  return { orgId, userId, all, user, ...ids };
}

/** Removes the org's link directly in the database: the records are then linked to nobody. */
async function hide({ orgId, hidden, hiddenTrashed, hiddenCompany }: World): Promise<void> {
  for (const table of ['record', 'trash']) {
    await rawQuery(
      service.databaseUrl,
      `update orrery.${table} set org_visible = false where org_id = $1 and id = any ($2)`,
      [orgId, [hidden, hiddenTrashed, hiddenCompany]],
    );
  }
}

/** The ids that must answer like an absent one, for a key of the org `own`. */
const unreachable: Readonly<Record<string, (world: World) => readonly [Client, string]>> = {
  'a record of another org': () => [own.all, theirs.seen],
  'a record in the trash of another org': () => [own.all, theirs.trashed],
  'a record of another org, for a key of reach user': () => [own.user, theirs.seen],
  'a record outside the reach of the key': () => [own.user, own.hidden],
  'a record in the trash and outside the reach of the key': () => [own.user, own.hiddenTrashed],
  'a record of another type': () => [own.all, own.deal],
};

const item = (operation: string, more: object) => ({ operation, object_type: 'svc_contact', ...more });
const works = (target_id: string) => ({ association_type: 'svc_contact_to_company', target_id });

function batch(client: Client, operation: object, atomic: boolean): Promise<Answer> {
  return client.post('/batch/', { atomic, operations: [operation] });
}

type Ask = (client: Client, id: string) => Promise<Answer>;

/** Every place that takes the id of a contact. */
const positions: Readonly<Record<string, Ask>> = {
  'get: id': (client, id) => client.get(`${contacts}${id}/`),
  'get: id, some properties': (client, id) => client.get(`${contacts}${id}/?properties=svc_last_name`),
  'head: id': (client, id) => client.call('HEAD', `${contacts}${id}/`),
  'update: id': (client, id) => client.patch(`${contacts}${id}/`, { properties: { svc_headline: 'X' } }),
  'update: id, nothing to change': (client, id) => client.patch(`${contacts}${id}/`, { properties: {} }),
  'update: id, a value that is taken': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: { svc_email: ['seen@own.example'] } }),
  'update: id, its own value': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: { svc_email: ['hidden@own.example'] } }),
  'update: id, wrong value': (client, id) => client.patch(`${contacts}${id}/`, { properties: { svc_email: 'X' } }),
  'update: id, If-Match with its version': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: {} }, { 'if-match': '"1"' }),
  'update: id, If-Match with another version': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: {} }, { 'if-match': '"99"' }),
  'update: id, If-Match *': (client, id) => client.patch(`${contacts}${id}/`, { properties: {} }, { 'if-match': '*' }),
  'update: id, dry run': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: { svc_headline: 'X' } }, { 'svc-dry-run': 'true' }),
  'update: id, Idempotency-Key': (client, id) =>
    client.patch(`${contacts}${id}/`, { properties: {} }, { 'idempotency-key': newId() }),
  'delete: id': (client, id) => client.delete(`${contacts}${id}/`),
  'delete: id, If-Match with its version': (client, id) => client.delete(`${contacts}${id}/`, { 'if-match': '"1"' }),
  'delete: id, If-Match with another version': (client, id) =>
    client.delete(`${contacts}${id}/`, { 'if-match': '"99"' }),
  'delete: id, dry run': (client, id) => client.delete(`${contacts}${id}/`, { 'svc-dry-run': 'true' }),
  'create: target': (client, target_id) =>
    client.post('/objects/svc_deal/records/', {
      properties: {},
      associations: [{ association_type: 'svc_deal_to_contact', target_id }],
    }),
  'create: second target': (client, target_id) =>
    client.post('/objects/svc_deal/records/', {
      properties: {},
      associations: [own.seen, target_id].map((each) => ({ association_type: 'svc_deal_to_contact', target_id: each })),
    }),
  'create: target of the wrong association type': (client, target_id) =>
    client.post(contacts, { properties: {}, associations: [works(target_id)] }),
  'create: user': (client, target_id) =>
    client.post(contacts, { properties: {}, associations: [{ association_type: 'svc_record_to_user', target_id }] }),
  'upsert that updates: target': (client, target_id) =>
    client.put(`${contacts}?match=svc_email`, {
      properties: { svc_email: ['seen@own.example'] },
      associations: [{ association_type: 'svc_contact_to_lifecycle_stage', target_id }],
    }),
  'upsert that creates: target': (client, target_id) =>
    client.put('/objects/svc_company/records/?match=svc_domain', {
      properties: { svc_domain: 'new.example' },
      associations: [{ association_type: 'svc_record_to_user', target_id }],
    }),
};

/** The same for each item of a batch, atomic and not. */
const items: Readonly<Record<string, (id: string) => object>> = {
  'update: id': (id) => item('update', { id, properties: { svc_headline: 'X' } }),
  'update: id, a value that is taken': (id) => item('update', { id, properties: { svc_email: ['seen@own.example'] } }),
  'delete: id': (id) => item('delete', { id }),
  'restore: id': (id) => item('restore', { id }),
  'merge: id': (id) => item('merge', { id, duplicate_id: own.seen }),
  'merge: duplicate_id': (id) => item('merge', { id: own.seen, duplicate_id: id }),
  'merge: both': (id) => item('merge', { id, duplicate_id: id }),
  'associate: id': (id) => item('associate', { id, ...works(own.company) }),
  'associate: target_id': (target_id) => ({
    operation: 'associate',
    object_type: 'svc_deal',
    id: own.deal,
    association_type: 'svc_deal_to_contact',
    target_id,
  }),
  'associate: user': (target_id) =>
    item('associate', { id: own.seen, association_type: 'svc_record_to_user', target_id }),
  'dissociate: id': (id) => item('dissociate', { id, ...works(own.company) }),
  'dissociate: target_id': (target_id) => ({
    operation: 'dissociate',
    object_type: 'svc_deal',
    id: own.deal,
    association_type: 'svc_deal_to_contact',
    target_id,
  }),
  'dissociate: id, org': (id) =>
    item('dissociate', { id, association_type: 'svc_record_to_org', target_id: String(own.orgId) }),
  'create: target_id': (target_id) => ({
    operation: 'create',
    object_type: 'svc_note',
    properties: {},
    associations: [{ association_type: 'svc_note_to_contact', target_id }],
  }),
  'upsert: target_id': (target_id) =>
    item('upsert', {
      match: 'svc_email',
      properties: { svc_email: ['seen@own.example'] },
      associations: [{ association_type: 'svc_record_to_user', target_id }],
    }),
};

const everyPosition: Readonly<Record<string, Ask>> = {
  ...positions,
  ...Object.fromEntries(
    Object.entries(items).flatMap(([name, make]) =>
      [true, false].map((atomic) => [
        `${atomic ? 'atomic batch' : 'batch'}, ${name}`,
        (client: Client, id: string) => batch(client, make(id), atomic),
      ]),
    ),
  ),
};

/** The two answers are one, whichever id was asked for. */
function expectAlike(left: Answer, leftId: string, right: Answer, rightId: string, what: string): void {
  expect(left.status, `${what}: ${left.text}`).toBe(right.status);
  expect(unnamed(left).replaceAll(leftId, '(id)'), what).toBe(unnamed(right).replaceAll(rightId, '(id)'));
  expect(comparableHeaders(left), what).toEqual(comparableHeaders(right));
}

/** All records as they are now, to check afterwards that none has changed. */
async function versions(): Promise<unknown> {
  const { rows } = await rawQuery(
    service.databaseUrl,
    `select org_id, id, version, org_visible from orrery.record union all
     select org_id, id, version, org_visible from orrery.trash order by 1, 2`,
  );
  return rows;
}

const absentAnswers = new Map<string, readonly [Answer, string]>();

/** The answer for an id that does not exist; asked for once, because it is always the same. */
async function absentAnswer(client: Client, position: string, ask: Ask): Promise<readonly [Answer, string]> {
  const name = `${client === own.user ? 'user' : 'org'} ${position}`;
  const absent = newId();
  const known = absentAnswers.get(name) ?? ([await ask(client, absent), absent] as const);
  absentAnswers.set(name, known);
  return known;
}

describe.each(Object.keys(unreachable))('%s', (name) => {
  test('answers in every place like one that never existed, and is not changed', async () => {
    const before = await versions();
    for (const [position, ask] of Object.entries(everyPosition)) {
      const [client, id] = unreachable[name]?.(own) ?? expect.fail(name);
      const answer = await ask(client, id);
      expect([207, 400, 404, 422], `${position}: ${answer.text}`).toContain(answer.status);
      expectAlike(answer, id, ...(await absentAnswer(client, position, ask)), position);
    }
    expect(await versions()).toEqual(before);
  });
});

test('a record in one’s own trash answers like one that never existed, except to a restore', async () => {
  for (const [position, ask] of Object.entries(everyPosition)) {
    if (position.includes('restore')) continue;
    const answer = await ask(own.all, own.trashed);
    expectAlike(answer, own.trashed, ...(await absentAnswer(own.all, position, ask)), position);
  }
  const restore = await batch(own.user, item('restore', { id: own.trashed }), true);
  expect(restore.status, restore.text).toBe(200);
  expect((await own.all.delete(`${contacts}${own.trashed}/`)).status).toBe(200);
});

test('a record that the key can see is found in every place that is tried here', async () => {
  const unfound: string[] = [];
  for (const [position, ask] of Object.entries(everyPosition)) {
    if (/user|wrong association type|lifecycle|upsert/.test(position)) continue;
    const { body } = await own.all.post(contacts, { properties: { svc_last_name: 'Control' } });
    const answer = await ask(own.all, body.data.id);
    const [result] = answer.body?.data?.results ?? [];
    if ((result?.status ?? answer.status) === 404) unfound.push(position);
    // The address that a merge has moved is released again.
    await own.all.delete(`${contacts}${body.data.id}/`);
    await batch(own.all, item('restore', { id: own.seen }), true);
  }
  expect(unfound).toEqual([]);
  expect((await own.all.get(`${contacts}${own.seen}/`)).body.data.properties.svc_email).toEqual(['seen@own.example']);
});

test('ids of another form answer like absent ones, everywhere', async () => {
  const forms = [own.seen.toUpperCase(), `{${own.seen}}`, own.seen.replaceAll('-', ''), 'nope', '%00', '😀', '..%2f'];
  for (const [position, ask] of Object.entries(everyPosition)) {
    if (position.startsWith('atomic')) continue;
    const [expected, absent] = await absentAnswer(own.all, position, ask);
    const inPath = /^(get|head|update|delete):/.test(position);
    for (const form of forms) {
      const answer = await ask(own.all, inPath ? encodeURIComponent(form) : form);
      expect(answer.status, `${position} ${form}: ${answer.text}`).toBe(expected.status);
      const text = unnamed(answer).replaceAll(JSON.stringify(JSON.stringify(form)).slice(1, -1), '"(id)"');
      const wanted = unnamed(expected).replaceAll(JSON.stringify(JSON.stringify(absent)).slice(1, -1), '"(id)"');
      expect(text, `${position} ${form}`).toBe(wanted);
    }
  }
});

test('the number of another org and the id of its user are not targets', async () => {
  for (const operation of ['associate', 'dissociate']) {
    for (const [association_type, foreign, absent] of [
      ['svc_record_to_org', String(theirs.orgId), '987654'],
      ['svc_record_to_user', theirs.userId, newId()],
    ] as const) {
      const ask = (target_id: string) =>
        batch(own.all, item(operation, { id: own.seen, association_type, target_id }), false);
      const [left, right] = [await ask(foreign), await ask(absent)];
      expect(left.body.data.results[0]).toMatchObject({ status: 404, problem: { reason: 'target_unknown' } });
      expect(unnamed(left).replaceAll(`\\"${foreign}\\"`, '(id)')).toBe(
        unnamed(right).replaceAll(`\\"${absent}\\"`, '(id)'),
      );
    }
  }
});

test('a hidden record that a link leads to is neither a target nor named when the link is replaced', async () => {
  const link = (target_id: string, operation = 'associate') => ({
    operation,
    object_type: 'svc_deal',
    id: own.deal,
    association_type: 'svc_deal_to_company',
    target_id,
  });
  expect((await batch(own.all, link(own.hiddenCompany), true)).status).toBe(200);
  for (const operation of ['associate', 'dissociate']) {
    const absent = newId();
    const [hidden, nobody] = [
      await batch(own.user, link(own.hiddenCompany, operation), false),
      await batch(own.user, link(absent, operation), false),
    ];
    expectAlike(hidden, own.hiddenCompany, nobody, absent, operation);
  }
  const replaced = await batch(own.user, link(own.company), true);
  expect(replaced.status).toBe(200);
  expect(replaced.text).not.toContain(own.hiddenCompany);
});

test('a value that a record of another org holds is free, in every way to write it', async () => {
  const [first, second, third, fourth] = await Promise.all(
    ['one', 'two', 'three', 'four'].map(async (word) => {
      const email = `${word}@shared.example`;
      expect((await theirs.all.post(contacts, { properties: { svc_email: [email] } })).status).toBe(201);
      return email;
    }),
  );
  const created = await own.all.post(contacts, { properties: { svc_email: [first] } });
  expect([created.status, created.body.data?.version]).toEqual([201, '1']);
  const updated = await own.all.patch(`${contacts}${created.body.data.id}/`, { properties: { svc_email: [second] } });
  expect(updated.status, updated.text).toBe(200);
  const upserted = await own.all.put(`${contacts}?match=svc_email`, { properties: { svc_email: [third] } });
  expect(upserted.status, upserted.text).toBe(201);
  const item4 = item('upsert', { match: 'svc_email', properties: { svc_email: [fourth] } });
  const inBatch = await batch(own.all, item4, false);
  expect(inBatch.body.data.results[0].status).toBe(201);
  const again = await own.all.put(`${contacts}?match=svc_email`, { properties: { svc_email: [third] } });
  expect([again.status, again.body.data.id]).toEqual([200, upserted.body.data.id]);
});

/** The ways to write a value that another record holds, and where the problem is in the answer. */
function wishes(client: Client, email: string, headers = {}): readonly Promise<Answer>[] {
  const properties = { svc_email: [`free-${newId()}@example.com`, email] };
  return [
    client.post(contacts, { properties }, headers),
    client.patch(`${contacts}${own.seen}/`, { properties }, headers),
    client.put(`${contacts}?match=svc_email`, { properties }, headers),
    client.post('/batch/', { atomic: true, operations: [item('create', { properties })] }, headers),
    client.post('/batch/', { operations: [item('update', { id: own.seen, properties })] }, headers),
    client.post('/batch/', { operations: [item('upsert', { match: 'svc_email', properties })] }, headers),
  ];
}

test('a conflict names the holder only to those who can see it', async () => {
  for (const headers of [{}, { 'svc-dry-run': 'true' }]) {
    for (const wish of wishes(own.user, 'hidden@own.example', headers)) {
      const { status, body, text } = await wish;
      const problem = status === 207 ? body.data.results[0].problem : body;
      expect([problem.status, problem.reason], text).toEqual([409, 'unique_value_taken']);
      expect(problem.conflict).toEqual({ object_type: 'svc_contact', property: 'svc_email' });
      expect(text).not.toContain(own.hidden);
      expect(text).not.toContain('hidden@own.example');
    }
  }
  const [visible] = await Promise.all(wishes(own.all, 'hidden@own.example', { 'svc-dry-run': 'true' }));
  expect(visible?.body.conflict).toEqual({
    object_type: 'svc_contact',
    property: 'svc_email',
    existing_id: own.hidden,
  });
});

test('an upsert that may only create learns no more of a hidden holder', async () => {
  const answer = await own.user.put(
    `${contacts}?match=svc_email`,
    { properties: { svc_email: ['hidden@own.example'] } },
    { 'if-none-match': '*' },
  );
  await expectProblem(answer, 'conflict', 'unique_value_taken');
  expect(answer.text).not.toContain(own.hidden);
  expect(answer.headers.get('etag')).toBeNull();
});

test('a restore that collides with a hidden holder is refused without naming it', async () => {
  const email = 'collides@own.example';
  const { body } = await own.all.post(contacts, { properties: { svc_email: [email] } });
  await own.all.delete(`${contacts}${body.data.id}/`);
  const holder = await own.all.post(contacts, { properties: { svc_email: [email] } });
  await rawQuery(service.databaseUrl, 'update orrery.record set org_visible = false where id = $1', [
    holder.body.data.id,
  ]);
  const answer = await batch(own.user, item('restore', { id: body.data.id }), true);
  await expectProblem(answer, 'conflict', 'unique_value_taken');
  expect(answer.text).not.toContain(holder.body.data.id);
});

test('pages of a list hold what the key can see, are full, and end where that ends', async () => {
  const type = '/objects/svc_sms_conversation/records/';
  const ids: string[] = [];
  for (let index = 0; index < 12; index++) {
    ids.push((await own.all.post(type, { properties: { svc_subject: `${index}` } })).body.data.id);
  }
  const isHidden = (index: number) => index % 3 !== 1;
  await rawQuery(service.databaseUrl, 'update orrery.record set org_visible = false where id = any ($1)', [
    ids.filter((_, index) => isHidden(index)),
  ]);
  const seen: string[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: Answer = await own.user.get(`${type}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(body.data.map((record: { id: string }) => record.id));
    cursor = body.pagination?.next_cursor ?? null;
  }
  const visible = ids.filter((_, index) => !isHidden(index));
  expect(seen).toEqual([visible.slice(0, 2), visible.slice(2, 4)]);
  expect((await theirs.all.get(type)).body.data).toEqual([]);
});

test('a cursor of another key, org or type, and one that was changed, answers like text that is not a cursor', async () => {
  const cursorOf = async (client: Client, type = 'svc_contact') => {
    await client.post(`/objects/${type}/records/`, { properties: {} });
    await client.post(`/objects/${type}/records/`, { properties: {} });
    const { body } = await client.get(`/objects/${type}/records/?limit=1`);
    return body.pagination?.next_cursor ?? expect.fail('no cursor');
  };
  const mine = await cursorOf(own.all);
  expect((await own.all.get(`${contacts}?cursor=${mine}`)).status).toBe(200);
  const flipped = (place: number) => {
    const bytes = Buffer.from(mine, 'base64url');
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  const bad = [
    await cursorOf(theirs.all),
    await cursorOf(own.user),
    await cursorOf(own.all, 'svc_company'),
    ...Array.from({ length: Buffer.from(mine, 'base64url').length }, (_, place) => flipped(place)),
    `${mine}A`,
    `${mine}=`,
    mine.slice(0, -1),
    own.seen,
    theirs.seen,
    Buffer.from(theirs.seen).toString('base64url'),
    '%00',
    'x'.repeat(5_000),
  ];
  const expected = await own.all.get(`${contacts}?cursor=nonsense`);
  await expectProblem(expected, 'invalid_request', 'invalid_cursor');
  for (const cursor of bad) {
    const answer = await own.all.get(`${contacts}?cursor=${cursor}`);
    expect(unnamed(answer), cursor).toBe(unnamed(expected));
    expect(comparableHeaders(answer)).toEqual(comparableHeaders(expected));
  }
});

describe('object types and association types that are not granted', () => {
  let narrow: Client;
  beforeAll(async () => {
    const grants = [{ objectTypes: ['svc_contact'], operations: ['create', 'update', 'delete', 'associate'] as const }];
    narrow = service.client((await service.createKey(own.orgId, { grants })).key);
  });

  const requests: Readonly<Record<string, (type: string) => Promise<Answer>>> = {
    list: (type) => narrow.get(`/objects/${type}/records/`),
    'list with parameters': (type) => narrow.get(`/objects/${type}/records/?properties=svc_name&limit=2`),
    get: (type) => narrow.get(`/objects/${type}/records/${own.company}/`),
    create: (type) => narrow.post(`/objects/${type}/records/`, { properties: { svc_name: 'X' } }),
    'create with nothing right': (type) => narrow.post(`/objects/${type}/records/`, { properties: { svc_name: 1 } }),
    update: (type) => narrow.patch(`/objects/${type}/records/${own.company}/`, { properties: { svc_name: 'X' } }),
    delete: (type) => narrow.delete(`/objects/${type}/records/${own.company}/`),
    upsert: (type) => narrow.put(`/objects/${type}/records/?match=svc_domain`, { properties: {} }),
    ...Object.fromEntries(
      [
        { operation: 'create', properties: {} },
        { operation: 'update', id: own?.company ?? newId(), properties: {} },
        { operation: 'upsert', match: 'svc_domain', properties: { svc_domain: 'own.example' } },
        { operation: 'delete', id: newId() },
        { operation: 'restore', id: newId() },
        { operation: 'merge', id: newId(), duplicate_id: newId() },
        { operation: 'associate', id: newId(), association_type: 'svc_record_to_org', target_id: '1' },
        { operation: 'dissociate', id: newId(), association_type: 'svc_record_to_org', target_id: '1' },
      ].flatMap((operation) =>
        [true, false].map((atomic) => [
          `${atomic ? 'atomic ' : ''}batch ${operation.operation}`,
          (type: string) => batch(narrow, { ...operation, object_type: type }, atomic),
        ]),
      ),
    ),
  };

  test('answer like names that do not exist, in every operation', async () => {
    const absent = 'svc_nothing';
    for (const [name, ask] of Object.entries(requests)) {
      const expected = await ask(absent);
      const problem = expected.status === 207 ? expected.body.data.results[0].problem : expected.body;
      expect(problem.reason, `${name}: ${expected.text}`).toBe('object_type_unknown');
      for (const type of ['svc_company', 'svc_deal', 'svc_risk', 'svc_user', 'svc_org', '__proto__', 'constructor']) {
        const answer = await ask(type);
        expect(answer.status, `${name} ${type}`).toBe(expected.status);
        expect(unnamed(answer).replaceAll(type, '(type)'), name).toBe(unnamed(expected).replaceAll(absent, '(type)'));
      }
    }
  });

  test('add no association type to a source that is granted', async () => {
    const ask: readonly ((association_type: string) => Promise<Answer>)[] = [
      (association_type) =>
        narrow.post(contacts, { properties: {}, associations: [{ association_type, target_id: own.company }] }),
      (association_type) =>
        batch(narrow, item('associate', { id: own.seen, association_type, target_id: own.company }), false),
      (association_type) =>
        batch(narrow, item('dissociate', { id: own.seen, association_type, target_id: newId() }), true),
    ];
    for (const each of ask) {
      const expected = await each('svc_nothing');
      for (const name of ['svc_contact_to_company', 'svc_contact_to_lifecycle_stage', 'svc_deal_to_contact']) {
        expect(unnamed(await each(name)).replaceAll(name, '(name)')).toBe(
          unnamed(expected).replaceAll('svc_nothing', '(name)'),
        );
      }
    }
  });
});
