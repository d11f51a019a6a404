// An org in which a write can be refused for every reason (contract 8), and short ways to send one.
import { expect } from 'vitest';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import type { TestService } from '../service.ts';

export interface World {
  readonly orgId: number;
  readonly client: Client;
  /** May read and nothing more. */
  readonly reader: Client;
  /** May do everything, and sees its own records and those of the org. */
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

export const json = { 'content-type': 'application/json' };
/** Addresses that no record has. */
export const free = ['free-one@example.com', 'free-two@example.com'];

export function patch({ client, ada }: World, properties: unknown, headers = {}): Promise<Answer> {
  return client.patch(`${contacts}${ada}/`, { properties }, headers);
}

export function create({ client }: World, body: unknown, type = 'svc_contact', headers = {}): Promise<Answer> {
  return client.post(`/objects/${type}/records/`, body, headers);
}

export function upsert({ client }: World, match: string, properties: unknown, more = {}): Promise<Answer> {
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

export function item(operation: string, more: object): { readonly operations: readonly unknown[] } {
  return { operations: [{ operation, object_type: 'svc_contact', ...more }] };
}

export type Send = (world: World) => Promise<Answer>;
