// The built-in object types against the specification (2.3, 2.4) and the contract (3, 6, 7, 11). The expectations
// are written out from those documents; nothing is derived from the data under test, so that each can fail.
import { expect, test } from 'vitest';
import { text } from '../fields/text.ts';
import { firstCustomId, natures, type ObjectType, type Property } from '../object-type.ts';
import { selectedTypes } from '../type-selector.ts';
import { objectType, property } from './declare.ts';
import { builtinObjectTypes as everyType } from './object-types.ts';

/** Those of the specification. The platform types have a test of their own. */
const builtinObjectTypes = everyType.filter(({ category }) => category !== 'platform');

/** name | label | category | nature | kind | title property, in the order of the specification. */
const expectedTypes = `
  svc_contact | Contact | core | open | person | svc_last_name
  svc_company | Company | core | open | organization | svc_name
  svc_deal | Deal | core | open | - | svc_name
  svc_note | Note | core | open | - | svc_title
  svc_deal_pipeline | Deal Pipeline | pipeline | open | - | svc_name
  svc_deal_pipeline_stage | Deal Pipeline Stage | pipeline | open | - | svc_name
  svc_note_pipeline | Task Statuses | pipeline | open | - | svc_name
  svc_note_pipeline_stage | Task Status | pipeline | open | - | svc_name
  svc_contact_lifecycle_stage | Contact Lifecycle Stage | pipeline | open | - | svc_name
  svc_stage_timer | Stage Timer | pipeline | automatic | - | -
  svc_meeting | Meeting | synced | synced_linkable | activity | svc_subject
  svc_meeting_notes | Meeting Notes | synced | synced | activity | svc_subject
  svc_email_thread | Email Thread | synced | synced | activity | svc_subject
  svc_booking | Booking | synced | synced | activity | svc_subject
  svc_booking_type | Booking Type | synced | synced | - | svc_name
  svc_file | File | synced | synced | - | svc_name
  svc_call | Call | activity | open | activity | svc_subject
  svc_sms_conversation | SMS Conversation | activity | open | activity | svc_subject
  svc_network_conversation | Professional-network Conversation | activity | open | activity | svc_subject
  svc_risk | Risk | generated | generated | - | svc_title
  svc_web_visit | Web Visit | generated | generated | - | svc_title
  svc_web_visitor | Web Visitor | generated | generated | - | svc_name`;

/** The core types have these properties and no others; `[]` marks a multi-valued one. */
const coreProperties = {
  svc_contact: `svc_first_name text, svc_last_name text, svc_email email[], svc_job_title text, svc_network_url url,
    svc_phone_number phone[], svc_headline text, svc_summary long_text, svc_location text, svc_timezone timezone,
    svc_job_start_date date, svc_lead_score select, svc_network_id text, svc_first_web_source text,
    svc_last_web_source text, svc_last_activity_at datetime, svc_potential_deal_total currency,
    svc_weighted_deal_total currency, svc_created_at datetime, svc_updated_at datetime`,
  svc_company: `svc_name text, svc_domain domain, svc_industry text, svc_city text, svc_country text,
    svc_employee_count number, svc_annual_revenue number, svc_website url, svc_description long_text,
    svc_network_url url, svc_company_type select, svc_year_founded number, svc_headcount_range select, svc_region text,
    svc_country_code country, svc_postal_code text, svc_address text, svc_payments_mrr_total currency,
    svc_payments_subscription_count number, svc_created_at datetime, svc_updated_at datetime`,
  svc_deal: `svc_name text, svc_amount currency, svc_close_date date, svc_last_activity_at datetime,
    svc_created_at datetime, svc_updated_at datetime`,
  svc_note: `svc_title text, svc_body long_text, svc_due_at datetime, svc_priority select, svc_created_at datetime,
    svc_updated_at datetime`,
};

const activity = `svc_subject text, svc_started_at datetime, svc_ended_at datetime, svc_direction select,
  svc_summary long_text`;
const stage = 'svc_name text, svc_position number, svc_probability number, svc_closed boolean';
const pipeline = 'svc_name text, svc_description long_text, svc_position number';

