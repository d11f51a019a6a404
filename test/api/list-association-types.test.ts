import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinPairs, builtinTypes, comparable, type ExpectedEntry, entriesOf } from '../support/api/vocabulary.ts';
import type { Client } from '../support/client.ts';
import { withinASecond } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

type Entry = ExpectedEntry & { readonly label: string };

const linkable = new Set(builtinTypes.filter(({ accepts }) => accepts.includes('associate')).map(({ name }) => name));

test.each(builtinTypes.map(({ name }) => name))(
  '%s has exactly the pairs of the contract, seen from it',
  async (name) => {
    const { status, body } = await client.get(`/objects/${name}/associations/`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'request_id']);
    expect(comparable(body.data)).toEqual(entriesOf(name, builtinPairs, (source) => linkable.has(source)));
    for (const entry of body.data) {
      expect(Object.keys(entry).sort()).toEqual([
        'cardinality',
        'direction',
        'label',
        'name',
        'source_type',
        'stage',
        'target_type',
        'writable',
      ]);
      expect(entry.label).toMatch(/\S/);
    }
  },
);

test('only three built-in pairs lead to a stage, each many_to_one', async () => {
  const stages: Entry[] = [];
  for (const { name } of builtinTypes) stages.push(...(await entries(client, name)).filter((entry) => entry.stage));
  expect(
    stages
      .filter(({ direction }) => direction === 'outgoing')
      .map(lineOf)
      .sort(),
  ).toEqual([
    'svc_contact_to_lifecycle_stage svc_contact svc_contact_lifecycle_stage outgoing many_to_one',
    'svc_deal_to_deal_pipeline_stage svc_deal svc_deal_pipeline_stage outgoing many_to_one',
    'svc_note_to_note_pipeline_stage svc_note svc_note_pipeline_stage outgoing many_to_one',
  ]);
});

test('a meeting can be linked to a contact, an email thread cannot', async () => {
  const link = async (name: string) =>
    (await entries(client, name)).find((entry) => entry.name === 'svc_activity_to_contact')?.writable;
  expect(await link('svc_meeting')).toBe(true);
  expect(await link('svc_email_thread')).toBe(false);
});

test('the hidden types are targets only', async () => {
  for (const { name } of builtinTypes) {
    const found = await entries(client, name);
    expect(found.filter((entry) => /^svc_(user|org)$/.test(entry.source_type))).toEqual([]);
    expect(found.filter((entry) => /^svc_(user|org)$/.test(entry.target_type)).map(({ name: each }) => each)).toEqual([
      'svc_record_to_user',
      'svc_record_to_org',
    ]);
  }
});

test('a custom type of a kind takes part in every association type of the kind', async () => {
  const own = await orgWith({
    object_types: [
      { name: 'student', label: 'Student', kind: 'person', properties: [] },
      { name: 'visit', label: 'Visit', kind: 'activity', properties: [] },
    ],
  });
  const student = (await entries(own, 'student')).map(lineOf);
  expect(student).toEqual(
    expect.arrayContaining([
      'svc_contact_to_company student svc_company outgoing many_to_many',
      'svc_contact_to_lifecycle_stage student svc_contact_lifecycle_stage outgoing many_to_one',
      'svc_deal_to_contact svc_deal student incoming many_to_many',
      'svc_note_to_contact svc_note student incoming many_to_many',
      'svc_activity_to_contact svc_meeting student incoming many_to_many',
      'svc_activity_to_contact visit student incoming many_to_many',
      'svc_file_to_contact svc_file student incoming many_to_many',
      'svc_web_visitor_to_contact svc_web_visitor student incoming many_to_one',
      'svc_stage_timer_to_contact svc_stage_timer student incoming many_to_one',
      'svc_record_to_user student svc_user outgoing many_to_many',
      'svc_record_to_org student svc_org outgoing many_to_one',
    ]),
  );
  // Two for the person's own, seven activities and the custom one, five single types that name a person, visibility.
  expect(student).toHaveLength(2 + 8 + 5 + 2);
  expect((await entries(own, 'visit')).map(lineOf).sort()).toEqual([
    'svc_activity_to_company visit svc_company outgoing many_to_many',
    'svc_activity_to_contact visit student outgoing many_to_many',
    'svc_activity_to_contact visit svc_contact outgoing many_to_many',
    'svc_activity_to_deal visit svc_deal outgoing many_to_many',
    'svc_record_to_org visit svc_org outgoing many_to_one',
    'svc_record_to_user visit svc_user outgoing many_to_many',
  ]);
});

