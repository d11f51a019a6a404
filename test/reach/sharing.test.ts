// Sharing and unsharing a record takes effect with the next request, in every operation, for the record and for the
// timers of stages that it left (contract 7). Grants narrow the same way. What must be said all the same is here too:
// that a stage is in use, and what computed properties count.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { operations } from '../../src/operations/all.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { associated, idsOf, keyWith, link, makeAll, unlink } from '../support/links.ts';
import { mistold, recordProbes, type Scene, timerProbes } from '../support/reach/probes.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { listedIds, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const lifecycle = 'svc_contact_to_lifecycle_stage';
const dealStage = 'svc_deal_to_deal_pipeline_stage';
const toOrg = 'svc_record_to_org';
const toUser = 'svc_record_to_user';

let service: TestService;
let orgId: number;
/** Sees everything. */
let whole: Client;
let users: readonly [string, string, string];
/** Keys of reach `user`: the owner's, one of another user, and one of a third. */
let owner: Client;
let other: Client;
let third: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  whole = service.client((await service.createKey(orgId)).key);
  users = [await service.createUser(orgId), await service.createUser(orgId), await service.createUser(orgId)];
  [owner, other, third] = [await keyOf(users[0]), await keyOf(users[1]), await keyOf(users[2])];
});
afterAll(() => service.stop());

async function keyOf(userId: string): Promise<Client> {
  return service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
}

async function firstOf(type: string): Promise<readonly RecordData[]> {
  return (await whole.get(`${recordsPath(type)}?limit=3`)).body.data;
}

/** A contact of the owner, seen by all, that has been in a stage. */
async function createScene(word: string): Promise<Scene> {
  const [company, otherCompany, spareDeal] = await makeAll(whole, 'svc_company', 'svc_company', 'svc_deal');
  const [leftStage, stage] = (await firstOf('svc_contact_lifecycle_stage')) as [RecordData, RecordData];
  const email = `${word}@reach.example`;
  const contact = await make(owner, 'svc_contact', { svc_last_name: word, svc_email: [email] }, [
    { association_type: 'svc_contact_to_company', target_id: company.id },
    { association_type: lifecycle, target_id: leftStage.id },
  ]);
  const deal = await make(whole, 'svc_deal', {}, [{ association_type: 'svc_deal_to_contact', target_id: contact.id }]);
  const { stage_timer_id = '' } = await link(owner, contact, lifecycle, stage.id);
  const timer = { object_type: 'svc_stage_timer', id: stage_timer_id };
  const cursor = await endOfFeed(other);
  return { contact, email, word, timer, company, otherCompany, deal, spareDeal, leftStage, cursor };
}

