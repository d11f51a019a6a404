// orrery types: its output compiles, is the same every time, and makes the compiler refuse wrong names and values.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Options } from '../../src/cli/command.ts';
import { types } from '../../src/cli/types.ts';
import { readConfig } from '../../src/config.ts';
import { compile } from '../support/client/compile.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Runs the command as main does, on the database of the service. */
async function print(org: string): Promise<{ readonly value: unknown; readonly text: string }> {
  const printed: { value: unknown; text: string }[] = [];
  await types.run({
    config: readConfig({ databaseUrl: service.databaseUrl }),
    argument: '',
    options: new Options({ org }),
    print: (value, text) => printed.push({ value, text }),
  } as Parameters<typeof types.run>[0]);
  const [only] = printed;
  if (only === undefined || printed.length > 1) throw new Error('A command prints one result.');
  return only;
}

/** Characters that could end a comment, a literal or a line, or reverse its text. */
const hostile = [
  '*/ }; declare const broken: 1; /*',
  "'; throw 1; '",
  '\\',
  'a\nb',
  '\u2028x',
  '\u202eabc',
  '`$' + '{1}`',
  '*\\/',
];

const schemaFile = {
  object_types: [
    {
      name: 'vessel',
      label: hostile[0],
      plural_label: 'Vessels',
      title_property: 'name',
      properties: [
        { name: 'name', label: hostile[3], field_type: 'text', required: true },
        { name: 'code', label: 'Code', description: hostile.join(' '), field_type: 'text', unique: true },
        { name: 'flag', label: 'Flag', field_type: 'country' },
        {
          name: 'moods',
          label: 'Moods',
          field_type: 'select',
          multi_valued: true,
          options: hostile.map((value) => ({ value, label: value })),
        },
        { name: 'afloat', label: 'Afloat', field_type: 'boolean' },
        { name: 'constructor', label: 'Constructor', field_type: 'text' },
      ],
    },
    { name: 'bare', label: 'Bare', properties: [] },
  ],
  properties: {
    svc_contact: [{ name: 'rank', label: hostile[4], field_type: 'select', options: [{ value: 'first', label: 'x' }] }],
  },
  association_types: [
    { name: 'sails_on', label: hostile[1], source: { kind: 'person' }, target: 'vessel', cardinality: 'many_to_one' },
    { name: 'escorts', source: 'vessel', target: 'vessel', cardinality: 'many_to_many' },
  ],
};

