// GET /changes/: which entries there are and what they hold, by type, by record and by grant (contract 2, 5, 6, 7 and 8).
// Parameters, cursors, long polls and retention have a file of their own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { deleteLink, instant, keyWith, link, makeAll, putLink, unlink } from '../support/links.ts';
import { absentId } from '../support/operation-examples.ts';
import { changes, changesPath, changesSince, endOfFeed, inShort } from '../support/read-feed.ts';
import { listedIds, make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const worksAt = 'svc_contact_to_company';
const dealCompany = 'svc_deal_to_company';
const dealStage = 'svc_deal_to_deal_pipeline_stage';

let service: TestService;
let orgId: number;
let client: Client;
let principal_id: string;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
  principal_id = (await client.get('/self/')).body.data.principal_id;
});
afterAll(() => service.stop());

/** The entries that some work adds to the feed. */
async function toldOf(work: () => Promise<unknown>, caller = client) {
  const cursor = await endOfFeed(client);
  await work();
  return changesSince(caller, cursor);
}

/** The members that every entry has. */
const always = () => ({
  id: expect.any(String),
  at: expect.stringMatching(instant),
  principal_id,
  request_id: expect.any(String),
});

test('a value has the same JSON in the answer to a write, in the record, in sums and in the feed', async () => {
  const cursor = await endOfFeed(client);
  const phone = { national_number: '2079460958', country_code: 'GB' };
  const contact = await make(client, 'svc_contact', { svc_phone_number: [phone] });
  const deal = await client.post(recordsPath('svc_deal'), {
    properties: { svc_amount: { amount: '5', unit: 'USD' } },
    associations: [{ association_type: 'svc_deal_to_contact', target_id: contact.id }],
  });
  const path = pathOfRecord(deal.body.data);
  const answers = [
    deal,
    await client.patch(path, { properties: { svc_amount: { amount: '6', unit: 'USD' } } }),
    await client.get(path),
    await client.get(pathOfRecord(contact)),
    await client.post('/objects/svc_deal/records/aggregate/', {
      aggregations: [{ function: 'sum', property: 'svc_amount' }],
    }),
    await client.get(changesPath({ cursor })),
  ];
  const members = answers.map(({ text }) => text.match(/"(amount|unit|country_code|national_number)":/g)?.join(''));
  const [money, number] = ['"unit":"amount":', '"country_code":"national_number":'];
  // The contact has two totals; the feed has the number, the first amount, and the second beside the first.
  const expected = [money, money, money, `${number}${money}${money}`, money, `${number}${money.repeat(3)}`];
  expect(members).toEqual(expected);
});

