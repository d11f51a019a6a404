// DELETE /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: works, refuses (contract 2, 6,
// 7 and 8). association-grants.test.ts has who may do it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { associated, deleteLink, endOf, idsOf, link, linkPath, makeAll, unlink } from '../support/links.ts';
import { absentId } from '../support/operation-examples.ts';
import { listedIds, make, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const worksAt = 'svc_contact_to_company';
const dealCompany = 'svc_deal_to_company';
const dealStage = 'svc_deal_to_deal_pipeline_stage';
const schema = {
  object_types: [{ name: 'freelancer', label: 'Freelancer', kind: 'person', properties: [] }],
  association_types: [
    { name: 'knows', source: { kind: 'person' }, target: { kind: 'person' }, cardinality: 'many_to_many' },
  ],
};

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, schema);
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

describe('unlinking', () => {
  test('answers as linking does, and gives the source alone a version and a date', async () => {
    const [contact, company, other] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_company');
    for (const { id } of [company, other]) await link(client, contact, worksAt, id);
    const before = await read(client, contact);
    await sleep(5);
    const answer = await deleteLink(client, contact, worksAt, company.id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      association_type: worksAt,
      source: endOf(contact),
      target: endOf(company),
      changed: true,
    });
    expect('dry_run' in answer.body).toBe(false);
    const after = await read(client, contact);
    expect(after.version).toBe('4');
    expect(Date.parse(String(after.properties['svc_updated_at']))).toBeGreaterThan(
      Date.parse(String(before.properties['svc_updated_at'])),
    );
    expect(await read(client, company)).toEqual(company);
    expect(idsOf(await associated(client, contact, worksAt))).toEqual([other.id]);
    expect(await associated(client, company, worksAt)).toEqual([]);
  });

  test('a record that is not linked changes nothing, however often', async () => {
    const [contact, company, deal] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_deal');
    const [linked] = await makeAll(client, 'svc_company');
    await link(client, deal, dealCompany, linked.id);
    const expected = { association_type: dealCompany, source: endOf(deal), target: endOf(company), changed: false };
    const before = await read(client, deal);
    await sleep(5);
    for (let repeat = 0; repeat < 2; repeat++) {
      const answer = await deleteLink(client, deal, dealCompany, company.id);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual(expected);
      expect(await unlink(client, contact, worksAt, company.id)).toMatchObject({ changed: false });
    }
    expect(await read(client, deal)).toEqual(before);
    expect(await read(client, contact)).toEqual(contact);
    expect(idsOf(await associated(client, deal, dealCompany))).toEqual([linked.id]);
  });

  test('removes the link of one direction and one association type only', async () => {
    const [contact, freelancer] = await makeAll(client, 'svc_contact', 'freelancer');
    await link(client, contact, 'knows', freelancer.id);
    await link(client, freelancer, 'knows', contact.id);
    const answer = await unlink(client, contact, 'knows', freelancer.id);
    expect(answer).toMatchObject({ target: endOf(freelancer), changed: true });
    expect(await associated(client, contact, 'knows', 'direction=outgoing')).toEqual([]);
    expect(idsOf(await associated(client, contact, 'knows', 'direction=incoming'))).toEqual([freelancer.id]);
  });

  test('removes links to users and the org without a new version', async () => {
    const userId = await service.createUser(orgId);
    const own = service.client((await service.createKey(orgId, { userId })).key);
    const contact = await make(own, 'svc_contact');
    for (const [association_type, object_type, id] of [
      ['svc_record_to_user', 'svc_user', userId],
      ['svc_record_to_org', 'svc_org', String(orgId)],
    ] as const) {
      for (const changed of [true, false]) {
        const answer = await deleteLink(client, contact, association_type, id);
        expect(answer.body.data).toEqual({
          association_type,
          source: endOf(contact),
          target: { object_type, id },
          changed,
        });
      }
    }
    expect(await read(client, contact)).toEqual(contact);
    expect(await associated(client, contact, 'svc_record_to_org')).toEqual([]);
  });

  test('that two ask for at once is done once', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    await link(client, contact, worksAt, company.id);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => deleteLink(client, contact, worksAt, company.id)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(answers.filter(({ body }) => body.data.changed)).toHaveLength(1);
    expect((await read(client, contact)).version).toBe('3');
  });
});

