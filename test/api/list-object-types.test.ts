import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinTypes } from '../support/api/vocabulary.ts';
import { withinASecond } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Entry = Record<string, unknown> & { readonly name: string };

const members = [
  'name',
  'label',
  'plural_label',
  'description',
  'category',
  'kind',
  'writable_operations',
  'title_property',
  'unique_properties',
];

test('a full key sees the 22 built-in types with their labels, categories, kinds and operations', async () => {
  const client = await service.newClient();
  const { status, body } = await client.get('/objects/');
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['data', 'request_id']);
  const served = body.data.map((entry: Entry) => ({
    name: entry.name,
    label: entry['label'],
    category: entry['category'],
    kind: entry['kind'],
    accepts: entry['writable_operations'],
  }));
  expect(served).toHaveLength(22);
  expect(served.sort(byName)).toEqual([...builtinTypes].sort(byName));
});

test('every entry has exactly the nine members of the contract, and a plural and a description worth reading', async () => {
  const client = await service.newClient();
  const { body } = await client.get('/objects/');
  for (const entry of body.data) {
    expect(Object.keys(entry).sort(), entry.name).toEqual([...members].sort());
    expect(entry.plural_label, entry.name).toMatch(/\S/);
    expect(entry.description, entry.name).toMatch(/^[A-Z].+\.$/);
  }
});

test('a meeting can be linked and nothing else, timers, synced and generated types accept nothing', async () => {
  const client = await service.newClient();
  const { body } = await client.get('/objects/');
  const operations = new Map(body.data.map((entry: Entry) => [entry.name, entry['writable_operations']]));
  expect(operations.get('svc_meeting')).toEqual(['associate']);
  for (const name of ['svc_stage_timer', 'svc_email_thread', 'svc_file', 'svc_risk', 'svc_web_visit']) {
    expect(operations.get(name), name).toEqual([]);
  }
});

test('only the email of a contact and the domain of a company are unique', async () => {
  const client = await service.newClient();
  const { body } = await client.get('/objects/');
  const unique = body.data.filter((entry: Entry) => (entry['unique_properties'] as string[]).length > 0);
  expect(unique.map((entry: Entry) => [entry.name, entry['unique_properties']]).sort()).toEqual([
    ['svc_company', ['svc_domain']],
    ['svc_contact', ['svc_email']],
  ]);
});

test('a title property is one of the type, single-valued', async () => {
  const client = await service.newClient();
  const { body } = await client.get('/objects/');
  for (const { name, title_property: title } of body.data) {
    if (title === null) continue;
    const { properties } = (await client.get(`/objects/${name}/`)).body.data;
    const found = properties.find((property: { name: string }) => property.name === title);
    expect(found, `${name}.${title}`).toMatchObject({ multi_valued: false });
  }
  expect(body.data.find((entry: Entry) => entry.name === 'svc_company').title_property).toBe('svc_name');
});

test('the hidden types svc_user and svc_org are never listed', async () => {
  const client = await service.newClient();
  const { body } = await client.get('/objects/');
  const names = body.data.map((entry: Entry) => entry.name);
  expect(names).not.toContain('svc_user');
  expect(names).not.toContain('svc_org');
});

test('a custom type appears beside the built-in ones, with its kind, title and unique properties', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, {
    object_types: [
      {
        name: 'student',
        label: 'Student',
        plural_label: 'Students',
        kind: 'person',
        title_property: 'full_name',
        properties: [
          { name: 'full_name', label: 'Full name', field_type: 'text' },
          { name: 'matriculation', label: 'Matriculation', field_type: 'text', unique: true },
        ],
      },
      { name: 'course', label: 'Course', properties: [] },
    ],
  });
  const { key } = await service.createKey(orgId);
  const { body } = await service.client(key).get('/objects/');
  expect(body.data).toHaveLength(24);
  expect(body.data.find((entry: Entry) => entry.name === 'student')).toEqual({
    name: 'student',
    label: 'Student',
    plural_label: 'Students',
    description: expect.any(String),
    category: 'custom',
    kind: 'person',
    writable_operations: ['create', 'update', 'delete', 'associate'],
    title_property: 'full_name',
    unique_properties: ['matriculation'],
  });
  expect(body.data.find((entry: Entry) => entry.name === 'course')).toMatchObject({
    category: 'custom',
    kind: null,
    title_property: null,
    unique_properties: [],
  });
});

test('a renamed built-in type has the new label and keeps its name and nature', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, {
    labels: { svc_deal: { label: 'Opportunity', plural_label: 'Opportunities' }, svc_risk: { label: 'Danger' } },
    properties: { svc_company: [{ name: 'tax_id', label: 'Tax id', field_type: 'text', unique: true }] },
  });
  const { key } = await service.createKey(orgId);
  const { body } = await service.client(key).get('/objects/');
  const entry = (name: string) => body.data.find((each: Entry) => each.name === name);
  expect(entry('svc_deal')).toMatchObject({ label: 'Opportunity', plural_label: 'Opportunities', category: 'core' });
  expect(entry('svc_risk')).toMatchObject({ label: 'Danger', category: 'generated', writable_operations: [] });
  expect(entry('svc_company').unique_properties.sort()).toEqual(['svc_domain', 'tax_id']);
});

test('a type that is added while the org is in use appears within a second', async () => {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId);
  const client = service.client(key);
  const names = async () => (await client.get('/objects/')).body.data.map((entry: Entry) => entry.name);
  expect(await names()).not.toContain('late_comer');
  await service.applySchema(orgId, { object_types: [{ name: 'late_comer', label: 'Late', properties: [] }] });
  expect(await withinASecond(names, (found) => found.includes('late_comer'))).toContain('late_comer');
});

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : 1;
}
