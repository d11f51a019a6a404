// Requests that are refused, over every operation that writes, and dry runs of each: for the test that nothing of them is
// ever stored. The world they are sent to has what it takes to be refused for every reason (contract 8).
import { expect } from 'vitest';
import { newId } from '../../../src/base/id.ts';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import type { TestService } from '../service.ts';

export interface World {
  readonly orgId: number;
  readonly client: Client;
  /** May read and nothing more. */
  readonly reader: Client;
  /** May do everything, and sees what is its own or the org's. */
  readonly user: Client;
  /** Two contacts with two addresses each, and one in the trash. */
  readonly ada: string;
  readonly bob: string;
  readonly trashed: string;
  /** A contact that `user` does not see. */
  readonly hidden: string;
  readonly company: string;
  readonly deal: string;
  readonly stranger: string;
  readonly otherCompany: string;
}

export const contacts = '/objects/svc_contact/records/';

export async function createWorld(service: TestService): Promise<World> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, {
    object_types: [
      {
        name: 'seat',
        label: 'Seat',
        properties: [
          { name: 'row', label: 'Row', field_type: 'text', required: true },
          { name: 'code', label: 'Code', field_type: 'text', unique: true },
        ],
      },
    ],
  });
  const client = service.client((await service.createKey(orgId)).key);
  const userId = await service.createUser(orgId);
  const created = async (type: string, body: object): Promise<string> => {
    const answer = await client.post(`/objects/${type}/records/`, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data.id;
  };
  const company = await created('svc_company', { properties: { svc_name: 'Engines', svc_domain: 'engines.example' } });
  const link = { association_type: 'svc_contact_to_company', target_id: company };
  const contact = (name: string) => ({
    properties: { svc_last_name: name, svc_email: [`${name}@example.com`, `${name}@other.example`] },
    associations: [link],
  });
  const ada = await created('svc_contact', contact('ada'));
  const bob = await created('svc_contact', contact('bob'));
  const trashed = await created('svc_contact', contact('tom'));
  await client.delete(`${contacts}${trashed}/`);
  // Its address has another holder now, so that it cannot come back.
  await created('svc_contact', { properties: { svc_email: ['tom@example.com'] } });
  const hidden = await created('svc_contact', contact('eve'));
  const unlink = { operation: 'dissociate', object_type: 'svc_contact', id: hidden };
  const orgLink = { association_type: 'svc_record_to_org', target_id: String(orgId) };
  const hiding = await client.post('/batch/', { operations: [{ ...unlink, ...orgLink }] });
  expect(hiding.status, hiding.text).toBe(200);
  const deal = await created('svc_deal', {
    properties: { svc_name: 'Deal', svc_amount: { amount: '12.50', unit: 'EUR' } },
    associations: [{ association_type: 'svc_deal_to_company', target_id: company }],
  });
  const otherCompany = await created('svc_company', { properties: {} });
  await created('seat', { properties: { row: '1', code: 'A' } });
  await client.post(contacts, { properties: {} }, { 'idempotency-key': 'used' });
  const foreign = await service.newClient();
  const stranger = (await foreign.post(contacts, { properties: { svc_last_name: 'Foreign' } })).body.data.id;
  const reader = await service.createKey(orgId, { grants: [{ objectTypes: ['*'], operations: ['read'] }] });
  const user = await service.createKey(orgId, { userId, reach: 'user' });
  return {
    client,
    reader: service.client(reader.key),
    user: service.client(user.key),
    ...{ ada, bob, trashed, hidden, company, deal, stranger, otherCompany, orgId },
  };
}

const json = { 'content-type': 'application/json' };
/** Addresses that nobody has. */
export const free = ['free-one@example.com', 'free-two@example.com'];

export function patch({ client, ada }: World, properties: unknown, headers = {}): Promise<Answer> {
  return client.patch(`${contacts}${ada}/`, { properties }, headers);
}

export function create({ client }: World, body: unknown, type = 'svc_contact', headers = {}): Promise<Answer> {
  return client.post(`/objects/${type}/records/`, body, headers);
}