describe('a refusal', () => {
  test('comes for ends and association types that do not exist', async () => {
    const [contact, company, gone] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_company');
    await link(client, contact, worksAt, gone.id);
    await client.delete(pathOfRecord(gone));
    const before = await read(client, contact);
    const foreign = await service.createUser(await service.createOrg());
    const source = (id: string, object_type = 'svc_contact') => ({ object_type, id });
    for (const [from, type, to, reason] of [
      [source(contact.id, 'nope'), worksAt, company.id, 'object_type_unknown'],
      [source(contact.id, 'svc_org'), worksAt, company.id, 'object_type_unknown'],
      [source(absentId), worksAt, company.id, 'record_unknown'],
      [source('abc'), worksAt, company.id, 'record_unknown'],
      [contact, 'nope', company.id, 'association_type_unknown'],
      [contact, dealCompany, company.id, 'association_type_unknown'],
      [company, worksAt, contact.id, 'association_type_unknown'],
      [contact, worksAt, absentId, 'target_unknown'],
      [contact, worksAt, 'abc', 'target_unknown'],
      [contact, worksAt, contact.id, 'target_unknown'],
      // A record in the trash does not exist, nor does its link.
      [contact, worksAt, gone.id, 'target_unknown'],
      [contact, 'svc_record_to_user', foreign, 'target_unknown'],
      [contact, 'svc_record_to_org', String(orgId + 1), 'target_unknown'],
    ] as const) {
      await expectProblem(await deleteLink(client, from, type, to), 'not_found', reason);
    }
    expect(await read(client, contact)).toEqual(before);
    const restore = { operation: 'restore', object_type: 'svc_company', id: gone.id };
    expect((await client.post('/batch/', { operations: [restore] })).status).toBe(200);
    expect(idsOf(await associated(client, contact, worksAt))).toEqual([gone.id]);
  });

  test('comes for another version than If-Match names, also where nothing would change', async () => {
    const [contact, one, two] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_company');
    await link(client, contact, worksAt, one.id);
    for (const target of [one, two]) {
      for (const header of ['"1"', 'W/"2"', '"1", "3"']) {
        const stale = await deleteLink(client, contact, worksAt, target.id, { 'if-match': header });
        await expectProblem(stale, 'precondition_failed', 'version_mismatch');
      }
    }
    const take = (headers: object) => deleteLink(client, contact, worksAt, one.id, headers);
    await expectProblem(await take({ 'if-match': '2' }), 'invalid_request', 'invalid_header');
    await expectProblem(await take({ 'if-none-match': '*' }), 'invalid_request', 'invalid_header');
    expect(idsOf(await associated(client, contact, worksAt))).toEqual([one.id]);
    expect((await take({ 'if-match': '"2"' })).body.data.changed).toBe(true);
    expect((await read(client, contact)).version).toBe('3');
    expect((await take({ 'if-match': '*' })).body.data.changed).toBe(false);
  });

  test('comes for parameters', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    await link(client, contact, worksAt, company.id);
    const answer = await client.delete(`${linkPath(contact, worksAt, company.id)}?cascade=true`);
    await expectProblem(answer, 'invalid_request', 'unknown_parameter');
    expect((await read(client, contact)).version).toBe('2');
  });
});

test('a dry run answers as the write would, and unlinks nothing', async () => {
  const dry = { 'svc-dry-run': 'true' };
  const [deal, stage, other] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  await link(client, deal, dealStage, stage.id);
  const before = await read(client, deal);
  const timers = await listedIds(client, 'svc_stage_timer');
  const answer = await deleteLink(client, deal, dealStage, stage.id, dry);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ dry_run: true, data: { changed: true } });
  const nothing = await deleteLink(client, deal, dealStage, other.id, dry);
  expect(nothing.body).toMatchObject({ dry_run: true, data: { changed: false } });
  await expectProblem(await deleteLink(client, deal, dealStage, absentId, dry), 'not_found', 'target_unknown');
  expect(await read(client, deal)).toEqual(before);
  expect(idsOf(await associated(client, deal, dealStage))).toEqual([stage.id]);
  expect(await listedIds(client, 'svc_stage_timer')).toEqual(timers);
});

test('a record whose org link a key of reach user removes is invisible to that key, unless it is linked to its user', async () => {
  const users = [await service.createUser(orgId), await service.createUser(orgId)];
  const keyOf = async (userId: string | undefined) =>
    service.client((await service.createKey(orgId, { userId: userId ?? '', reach: 'user' })).key);
  const [owner, stranger] = [await keyOf(users[0]), await keyOf(users[1])];
  const contact = await make(owner, 'svc_contact');
  const answer = await deleteLink(stranger, contact, 'svc_record_to_org', String(orgId));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data.changed).toBe(true);
  await expectProblem(await stranger.get(pathOfRecord(contact)), 'not_found', 'record_unknown');
  const again = await deleteLink(stranger, contact, 'svc_record_to_org', String(orgId));
  await expectProblem(again, 'not_found', 'record_unknown');
  expect((await owner.get(pathOfRecord(contact))).body.data.version).toBe('1');
  expect(await unlink(owner, contact, 'svc_record_to_user', users[0] ?? '')).toMatchObject({ changed: true });
  await expectProblem(await owner.get(pathOfRecord(contact)), 'not_found', 'record_unknown');
});