/** The other types have at least these. */
const otherProperties = {
  svc_deal_pipeline: pipeline,
  svc_deal_pipeline_stage: stage,
  svc_note_pipeline: pipeline,
  svc_note_pipeline_stage: stage,
  svc_contact_lifecycle_stage: stage,
  svc_stage_timer: 'svc_entered_at datetime, svc_left_at datetime, svc_duration_seconds number',
  svc_meeting: activity,
  svc_meeting_notes: activity,
  svc_email_thread: `${activity}, svc_message_count number, svc_last_message_at datetime`,
  svc_booking: `${activity}, svc_status select`,
  svc_booking_type: 'svc_name text, svc_description long_text, svc_duration_minutes number, svc_url url',
  svc_file: 'svc_name text, svc_mime_type text, svc_size_bytes number, svc_url url',
  svc_call: activity,
  svc_sms_conversation: `${activity}, svc_channel_id text`,
  svc_network_conversation: `${activity}, svc_channel_id text`,
  svc_risk: `svc_title text, svc_description long_text, svc_severity select, svc_status select,
    svc_detected_at datetime`,
  svc_web_visit: `svc_url url, svc_title text, svc_started_at datetime, svc_ended_at datetime, svc_referrer url,
    svc_source text, svc_utm_source text, svc_utm_medium text, svc_utm_campaign text`,
  svc_web_visitor: 'svc_name text, svc_first_seen_at datetime, svc_last_seen_at datetime',
};

const activityTypeNames = [
  'svc_meeting',
  'svc_meeting_notes',
  'svc_email_thread',
  'svc_booking',
  'svc_call',
  'svc_sms_conversation',
  'svc_network_conversation',
];

test('the 22 types of the specification exist, in its order, with its labels and their natures', () => {
  const lines = builtinObjectTypes.map((type) =>
    [type.name, type.label, type.category, type.nature, type.kind ?? '-', type.titleProperty ?? '-'].join(' | '),
  );
  expect(lines).toEqual(linesOf(expectedTypes));
  expect(lines).toHaveLength(22);
});

test('type ids are the numbers 1 to 22, and property ids are unique within a type and below the custom ones', () => {
  expect(builtinObjectTypes.map((type) => type.id)).toEqual(Array.from({ length: 22 }, (_, index) => index + 1));
  for (const type of builtinObjectTypes) {
    const ids = propertiesOf(type).map((each) => each.id);
    expect(new Set(ids).size, type.name).toBe(ids.length);
    expect(Math.min(...ids), type.name).toBe(1);
    expect(Math.max(...ids), type.name).toBeLessThan(firstCustomId);
    expect([type.properties.get('svc_created_at')?.id, type.properties.get('svc_updated_at')?.id]).toEqual([1, 2]);
  }
});

test('every title property exists and is a single text', () => {
  for (const type of builtinObjectTypes) {
    if (type.titleProperty === null) continue;
    const title = type.properties.get(type.titleProperty);
    expect([title?.fieldType.name, title?.multiValued], type.name).toEqual(['text', false]);
  }
});

test.each(Object.entries(coreProperties))('%s has the default properties and no others', (name, expected) => {
  expect(shapesOf(typeNamed(name)).sort()).toEqual(listOf(expected).sort());
});

test.each(Object.entries(otherProperties))('%s has its expected properties', (name, expected) => {
  const shapes = shapesOf(typeNamed(name));
  expect(shapes).toEqual(expect.arrayContaining(listOf(expected)));
  expect(shapes).toEqual(expect.arrayContaining(['svc_created_at datetime', 'svc_updated_at datetime']));
});

test('svc_email and svc_phone_number are multi-valued in every type', () => {
  for (const type of builtinObjectTypes) {
    for (const name of ['svc_email', 'svc_phone_number']) {
      expect(type.properties.get(name)?.multiValued ?? true, `${type.name}.${name}`).toBe(true);
    }
  }
});

test("only a company's domain and a contact's emails are unique, and nothing is required or custom", () => {
  expect(namesOf((each) => each.unique)).toEqual(['svc_contact.svc_email', 'svc_company.svc_domain']);
  expect(namesOf((each) => each.required || each.custom)).toEqual([]);
});

test('what people sort by from the first day is indexed, and no property that cannot have an index', () => {
  const activities = activityTypeNames.map((name) => `${name}.svc_started_at`);
  const others = ['contact.svc_last_name', 'company.svc_name', 'deal.svc_name', 'deal.svc_amount'];
  const latest = ['contact.svc_last_activity_at', 'deal.svc_last_activity_at'];
  const times = ['deal.svc_close_date', 'note.svc_due_at', ...latest];
  expect(namesOf((each) => each.index === 'permanent').sort()).toEqual(
    [...activities, ...[...others, ...times].map((name) => `svc_${name}`)].sort(),
  );
  expect(namesOf((each) => each.index !== 'none' && each.fieldType.index === undefined)).toEqual([]);
});