function upsert({ client }: World, match: string, properties: unknown, more = {}): Promise<Answer> {
  return client.put(`${contacts}?match=${match}`, { properties, ...more });
}

/** Items of which the last one fails, after the others have made everything that a batch can make. */
export function atomicItems({ ada, bob, company, deal, trashed }: World, last: unknown): unknown {
  return {
    atomic: true,
    operations: [
      {
        operation: 'create',
        object_type: 'svc_contact',
        properties: { svc_last_name: 'New', svc_email: [free[0]] },
        associations: [{ association_type: 'svc_contact_to_company', target_id: company }],
        ref: 'new',
      },
      { operation: 'update', object_type: 'svc_contact', id: ada, properties: { svc_email: [free[1]] } },
      {
        operation: 'upsert',
        object_type: 'svc_contact',
        match: 'svc_email',
        properties: { svc_email: ['ada@example.com'], svc_last_name: 'Taken over' },
      },
      {
        operation: 'associate',
        object_type: 'svc_deal',
        id: deal,
        association_type: 'svc_deal_to_contact',
        target_id: { ref: 'new' },
      },
      {
        operation: 'dissociate',
        object_type: 'svc_contact',
        id: bob,
        association_type: 'svc_contact_to_company',
        target_id: company,
      },
      { operation: 'delete', object_type: 'svc_company', id: company },
      { operation: 'merge', object_type: 'svc_contact', id: ada, duplicate_id: bob },
      { operation: 'update', object_type: 'svc_contact', id: ada, properties: { svc_headline: 'Merged' } },
      { operation: 'delete', object_type: 'svc_contact', id: ada },
      { operation: 'restore', object_type: 'svc_contact', id: ada },
      last ?? { operation: 'restore', object_type: 'svc_contact', id: trashed },
    ],
  };
}

function item(operation: string, more: object): { readonly operations: readonly unknown[] } {
  return { operations: [{ operation, object_type: 'svc_contact', ...more }] };
}

type Send = (world: World) => Promise<Answer>;

