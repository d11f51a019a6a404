// A world to count in: a custom type with a property of every field type, single and multi-valued, links in every way,
// records that only some users see, and the view that each credential has of it.
import { expect } from 'vitest';
import { item, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import type { Random } from '../random.ts';
import { type RecordData, recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';
import type { End, View } from './model.ts';
import type { PropertyFacts } from './values.ts';

/** Field types that can be filtered, grouped or counted, each as a property of its own name and as a list. */
const fieldTypes = [
  ...['text', 'long_text', 'email', 'url', 'domain', 'phone', 'number', 'currency', 'date', 'datetime', 'boolean'],
  ...['select', 'country', 'timezone'],
];
const options = ['zulu', 'alpha', 'Mike', '0'];

export const facts: ReadonlyMap<string, PropertyFacts> = new Map(
  [
    ...fieldTypes.map((fieldType) => ({ name: `one_${fieldType}`, fieldType, multiValued: false })),
    ...fieldTypes.map((fieldType) => ({ name: `many_${fieldType}`, fieldType, multiValued: true })),
    { name: 'svc_created_at', fieldType: 'datetime', multiValued: false },
    { name: 'svc_updated_at', fieldType: 'datetime', multiValued: false },
  ].map((each) => [each.name, { ...each, options: each.fieldType === 'select' ? options : [] }]),
);

const custom = [...facts.values()].filter(({ name }) => !name.startsWith('svc_'));

const schema = {
  object_types: [
    {
      name: 'thing',
      label: 'Thing',
      title_property: 'one_text',
      properties: custom.map(({ name, fieldType, multiValued }) => ({
        name,
        label: name,
        field_type: fieldType,
        multi_valued: multiValued,
        ...(fieldType === 'select' ? { options: options.map((value) => ({ value, label: value })) } : {}),
      })),
    },
    {
      name: 'branch',
      label: 'Branch',
      kind: 'organization',
      title_property: 'number',
      properties: [{ name: 'number', label: 'Number', field_type: 'number' }],
    },
    { name: 'blank', label: 'Blank', properties: [] },
  ],
  association_types: [
    { name: 'thing_to_place', source: 'thing', target: { kind: 'organization' }, cardinality: 'many_to_many' },
    { name: 'thing_to_thing', source: 'thing', target: 'thing', cardinality: 'many_to_many' },
    { name: 'thing_to_owner', source: 'thing', target: 'svc_contact', cardinality: 'many_to_one' },
    { name: 'blank_to_thing', source: 'blank', target: 'thing', cardinality: 'many_to_many' },
  ],
};

const texts = [
  ...['Alpha', 'alpha', 'ALPHA', 'beta', 'Beta Gamma', 'ß', 'SS', 'ẞ', 'Σίσυφος', 'ΣΊΣΥΦΟΣ', 'İ', 'i', 'I', 'ı'],
  ...['\u{1f600}', '\uffee', '\ufffd', 'é', 'e\u0301', 'É', '_', '%', '~', ' ', 'Zulu', '0', '10', '9', '\u{10400}'],
];
const numbers = [
  ...['0', '-0', '0.0', '1', '1.0', '1.50', '1.5', '-1.50', '007', '10', '9', '2', '100.000', '0.1', '0.2', '0.30'],
  ...['999999999999999999.999999999999', '-999999999999999999.999999999999', '0.000000000001', '-0.000000000001'],
];
const days = [
  ...['2025-12-28', '2025-12-29', '2025-12-31', '2026-01-01', '2026-01-04', '2026-01-05', '2026-03-29', '2026-03-31'],
  ...['2026-04-01', '2026-06-30', '2026-07-01', '2026-10-25', '2024-02-29', '2000-01-01', '1999-12-31', '1970-01-01'],
];
const clocks = [
  '00:00:00',
  '23:59:59.999999',
  '00:30:00.5',
  '01:00:00',
  '01:59:59',
  '02:30:00',
  '12:00:00',
  '22:45:00',
];
const offsets = ['Z', '+00:00', '+02:00', '-05:00', '+05:45', '-12:00', '+14:00'];

/** A value of the field type; there are few of each, so that they meet again. */
export function sampleOf(random: Random, fieldType: string): unknown {
  switch (fieldType) {
    case 'text':
    case 'long_text':
      return random.pick(texts);
    case 'email':
      return `${random.pick(['Ada', 'ada', 'Bob', 'éve'])}@${random.pick(['x.example', 'X.example', 'y.example'])}`;
    case 'url':
      return `https://${random.pick(['a', 'A', 'b'])}.example/${random.pick(['', 'x', 'X'])}`;
    case 'domain':
      return random.pick(['a.example', 'b.example', 'z.example', 'ü.example']);
    case 'phone':
      return { country_code: random.pick(['GB', 'DE']), national_number: random.pick(['1', '01', '2079460958']) };
    case 'number':
      return random.pick(numbers);
    case 'currency':
      return { amount: random.pick(numbers), unit: random.pick(['USD', 'EUR', 'JPY']) };
    case 'date':
      return random.pick(days);
    case 'datetime':
      return `${random.pick(days)}T${random.pick(clocks)}${random.pick(offsets)}`;
    case 'boolean':
      return random.chance(0.5);
    case 'select':
      return random.pick(options);
    case 'country':
      return random.pick(['DE', 'GB', 'US']);
    case 'timezone':
      return random.pick(['Europe/Berlin', 'UTC', 'Asia/Kolkata']);
    default:
      throw new Error(`${fieldType} is not a field type.`);
  }
}

function thingOf(random: Random): Readonly<Record<string, unknown>> {
  const set = custom.filter(() => random.chance(0.7));
  return Object.fromEntries(
    set.map(({ name, fieldType, multiValued }) => [
      name,
      multiValued ? random.times(random.between(1, 4), () => sampleOf(random, fieldType)) : sampleOf(random, fieldType),
    ]),
  );
}

interface Link {
  readonly association_type: string;
  readonly source: string;
  readonly target: string;
}

export interface World {
  readonly orgId: number;
  readonly users: readonly string[];
  /** By what they are: `all` sees everything, `first` and `second` are users, `narrow` has few grants. */
  readonly clients: Readonly<Record<'all' | 'first' | 'second' | 'narrow' | 'narrowUser', Client>>;
  readonly links: readonly Link[];
}

export const visibleTypes = {
  all: ['thing', 'branch', 'blank', 'svc_company', 'svc_contact'],
  narrow: ['thing', 'svc_company'],
} as const;

export async function createWorld(service: TestService, random: Random): Promise<World> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, schema);
  const users = [await service.createUser(orgId), await service.createUser(orgId)];
  const key = async (more: object) => service.client((await service.createKey(orgId, more)).key);
  const narrow = [{ objectTypes: visibleTypes.narrow, operations: ['read'] }];
  const clients = {
    all: await key({}),
    first: await key({ userId: users[0], reach: 'user' }),
    second: await key({ userId: users[1], reach: 'user' }),
    narrow: await key({ grants: narrow }),
    narrowUser: await key({ userId: users[1], reach: 'user', grants: narrow }),
  };
  const makers = [clients.all, clients.first, clients.second];
  const made: RecordData[] = [];
  const makeSome = async (type: string, count: number, properties: (index: number) => object) => {
    for (const [turn, client] of makers.entries()) {
      const items = random.times(count, (index) =>
        item('create', type, { properties: properties(turn * count + index) }),
      );
      for (const { id = '' } of await succeed(client, items)) {
        made.push({ id, object_type: type, version: '1', properties: {} });
      }
    }
  };
  await makeSome('svc_company', 4, (index) => (index % 4 === 0 ? {} : { svc_name: `Company ${index % 5}` }));
  await makeSome('svc_contact', 3, (index) => ({ svc_last_name: `Contact ${index}` }));
  await makeSome('branch', 2, (index) => (index === 0 ? {} : { number: `${index}.50` }));
  await makeSome('blank', 2, () => ({}));
  await makeSome('thing', 30, () => thingOf(random));
  const links = linksOf(random, made);
  await succeed(
    clients.all,
    links.map(({ association_type, source, target }) =>
      item('associate', typeOf(made, source), { id: source, association_type, target_id: target }),
    ),
  );
  const all = [...links, ...(await visibility(random, clients.all, orgId, users, made))];
  const gone = new Set(random.some(made, 12).map(({ id }) => id));
  await succeed(
    clients.all,
    [...gone].map((id) => item('delete', typeOf(made, id), { id })),
  );
  return { orgId, users, clients, links: all.filter(({ source, target }) => !gone.has(source) && !gone.has(target)) };
}

