// One org never learns of another, and a key never learns of anything outside its grants (contract 2: nothing hidden
// leaks). Every string of an org's schema holds a canary, so that a leak is found wherever it comes out.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../src/access/grant.ts';
import { revokeKey, rotateKey } from '../../src/engine/admin/keys.ts';
import { operations } from '../../src/operations/all.ts';
import type { Answer } from '../support/answer.ts';
import { builtinTypes } from '../support/api/vocabulary.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { withinASecond } from '../support/eventually.ts';
import { pathOf } from '../support/operation-examples.ts';
import { startService, type TestService } from '../support/service.ts';

interface Org {
  readonly orgId: number;
  readonly credentialId: string;
  readonly client: Client;
}

let service: TestService;
let left: Org;
let right: Org;
beforeAll(async () => {
  service = await startService();
  left = await createOrg('cnryleft');
  right = await createOrg('cnryrite');
});
afterAll(() => service.stop());

/** A schema in which every name, label, description and option holds the canary. */
function canarySchema(canary: string): unknown {
  const property = { name: `${canary}_property`, label: `${canary} property`, description: `${canary}.` };
  const options = [{ value: `${canary}_value`, label: `${canary} option` }];
  return {
    object_types: [
      {
        name: `${canary}_type`,
        label: `${canary} type`,
        plural_label: `${canary} types`,
        description: `${canary}.`,
        kind: 'person',
        properties: [{ ...property, field_type: 'text', unique: true }],
      },
      { name: `${canary}_stage`, label: `${canary} stage`, kind: `${canary}_kind`, properties: [] },
    ],
    properties: { svc_contact: [{ ...property, field_type: 'select', options }] },
    labels: { svc_deal: { label: `${canary} deal`, properties: { svc_name: `${canary} name` } } },
    association_types: [
      {
        name: `${canary}_link`,
        label: `${canary} link`,
        source: 'svc_contact',
        target: `${canary}_stage`,
        cardinality: 'many_to_one',
        stage: true,
      },
    ],
  };
}

async function createOrg(canary: string): Promise<Org> {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, canarySchema(canary));
  const { credentialId, key } = await service.createKey(orgId, { name: `${canary} key` });
  return { orgId, credentialId, client: service.client(key) };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Names one letter off those that an org might have: a name that is suggested must be the org's own. */
const slips = { cnry_property: 'x', hiden: 'x', svc_emial: ['x'], svc_name: 1, svc_email: ['no address'] };

/** Every operation on each of these types; writes are always refused, so that they can be compared. */
function requestsFor(types: readonly string[]): readonly Asked[] {
  return operations.flatMap((operation) =>
    (operation.path.includes('{') ? types : ['']).map((type) => {
      const asked = { method: operation.method, path: pathOf(operation, { type }) };
      if (operation.body === undefined) return asked;
      if (operation.id !== 'batch') return { ...asked, body: { properties: slips } };
      const items = types.map((object_type) => ({ operation: 'create', object_type, properties: slips }));
      return { ...asked, body: { operations: items } };
    }),
  );
}

function ask(client: Client, { method, path, body }: Asked): Promise<Answer> {
  return body === undefined ? client.call(method, path) : client.send(method, path, body);
}

const everyType = [...builtinTypes.map(({ name }) => name), 'svc_user', 'svc_org', 'nope'];

test('the canaries of an org are in its own answers and in no answer to the other', async () => {
  for (const [own, canary, other, types] of [
    [left, 'cnryleft', 'cnryrite', ['cnryleft_type', 'cnryleft_stage']],
    [right, 'cnryrite', 'cnryleft', ['cnryrite_type', 'cnryrite_stage']],
  ] as const) {
    let found = '';
    for (const asked of requestsFor([...everyType, ...types])) {
      const answer = await ask(own.client, asked);
      const whole = `${JSON.stringify([...answer.headers])} ${answer.text}`;
      expect(whole, asked.path).not.toContain(other);
      found += whole;
    }
    for (const part of [
      ' key',
      ' type',
      ' types',
      '_type',
      ' property',
      '_value',
      ' option',
      ' deal',
      ' name',
      '_link',
      // Offered as the nearest name to one that was misspelt.
      '_property"}',
    ]) {
      expect(found, part).toContain(canary + part);
    }
  }
});

