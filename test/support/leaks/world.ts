// Two orgs that look the same to one credential and differ in everything that it cannot see: records of other users,
// types that are not granted, values that its grants hide, links to and from them, the trash. Requests and answers name records by words that both
// orgs share.

import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { comparableHeaders } from '../comparable-answers.ts';
import { absentId } from '../operation-examples.ts';
import type { Random } from '../random.ts';
import { Builder, type Making, name, type Side, valuesFor } from './builder.ts';

const visibleSchema = {
  object_types: [
    {
      name: 'thing',
      label: 'Thing',
      title_property: 'label',
      properties: [
        { name: 'label', label: 'Label', field_type: 'text' },
        { name: 'tags', label: 'Tags', field_type: 'text', multi_valued: true },
        { name: 'size', label: 'Size', field_type: 'number' },
        { name: 'price', label: 'Price', field_type: 'currency' },
        { name: 'day', label: 'Day', field_type: 'date' },
        { name: 'moment', label: 'Moment', field_type: 'datetime' },
        { name: 'state', label: 'State', field_type: 'select', options: [option('open'), option('closed')] },
        // Hidden from the credential, and different in the two orgs.
        { name: 'secret_note', label: 'Note', field_type: 'long_text' },
        { name: 'serial', label: 'Serial', field_type: 'text', unique: true },
        { name: 'secret_day', label: 'Day', field_type: 'date' },
      ],
    },
  ],
  association_types: [
    { name: 'thing_to_person', source: 'thing', target: { kind: 'person' }, cardinality: 'many_to_many' },
    { name: 'thing_to_company', source: 'thing', target: 'svc_company', cardinality: 'many_to_one' },
    { name: 'thing_to_thing', source: 'thing', target: 'thing', cardinality: 'many_to_many' },
  ],
};

function option(value: string): object {
  return { value, label: value };
}

/** Types of the second org alone, none of them granted: one of them is a person, like a contact. */
const hiddenSchema = {
  object_types: [
    {
      name: 'secret_person',
      label: 'Secret person',
      kind: 'person',
      title_property: 'secret_code',
      properties: [{ name: 'secret_code', label: 'Code', field_type: 'text' }],
    },
    {
      name: 'secret_place',
      label: 'Secret place',
      properties: [{ name: 'secret_size', label: 'Size', field_type: 'number' }],
    },
  ],
  association_types: [
    { name: 'thing_to_secret', source: 'thing', target: 'secret_place', cardinality: 'many_to_many' },
    { name: 'secret_to_contact', source: 'secret_person', target: 'svc_contact', cardinality: 'many_to_many' },
    { name: 'person_to_secret', source: { kind: 'person' }, target: 'secret_place', cardinality: 'many_to_many' },
  ],
};

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export const visibleCounts = { contact: 12, company: 7, thing: 16 } as const;

/** The part of a service that makes orgs, as an operator does: in the process of a test, or by commands. */
interface Administration {
  createOrg(limits: { readonly quota: number; readonly windowSeconds: number }): Promise<number>;
  createUser(orgId: number): Promise<string>;
  createKey(orgId: number, more: KeyWishes): Promise<{ readonly key: string; readonly credentialId: string }>;
  applySchema(orgId: number, file: unknown): Promise<void>;
  client(key: string): Client;
}

interface KeyWishes {
  readonly userId?: string;
  readonly reach?: 'user' | 'org';
  readonly grants?: readonly {
    readonly objectTypes: readonly string[];
    readonly operations: readonly ('read' | 'create' | 'update' | 'delete' | 'associate')[];
    readonly hiddenProperties?: readonly string[];
    readonly lockedProperties?: readonly string[];
  }[];
}