/** What is wrong, then status and reason (for a batch of items those of its only item), then the request. */
export const refusals: readonly (readonly [string, string, Send])[] = [
  ['create: broken JSON', '400 malformed_json', (w) => create(w, '{"properties": {')],
  ['create: no body', '400 body_required', ({ client }) => client.call('POST', contacts, { headers: json })],
  ['create: unknown member', '400 unknown_member', (w) => create(w, { properties: {}, id: newId() })],
  ['create: properties missing', '400 invalid_member', (w) => create(w, {})],
  [
    'create: unknown parameter',
    '400 unknown_parameter',
    ({ client }) => client.post(`${contacts}?x=1`, { properties: {} }),
  ],
  [
    'create: precondition',
    '400 invalid_header',
    (w) => create(w, { properties: {} }, 'svc_contact', { 'if-match': '"1"' }),
  ],
  [
    'create: dry run of a sort',
    '400 invalid_header',
    (w) => create(w, { properties: {} }, 'svc_contact', { 'svc-dry-run': '1' }),
  ],
  [
    'create: two targets where one can be',
    '400 invalid_member',
    (w) => {
      const other = 'svc_deal_to_company';
      const links = [w.company, w.otherCompany].map((target_id) => ({ association_type: other, target_id }));
      return create(w, { properties: {}, associations: links }, 'svc_deal');
    },
  ],
  ['create: not granted', '403 operation_not_granted', ({ reader }) => reader.post(contacts, { properties: {} })],
  ['create: synced type', '403 type_is_synced', (w) => create(w, { properties: {} }, 'svc_meeting')],
  ['create: generated type', '403 type_is_generated', (w) => create(w, { properties: {} }, 'svc_risk')],
  ['create: stage timer', '403 type_is_read_only', (w) => create(w, { properties: {} }, 'svc_stage_timer')],
  ['create: unknown type', '404 object_type_unknown', (w) => create(w, { properties: {} }, 'svc_user')],
  [
    'create: unknown target after good ones',
    '404 target_unknown',
    (w) => {
      const targets = [w.company, newId()];
      const links = targets.map((target_id) => ({ association_type: 'svc_contact_to_company', target_id }));
      return create(w, { properties: { svc_email: free }, associations: links });
    },
  ],
  [
    'create: unknown association type',
    '404 association_type_unknown',
    (w) =>
      create(w, { properties: { svc_email: free }, associations: [{ association_type: 'no', target_id: w.company }] }),
  ],
  [
    'create: value taken after free ones',
    '409 unique_value_taken',
    (w) => create(w, { properties: { svc_email: [...free, 'BOB@example.com'] } }),
  ],
  [
    'create: value taken, with links',
    '409 unique_value_taken',
    (w) => {
      const associations = [{ association_type: 'svc_contact_to_company', target_id: w.company }];
      return create(w, { properties: { svc_email: [...free, 'bob@example.com'] }, associations });
    },
  ],
  [
    'create: body too large',
    '413 body_too_large',
    (w) => create(w, { properties: { svc_summary: 'x'.repeat(1_100_000) } }),
  ],
  [
    'create: media type',
    '415 undefined',
    (w) => create(w, 'properties=', 'svc_contact', { 'content-type': 'text/plain' }),
  ],
  [
    'create: wrong shape',
    '422 wrong_shape',
    (w) => create(w, { properties: { svc_last_name: 'Good', svc_email: 'bad' } }),
  ],
  ['create: required missing', '422 required_missing', (w) => create(w, { properties: { code: 'B' } }, 'seat')],
  [
    'create: key used with another body',
    '422 idempotency_key_reused',
    (w) => create(w, { properties: { svc_last_name: 'Other' } }, 'svc_contact', { 'idempotency-key': 'used' }),
  ],

  [
    'update: not granted',
    '403 operation_not_granted',
    ({ reader, ada }) => reader.patch(`${contacts}${ada}/`, { properties: {} }),
  ],
  ['update: absent', '404 record_unknown', ({ client }) => client.patch(`${contacts}${newId()}/`, { properties: {} })],
  [
    'update: in the trash',
    '404 record_unknown',
    ({ client, trashed }) => client.patch(`${contacts}${trashed}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: of another org',
    '404 record_unknown',
    ({ client, stranger }) => client.patch(`${contacts}${stranger}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: hidden',
    '404 record_unknown',
    ({ user, hidden }) => user.patch(`${contacts}${hidden}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: of another type',
    '404 record_unknown',
    ({ client, company }) => client.patch(`${contacts}${company}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: value taken after free ones',
    '409 unique_value_taken',
    (w) => patch(w, { svc_email: [...free, 'bob@example.com'] }),
  ],
  ['update: other version', '412 version_mismatch', (w) => patch(w, { svc_email: free }, { 'if-match': '"2", W/"1"' })],
  [
    'update: read-only',
    '422 read_only_property',
    (w) => patch(w, { svc_last_name: 'X', svc_created_at: '2026-01-01T00:00:00Z' }),
  ],
  ['update: unknown property', '422 unknown_property', (w) => patch(w, { svc_last_name: 'X', nothing: '1' })],
  ['update: unknown option', '422 unknown_option', (w) => patch(w, { svc_last_name: 'X', svc_lead_score: 'Warm' })],
  [
    'update: too many values',
    '422 too_many_values',
    (w) => patch(w, { svc_email: Array.from({ length: 101 }, (_, index) => `n${index}@example.com`) }),
  ],

  ['delete: not granted', '403 operation_not_granted', ({ reader, ada }) => reader.delete(`${contacts}${ada}/`)],
  ['delete: absent', '404 record_unknown', ({ client }) => client.delete(`${contacts}${newId()}/`)],
  ['delete: of another org', '404 record_unknown', ({ client, stranger }) => client.delete(`${contacts}${stranger}/`)],
  ['delete: hidden', '404 record_unknown', ({ user, hidden }) => user.delete(`${contacts}${hidden}/`)],
  [
    'delete: other version',
    '412 version_mismatch',
    ({ client, ada }) => client.delete(`${contacts}${ada}/`, { 'if-match': '"7"' }),
  ],
  ['delete: with a body', '400 body_not_taken', ({ client, ada }) => client.send('DELETE', `${contacts}${ada}/`, {})],

  ['upsert: no match', '400 invalid_parameter', (w) => upsert(w, '', { svc_email: free })],
  ['upsert: match is not unique', '400 invalid_parameter', (w) => upsert(w, 'svc_last_name', { svc_last_name: 'ada' })],
  [
    'upsert: not granted',
    '403 operation_not_granted',
    ({ reader }) => reader.put(`${contacts}?match=svc_email`, { properties: { svc_email: free } }),
  ],
  [
    'upsert: two match',
    '409 multiple_matches',
    (w) => upsert(w, 'svc_email', { svc_email: ['ada@example.com', 'bob@example.com'] }),
  ],
  [
    'upsert: hidden holder',
    '409 unique_value_taken',
    ({ user }) => user.put(`${contacts}?match=svc_email`, { properties: { svc_email: [...free, 'eve@example.com'] } }),
  ],
  [
    'upsert: creates only',
    '412 already_exists',
    ({ client }) =>
      client.put(
        `${contacts}?match=svc_email`,
        { properties: { svc_email: ['ada@example.com'] } },
        { 'if-none-match': '*' },
      ),
  ],
  ['upsert: match missing', '422 required_missing', (w) => upsert(w, 'svc_email', { svc_last_name: 'X' })],
  [
    'upsert: update with an unknown target',
    '404 target_unknown',
    (w) => {
      const links = [w.company, w.stranger].map((target_id) => ({
        association_type: 'svc_contact_to_company',
        target_id,
      }));
      return upsert(w, 'svc_email', { svc_email: ['ada@example.com'], svc_last_name: 'X' }, { associations: links });
    },
  ],
  [
    'upsert: required missing for a new one',
    '422 required_missing',
    ({ client }) => client.put('/objects/seat/records/?match=code', { properties: { code: 'NEW' } }),
  ],

  ['batch: no operations', '400 invalid_member', ({ client }) => client.post('/batch/', { operations: [] })],
  [
    'batch: too many',
    '413 too_many_operations',
    ({ client }) => {
      const one = { operation: 'create', object_type: 'svc_contact', properties: {} };
      return client.post('/batch/', { operations: Array.from({ length: 1_001 }, () => one) });
    },
  ],
  [
    'atomic batch: broken item',
    '400 invalid_member',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'destroy' })),
  ],
  [
    'atomic batch: item without a type',
    '404 object_type_unknown',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'delete', object_type: 'svc_org', id: newId() })),
  ],
  [
    'atomic batch: absent record',
    '404 record_unknown',
    (w) =>
      w.client.post('/batch/', atomicItems(w, { operation: 'delete', object_type: 'svc_contact', id: w.stranger })),
  ],
  [
    'atomic batch: restore collides',
    '409 unique_value_taken',
    (w) => w.client.post('/batch/', atomicItems(w, undefined)),
  ],
  [
    'atomic batch: unknown ref',
    '422 unknown_ref',
    (w) =>
      w.client.post(
        '/batch/',
        atomicItems(w, { operation: 'delete', object_type: 'svc_contact', id: { ref: 'nobody' } }),
      ),
  ],
  [
    'atomic batch: forbidden item',
    '403 type_is_synced',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'create', object_type: 'svc_file', properties: {} })),
  ],
  [
    'atomic batch: merged into itself',
    '400 invalid_member',
    (w) =>
      w.client.post(
        '/batch/',
        atomicItems(w, { operation: 'merge', object_type: 'svc_contact', id: w.ada, duplicate_id: w.ada }),
      ),
  ],
  [
    'item: create, value taken',
    '409 unique_value_taken',
    ({ client }) =>
      client.post('/batch/', item('create', { properties: { svc_email: [...free, 'bob@other.example'] } })),
  ],
  [
    'item: create, last of two targets unknown',
    '404 target_unknown',
    ({ client, company }) => {
      const associations = [company, newId()].map((target_id) => ({
        association_type: 'svc_contact_to_company',
        target_id,
      }));
      return client.post('/batch/', item('create', { properties: { svc_email: free }, associations }));
    },
  ],
  [
    'item: update, value taken',
    '409 unique_value_taken',
    ({ client, ada }) =>
      client.post('/batch/', item('update', { id: ada, properties: { svc_email: [...free, 'bob@example.com'] } })),
  ],
  [
    'item: upsert, two match',
    '409 multiple_matches',
    ({ client }) =>
      client.post(
        '/batch/',
        item('upsert', {
          match: 'svc_email',
          properties: { svc_email: ['ada@example.com', 'bob@example.com', ...free] },
        }),
      ),
  ],
  [
    'item: delete, hidden',
    '404 record_unknown',
    ({ user, hidden }) => user.post('/batch/', item('delete', { id: hidden })),
  ],
  [
    'item: restore, collides',
    '409 unique_value_taken',
    ({ client, trashed }) => client.post('/batch/', item('restore', { id: trashed })),
  ],
  [
    'item: restore, absent',
    '404 record_unknown',
    ({ client }) => client.post('/batch/', item('restore', { id: newId() })),
  ],
  [
    'item: merge, duplicate absent',
    '404 record_unknown',
    ({ client, ada, trashed }) => client.post('/batch/', item('merge', { id: ada, duplicate_id: trashed })),
  ],
  [
    'item: merge, duplicate hidden',
    '404 record_unknown',
    ({ user, ada, hidden }) => user.post('/batch/', item('merge', { id: ada, duplicate_id: hidden })),
  ],
  [
    'item: associate, wrong type of target',
    '404 target_unknown',
    ({ client, ada, bob }) =>
      client.post(
        '/batch/',
        item('associate', { id: ada, association_type: 'svc_contact_to_company', target_id: bob }),
      ),
  ],
  [
    'item: dissociate, unknown association type',
    '404 association_type_unknown',
    ({ client, ada, company }) =>
      client.post(
        '/batch/',
        item('dissociate', { id: ada, association_type: 'svc_deal_to_company', target_id: company }),
      ),
  ],
];