describe('a record and its timer', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene('quince');
  });
  const dissociate = (type: string, target: () => string) => () => unlink(whole, scene.contact, type, target());
  const associate = (type: string, target: () => string) => () => link(whole, scene.contact, type, target());
  const org = () => String(orgId);

  test.each([
    ['as it was made', async () => {}, 'owner other third'],
    ['without the link to the org', dissociate(toOrg, org), 'owner'],
    ['linked to another user', associate(toUser, () => users[1]), 'owner other'],
    ['without the link to that user', dissociate(toUser, () => users[1]), 'owner'],
    ['without its owner too', dissociate(toUser, () => users[0]), ''],
    ['linked to the org alone', associate(toOrg, org), 'owner other third'],
  ] as const)('%s are visible at once to exactly those keys', async (_, act, seenBy) => {
    await act();
    const sees = (name: string) => seenBy.split(' ').includes(name);
    // The third is as good as the other, unless the record is shared with that one alone.
    const callers = { owner, other, ...(sees('other') === sees('third') ? {} : { third }) };
    for (const [name, caller] of Object.entries(callers)) {
      const expected = sees(name) ? 'told' : 'not told';
      expect(await mistold(caller, scene, recordProbes, expected), `the record to ${name}`).toEqual([]);
      expect(await mistold(caller, scene, timerProbes, expected), `the timer to ${name}`).toEqual([]);
    }
  });

  test('are checked with every operation that can show a record', () => {
    const discovery =
      /^(getRoot|getOpenapi|getSelf|listObjectTypes|getObjectType|listFieldTypes|listAssociationTypes)$/;
    const probed = new Set(recordProbes.map(([operation]) => operation));
    expect(operations.map(({ id }) => id).filter((id) => !probed.has(id) && !discovery.test(id))).toEqual([]);
  });

  test('that are linked to a user are seen by all keys of that user, and by no others', async () => {
    await unlink(whole, scene.contact, toOrg, org());
    await link(whole, scene.contact, toUser, users[1]);
    const probes = [...recordProbes, ...timerProbes].filter(([operation]) => /^(get|list)/.test(operation));
    expect(await mistold(await keyOf(users[1]), scene, probes, 'told')).toEqual([]);
    expect(await mistold(await keyOf(users[2]), scene, probes, 'not told')).toEqual([]);
  });

  test('that is deleted leaves its timer visible to those who saw it, even when the trash is emptied', async () => {
    await whole.delete(pathOfRecord(scene.contact));
    const seesTimer = async (caller: Client) => (await caller.get(pathOfRecord(scene.timer))).status;
    expect([await seesTimer(other), await seesTimer(third), await seesTimer(whole)]).toEqual([200, 404, 200]);
    await keepHouse(service.database, { trashSeconds: 0, changesSeconds: 1_000_000 });
    expect(await seesTimer(third)).toBe(404);
    expect(await listedIds(third, 'svc_stage_timer')).not.toContain(scene.timer.id);
  });
});

test('a key of reach user can share its record, unshare it and give it away', async () => {
  const contact = await make(owner, 'svc_contact');
  const seen = async () =>
    Promise.all([owner, other, third].map(async (caller) => (await caller.get(pathOfRecord(contact))).status));
  await unlink(owner, contact, toOrg, String(orgId));
  expect(await seen()).toEqual([200, 404, 404]);
  await link(owner, contact, toUser, users[1]);
  expect(await seen()).toEqual([200, 200, 404]);
  await unlink(other, contact, toUser, users[0]);
  expect(await seen()).toEqual([404, 200, 404]);
  await link(other, contact, toOrg, String(orgId));
  expect(await seen()).toEqual([200, 200, 200]);
  // A key without its own link removes the org's link, and no longer sees the record.
  await unlink(third, contact, toOrg, String(orgId));
  expect(await seen()).toEqual([404, 200, 404]);
});