const uses = `
import { createClient, type NewValues, type RecordOf } from '@orrery/client';
import type { Schema } from './schema.ts';

const client = createClient<Schema>({ url: 'http://127.0.0.1:4610', key: 'x' });
const contacts = client.records('svc_contact');
const vessels = client.records('vessel');

export async function compiles(): Promise<void> {
  const made = await contacts.create({ svc_email: ['ada@example.com'], svc_lead_score: 'hot', rank: 'first' });
  const emails: readonly string[] | undefined = made.data.properties.svc_email;
  const created: string | undefined = made.data.properties.svc_created_at;
  await contacts.update(made.data.id, { svc_email: null, svc_phone_number: [{ country_code: 'GB', national_number: '1' }] });
  await contacts.upsert('svc_email', { svc_email: emails ?? [], rank: undefined });
  await client.records('svc_deal').create({ svc_amount: { amount: '1.50', unit: 'EUR' }, svc_close_date: created ?? null });
  const { data: vessel } = await vessels.create({ name: 'Victory', flag: 'GB', afloat: true, moods: ['\\\\', 'a\\nb'] }, {
    associations: [{ association_type: 'escorts', target_id: 'x' }],
  });
  await contacts.putAssociation(made.data.id, 'sails_on', vessel.id);
  for await (const crew of vessels.listAssociated(vessel.id, 'sails_on')) {
    const name: string | undefined = crew.properties.svc_last_name;
    const type: 'svc_contact' = crew.object_type;
    console.log(name, type);
  }
  for await (const owner of vessels.listAssociated(vessel.id, 'svc_record_to_user')) console.log(owner.title.length);
  const found = contacts.query({
    filter: {
      and: [
        { property: 'svc_email', operator: 'eq', value: 'ada@example.com' },
        { property: 'svc_lead_score', operator: 'in', value: ['hot', 'warm'] },
        { property: 'id', operator: 'in', value: ['x'] },
        { not: { property: 'rank', operator: 'is_set' } },
        { association: 'sails_on', operator: 'exists', filter: { property: 'afloat', operator: 'eq', value: true } },
      ],
    },
    sort: [{ property: 'svc_last_name', direction: 'asc' }],
    include: ['sails_on', 'svc_deal_to_contact'],
  });
  for await (const contact of found) console.log(contact.associations?.sails_on?.items[0]?.properties.flag?.length);
  await client.batch([
    { operation: 'create', object_type: 'vessel', properties: { name: 'Beagle' }, ref: 'ship' },
    { operation: 'associate', object_type: 'svc_contact', id: 'x', association_type: 'sails_on', target_id: { ref: 'ship' } },
  ]);
  await client.records('svc_meeting').putAssociation('x', 'svc_activity_to_deal', 'y');
  for await (const deal of client.records('svc_risk').listAssociated('x', 'svc_risk_to_deal')) console.log(deal.properties.svc_name);
  const values: NewValues<Schema, 'vessel'> = { name: 'Argo' };
  const record: RecordOf<Schema, 'vessel'> = { id: '', object_type: 'vessel', version: '1', properties: values as { name: string } };
  console.log(record);
}

export async function doesNotCompile(): Promise<void> {
  // @ts-expect-error there is no such object type
  client.records('svc_contacts');
  // @ts-expect-error there is no such property
  await contacts.create({ svc_mail: ['ada@example.com'] });
  // @ts-expect-error it has many values
  await contacts.create({ svc_email: 'ada@example.com' });
  // @ts-expect-error it is not an option
  await contacts.create({ svc_lead_score: 'tepid' });
  // @ts-expect-error numbers are text
  await client.records('svc_company').create({ svc_employee_count: 12 });
  // @ts-expect-error an amount has a unit
  await client.records('svc_deal').create({ svc_amount: { amount: '1' } });
  // @ts-expect-error only the service writes it
  await contacts.create({ svc_created_at: '2026-01-01T00:00:00Z' });
  // @ts-expect-error it is required
  await vessels.create({ flag: 'GB' });
  // @ts-expect-error what is required cannot be null
  await vessels.create({ name: null });
  // @ts-expect-error nor can it be cleared
  await vessels.update('x', { name: null });
  // @ts-expect-error not among the moods
  await vessels.update('x', { moods: ['calm'] });
  // @ts-expect-error keys do not write risks
  await client.records('svc_risk').create({});
  // @ts-expect-error nor changes them
  await client.records('svc_risk').update('x', {});
  // @ts-expect-error nor deletes them
  await client.records('svc_risk').delete('x');
  // @ts-expect-error nor links them
  await client.records('svc_risk').putAssociation('x', 'svc_risk_to_deal', 'y');
  // @ts-expect-error not in a batch either
  await client.batch([{ operation: 'delete', object_type: 'svc_risk', id: 'x' }]);
  // @ts-expect-error by no operation
  await client.batch([{ operation: 'associate', object_type: 'svc_risk', id: 'x', association_type: 'svc_risk_to_deal', target_id: 'y' }]);
  // @ts-expect-error it is not unique
  await contacts.upsert('svc_last_name', { svc_last_name: 'x' });
  // @ts-expect-error a link is written from its source
  await vessels.putAssociation('x', 'sails_on', 'y');
  // @ts-expect-error no such association type begins here
  await contacts.create({}, { associations: [{ association_type: 'escorts', target_id: 'x' }] });
  // @ts-expect-error no such association type to include
  contacts.list({ include: ['escorts'] });
  // @ts-expect-error no such property to return
  contacts.list({ properties: ['svc_mail'] });
  // @ts-expect-error a value of another type
  contacts.query({ filter: { property: 'svc_lead_score', operator: 'eq', value: 'tepid' } });
  // @ts-expect-error no such property at the other end
  contacts.query({ filter: { association: 'sails_on', operator: 'exists', filter: { property: 'rank', operator: 'is_set' } } });
  // @ts-expect-error not even here
  contacts.query({ sort: [{ property: 'svc_mail', direction: 'asc' }] });
  // @ts-expect-error nor in a batch
  await client.batch([{ operation: 'create', object_type: 'svc_deal', properties: { svc_email: ['x'] } }]);
  // @ts-expect-error it may be unset
  ((await contacts.get('x')).data.properties.svc_last_name).length;
}`;

test('wrong names and values do not compile, and right ones do, whatever people call things', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, schemaFile);
  const { text, value } = await print(String(orgId));
  expect(value).toEqual({ typescript: text });
  expect(text).not.toContain('constructor');
  // No character that reverses text or ends a line is printed unescaped.
  expect(text).not.toMatch(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]|[^\x20-\x7e\n…’–“”]/u);
  expect(
    text
      .split('\n')
      .every((line) => /^\s*(\/\*\*.*\*\/|readonly .*[;{]|export interface Schema \{|\}|\};)$/.test(line)),
  ).toBe(true);
  expect(await compile({ 'schema.ts': text, 'uses.ts': uses })).toBe('');
  expect((await print(String(orgId))).text).toBe(text);
});

test('an org without additions has the built-in vocabulary, and an unknown org is an error', async () => {
  const { text } = await print(String(await service.createOrg()));
  expect(text).toContain("readonly svc_lead_score: 'cold' | 'warm' | 'hot';");
  expect(text).toContain(
    'readonly svc_phone_number: readonly { readonly country_code: string; readonly national_number: string }[];',
  );
  await expect(print('999999')).rejects.toThrow('There is no org 999999.');
  await expect(print('x')).rejects.toThrow('--org must be the number of an org');
});