/** A first org without the hidden types and with few hidden records, and a second one with all of it. */
export async function createSides(service: Administration, random: Random): Promise<readonly [Making, Making]> {
  const plain = await createSide(service, undefined);
  const full = await createSide(service, hiddenSchema);
  const builders = [new Builder(plain, 0.2, 'without secrets'), new Builder(full, 1, 'with secrets')];
  const { contact, company, thing } = visibleCounts;
  const order = [
    ...random.times(company, (index) => ['company', index] as const),
    ...random.times(contact, (index) => ['contact', index] as const),
    ...random.times(thing, (index) => ['thing', index] as const),
  ];
  for (const [sort, index] of order) {
    const values = valuesFor(random, sort, index);
    const links = random.times(random.below(3), () => random.below(1_000));
    const sight = random.chance(0.2) ? 'mine' : 'all';
    for (const builder of builders) {
      await builder.hide(random);
      await builder.show(random, sort, index, values, links, sight);
    }
  }
  for (const builder of builders) await builder.finish(random);
  return [plain, full];
}

async function createSide(service: Administration, hidden: object | undefined): Promise<Making> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, visibleSchema);
  if (hidden !== undefined) await service.applySchema(orgId, hidden);
  const [me, other] = [await service.createUser(orgId), await service.createUser(orgId)];
  const principals: [word: string, id: string][] = [];
  const key = async (word: string, more: KeyWishes) => {
    const { key: text, credentialId } = await service.createKey(orgId, more);
    principals.push([word, credentialId]);
    return service.client(text);
  };
  const all = ['read', 'create', 'update', 'delete', 'associate'] as const;
  const grants = [
    { objectTypes: ['svc_contact'], operations: all },
    {
      objectTypes: ['thing'],
      operations: all,
      hiddenProperties: ['secret_note', 'serial', 'secret_day'],
      lockedProperties: ['moment'],
    },
    { objectTypes: ['svc_company'], operations: ['read'], hiddenProperties: ['svc_description', 'svc_annual_revenue'] },
  ] as const;
  const side = {
    orgId,
    client: await key('«narrow key»', { userId: me, reach: 'user', grants }),
    all: await key('«key of all»', {}),
    mine: await key('«key of mine»', { userId: me }),
    theirs: await key('«key of theirs»', { userId: other }),
    meanings: new Map<string, string>(),
    words: new Map<string, string>(),
    hiddenIds: [],
  };
  for (const [word, id] of principals) name(side, word, id);
  name(side, '«me»', me);
  name(side, '«other»', other);
  name(side, '«absent»', absentId);
  return side;
}

/** The request's text with the ids and times of this side. */
export function inWordsOf({ meanings, orgId }: Side, text: string): string {
  return text.replaceAll(/«[^»]*»/g, (word) => (word === '«org»' ? String(orgId) : (meanings.get(word) ?? word)));
}

/** The answer, as text that must be the same on both sides. Ids that have no word stay, and so differ. */
export function comparable({ words, orgId }: Side, answer: Answer): string {
  const { 'content-length': _, ...headers } = comparableHeaders(answer);
  // The document names an org and records in its examples, which are none of these.
  if (answer.text.startsWith('{"openapi":')) {
    const requestId = answer.headers.get('svc-request-id') ?? '(none)';
    return `${answer.status} ${JSON.stringify(headers)} ${answer.text.replaceAll(requestId, '(request)')}`;
  }
  const text = `${answer.status} ${JSON.stringify(headers)} ${answer.text}`;
  return (
    text
      .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"(request)"')
      .replaceAll(/"associated_at":"[^"]*"/g, '"associated_at":"(time)"')
      .replaceAll(/"(next|changes)_cursor":"[^"]*"/g, '"$1_cursor":"(cursor)"')
      // Entries of the feed.
      .replaceAll(/"id":"[\w-]{22}"/g, '"id":"(entry)"')
      .replaceAll(new RegExp(`"(id|target_id)": ?"${orgId}"`, 'g'), '"$1":"«org»"')
      .replaceAll(new RegExp(`"org_id":${orgId}\\b`, 'g'), '"org_id":"«org»"')
      .replaceAll(/"(id|principal_id)":"([^"]+)"/g, (_, member, id) => `"${member}":"${words.get(id) ?? id}"`)
      .replaceAll(uuid, (id) => words.get(id) ?? id)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => words.get(time) ?? '(time)')
  );
}