test('a refusal says that a stage is in use, but not by which records', async () => {
  const make2 = () => makeAll(whole, 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  const [[seen, hidden], [spare]] = [await make2(), await make2()];
  const deals = await makeAll(owner, 'svc_deal', 'svc_deal');
  await link(owner, deals[0], dealStage, seen.id);
  await link(owner, deals[1], dealStage, hidden.id);
  await unlink(owner, deals[1], toOrg, String(orgId));
  const asks = (id: string) => [
    () => third.delete(`${recordsPath('svc_deal_pipeline_stage')}${id}/`),
    () => third.delete(`${recordsPath('svc_deal_pipeline_stage')}${id}/`, { 'svc-dry-run': 'true' }),
    ...[
      item('delete', 'svc_deal_pipeline_stage', { id }),
      item('merge', 'svc_deal_pipeline_stage', { id, duplicate_id: spare.id }),
      item('merge', 'svc_deal_pipeline_stage', { id: spare.id, duplicate_id: id }),
    ].map((each) => () => third.post('/batch/', { operations: [each] })),
  ];
  for (const [index, ask] of asks(hidden.id).entries()) {
    const [answer, visible] = [await ask(), await asks(seen.id)[index]?.()];
    expect(unnamed(answer)).toBe(visible === undefined ? '' : unnamed(visible));
    expect(comparableHeaders(answer)).toEqual(visible && comparableHeaders(visible));
    expect(answer.text).toContain('stage_in_use');
    expect(answer.text).not.toContain(deals[1].id);
  }
  expect(idsOf(await associated(third, hidden, dealStage))).toEqual([]);
  expect(idsOf(await associated(owner, hidden, dealStage))).toEqual([deals[1].id]);
});

test('computed properties count records that the key cannot see, and show nothing else of them', async () => {
  const contact = await make(whole, 'svc_contact');
  const deal = await make(owner, 'svc_deal', { svc_amount: { amount: '70', unit: 'USD' } }, [
    { association_type: 'svc_deal_to_contact', target_id: contact.id },
  ]);
  const call = await make(owner, 'svc_call', { svc_started_at: '2031-01-01T00:00:00Z' }, [
    { association_type: 'svc_activity_to_contact', target_id: contact.id },
  ]);
  for (const record of [deal, call]) await unlink(owner, record, toOrg, String(orgId));
  const { properties } = await read(third, contact);
  expect(properties).toMatchObject({
    svc_last_activity_at: '2031-01-01T00:00:00Z',
    svc_potential_deal_total: { amount: '70', unit: 'USD' },
  });
  expect(await associated(third, contact, 'svc_deal_to_contact')).toEqual([]);
  expect(await associated(third, contact, 'svc_activity_to_contact')).toEqual([]);
});

test('a note created without a status gets one that its creator can see', async () => {
  const own = await service.createOrg();
  const all = service.client((await service.createKey(own)).key);
  const userId = await service.createUser(own);
  const mine = service.client((await service.createKey(own, { userId, reach: 'user' })).key);
  const first = { svc_name: 'Hidden', svc_position: '0' };
  await succeed(all, [
    item('create', 'svc_note_pipeline_stage', { ref: 'it', properties: first }),
    item('dissociate', 'svc_note_pipeline_stage', {
      id: { ref: 'it' },
      association_type: toOrg,
      target_id: String(own),
    }),
  ]);
  const note = await make(mine, 'svc_note');
  const [status] = await associated(mine, note, 'svc_note_to_note_pipeline_stage');
  expect(status?.properties['svc_name']).toBe('To Do');
});

describe('grants narrow the same way', () => {
  test('a key without read on a type sees neither its timers nor its entries nor its links', async () => {
    const cursor = await endOfFeed(whole);
    const [deal, contact] = await makeAll(whole, 'svc_deal', 'svc_contact');
    await link(whole, deal, 'svc_deal_to_contact', contact.id);
    const [first, second] = (await firstOf('svc_deal_pipeline_stage')) as [RecordData, RecordData];
    await link(whole, deal, dealStage, first.id);
    const dealTimer = (await link(whole, deal, dealStage, second.id)).stage_timer_id ?? '';
    const [life, later] = (await firstOf('svc_contact_lifecycle_stage')) as [RecordData, RecordData];
    await link(whole, contact, lifecycle, life.id);
    const ownTimer = (await link(whole, contact, lifecycle, later.id)).stage_timer_id ?? '';
    const key = await keyWith(
      service,
      orgId,
      ['svc_contact', 'read'],
      ['svc_stage_timer', 'read'],
      ['svc_deal_pipeline_stage', 'read'],
      ['svc_contact_lifecycle_stage', 'read'],
    );
    const text = JSON.stringify(await changesSince(key, cursor));
    expect(text).not.toContain(deal.id);
    expect(text).toContain(ownTimer);
    await expectProblem(
      await key.get(`${pathOfRecord(contact)}associations/svc_deal_to_contact/`),
      'not_found',
      'association_type_unknown',
    );
    expect(await listedIds(key, 'svc_stage_timer')).toContain(ownTimer);
    // A timer is visible to those who see its record, and this key sees no deal.
    expect(await listedIds(key, 'svc_stage_timer')).not.toContain(dealTimer);
    expect(text).not.toContain(dealTimer);
    expect(idsOf(await associated(key, first, 'svc_stage_timer_to_deal_pipeline_stage'))).not.toContain(dealTimer);
    const got = await key.get(`${recordsPath('svc_stage_timer')}${dealTimer}/`);
    await expectProblem(got, 'not_found', 'record_unknown');
  });
});