describe('an entry', () => {
  test('exists for each write of a record, with the values that it changed', async () => {
    const requests: string[] = [];
    let id = '';
    const entries = await toldOf(async () => {
      const sent = { svc_first_name: 'Ada', svc_last_name: 'Lovelace', svc_email: ['ada@changes.example'] };
      const created = await client.post(recordsPath('svc_contact'), { properties: sent });
      id = created.body.data.id;
      const path = `${recordsPath('svc_contact')}${id}/`;
      const change = { svc_first_name: 'Augusta', svc_last_name: null, svc_job_title: 'Countess' };
      const updated = await client.patch(path, { properties: change });
      const deleted = await client.delete(path);
      const restored = await runBatch(client, [item('restore', 'svc_contact', { id })]);
      requests.push(...[created, updated, deleted, restored].map(({ body }) => body.request_id));
    });
    const base = { ...always(), object_type: 'svc_contact', record_id: id };
    const email = { new: ['ada@changes.example'] };
    const [created, updated, deleted, restored] = requests;
    expect(entries).toEqual([
      {
        ...base,
        type: 'record.created',
        version: '1',
        changed: { svc_first_name: { new: 'Ada' }, svc_last_name: { new: 'Lovelace' }, svc_email: email },
        request_id: created,
      },
      {
        ...base,
        type: 'record.updated',
        version: '2',
        changed: {
          svc_first_name: { old: 'Ada', new: 'Augusta' },
          svc_last_name: { old: 'Lovelace' },
          svc_job_title: { new: 'Countess' },
        },
        request_id: updated,
      },
      { ...base, type: 'record.deleted', version: '3', request_id: deleted },
      {
        ...base,
        type: 'record.restored',
        version: '4',
        changed: { svc_first_name: { new: 'Augusta' }, svc_job_title: { new: 'Countess' }, svc_email: email },
        request_id: restored,
      },
    ]);
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(4);
  });

  test('of a record without values has no values', async () => {
    const [entry] = await toldOf(() => make(client, 'svc_company'));
    expect(entry?.changed).toEqual({});
  });

  test('exists for a link at its source, and for a replaced one before the new one', async () => {
    const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_company', 'svc_company');
    const entries = await toldOf(async () => {
      await link(client, deal, dealCompany, one.id);
      await link(client, deal, dealCompany, two.id);
      await unlink(client, deal, dealCompany, two.id);
    });
    const base = { ...always(), object_type: 'svc_deal', record_id: deal.id, association_type: dealCompany };
    const to = (target_id: string) => ({ target_type: 'svc_company', target_id });
    expect(entries).toEqual([
      { ...base, ...to(one.id), type: 'association.created', version: '2' },
      { ...base, ...to(one.id), type: 'association.deleted', version: '3' },
      { ...base, ...to(two.id), type: 'association.created', version: '3' },
      { ...base, ...to(two.id), type: 'association.deleted', version: '4' },
    ]);
  });

  test('exists for links to users and the org, which make no version', async () => {
    const userId = await service.createUser(orgId);
    const [contact] = await makeAll(client, 'svc_contact');
    const entries = await toldOf(async () => {
      await link(client, contact, 'svc_record_to_user', userId);
      await unlink(client, contact, 'svc_record_to_org', String(orgId));
      await link(client, contact, 'svc_record_to_org', String(orgId));
      await unlink(client, contact, 'svc_record_to_user', userId);
    });
    const user = { association_type: 'svc_record_to_user', target_type: 'svc_user', target_id: userId };
    const org = { association_type: 'svc_record_to_org', target_type: 'svc_org', target_id: String(orgId) };
    const base = { ...always(), object_type: 'svc_contact', record_id: contact.id, version: '1' };
    expect(entries).toEqual([
      { ...base, ...user, type: 'association.created' },
      { ...base, ...org, type: 'association.deleted' },
      { ...base, ...org, type: 'association.created' },
      { ...base, ...user, type: 'association.deleted' },
    ]);
  });

  test('of a new record comes before those of its links, and automatic links have none', async () => {
    const userId = await service.createUser(orgId);
    const own = service.client((await service.createKey(orgId, { userId })).key);
    const [company] = await makeAll(client, 'svc_company');
    const entries = await toldOf(async () => {
      await make(own, 'svc_contact', {}, [{ association_type: worksAt, target_id: company.id }]);
    });
    expect(entries.map(inShort)).toEqual([
      'record.created svc_contact 1',
      `association.created svc_contact 1 ${worksAt}`,
    ]);
    expect(entries.map((entry) => entry.principal_id)).toEqual([userId, userId]);
  });

  test('of a note comes with that of its first status', async () => {
    const entries = await toldOf(() => make(client, 'svc_note'));
    expect(entries.map(inShort)).toEqual([
      'record.created svc_note 1',
      'association.created svc_note 1 svc_note_to_note_pipeline_stage',
    ]);
    const { body } = await client.get(`${recordsPath('svc_note_pipeline_stage')}${entries[1]?.target_id}/`);
    expect(body.data.properties.svc_name).toBe('To Do');
  });

  test('of a batch comes in the order of its items, under one request', async () => {
    let request = '';
    const [company] = await makeAll(client, 'svc_company');
    const entries = await toldOf(async () => {
      const answer = await runBatch(client, [
        item('create', 'svc_contact', { ref: 'new', properties: { svc_first_name: 'Ada' } }),
        item('create', 'svc_contact', { properties: { svc_email: 'wrong' } }),
        item('update', 'svc_contact', { id: { ref: 'new' }, properties: { svc_first_name: 'Augusta' } }),
        item('associate', 'svc_contact', { id: { ref: 'new' }, association_type: worksAt, target_id: company.id }),
        item('delete', 'svc_company', { id: company.id }),
      ]);
      expect(answer.status).toBe(207);
      request = answer.body.request_id;
    });
    expect(entries.map(inShort)).toEqual([
      'record.created svc_contact 1',
      'record.updated svc_contact 2',
      `association.created svc_contact 3 ${worksAt}`,
      'record.deleted svc_company 2',
    ]);
    expect(new Set(entries.map(({ request_id }) => request_id))).toEqual(new Set([request]));
  });

  test('does not exist for writes that were refused, repeated or a dry run, or that changed nothing', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    const key = { 'idempotency-key': 'changes-once' };
    await client.post(recordsPath('svc_company'), { properties: {} }, key);
    await link(client, contact, worksAt, company.id);
    const dry = { 'svc-dry-run': 'true' };
    const entries = await toldOf(async () => {
      await client.post(recordsPath('svc_company'), { properties: {} }, key);
      await client.post(recordsPath('svc_company'), { properties: {} }, dry);
      await client.patch(pathOfRecord(contact), { properties: {} });
      await client.patch(pathOfRecord(contact), { properties: { svc_email: 'wrong' } });
      await link(client, contact, worksAt, company.id);
      await putLink(client, contact, worksAt, absentId);
      await deleteLink(client, contact, worksAt, company.id, dry);
      await client.delete(pathOfRecord(contact), dry);
      await runBatch(client, [item('delete', 'svc_company', { id: company.id }), item('nope', 'x')], { atomic: true });
    });
    expect(entries).toEqual([]);
  });
});