test("the other org's names answer byte for byte like names that never existed", async () => {
  for (const end of ['', 'associations/']) {
    for (const [asked, absent] of [
      ['cnryrite_type', 'cnrynone_type'],
      ['cnryrite_stage', 'cnrynone_stage'],
      ['cnryrite_kind', 'cnrynone_kind'],
    ] as const) {
      const theirs = await left.client.get(`/objects/${asked}/${end}`);
      const nobodys = await left.client.get(`/objects/${absent}/${end}`);
      expect(theirs.status).toBe(404);
      expect(unnamed(theirs).replaceAll(asked, absent)).toBe(unnamed(nobodys));
      expect(comparableHeaders(theirs)).toEqual(comparableHeaders(nobodys));
    }
  }
});

test("the other org's records answer byte for byte like records that never existed, and stay as they are", async () => {
  const at = '/objects/svc_contact/records/';
  const made = await right.client.post(at, { properties: { svc_email: ['secret@cnryrite.example'] } });
  const id: string = made.body.data.id;
  const unused = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  const item = (operation: string, more: object) => ({ operation, object_type: 'svc_contact', ...more });
  const requests: readonly ((id: string) => Asked)[] = [
    (each) => ({ method: 'GET', path: `${at}${each}/` }),
    (each) => ({ method: 'PATCH', path: `${at}${each}/`, body: { properties: { svc_first_name: 'X' } } }),
    (each) => ({ method: 'DELETE', path: `${at}${each}/` }),
    (each) => ({
      method: 'POST',
      path: '/batch/',
      body: {
        operations: [
          item('update', { id: each, properties: {} }),
          item('delete', { id: each }),
          item('restore', { id: each }),
          item('merge', { id: each, duplicate_id: each }),
          item('associate', { id: each, association_type: 'svc_contact_to_company', target_id: each }),
          item('dissociate', { id: each, association_type: 'svc_contact_to_company', target_id: each }),
        ],
      },
    }),
  ];
  for (const request of requests) {
    const [theirs, nobodys] = [await ask(left.client, request(id)), await ask(left.client, request(unused))];
    expect([404, 207]).toContain(theirs.status);
    expect(unnamed(theirs).replaceAll(id, unused)).toBe(unnamed(nobodys));
    expect(comparableHeaders(theirs)).toEqual(comparableHeaders(nobodys));
  }
  const listed = (await left.client.get(at)).body.data.map((record: { id: string }) => record.id);
  expect(listed).not.toContain(id);
  expect((await right.client.get(`${at}${id}/`)).body.data).toEqual(made.body.data);
});

test('a unique value that another org holds is free, and an upsert by it makes a record', async () => {
  const at = '/objects/svc_contact/records/';
  const values = { properties: { svc_email: ['shared@example.com'] } };
  const made = await right.client.post(at, values);
  expect((await left.client.post(at, values)).status).toBe(201);
  const [one, two] = [await service.newClient(), await service.newClient()];
  expect((await one.put(`${at}?match=svc_email`, values)).status).toBe(201);
  expect((await two.put(`${at}?match=svc_email`, values)).status).toBe(201);
  expect((await right.client.get(`${at}${made.body.data.id}/`)).body.data).toEqual(made.body.data);
});

test('two orgs may use the same names for different things', async () => {
  const [one, two] = [await service.createOrg(), await service.createOrg()];
  const type = (label: string, field: string) => ({
    object_types: [{ name: 'asset', label, properties: [{ name: 'worth', label: 'Worth', field_type: field }] }],
  });
  await service.applySchema(one, type('Asset', 'number'));
  await service.applySchema(two, type('Holding', 'currency'));
  for (const [orgId, label, field] of [
    [one, 'Asset', 'number'],
    [two, 'Holding', 'currency'],
  ] as const) {
    const { data } = (await service.client((await service.createKey(orgId)).key).get('/objects/asset/')).body;
    expect(data.label).toBe(label);
    expect(data.properties.find((each: { name: string }) => each.name === 'worth').field_type).toBe(field);
  }
});

test('a key belongs to its own org and credential, with any path and header', async () => {
  for (const own of [left, right]) {
    const other = own === left ? right : left;
    const headers = { 'x-org-id': String(other.orgId), 'svc-org-id': String(other.orgId) };
    const { data } = (await own.client.get('/self/', { headers })).body;
    expect(data).toMatchObject({ org_id: own.orgId, credential: { id: own.credentialId } });
    expect((await own.client.get(`/self/?org_id=${other.orgId}`)).status).toBe(400);
    expect((await own.client.get(`/orgs/${other.orgId}/objects/`)).status).toBe(404);
  }
});

