// One org never learns of another, and a key never learns of what its grants do not cover (contract 2: nothing hidden
// leaks). Every string of an org's schema holds a canary, so that a leak is found wherever it comes out.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../src/access/grant.ts';
import { revokeKey, rotateKey } from '../../src/engine/keys.ts';
import { operations } from '../../src/operations/all.ts';
import type { Answer, Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/compare.ts';
import { startService, type TestService } from '../support/service.ts';
import { builtinTypes } from '../support/vocabulary.ts';
import { withinASecond } from '../support/within.ts';

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

/** Every operation, on every type that is given. */
function pathsFor(types: readonly string[]): readonly string[] {
  return operations.flatMap(({ path }) =>
    path.includes('{') ? types.map((type) => path.replace('{object_type}', type)) : [path],
  );
}

const everyType = [...builtinTypes.map(({ name }) => name), 'svc_user', 'svc_org', 'nope'];

test('the canaries of an org are in its own answers and in no answer to the other', async () => {
  for (const [own, canary, other, types] of [
    [left, 'cnryleft', 'cnryrite', ['cnryleft_type', 'cnryleft_stage']],
    [right, 'cnryrite', 'cnryleft', ['cnryrite_type', 'cnryrite_stage']],
  ] as const) {
    let found = '';
    for (const path of pathsFor([...everyType, ...types])) {
      const answer = await own.client.get(path);
      const whole = `${JSON.stringify([...answer.headers])} ${answer.text}`;
      expect(whole, path).not.toContain(other);
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

test('a key tells its own org and credential, whatever the path or a header says', async () => {
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
  const asked = pathsFor([...everyType, ...hidden]).flatMap((path) => [path, `${path}?hidden=1`]);
  for (const path of asked) {
    const answers: string[] = [];
    for (const { key, credentialId } of twins) {
      answers.push(neutral(await service.client(key).get(path), credentialId));
    }
    expect(answers[1], path).toBe(answers[0]);
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
