// An org with something of everything, chosen by a seed: every field type, a schema that was changed and deleted from, links both
// ways, stages with history, owners, private records, merges, external ids and a trash.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { adminGrant, fullGrant } from '../../../src/access/grant.ts';
import type { Client } from '../client.ts';
import { samples, selectOptions } from '../field-values.ts';
import { ingest } from '../ingest/ingest.ts';
import { untilUseIsNoted } from '../noted-use.ts';
import type { Random } from '../random.ts';
import { make, pathOfRecord, type RecordData } from '../records.ts';
import type { TestService } from '../service.ts';

export interface WholeOrg {
  readonly orgId: number;
  readonly client: Client;
  /** Records that are in the trash. */
  readonly trashed: readonly RecordData[];
}

const specimen = {
  name: 'specimen',
  label: 'Specimen',
  plural_label: 'Specimens',
  title_property: 'code',
  properties: [
    { name: 'code', label: 'Code', field_type: 'text', unique: true },
    ...Object.keys(samples).flatMap((field_type) => {
      const options = selectOptions.map((value) => ({ value, label: `The ${value} one` }));
      const declared = { field_type, ...(field_type === 'select' ? { options } : {}) };
      return [
        { ...declared, name: `${field_type}_one`, label: `${field_type} one` },
        { ...declared, name: `${field_type}_many`, label: `${field_type} many`, multi_valued: true },
      ];
    }),
  ],
};

const schema = {
  object_types: [
    specimen,
    {
      name: 'phase',
      label: 'Phase',
      title_property: 'title',
      properties: [{ name: 'title', label: 'Title', field_type: 'text' }],
    },
  ],
  properties: { svc_contact: [{ name: 'shoe_size', label: 'Shoe size', field_type: 'number' }] },
  labels: { svc_deal: { label: 'Voyage', properties: { svc_name: 'Ship' } } },
  association_types: [
    {
      name: 'specimen_phase',
      label: 'In phase',
      source: 'specimen',
      target: 'phase',
      cardinality: 'many_to_one',
      stage: true,
    },
    { name: 'found_by', source: 'specimen', target: { kind: 'person' }, cardinality: 'many_to_many' },
    { name: 'home_of', source: 'svc_company', target: 'specimen', cardinality: 'many_to_one' },
  ],
};

export async function adminOf(service: TestService, orgId: number): Promise<Client> {
  return service.client((await service.createKey(orgId, { grants: [fullGrant, adminGrant] })).key);
}

export async function makeWholeOrg(service: TestService, random: Random): Promise<WholeOrg> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const client = await adminOf(service, orgId);
  await service.applySchema(orgId, schema);
  await changeSchema(client);
  const members = await makePeople(client);
  const key = await service.createKey(orgId, { userId: members[0] ?? '', reach: 'user' });
  const owner = service.client(key.key);
  const contacts = await makeContacts(client, random);
  const companies = await many(client, 'svc_company', 4, (index) => ({
    svc_name: `Company ${index}`,
    svc_domain: `c${index}.example`,
  }));
  const phases = await many(client, 'phase', 3, (index) => ({ title: `Phase ${index}` }));
  const specimens = await makeSpecimens(client, random, contacts, phases);
  for (const company of companies.slice(0, 2)) await link(client, company, 'home_of', random.pick(specimens).id);
  const deals = await makeDeals(client, random, contacts, companies);
  for (const record of random.some([...contacts, ...deals], 4)) {
    await link(client, record, 'svc_record_to_user', random.pick(members));
  }
  await makePrivate(owner, orgId, random);
  // That the member was seen is noted in the background, and must not come between the export and the comparison.
  await untilUseIsNoted(service, owner);
  await many(client, 'svc_note', 3, (index) => ({ svc_title: `Note ${index}` }), [
    { association_type: 'svc_note_to_contact', target_id: contacts[1]?.id ?? '' },
  ]);
  await ingest(
    service.database,
    orgId,
    'svc_meeting',
    random.times(4, (index) => ({
      external_id: `meeting "${index}"\\`,
      properties: { svc_subject: `Meeting ${index}`, svc_started_at: `2026-0${index + 1}-02T09:00:00+02:00` },
      associations: [{ association_type: 'svc_activity_to_contact', target_id: random.pick(contacts.slice(4)).id }],
    })),
  );
  // Two systems may give the same id, and the record in the trash keeps its own.
  for (const [index, record] of contacts.slice(0, 5).entries()) {
    const external_ids = [
      { source: 'hubspot', id: `${index}` },
      { source: 'a "b"\\', id: `${index}` },
    ];
    await batch(client, {
      operation: 'update',
      object_type: 'svc_contact',
      id: record.id,
      properties: {},
      external_ids,
    });
  }
  const [kept, duplicate] = contacts;
  await batch(client, { operation: 'merge', object_type: 'svc_contact', id: kept?.id, duplicate_id: duplicate?.id });
  const trashed = [contacts[2], deals[0], specimens[0]].flatMap((each) => each ?? []);
  for (const record of trashed) assert.equal((await client.delete(pathOfRecord(record))).status, 200);
  return { orgId, client, trashed };
}

/** Deletes a property and an option, and declares a new property under the name of the deleted one. */
async function changeSchema(client: Client): Promise<void> {
  const sized = await make(client, 'svc_contact', { svc_last_name: 'Sized', shoe_size: '43' });
  const [size] = await found(client, 'svc_property', 'svc_name', 'shoe_size');
  const [contact] = await found(client, 'svc_object_type', 'svc_name', 'svc_contact');
  const [cold] = await found(client, 'svc_property_option', 'svc_value', 'très chaud');
  for (const gone of [size, cold]) assert.equal((await client.delete(pathOfRecord(gone as RecordData))).status, 200);
  const declared = { svc_name: 'shoe_size', svc_label: 'Shoes', svc_field_type: 'text' };
  await make(client, 'svc_property', declared, [
    { association_type: 'svc_property_to_object_type', target_id: (contact as RecordData).id },
  ]);
  await eventually(() => client.patch(pathOfRecord(sized), { properties: { shoe_size: 'large' } }));
}