export const dry = { 'svc-dry-run': 'true' };
const allOfIt = (w: World) =>
  (atomicItems(w, { operation: 'delete', object_type: 'svc_deal', id: w.deal }) as { operations: unknown[] })
    .operations;

export const dryRuns: readonly (readonly [string, number, Send])[] = [
  [
    'create with links',
    201,
    (w) => {
      const associations = [{ association_type: 'svc_contact_to_company', target_id: w.company }];
      return create(w, { properties: { svc_email: free }, associations }, 'svc_contact', dry);
    },
  ],
  ['create', 201, (w) => create(w, { properties: { svc_email: free } }, 'svc_contact', dry)],
  ['update', 200, (w) => patch(w, { svc_email: free, svc_last_name: null }, dry)],
  ['update with If-Match', 200, (w) => patch(w, { svc_email: free }, { ...dry, 'if-match': '"1"' })],
  ['update that changes nothing', 200, (w) => patch(w, { svc_last_name: 'ada' }, dry)],
  ['delete', 200, ({ client, ada }) => client.delete(`${contacts}${ada}/`, dry)],
  [
    'upsert that creates',
    201,
    ({ client }) => client.put(`${contacts}?match=svc_email`, { properties: { svc_email: free } }, dry),
  ],
  [
    'upsert that updates',
    200,
    ({ client }) =>
      client.put(`${contacts}?match=svc_email`, { properties: { svc_email: ['ada@example.com', ...free] } }, dry),
  ],
  ['batch of everything', 200, (w) => w.client.post('/batch/', { operations: allOfIt(w) }, dry)],
  ['atomic batch of everything', 200, (w) => w.client.post('/batch/', { atomic: true, operations: allOfIt(w) }, dry)],
  [
    'batch that fails in part',
    207,
    (w) =>
      w.client.post(
        '/batch/',
        { operations: [...allOfIt(w), { operation: 'restore', object_type: 'svc_contact', id: w.trashed }] },
        dry,
      ),
  ],
  [
    'create with an Idempotency-Key',
    201,
    (w) => create(w, { properties: {} }, 'svc_contact', { ...dry, 'idempotency-key': newId() }),
  ],
];