function typeOf(made: readonly RecordData[], id: string): string {
  return made.find((record) => record.id === id)?.object_type ?? expect.fail(`${id} was not made`);
}

/** Links of every type, each pair once; a thing has one owner at most. */
function linksOf(random: Random, made: readonly RecordData[]): readonly Link[] {
  const of = (...types: readonly string[]) =>
    made.filter((each) => types.includes(each.object_type)).map(({ id }) => id);
  const toward = (association_type: string, source: string, targets: readonly string[]) =>
    targets.map((target) => ({ association_type, source, target }));
  return [
    ...of('thing').flatMap((thing) => [
      ...toward('thing_to_place', thing, random.some(of('svc_company', 'branch'), random.below(4))),
      ...toward('thing_to_thing', thing, random.some(of('thing'), random.below(3))),
      ...toward('thing_to_owner', thing, random.some(of('svc_contact'), random.below(2))),
    ]),
    ...of('blank').flatMap((blank) => toward('blank_to_thing', blank, random.some(of('thing'), 20))),
  ];
}

/** Removes the org's link from a third of the records, links some to users, and returns the visibility links. */
async function visibility(
  random: Random,
  client: Client,
  orgId: number,
  users: readonly string[],
  made: readonly RecordData[],
): Promise<readonly Link[]> {
  const links: Link[] = [];
  const operations: object[] = [];
  const perType = new Map<string, number>();
  for (const { id, object_type } of made) {
    // A third of each type was made by a key without a user, by the first user and by the second.
    const place = perType.get(object_type) ?? 0;
    perType.set(object_type, place + 1);
    const maker = Math.floor((place * 3) / made.filter((each) => each.object_type === object_type).length);
    const holders = new Set(maker === 0 ? [] : [users[maker - 1] ?? '']);
    const given = random.pick(users);
    if (random.chance(0.3)) {
      holders.add(given);
      operations.push(item('associate', object_type, { id, association_type: 'svc_record_to_user', target_id: given }));
    }
    for (const target of holders) links.push({ association_type: 'svc_record_to_user', source: id, target });
    const link = { association_type: 'svc_record_to_org', target_id: String(orgId) };
    if (random.chance(0.35)) operations.push(item('dissociate', object_type, { id, ...link }));
    else links.push({ association_type: 'svc_record_to_org', source: id, target: String(orgId) });
  }
  await succeed(client, operations);
  return links;
}

