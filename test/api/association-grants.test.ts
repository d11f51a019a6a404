// Who may write and read links (contract 6 and 7): associate on the source and read on the target to write one, read on
// both ends to see one; and what the nature of a type forbids to everybody.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import {
  associated,
  deleteLink,
  idsOf,
  keyWith,
  link,
  linksPath,
  makeAll,
  plant,
  putLink,
  unlink,
} from '../support/links.ts';
import { absentId } from '../support/operation-examples.ts';
import { make, type RecordData } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const worksAt = 'svc_contact_to_company';
const involves = 'svc_deal_to_contact';
const schema = {
  object_types: [{ name: 'freelancer', label: 'Freelancer', kind: 'person', properties: [] }],
  association_types: [
    { name: 'kept_by', source: 'svc_company', target: { kind: 'person' }, cardinality: 'many_to_one' },
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

const writes = { put: putLink, delete: deleteLink } as const;

describe.each(['put', 'delete'] as const)('%s', (method) => {
  const write = writes[method];

  test('needs associate on the source', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    for (const operation of ['read', 'create', 'update', 'delete'] as const) {
      const own = await keyWith(service, orgId, ['svc_contact', operation], ['svc_company', 'associate']);
      const answer = await write(own, contact, worksAt, company.id);
      await expectProblem(answer, 'forbidden', 'operation_not_granted');
    }
    const enough = await keyWith(service, orgId, ['svc_contact', 'associate'], ['svc_company', 'read']);
    if (method === 'delete') await link(client, contact, worksAt, company.id);
    expect((await write(enough, contact, worksAt, company.id)).body.data.changed).toBe(true);
  });

  test('needs read on the target, whose type does not exist otherwise', async () => {
    const [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    const blind = await keyWith(service, orgId, ['svc_contact', 'associate']);
    const unseen = await write(blind, contact, worksAt, company.id);
    await expectProblem(unseen, 'not_found', 'association_type_unknown');
    const other = await keyWith(service, orgId, ['svc_company', 'associate']);
    const typeless = await write(other, contact, worksAt, company.id);
    await expectProblem(typeless, 'not_found', 'object_type_unknown');
  });

  test('finds, of the types of a kind, those that are granted', async () => {
    const [deal, contact, freelancer] = await makeAll(client, 'svc_deal', 'svc_contact', 'freelancer');
    await link(client, deal, involves, freelancer.id);
    const own = await keyWith(service, orgId, ['svc_deal', 'associate'], ['svc_contact', 'read']);
    const hidden = await write(own, deal, involves, freelancer.id);
    await expectProblem(hidden, 'not_found', 'target_unknown');
    expect((await write(own, deal, involves, contact.id)).body.data.changed).toBe(method === 'put');
    expect(idsOf(await associated(client, deal, involves))).toContain(freelancer.id);
  });

  test('needs no grant for users and orgs as targets', async () => {
    const [contact] = await makeAll(client, 'svc_contact');
    const userId = await service.createUser(orgId);
    const own = await keyWith(service, orgId, ['svc_contact', 'associate']);
    if (method === 'delete') await link(client, contact, 'svc_record_to_user', userId);
    expect((await write(own, contact, 'svc_record_to_user', userId)).body.data.changed).toBe(true);
    expect((await write(own, contact, 'svc_record_to_org', String(orgId))).status).toBe(200);
  });

  test('is refused by the nature of the type, with any grants and for any name', async () => {
    const [company] = await makeAll(client, 'svc_company');
    const thread = await plant(service, orgId, 'svc_email_thread');
    const some = (object_type: string) => ({ object_type, id: absentId });
    for (const [source, type, reason] of [
      [some('svc_email_thread'), 'svc_activity_to_company', 'type_is_synced'],
      [thread, 'svc_activity_to_company', 'type_is_synced'],
      [thread, 'svc_record_to_org', 'type_is_synced'],
      [some('svc_file'), 'svc_file_to_company', 'type_is_synced'],
      [some('svc_risk'), 'svc_risk_to_company', 'type_is_generated'],
      [some('svc_web_visit'), 'svc_web_visit_to_web_visitor', 'type_is_generated'],
      [some('svc_stage_timer'), 'svc_stage_timer_to_deal', 'type_is_read_only'],
      [some('svc_stage_timer'), 'svc_record_to_org', 'type_is_read_only'],
    ] as const) {
      await expectProblem(await write(client, source, type, company.id), 'forbidden', reason);
    }
  });
});

test('a meeting can be linked and unlinked, although it is synced', async () => {
  const [contact] = await makeAll(client, 'svc_contact');
  const meeting = await plant(service, orgId, 'svc_meeting');
  const activity = 'svc_activity_to_contact';
  expect(await link(client, meeting, activity, contact.id)).toMatchObject({ changed: true });
  expect(idsOf(await associated(client, contact, activity))).toEqual([meeting.id]);
  expect(await unlink(client, meeting, activity, contact.id)).toMatchObject({ changed: true });
  expect(await associated(client, contact, activity)).toEqual([]);
});

test('a replaced target of a type that the key cannot see is not named', async () => {
  const [company, contact, freelancer] = await makeAll(client, 'svc_company', 'svc_contact', 'freelancer');
  await link(client, company, 'kept_by', freelancer.id);
  const own = await keyWith(service, orgId, ['svc_company', 'associate'], ['svc_contact', 'read']);
  expect(await link(own, company, 'kept_by', contact.id)).not.toHaveProperty('replaced_target_id');
  expect(idsOf(await associated(client, company, 'kept_by'))).toEqual([contact.id]);
});

describe('reading what is linked', () => {
  let contact: RecordData;
  let company: RecordData;
  beforeAll(async () => {
    [contact, company] = await makeAll(client, 'svc_contact', 'svc_company');
    await link(client, contact, worksAt, company.id);
  });

  test('needs read on both ends, and nothing else', async () => {
    const both = await keyWith(service, orgId, ['svc_contact', 'read'], ['svc_company', 'read']);
    expect(idsOf(await associated(both, contact, worksAt))).toEqual([company.id]);
    expect(idsOf(await associated(both, company, worksAt))).toEqual([contact.id]);
    const near = await keyWith(service, orgId, ['svc_contact', 'associate']);
    const alone = await near.get(linksPath(contact, worksAt));
    await expectProblem(alone, 'not_found', 'association_type_unknown');
    expect(alone.body.detail).toBe(
      (await near.get(linksPath(contact, 'nope'))).body.detail?.replaceAll('nope', worksAt),
    );
    const far = await keyWith(service, orgId, ['svc_company', 'read']);
    await expectProblem(await far.get(linksPath(contact, worksAt)), 'not_found', 'object_type_unknown');
  });

  test('shows, of the types of a kind, those that are granted', async () => {
    const freelancer = await make(client, 'freelancer');
    await link(client, freelancer, worksAt, company.id);
    const own = await keyWith(service, orgId, ['svc_contact', 'read'], ['svc_company', 'read']);
    expect(idsOf(await associated(own, company, worksAt))).toEqual([contact.id]);
    expect(idsOf(await associated(client, company, worksAt))).toEqual([contact.id, freelancer.id]);
  });

  test('shows the values of the other end that the grants allow', async () => {
    const own = await keyWith(service, orgId, ['svc_contact', 'read'], ['svc_company', 'read']);
    const computed = `${linksPath(company, worksAt)}?properties=svc_potential_deal_total`;
    // The sources of the computed property are not granted, so the property does not exist.
    await expectProblem(await own.get(computed), 'invalid_request', 'unknown_property');
    expect((await client.get(computed)).status).toBe(200);
  });
});
