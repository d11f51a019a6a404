import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinTypes } from '../support/api/vocabulary.ts';
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

interface Property {
  readonly name: string;
  readonly label: string;
  readonly field_type: string;
  readonly multi_valued: boolean;
  readonly read_only: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly custom: boolean;
}

/**
 * The properties that specification 2.3 and contract 6 and 11 name: field type, then `list` for multi-valued, `ro` for
 * read-only, `unique`. Every type also has svc_created_at and svc_updated_at.
 */
const expected: Readonly<Record<string, string>> = {
  svc_contact: `svc_first_name text, svc_last_name text, svc_email email list unique, svc_job_title text,
    svc_network_url url, svc_phone_number phone list, svc_headline text, svc_summary long_text, svc_location text,
    svc_timezone timezone, svc_job_start_date date, svc_lead_score select, svc_network_id text,
    svc_first_web_source text, svc_last_web_source text, svc_last_activity_at datetime ro,
    svc_potential_deal_total currency ro, svc_weighted_deal_total currency ro`,
  svc_company: `svc_name text, svc_domain domain unique, svc_industry text, svc_city text, svc_country text,
    svc_employee_count number, svc_annual_revenue number, svc_website url, svc_description long_text,
    svc_network_url url, svc_company_type select, svc_year_founded number, svc_headcount_range select,
    svc_region text, svc_country_code country, svc_postal_code text, svc_address text,
    svc_payments_mrr_total currency ro, svc_payments_subscription_count number ro`,
  svc_deal: 'svc_name text, svc_amount currency, svc_close_date date, svc_last_activity_at datetime ro',
  svc_note: 'svc_title text, svc_body long_text, svc_due_at datetime, svc_priority select',
  svc_deal_pipeline_stage: 'svc_name text, svc_position number, svc_probability number, svc_closed boolean',
  svc_note_pipeline_stage: 'svc_name text, svc_position number, svc_probability number, svc_closed boolean',
  svc_contact_lifecycle_stage: 'svc_name text, svc_position number, svc_probability number, svc_closed boolean',
  svc_stage_timer: 'svc_entered_at datetime ro, svc_left_at datetime ro, svc_duration_seconds number ro',
};

const activity = `svc_subject text, svc_started_at datetime, svc_ended_at datetime, svc_direction select,
  svc_summary long_text`;

/** The least that a type has: the contract leaves the rest of these types to what users would expect. */
const atLeast: Readonly<Record<string, string>> = {
  svc_deal_pipeline: 'svc_name text',
  svc_note_pipeline: 'svc_name text',
  svc_meeting: activity,
  svc_meeting_notes: activity,
  svc_email_thread: activity,
  svc_booking: activity,
  svc_call: activity,
  svc_sms_conversation: `${activity}, svc_channel_id text`,
  svc_network_conversation: `${activity}, svc_channel_id text`,
};

const everyTypes = 'svc_created_at datetime ro, svc_updated_at datetime ro';

test.each(Object.keys(expected))('%s has exactly the properties of the contract', async (name) => {
  const properties = await propertiesOf(name);
  expect(properties.map(lineOf).sort()).toEqual(linesOf(`${expected[name]}, ${everyTypes}`).sort());
});

test.each(Object.keys(atLeast))('%s has the properties that the contract names', async (name) => {
  const lines = (await propertiesOf(name)).map(lineOf);
  expect(lines).toEqual(expect.arrayContaining(linesOf(`${atLeast[name]}, ${everyTypes}`)));
});

test('every built-in type answers with its list entry and its properties, none of them required or custom', async () => {
  const list = (await client.get('/objects/')).body.data;
  for (const { name } of builtinTypes) {
    const { status, body } = await client.get(`/objects/${name}/`);
    expect(status).toBe(200);
    const { properties, ...entry } = body.data;
    expect(entry).toEqual(list.find((each: { name: string }) => each.name === name));
    expect(properties.map(lineOf)).toEqual(expect.arrayContaining(linesOf(everyTypes)));
    expect(properties.length, name).toBeGreaterThan(3);
    for (const property of properties) expect(property).toMatchObject({ required: false, custom: false });
    expect(new Set(properties.map((each: Property) => each.name)).size).toBe(properties.length);
  }
});

test('a property has exactly the members of the contract, and options if and only if it is a select', async () => {
  for (const { name } of builtinTypes) {
    for (const property of await propertiesOf(name)) {
      const names = ['custom', 'description', 'field_type', 'label', 'multi_valued', 'name', 'read_only', 'required'];
      const options = property.field_type === 'select' ? ['options'] : [];
      expect(Object.keys(property).sort()).toEqual([...names, ...options, 'unique'].sort());
      for (const option of property.options ?? []) expect(Object.keys(option).sort()).toEqual(['label', 'value']);
    }
  }
});

