// PUT /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/: works, refuses, permits
// (contract 2, 6, 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { associated, endOf, idsOf, link, linkPath, makeAll, putLink, unlink } from '../support/links.ts';
import { absentId } from '../support/operation-examples.ts';
import { listedIds, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const worksAt = 'svc_contact_to_company';
const dealCompany = 'svc_deal_to_company';
const dealStage = 'svc_deal_to_deal_pipeline_stage';
const schema = {
  object_types: [{ name: 'freelancer', label: 'Freelancer', kind: 'person', properties: [] }],
  association_types: [
    { name: 'kept_by', source: 'svc_company', target: { kind: 'person' }, cardinality: 'many_to_one' },
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

describe('a link', () => {
  test('is answered with both its ends, and gives the source alone a version and a date', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    await sleep(5);
    const answer = await putLink(client, contact, worksAt, company.id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      association_type: worksAt,
      source: endOf(contact),
      target: endOf(company),
      changed: true,
    });
    expect('dry_run' in answer.body).toBe(false);
    const after = await read(client, contact);
    expect(after.version).toBe('2');
    expect(Date.parse(String(after.properties['svc_updated_at']))).toBeGreaterThan(
      Date.parse(String(contact.properties['svc_updated_at'])),
    );
    expect(await read(client, company)).toEqual(company);
    expect(idsOf(await associated(client, contact, worksAt))).toEqual([company.id]);
    expect(idsOf(await associated(client, company, worksAt))).toEqual([contact.id]);
  });

  test('that exists already changes nothing', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    await link(client, contact, worksAt, company.id);
    const [before] = await associated(client, contact, worksAt);
    const linked = await read(client, contact);
    await sleep(5);
    for (let repeat = 0; repeat < 2; repeat++) {
      const answer = await putLink(client, contact, worksAt, company.id);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({
        association_type: worksAt,
        source: endOf(contact),
        target: endOf(company),
        changed: false,
      });
    }
    expect(await read(client, contact)).toEqual(linked);
    expect(await associated(client, contact, worksAt)).toEqual([before]);
  });

  test('beside others leaves them alone, and replaces the one of a type with one target', async () => {
    const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_company', 'svc_company');
    const [person, other] = await makeAll(client, 'svc_contact', 'svc_contact');
    for (const { id } of [person, other]) {
      expect(await link(client, deal, 'svc_deal_to_contact', id)).not.toHaveProperty('replaced_target_id');
    }
    expect(idsOf(await associated(client, deal, 'svc_deal_to_contact'))).toEqual([person.id, other.id]);
    expect(await link(client, deal, dealCompany, one.id)).not.toHaveProperty('replaced_target_id');
    const answer = await putLink(client, deal, dealCompany, two.id);
    expect(answer.body.data).toEqual({
      association_type: dealCompany,
      source: endOf(deal),
      target: endOf(two),
      changed: true,
      replaced_target_id: one.id,
    });
    // Removing one link and making the other is one write.
    expect((await read(client, deal)).version).toBe('5');
    expect(idsOf(await associated(client, deal, dealCompany))).toEqual([two.id]);
    expect(await associated(client, one, dealCompany)).toEqual([]);
  });

  test('does not name a replaced target that is in the trash, and restoring the target does not restore the link', async () => {
    const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_company', 'svc_company');
    await link(client, deal, dealCompany, one.id);
    await client.delete(pathOfRecord(one));
    expect(await link(client, deal, dealCompany, two.id)).not.toHaveProperty('replaced_target_id');
    const restore = { operation: 'restore', object_type: 'svc_company', id: one.id };
    expect((await client.post('/batch/', { operations: [restore] })).status).toBe(200);
    expect(idsOf(await associated(client, deal, dealCompany))).toEqual([two.id]);
    expect(await associated(client, one, dealCompany)).toEqual([]);
  });

  test('takes custom types of a kind as either end', async () => {
    const [freelancer, company, deal, contact] = await makeAll(
      client,
      'freelancer',
      'svc_company',
      'svc_deal',
      'svc_contact',
    );
    expect(await link(client, freelancer, worksAt, company.id)).toMatchObject({ source: endOf(freelancer) });
    expect(await link(client, deal, 'svc_deal_to_contact', freelancer.id)).toMatchObject({ target: endOf(freelancer) });
    expect(await link(client, contact, 'knows', freelancer.id)).toMatchObject({ target: endOf(freelancer) });
    expect(await link(client, freelancer, 'knows', contact.id)).toMatchObject({ target: endOf(contact) });
    expect(await link(client, company, 'kept_by', contact.id)).not.toHaveProperty('replaced_target_id');
    expect(await link(client, company, 'kept_by', freelancer.id)).toMatchObject({
      target: endOf(freelancer),
      replaced_target_id: contact.id,
    });
    expect(idsOf(await associated(client, company, 'kept_by'))).toEqual([freelancer.id]);
  });

  test('to a user or to the org changes who sees the record, and not the record', async () => {
    const [contact] = await makeAll(client, 'svc_contact');
    const userId = await service.createUser(orgId);
    const before = await read(client, contact);
    const targets = [
      ['svc_record_to_user', 'svc_user', userId, [true, false]],
      ['svc_record_to_org', 'svc_org', String(orgId), [false, false]],
    ] as const;
    for (const [association_type, object_type, id, changes] of targets) {
      for (const changed of changes) {
        const answer = await putLink(client, contact, association_type, id);
        expect(answer.body.data).toEqual({
          association_type,
          source: endOf(contact),
          target: { object_type, id },
          changed,
        });
      }
    }
    expect(await read(client, contact)).toEqual(before);
  });

  test('that two ask for at once is made once', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    const answers = await Promise.all(Array.from({ length: 6 }, () => putLink(client, contact, worksAt, company.id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(answers.filter(({ body }) => body.data.changed)).toHaveLength(1);
    expect((await read(client, contact)).version).toBe('2');
  });
});

describe('a refusal', () => {
  test('comes for ends and association types that do not exist', async () => {
    const [contact, company, gone] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_company');
    const [goneContact] = await makeAll(client, 'svc_contact');
    for (const record of [gone, goneContact]) await client.delete(pathOfRecord(record));
    const before = await read(client, contact);
    const foreign = await service.createUser(await service.createOrg());
    const source = (id: string, object_type = 'svc_contact') => ({ object_type, id });
    for (const [from, type, to, reason] of [
      [source(contact.id, 'nope'), worksAt, company.id, 'object_type_unknown'],
      [source(contact.id, 'svc_user'), worksAt, company.id, 'object_type_unknown'],
      [source(absentId), worksAt, company.id, 'record_unknown'],
      [source(company.id), worksAt, company.id, 'record_unknown'],
      [source(goneContact.id), worksAt, company.id, 'record_unknown'],
      [source('abc'), worksAt, company.id, 'record_unknown'],
      [contact, 'nope', company.id, 'association_type_unknown'],
      [contact, 'constructor', company.id, 'association_type_unknown'],
      [contact, dealCompany, company.id, 'association_type_unknown'],
      // The company is a target of it, never a source.
      [company, worksAt, contact.id, 'association_type_unknown'],
      [contact, worksAt, absentId, 'target_unknown'],
      [contact, worksAt, gone.id, 'target_unknown'],
      [contact, worksAt, contact.id, 'target_unknown'],
      [contact, worksAt, 'abc', 'target_unknown'],
      [contact, 'svc_record_to_user', foreign, 'target_unknown'],
      [contact, 'svc_record_to_user', contact.id, 'target_unknown'],
      [contact, 'svc_record_to_org', String(orgId + 1), 'target_unknown'],
      [contact, 'svc_record_to_org', `0${orgId}`, 'target_unknown'],
    ] as const) {
      await expectProblem(await putLink(client, from, type, to), 'not_found', reason);
    }
    expect(await read(client, contact)).toEqual(before);
  });

  test('comes for another version than If-Match names, also where nothing would change', async () => {
    const [contact, one, two] = await makeAll(client, 'svc_contact', 'svc_company', 'svc_company');
    await link(client, contact, worksAt, one.id);
    for (const target of [one, two]) {
      for (const header of ['"1"', 'W/"2"', '"1", "3"']) {
        const stale = await putLink(client, contact, worksAt, target.id, { 'if-match': header });
        await expectProblem(stale, 'precondition_failed', 'version_mismatch');
      }
    }
    const put = (headers: object) => putLink(client, contact, worksAt, two.id, headers);
    await expectProblem(await put({ 'if-match': '2' }), 'invalid_request', 'invalid_header');
    await expectProblem(await put({ 'if-none-match': '*' }), 'invalid_request', 'invalid_header');
    expect((await read(client, contact)).version).toBe('2');
    expect((await put({ 'if-match': '"2"' })).body.data.changed).toBe(true);
    expect((await read(client, contact)).version).toBe('3');
    expect((await put({ 'if-match': '"2", "3"' })).body.data.changed).toBe(false);
    expect((await put({ 'if-match': '*' })).status).toBe(200);
  });

  test('comes for parameters', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    const path = `${linkPath(contact, worksAt, company.id)}?force=true`;
    await expectProblem(await client.call('PUT', path), 'invalid_request', 'unknown_parameter');
    expect(await read(client, contact)).toEqual(contact);
  });
});

test('a dry run answers as the write would, and links nothing', async () => {
  const dry = { 'svc-dry-run': 'true' };
  const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  await link(client, deal, dealStage, one.id);
  const before = await read(client, deal);
  const timers = await listedIds(client, 'svc_stage_timer');
  const answer = await putLink(client, deal, dealStage, two.id, dry);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ dry_run: true, data: { changed: true, replaced_target_id: one.id } });
  expect((await putLink(client, deal, dealStage, one.id, dry)).body.data.changed).toBe(false);
  await expectProblem(await putLink(client, deal, dealStage, absentId, dry), 'not_found', 'target_unknown');
  const stale = await putLink(client, deal, dealStage, two.id, { ...dry, 'if-match': '"9"' });
  await expectProblem(stale, 'precondition_failed', 'version_mismatch');
  const wrong = await putLink(client, deal, dealStage, two.id, { 'svc-dry-run': 'yes' });
  await expectProblem(wrong, 'invalid_request', 'invalid_header');
  expect(await read(client, deal)).toEqual(before);
  expect(idsOf(await associated(client, deal, dealStage))).toEqual([one.id]);
  expect(await listedIds(client, 'svc_stage_timer')).toEqual(timers);
});

test('a link that was removed can be made again', async () => {
  const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
  for (const version of ['2', '4']) {
    expect(await link(client, contact, worksAt, company.id)).toMatchObject({ changed: true });
    expect((await read(client, contact)).version).toBe(version);
    await unlink(client, contact, worksAt, company.id);
  }
});