test('a type that is both ends has two entries, and kinds at both ends are expanded to every pair', async () => {
  const own = await orgWith({
    object_types: [{ name: 'student', label: 'Student', kind: 'person', properties: [] }],
    association_types: [
      { name: 'parent', label: 'Parent', source: 'svc_company', target: 'svc_company', cardinality: 'many_to_one' },
      { name: 'knows', source: { kind: 'person' }, target: { kind: 'person' }, cardinality: 'many_to_many' },
    ],
  });
  const company = (await entries(own, 'svc_company')).filter(({ name }) => name === 'parent');
  expect(company.map(lineOf).sort()).toEqual([
    'parent svc_company svc_company incoming many_to_one',
    'parent svc_company svc_company outgoing many_to_one',
  ]);
  expect(company.map(({ label }) => label)).toEqual(['Parent', 'Parent']);
  const knows = (await entries(own, 'svc_contact')).filter(({ name }) => name === 'knows');
  expect(knows.map(lineOf).sort()).toEqual([
    'knows student svc_contact incoming many_to_many',
    'knows svc_contact student outgoing many_to_many',
    'knows svc_contact svc_contact incoming many_to_many',
    'knows svc_contact svc_contact outgoing many_to_many',
  ]);
});

test('a custom stage type is a stage, and timers can be linked to its record and its stage', async () => {
  const own = await orgWith({
    object_types: [
      { name: 'ticket', label: 'Ticket', properties: [] },
      { name: 'ticket_stage', label: 'Ticket stage', properties: [] },
    ],
    association_types: [
      { name: 'in_stage', source: 'ticket', target: 'ticket_stage', cardinality: 'many_to_one', stage: true },
    ],
  });
  const stage = (await entries(own, 'ticket')).find(({ name }) => name === 'in_stage');
  expect(stage).toMatchObject({ stage: true, writable: true, direction: 'outgoing', target_type: 'ticket_stage' });
  const timers = (await entries(own, 'svc_stage_timer')).filter(({ target_type }) => target_type.startsWith('ticket'));
  expect(timers.map(lineOf).sort()).toEqual([
    'svc_stage_timer_to_record svc_stage_timer ticket outgoing many_to_one',
    'svc_stage_timer_to_stage svc_stage_timer ticket_stage outgoing many_to_one',
  ]);
  expect(timers.map(({ writable }) => writable)).toEqual([false, false]);
});

test('an association type that is added while the org is in use appears within a second', async () => {
  const orgId = await service.createOrg();
  const own = service.client((await service.createKey(orgId)).key);
  const names = async () => (await entries(own, 'svc_note')).map(({ name }) => name);
  expect(await names()).not.toContain('reminds');
  await service.applySchema(orgId, {
    association_types: [{ name: 'reminds', source: 'svc_note', target: 'svc_risk', cardinality: 'many_to_many' }],
  });
  expect(await withinASecond(names, (found) => found.includes('reminds'))).toContain('reminds');
});

test.each(['nope', 'svc_user', 'svc_org', '__proto__', 'svc_contact%2F..'])('%s has no associations', async (name) => {
  const { status, body } = await client.get(`/objects/${name}/associations/`);
  expect(status).toBe(404);
  expect(body).toMatchObject({ code: 'not_found', reason: 'object_type_unknown' });
});

async function orgWith(schema: unknown): Promise<Client> {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, schema);
  return service.client((await service.createKey(orgId)).key);
}

async function entries(caller: Client, name: string): Promise<readonly Entry[]> {
  return (await caller.get(`/objects/${name}/associations/`)).body.data;
}

function lineOf({ name, source_type, target_type, direction, cardinality }: Entry): string {
  return [name, source_type, target_type, direction, cardinality].join(' ');
}