describe('the feed', () => {
  test('of a new org begins with the records that the service gave it', async () => {
    const own = await service.newClient();
    const entries = await changesSince(own, 'earliest');
    expect(new Set(entries.map((entry) => entry.principal_id))).toEqual(new Set(['svc_system']));
    for (const type of ['svc_deal_pipeline', 'svc_deal_pipeline_stage', 'svc_contact_lifecycle_stage']) {
      const created = entries.filter((entry) => entry.type === 'record.created' && entry.object_type === type);
      expect(created.map(({ record_id }) => record_id).sort()).toEqual([...(await listedIds(own, type))].sort());
    }
  });

  test('can be filtered by type and by record; links belong to their source', async () => {
    const [deal, company, other] = await makeAll(client, 'svc_deal', 'svc_company', 'svc_company');
    const cursor = await endOfFeed(client);
    await client.patch(pathOfRecord(company), { properties: { svc_name: 'One' } });
    await link(client, deal, dealCompany, company.id);
    await client.patch(pathOfRecord(other), { properties: { svc_name: 'Two' } });
    const told = async (parameters: Record<string, string>) =>
      (await changesSince(client, cursor, parameters)).map(inShort);
    const [one, linked] = ['record.updated svc_company 2', `association.created svc_deal 2 ${dealCompany}`];
    expect(await told({})).toEqual([one, linked, one]);
    expect(await told({ object_type: 'svc_company' })).toEqual([one, one]);
    expect(await told({ object_type: 'svc_deal' })).toEqual([linked]);
    expect(await told({ record_id: company.id })).toEqual([one]);
    expect(await told({ record_id: deal.id })).toEqual([linked]);
    expect(await told({ object_type: 'svc_company', record_id: deal.id })).toEqual([]);
    for (const record_id of [absentId, 'abc', '%00', '']) {
      const { entries } = await changes(client, { cursor, record_id });
      expect(entries).toEqual([]);
    }
  });

  test('has only what the key may read, at both ends of a link', async () => {
    const own = await keyWith(service, orgId, ['svc_contact', 'read'], ['svc_deal', 'read']);
    const entries = await toldOf(async () => {
      const [contact, company, deal] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_deal');
      await link(client, contact, worksAt, company.id);
      await link(client, deal, dealCompany, company.id);
      await link(client, deal, 'svc_deal_to_contact', contact.id);
      const [stage] = await makeAll(client, 'svc_deal_pipeline_stage');
      await link(client, deal, dealStage, stage.id);
      await unlink(client, deal, dealStage, stage.id);
    }, own);
    expect(entries.map(inShort)).toEqual([
      'record.created svc_contact 1',
      'record.created svc_deal 1',
      'association.created svc_deal 3 svc_deal_to_contact',
    ]);
    const refused = await own.get(changesPath({ object_type: 'svc_company' }));
    await expectProblem(refused, 'not_found', 'object_type_unknown');
  });
});
