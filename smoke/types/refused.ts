// What must not compile. The comment before each statement says why, and what the compiler must say about it.
import { createClient } from '@orrery/client';
import type { Schema } from './schema.ts';

const client = createClient<Schema>({ url: 'http://127.0.0.1:4610', key: 'x' });
const contacts = client.records('svc_contact');
const vessels = client.records('vessel');

export async function refused(): Promise<void> {
  // there is no such object type: TS2345 Argument of type '"svc_contacts"' is not assignable
  client.records('svc_contacts');
  // there is no such property: TS2561 'svc_mail' does not exist in type
  await contacts.create({ svc_mail: ['ada@example.com'] });
  // there can be many addresses: TS2322 Type 'string' is not assignable
  await contacts.create({ svc_email: 'ada@example.com' });
  // it is not an option of the property: TS2322 Type '"tepid"' is not assignable
  await contacts.create({ svc_lead_score: 'tepid' });
  // numbers are text: TS2322 Type 'number' is not assignable
  await client.records('svc_company').create({ svc_employee_count: 12 });
  // an amount has a unit: TS2741 Property 'unit' is missing in type
  await client.records('svc_deal').create({ svc_amount: { amount: '1' } });
  // only the service writes this date: TS2353 'svc_created_at' does not exist in type
  await contacts.create({ svc_created_at: '2026-01-01T00:00:00Z' });
  // the name is required: TS2345 Property 'name' is missing in type
  await vessels.create({ flag: 'GB' });
  // what is required cannot be null: TS2322 Type 'null' is not assignable
  await vessels.create({ name: null });
  // what is required cannot be cleared: TS2322 Type 'null' is not assignable
  await vessels.update('x', { name: null });
  // it is not one of the moods: TS2322 Type '"calm"' is not assignable
  await vessels.update('x', { moods: ['calm'] });
  // keys do not write risks: TS2345 Argument of type '{}' is not assignable
  await client.records('svc_risk').create({});
  // keys do not change risks: TS2345 Argument of type '{}' is not assignable
  await client.records('svc_risk').update('x', {});
  // keys do not delete risks: TS2345 Argument of type '"x"' is not assignable
  await client.records('svc_risk').delete('x');
  // keys do not link risks: TS2345 Argument of type '"svc_risk_to_deal"' is not assignable
  await client.records('svc_risk').putAssociation('x', 'svc_risk_to_deal', 'y');
  // nor can a batch delete them: TS2322 Type 'string' is not assignable
  await client.batch([{ operation: 'delete', object_type: 'svc_risk', id: 'x' }]);
  // nor can a batch link them: TS2322 Type 'string' is not assignable
  await client.batch([
    { operation: 'associate', object_type: 'svc_risk', id: 'x', association_type: 'svc_risk_to_deal', target_id: 'y' },
  ]);
  // the name is not unique: TS2345 Argument of type '"svc_last_name"' is not assignable
  await contacts.upsert('svc_last_name', { svc_last_name: 'x' });
  // a link is written from its source: TS2345 Argument of type '"sails_on"' is not assignable
  await vessels.putAssociation('x', 'sails_on', 'y');
  // no such association type begins here: TS2322 Type '"escorts"' is not assignable
  await contacts.create({}, { associations: [{ association_type: 'escorts', target_id: 'x' }] });
  // no such association type to include: TS2322 Type '"escorts"' is not assignable
  contacts.list({ include: ['escorts'] });
  // no such property to return: TS2820 Type '"svc_mail"' is not assignable
  contacts.list({ properties: ['svc_mail'] });
  // nothing can have a value that is not an option: TS2322 Type '"tepid"' is not assignable
  contacts.query({ filter: { property: 'svc_lead_score', operator: 'eq', value: 'tepid' } });
  // no such property at the other end: TS2322 Type '"rank"' is not assignable
  contacts.query({
    filter: { association: 'sails_on', operator: 'exists', filter: { property: 'rank', operator: 'is_set' } },
  });
  // nor is there such a property to sort by: TS2322 Type '"svc_mail"' is not assignable
  contacts.query({ sort: [{ property: 'svc_mail', direction: 'asc' }] });
  // deals have no email addresses, in a batch either: TS2353 'svc_email' does not exist in type
  await client.batch([{ operation: 'create', object_type: 'svc_deal', properties: { svc_email: ['x'] } }]);
  // any property may be unset: TS2532 Object is possibly 'undefined'
  console.log((await contacts.get('x')).data.properties.svc_last_name.length);
  // a text has no order: TS2322 Type '"gt"' is not assignable
  contacts.query({ filter: { property: 'svc_last_name', operator: 'gt', value: 'L' } });
  // nor has a list of texts: TS2322 Type '"between"' is not assignable
  contacts.query({ filter: { property: 'svc_email', operator: 'between', value: ['a', 'b'] } });
  // a long text is not compared as a whole: TS2322 Type '"eq"' is not assignable
  client.records('svc_company').query({ filter: { property: 'svc_description', operator: 'eq', value: 'x' } });
  // a number is not searched like a text: TS2322 Type '"contains"' is not assignable
  client.records('svc_company').query({ filter: { property: 'svc_employee_count', operator: 'contains', value: '1' } });
  // the bound of a number is text too: TS2322 Type 'number' is not assignable
  client.records('svc_company').query({ filter: { property: 'svc_employee_count', operator: 'gt', value: 10 } });
  // an amount is not in a list: TS2322 Type '"in"' is not assignable
  client.records('svc_deal').query({ filter: { property: 'svc_amount', operator: 'in', value: [] } });
  // a date does not begin with anything: TS2322 Type '"starts_with"' is not assignable
  client.records('svc_deal').query({ filter: { property: 'svc_close_date', operator: 'starts_with', value: '2026' } });
  // a range has two ends: TS2322 Type '[string]' is not assignable
  client
    .records('svc_deal')
    .query({ filter: { property: 'svc_close_date', operator: 'between', value: ['2026-01-01'] } });
  // a choice contains nothing: TS2322 Type '"contains"' is not assignable
  contacts.query({ filter: { property: 'rank', operator: 'contains', value: 'first' } });
  // yes or no is not in a list: TS2322 Type '"in"' is not assignable
  vessels.query({ filter: { not: { property: 'afloat', operator: 'in', value: [true] } } });
  // a phone number begins with nothing: TS2322 Type '"starts_with"' is not assignable
  contacts.query({ filter: { property: 'svc_phone_number', operator: 'starts_with', value: '1' } });
  // a comparison needs a value: TS2322 Property 'value' is missing in type
  contacts.query({ filter: { property: 'svc_last_name', operator: 'eq' } });
  // nor has a text at the other end an order: TS2322 Type '"gte"' is not assignable
  contacts.query({
    filter: { association: 'sails_on', operator: 'exists', filter: { property: 'code', operator: 'gte', value: 'x' } },
  });
  // nothing is sorted by a long text: TS2322 Type '"svc_description"' is not assignable
  client.records('svc_company').query({ sort: [{ property: 'svc_description', direction: 'asc' }] });
  // nor by a list: TS2322 Type '"svc_email"' is not assignable
  contacts.query({ sort: [{ property: 'svc_email', direction: 'asc' }] });
  // phone numbers are not grouped: TS2322 Type '"svc_phone_number"' is not assignable
  contacts.aggregate({ group_by: [{ property: 'svc_phone_number' }], aggregations: [{ function: 'count' }] });
  // texts are not added up: TS2322 Type '"sum"' is not assignable
  vessels.aggregate({ aggregations: [{ function: 'sum', property: 'code' }] });
  // dates have no average: TS2322 Type '"svc_close_date"' is not assignable
  client.records('svc_deal').aggregate({ aggregations: [{ function: 'avg', property: 'svc_close_date' }] });
  // amounts have no median: TS2322 Type '"median"' is not assignable
  client.records('svc_deal').aggregate({ aggregations: [{ function: 'median', property: 'svc_amount' }] });
  // a sum needs a property: TS2322 Type '"sum"' is not assignable
  vessels.aggregate({ aggregations: [{ function: 'sum' }] });
  // a text has no months: TS2353 'granularity' does not exist in type
  vessels.aggregate({ group_by: [{ property: 'code', granularity: 'month' }], aggregations: [{ function: 'count' }] });
  // a date has no hours: TS2322 Type '"hour"' is not assignable
  client.records('svc_deal').aggregate({
    group_by: [{ property: 'svc_close_date', granularity: 'hour' }],
    aggregations: [{ function: 'count' }],
  });
  // nor a time zone: TS2322 Type 'string' is not assignable
  client
    .records('svc_deal')
    .aggregate({ group_by: [{ property: 'svc_close_date', timezone: 'UTC' }], aggregations: [{ function: 'count' }] });
}
