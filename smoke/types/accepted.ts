// What must compile, with the types of `schema.json` as `orrery types` prints them.
import { createClient, type NewValues, type Operator, type RecordOf } from '@orrery/client';
import type { Schema } from './schema.ts';

const client = createClient<Schema>({ url: 'http://127.0.0.1:4610', key: 'x' });
const contacts = client.records('svc_contact');
const vessels = client.records('vessel');

export async function accepted(): Promise<void> {
  const made = await contacts.create({ svc_email: ['ada@example.com'], svc_lead_score: 'hot', rank: 'first' });
  const emails: readonly string[] | undefined = made.data.properties.svc_email;
  const created: string | undefined = made.data.properties.svc_created_at;
  await contacts.update(made.data.id, {
    svc_email: null,
    svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
  });
  await contacts.upsert('svc_email', { svc_email: emails ?? [], rank: undefined });
  await client
    .records('svc_deal')
    .create({ svc_amount: { amount: '1.50', unit: 'EUR' }, svc_close_date: created ?? null });
  const { data: vessel } = await vessels.create(
    { name: 'Victory', flag: 'GB', afloat: true, moods: ['\\', 'a\nb'] },
    {
      associations: [{ association_type: 'escorts', target_id: 'x' }],
    },
  );
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
    {
      operation: 'associate',
      object_type: 'svc_contact',
      id: 'x',
      association_type: 'sails_on',
      target_id: { ref: 'ship' },
    },
  ]);
  await client.records('svc_meeting').putAssociation('x', 'svc_activity_to_deal', 'y');
  for await (const deal of client.records('svc_risk').listAssociated('x', 'svc_risk_to_deal'))
    console.log(deal.properties.svc_name);
  const values: NewValues<Schema, 'vessel'> = { name: 'Argo' };
  const record: RecordOf<Schema, 'vessel'> = {
    id: '',
    object_type: 'vessel',
    version: '1',
    properties: values as { name: string },
  };
  console.log(record);
  const deals = client.records('svc_deal');
  const open = deals.query({
    filter: {
      or: [
        {
          property: 'svc_amount',
          operator: 'between',
          value: [
            { amount: '1', unit: 'EUR' },
            { amount: '9', unit: 'EUR' },
          ],
        },
        { property: 'svc_close_date', operator: 'gte', value: '2026-01-01' },
        { property: 'svc_close_date', operator: 'in', value: ['2026-01-01'] },
        { property: 'svc_name', operator: 'starts_with', value: 'Eng' },
      ],
    },
    sort: [{ property: 'svc_amount', direction: 'desc' }],
  });
  for await (const deal of open) console.log(deal.properties.svc_amount?.unit);
  const byMonth = deals.aggregate({
    group_by: [
      { property: 'svc_close_date', granularity: 'month' },
      { association: 'svc_deal_to_deal_pipeline_stage' },
    ],
    aggregations: [
      { function: 'count' },
      { function: 'sum', property: 'svc_amount', as: 'total' },
      { function: 'max', property: 'svc_close_date' },
      { function: 'count_distinct', property: 'svc_name' },
    ],
    having: [{ as: 'count', operator: 'gt', value: '1' }],
    sort: [{ as: 'count', direction: 'desc' }],
  });
  for await (const group of byMonth) console.log(group.values['total']);
  const byHour = deals.aggregate({
    group_by: [{ property: 'svc_created_at', granularity: 'hour', timezone: 'Europe/Oslo' }],
    aggregations: [{ function: 'count' }],
  });
  console.log((await byHour.first()).data.length);
  contacts.query({ filter: { property: 'svc_phone_number', operator: 'contains', value: '207' } });
}

/** Without printed types, and with types from before field types were printed, the service alone checks what is asked. */
interface Former {
  readonly boat: {
    readonly settable: { readonly name: string; readonly length: string };
    readonly readOnly: object;
    readonly required: never;
    readonly unique: never;
    readonly writable: 'create';
    readonly outgoing: object;
    readonly incoming: object;
  };
}

export function unchecked(operator: Operator): void {
  createClient({ url: 'x' })
    .records('boat')
    .query({ filter: { property: 'name', operator, value: 'x' }, sort: [{ property: 'name', direction: 'asc' }] });
  const boats = createClient<Former>({ url: 'x' }).records('boat');
  boats.query({
    filter: { property: 'length', operator: 'gt', value: '10' },
    sort: [{ property: 'name', direction: 'asc' }],
  });
  boats.aggregate({
    group_by: [{ property: 'name', granularity: 'day' }],
    aggregations: [{ function: 'sum', property: 'length' }],
  });
}