test('the lead score of a contact is cold, warm or hot', async () => {
  const score = (await propertiesOf('svc_contact')).find(({ name }) => name === 'svc_lead_score');
  expect(score?.options?.map(({ value }) => value)).toEqual(['cold', 'warm', 'hot']);
});

test('custom properties, options and labels of an org appear at once', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, {
    object_types: [
      { name: 'plan', label: 'Plan', properties: [{ name: 'due', label: 'Due', field_type: 'date', required: true }] },
    ],
    properties: {
      svc_contact: [
        {
          name: 'tier',
          label: 'Tier',
          field_type: 'select',
          options: [
            { value: 'g', label: 'Gold' },
            { value: 's', label: 'Silver' },
          ],
        },
        { name: 'badges', label: 'Badges', field_type: 'text', multi_valued: true, unique: true },
      ],
    },
    labels: { svc_contact: { label: 'Human', properties: { svc_last_name: 'Family name' } } },
  });
  const own = service.client((await service.createKey(orgId)).key);
  const contact = (await own.get('/objects/svc_contact/')).body.data;
  const property = (name: string) => contact.properties.find((each: Property) => each.name === name);
  expect(contact).toMatchObject({ label: 'Human', unique_properties: ['svc_email', 'badges'] });
  expect(property('svc_last_name')).toMatchObject({ label: 'Family name', custom: false });
  expect(property('svc_first_name').label).toBe('First name');
  expect(property('tier')).toEqual({
    name: 'tier',
    label: 'Tier',
    description: '',
    field_type: 'select',
    multi_valued: false,
    read_only: false,
    required: false,
    unique: false,
    options: [
      { value: 'g', label: 'Gold' },
      { value: 's', label: 'Silver' },
    ],
    custom: true,
  });
  expect(lineOf(property('badges'))).toBe('badges text list unique');
  const plan = (await own.get('/objects/plan/')).body.data;
  expect(plan.properties.map(lineOf).sort()).toEqual(linesOf(`due date, ${everyTypes}`).sort());
  expect(plan.properties.find((each: Property) => each.name === 'due')).toMatchObject({ required: true, custom: true });
});

test('an option that is added while the org is in use appears within a second, after the existing ones', async () => {
  const orgId = await service.createOrg();
  const size = (...values: readonly string[]) => ({
    properties: {
      svc_deal: [
        {
          name: 'size',
          label: 'Size',
          field_type: 'select',
          options: values.map((value) => ({ value, label: value.toUpperCase() })),
        },
      ],
    },
  });
  await service.applySchema(orgId, size('s', 'm'));
  const own = service.client((await service.createKey(orgId)).key);
  const values = async () => {
    const { properties } = (await own.get('/objects/svc_deal/')).body.data;
    return properties
      .find((each: Property) => each.name === 'size')
      .options.map((each: { value: string }) => each.value);
  };
  expect(await values()).toEqual(['s', 'm']);
  await service.applySchema(orgId, size('l'));
  expect(await withinASecond(values, (found) => found.length === 3)).toEqual(['s', 'm', 'l']);
});

test.each([
  'nope',
  'svc_user',
  'svc_org',
  'SVC_CONTACT',
  'svc_contact%20',
  '%20svc_contact',
  'svc_contact%00',
  'svc_contact%2F',
  '..%2Fself',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  'x'.repeat(500),
])('the object type %s is unknown', async (name) => {
  const { status, body } = await client.get(`/objects/${name}/`);
  expect(status).toBe(404);
  expect(body).toMatchObject({ code: 'not_found', reason: 'object_type_unknown' });
  expect(body).not.toHaveProperty('errors');
});

test('a name that is written with percent signs is the same name', async () => {
  const { status, body } = await client.get('/objects/%73vc_contact/');
  expect(status).toBe(200);
  expect(body.data.name).toBe('svc_contact');
});

async function propertiesOf(name: string): Promise<readonly Property[]> {
  return (await client.get(`/objects/${name}/`)).body.data.properties;
}

function lineOf(property: Property): string {
  const marks = [property.multi_valued && 'list', property.read_only && 'ro', property.unique && 'unique'];
  return [property.name, property.field_type, ...marks.filter((mark) => mark !== false)].join(' ');
}

function linesOf(text: string): string[] {
  return text.split(',').map((line) => line.trim());
}