/** Another process than this one has changed the schema. */
async function eventually(call: () => Promise<{ readonly status: number }>): Promise<void> {
  for (let tries = 0; (await call()).status !== 200; tries++) {
    assert.ok(tries < 30);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function found(client: Client, type: string, property: string, value: string): Promise<readonly RecordData[]> {
  const filter = { property, operator: 'eq', value };
  const { body } = await client.post(`/objects/${type}/records/query/`, { filter });
  return body.data as RecordData[];
}

async function makePeople(client: Client): Promise<readonly string[]> {
  const role = await make(client, 'svc_role', { svc_name: 'Sailor', svc_reach: 'user', svc_grants: ['specimen:read'] });
  const members = [];
  for (const name of ['Grace', 'Alan']) {
    const values = { svc_name: name, svc_email: `${name}@navy.example` };
    members.push(
      await make(client, 'svc_member', values, [{ association_type: 'svc_member_to_role', target_id: role.id }]),
    );
  }
  await make(client, 'svc_view', {
    svc_name: 'Mine',
    svc_view_kind: 'table',
    svc_object_type: 'svc_contact',
    svc_definition: '{}',
  });
  return members.map(({ id }) => id);
}

function makeContacts(client: Client, random: Random): Promise<readonly RecordData[]> {
  return many(client, 'svc_contact', 8, (index) => ({
    svc_last_name: `Person\t${index} "${['Ångström', 'Ωmega', 'o\\neil', 'line\nbreak'][index % 4]} ${random.below(99)}"`,
    svc_email: [`P${index}@A.example`, `q${index}@a.example`],
    svc_phone_number: [{ country_code: 'GB', national_number: `20794609${index}` }],
  }));
}

async function makeSpecimens(
  client: Client,
  random: Random,
  contacts: readonly RecordData[],
  phases: readonly RecordData[],
): Promise<readonly RecordData[]> {
  const made: RecordData[] = [];
  for (let index = 0; index < 6; index++) {
    const values = Object.keys(samples).flatMap((name) => {
      const valid = samples[name]?.valid ?? fc.constant(null);
      const of = (count: number) =>
        fc.sample(valid, { numRuns: count, seed: random.below(2 ** 31) }).filter((each) => each !== 'très chaud');
      const [one, list] = [of(1)[0], of(random.between(1, 3))];
      const isShort = JSON.stringify([one, list]).length < 20_000;
      return isShort && one !== undefined && list.length > 0 && random.chance(0.8)
        ? [[`${name}_one`, one] as const, [`${name}_many`, list] as const]
        : [];
    });
    const people = random.some(contacts, random.between(0, 3));
    const links = people.map(({ id }) => ({ association_type: 'found_by', target_id: id }));
    const record = await make(client, 'specimen', { ...Object.fromEntries(values), code: `CODE-${index}` }, links);
    for (const phase of random.some(phases, 2)) await link(client, record, 'specimen_phase', phase.id);
    made.push(record);
  }
  return made;
}

async function makeDeals(
  client: Client,
  random: Random,
  contacts: readonly RecordData[],
  companies: readonly RecordData[],
): Promise<readonly RecordData[]> {
  const { body } = await client.get('/objects/svc_deal_pipeline_stage/records/');
  const stages = body.data as RecordData[];
  const deals = await many(client, 'svc_deal', 5, (index) => ({
    svc_name: `Deal ${index}`,
    svc_amount: { amount: `${random.between(1, 900)}.50`, unit: random.pick(['USD', 'EUR']) },
  }));
  for (const deal of deals) {
    await link(client, deal, 'svc_deal_to_company', random.pick(companies).id);
    for (const { id } of random.some(contacts, 2)) await link(client, deal, 'svc_deal_to_contact', id);
    for (const { id } of random.some(stages, random.between(1, 3))) {
      await link(client, deal, 'svc_deal_to_deal_pipeline_stage', id);
    }
  }
  return deals;
}

async function makePrivate(owner: Client, orgId: number, random: Random): Promise<void> {
  const records = await many(owner, 'svc_contact', 2, (index) => ({
    svc_last_name: `Secret ${random.below(9)} ${index}`,
  }));
  for (const record of records) {
    const { status } = await owner.delete(`${pathOfRecord(record)}associations/svc_record_to_org/${orgId}/`);
    assert.equal(status, 200);
  }
}

async function many(
  client: Client,
  type: string,
  count: number,
  values: (index: number) => Readonly<Record<string, unknown>>,
  links: readonly { readonly association_type: string; readonly target_id: string }[] = [],
): Promise<readonly RecordData[]> {
  const records: RecordData[] = [];
  for (let index = 0; index < count; index++) records.push(await make(client, type, values(index), links));
  return records;
}

async function link(client: Client, record: RecordData, associationType: string, targetId: string): Promise<void> {
  const answer = await client.call('PUT', `${pathOfRecord(record)}associations/${associationType}/${targetId}/`);
  assert.equal(answer.status, 200, answer.text);
}

async function batch(client: Client, operation: object): Promise<void> {
  const answer = await client.post('/batch/', { operations: [operation] });
  assert.equal(answer.status, 200, answer.text);
}