test('exactly the read-only properties of the specification and those of a stage timer are read-only', () => {
  const dates = builtinObjectTypes.flatMap(({ name }) => [`${name}.svc_created_at`, `${name}.svc_updated_at`]);
  const others = [
    'svc_contact.svc_last_activity_at',
    'svc_contact.svc_potential_deal_total',
    'svc_contact.svc_weighted_deal_total',
    'svc_company.svc_payments_mrr_total',
    'svc_company.svc_payments_subscription_count',
    'svc_deal.svc_last_activity_at',
    'svc_stage_timer.svc_entered_at',
    'svc_stage_timer.svc_left_at',
    'svc_stage_timer.svc_duration_seconds',
  ];
  expect(namesOf((each) => each.readOnly).sort()).toEqual([...dates, ...others].sort());
});

test('the computed properties name the types that feed them', () => {
  const deals = ['svc_deal', 'svc_deal_pipeline_stage'];
  const computed = builtinObjectTypes.flatMap((type) =>
    propertiesOf(type)
      .filter((each) => each.computedFrom.length > 0)
      .map((each) => [
        `${type.name}.${each.name}`,
        each.computedFrom.flatMap(({ types }) => selectedTypes(types, builtinObjectTypes, [])),
      ]),
  );
  expect(Object.fromEntries(computed)).toEqual({
    'svc_contact.svc_last_activity_at': activityTypeNames,
    'svc_contact.svc_potential_deal_total': deals,
    'svc_contact.svc_weighted_deal_total': deals,
    'svc_deal.svc_last_activity_at': activityTypeNames,
  });
});

test('a select has options with distinct values and labels, and nothing else has any', () => {
  for (const type of builtinObjectTypes) {
    for (const each of propertiesOf(type)) {
      const where = `${type.name}.${each.name}`;
      expect(each.options.length > 0, where).toBe(each.fieldType.name === 'select');
      expect(new Set(each.options.map((option) => option.value)).size, where).toBe(each.options.length);
      expect(new Set(each.options.map((option) => option.label)).size, where).toBe(each.options.length);
    }
  }
  expect(optionValues('svc_contact', 'svc_lead_score')).toEqual(['cold', 'warm', 'hot']);
  for (const name of activityTypeNames) expect(optionValues(name, 'svc_direction')).toEqual(['inbound', 'outbound']);
});

test('a type accepts what its nature accepts', () => {
  const accepted = (name: string): readonly string[] => typeNamed(name).writableOperations;
  expect(accepted('svc_deal_pipeline_stage')).toEqual(['create', 'update', 'delete', 'associate']);
  expect(accepted('svc_call')).toEqual(['create', 'update', 'delete', 'associate']);
  expect(accepted('svc_meeting')).toEqual(['associate']);
  for (const name of ['svc_stage_timer', 'svc_meeting_notes', 'svc_file', 'svc_risk'])
    expect(accepted(name)).toEqual([]);
  expect(natures[typeNamed('svc_stage_timer').nature].refusal).toBe('type_is_read_only');
});

test('names fit the pattern and its length, and people can read every label and every type', () => {
  const properties = builtinObjectTypes.flatMap(propertiesOf);
  for (const { name, label } of [...builtinObjectTypes, ...properties]) {
    expect(name).toMatch(/^svc_[a-z0-9_]{1,59}$/);
    expect(label, name).toMatch(/^\S(.*\S)?$/);
  }
  for (const type of builtinObjectTypes) expect(type.description, type.name).toMatch(/^[A-Z].+\.$/);
  for (const each of properties) expect(each.description, each.name).toMatch(/^$|^[A-Z].+\.$/);
  expect(new Set(builtinObjectTypes.map((type) => type.pluralLabel)).size).toBe(22);
});

test('a type that declares a property twice is refused', () => {
  const twice = [3, 4].map((id) => property(id, 'svc_name', 'Name', text));
  expect(() => objectType({ ...typeNamed('svc_deal').declaration, kind: 'person', properties: twice })).toThrow(
    'twice',
  );
});

function linesOf(table: string): string[] {
  return table.trim().split(/\n\s*/);
}

function listOf(list: string): string[] {
  return list.split(',').map((item) => item.trim());
}

function typeNamed(name: string): ObjectType {
  const type = builtinObjectTypes.find((each) => each.name === name);
  if (type === undefined) throw new Error(`There is no type ${name}.`);
  return type;
}

function propertiesOf(type: ObjectType): Property[] {
  return [...type.properties.values()];
}

function shapesOf(type: ObjectType): string[] {
  return propertiesOf(type).map((each) => `${each.name} ${each.fieldType.name}${each.multiValued ? '[]' : ''}`);
}

function namesOf(matches: (each: Property) => boolean): string[] {
  return builtinObjectTypes.flatMap((type) =>
    propertiesOf(type)
      .filter(matches)
      .map((each) => `${type.name}.${each.name}`),
  );
}

function optionValues(type: string, name: string): string[] | undefined {
  return typeNamed(type)
    .properties.get(name)
    ?.options.map((option) => option.value);
}