/** All records of the type that the credential can page through. */
async function listAll(client: Client, type: string): Promise<readonly RecordData[]> {
  const found: RecordData[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await client.get(`${recordsPath(type)}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(answer.status, answer.text).toBe(200);
    found.push(...answer.body.data);
    cursor = answer.body.pagination?.next_cursor ?? null;
  }
  return found;
}

/** The part of the world that the credential sees, from its lists. */
export async function viewOf({ links, users, orgId }: World, client: Client, types: readonly string[]): Promise<View> {
  const ends = new Map<string, End>();
  for (const type of types) {
    for (const { id, properties } of await listAll(client, type)) {
      ends.set(id, { id, object_type: type, title: titleOf(type, properties) });
    }
  }
  for (const id of users) ends.set(id, { id, object_type: 'svc_user', title: 'Ada' });
  ends.set(String(orgId), { id: String(orgId), object_type: 'svc_org', title: 'Test' });
  return {
    records: await listAll(client, 'thing'),
    property: (name) => facts.get(name) ?? expect.fail(`${name} is not a property`),
    ends: (recordId, association, direction) => {
      // Without a direction a thing is at the end that the association type names; if at both, it is the source.
      const incoming = direction === undefined ? association === 'blank_to_thing' : direction === 'incoming';
      const found = links.filter((link) => link.association_type === association);
      const others = incoming
        ? found.filter(({ target }) => target === recordId).map(({ source }) => source)
        : found.filter(({ source }) => source === recordId).map(({ target }) => target);
      return others.flatMap((id) => ends.get(id) ?? []);
    },
  };
}

function titleOf(type: string, properties: RecordData['properties']): string | null {
  const names: Readonly<Record<string, string>> = {
    thing: 'one_text',
    branch: 'number',
    svc_company: 'svc_name',
    svc_contact: 'svc_last_name',
  };
  const title = properties[names[type] ?? ''];
  return typeof title === 'string' ? title : null;
}