test('revoking and rotating in one org touches no key of another', async () => {
  const [first, second] = [await createOrg('cnryrev'), await createOrg('cnrykeep')];
  const status = async ({ client }: Org) => (await client.get('/self/')).status;
  expect([await status(first), await status(second)]).toEqual([200, 200]);
  const before = unnamed(await second.client.get('/objects/'));
  await revokeKey(service.database, first.credentialId);
  expect(
    await withinASecond(
      () => status(first),
      (found) => found === 401,
    ),
  ).toBe(401);
  const third = await createOrg('cnryrot');
  const rotated = await rotateKey(service.database, third.credentialId, 0);
  expect(
    await withinASecond(
      () => status(third),
      (found) => found === 401,
    ),
  ).toBe(401);
  expect((await service.client(rotated.key).get('/self/')).status).toBe(200);
  expect(await status(second)).toBe(200);
  expect(unnamed(await second.client.get('/objects/'))).toBe(before);
});

test('an org that has used up its limit leaves the limit of another alone', async () => {
  const poor = service.client((await service.createKey(await service.createOrg({ quota: 3, windowSeconds: 60 }))).key);
  const rich = await service.newClient();
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await poor.get('/self/')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const { status, headers } = await rich.get('/self/');
  expect(status).toBe(200);
  expect(headers.get('ratelimit')).toMatch(/^"org";r=5999;/);
});

test('twin orgs that differ only in what the grants do not cover give the same answers', async () => {
  const grants: readonly Grant[] = [
    { objectTypes: ['svc_contact', 'svc_company', 'svc_meeting'], operations: ['read', 'update', 'associate'] },
  ];
  const [plain, rich] = [await service.createOrg(), await service.createOrg()];
  const shared = { properties: { svc_contact: [{ name: 'shoe', label: 'Shoe', field_type: 'number' }] } };
  await service.applySchema(plain, shared);
  await service.applySchema(rich, shared);
  await service.applySchema(rich, {
    object_types: [
      { name: 'hidden_person', label: 'Hidden', kind: 'person', properties: [] },
      { name: 'hidden_activity', label: 'Hidden', kind: 'activity', properties: [] },
    ],
    properties: { svc_deal: [{ name: 'hidden', label: 'Hidden', field_type: 'text', unique: true }] },
    labels: { svc_note: { label: 'Hidden note' } },
    association_types: [
      { name: 'hidden_out', source: 'svc_contact', target: 'hidden_person', cardinality: 'many_to_many' },
      { name: 'hidden_in', source: 'svc_deal', target: 'svc_company', cardinality: 'many_to_one' },
      { name: 'hidden_stage', source: 'svc_company', target: 'svc_note', cardinality: 'many_to_one', stage: true },
    ],
  });
  await service.createUser(rich);
  await service.createKey(rich, { name: 'another' });
  const twins = [await service.createKey(plain, { grants }), await service.createKey(rich, { grants })];
  const hidden = ['hidden_person', 'hidden_activity', 'hidden_stage', 'hidden'];
  const questions = requestsFor([...everyType, ...hidden]).flatMap((asked) => [
    asked,
    // A type that has the hidden property, one that is granted, and one that is hidden itself.
    ...(/svc_deal|svc_contact|hidden_person/.test(asked.path) ? [{ ...asked, path: `${asked.path}?hidden=1` }] : []),
    ...(asked.path.endsWith('/records/') ? [{ ...asked, path: `${asked.path}?match=hidden` }] : []),
  ]);
  for (const asked of questions) {
    const answers = await Promise.all(
      twins.map(async ({ key, credentialId }) => neutral(await ask(service.client(key), asked), credentialId)),
    );
    expect(answers[1], `${asked.method} ${asked.path}`).toBe(answers[0]);
  }
});

/** Status, headers and body without the ids that must differ between two orgs. */
function neutral(answer: Answer, credentialId: string): string {
  const body = unnamed(answer)
    .replaceAll(credentialId, '(credential)')
    .replace(/"org_id":\d+/, '"org_id":(org)');
  // The number of an org may have a digit more, and with it the answer.
  const { 'content-length': _, ...headers } = comparableHeaders(answer);
  return JSON.stringify([answer.status, headers, body]);
}
