// Members and roles as records (platform 3): who is in an org, and what they may do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { associated, deleteLink, link, putLink, unlink } from '../support/links.ts';
import { actionsOf, administeredOrg, makeKey, makeMember, roleNamed } from '../support/platform/administrator.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const hasRole = 'svc_member_to_role';
const roles = recordsPath('svc_role');
let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

describe('a member', () => {
  test('is active unless it is said otherwise, and its id is that of the user whom links name', async () => {
    const member = await makeMember(admin, { svc_email: 'ada@example.com' });
    expect(member.properties).toMatchObject({ svc_name: 'Ada', svc_email: 'ada@example.com', svc_active: true });
    const contact = await make(admin, 'svc_contact', {});
    await link(admin, contact, 'svc_record_to_user', member.id);
    expect(await associated(admin, contact, 'svc_record_to_user')).toMatchObject([{ id: member.id, title: 'Ada' }]);
    const cleared = await admin.patch(pathOfRecord(member), { properties: { svc_active: null } });
    expect(cleared.body.data.properties.svc_active).toBe(true);
  });

  test('has an email that no other member has', async () => {
    const member = await makeMember(admin, { svc_email: 'grace@example.com' });
    const twin = await admin.post(recordsPath('svc_member'), {
      properties: { svc_name: 'Grace', svc_email: 'GRACE@example.com' },
    });
    await expectProblem(twin, 'conflict', 'unique_value_taken');
    expect(twin.body.conflict?.existing_id).toBe(member.id);
  });

  test('that is deactivated has no working keys until it is active again', async () => {
    const member = await makeMember(admin);
    const { key } = await makeKey(admin, { grants: ['*:read'], reach: 'user', member: member.id });
    const self = () => service.client(key).get('/self/');
    expect((await self()).status).toBe(200);
    await admin.patch(pathOfRecord(member), { properties: { svc_active: false } });
    await expectProblem(await self(), 'unauthenticated', 'key_revoked');
    await admin.patch(pathOfRecord(member), { properties: { svc_active: true } });
    expect((await self()).status).toBe(200);
  });

  test('is not brought back by a caller who has less than its keys, however that is asked', async () => {
    const member = await makeMember(admin);
    await makeKey(admin, { grants: ['*:read,delete'], reach: 'user', member: member.id });
    await admin.patch(pathOfRecord(member), { properties: { svc_active: false } });
    const weak = service.client((await makeKey(admin, { grants: ['svc_member:update'] })).key);
    for (const svc_active of [true, null]) {
      const answer = await weak.patch(pathOfRecord(member), { properties: { svc_active } });
      await expectProblem(answer, 'forbidden', 'grant_exceeds_caller');
    }
    expect((await read(admin, member)).properties['svc_active']).toBe(false);
  });

  test('of a batch can own what the batch makes, and one that it deletes cannot', async () => {
    const made = await runBatch(admin, [
      item('create', 'svc_member', { ref: 'm', properties: { svc_name: 'Grace' } }),
      item('create', 'svc_contact', {
        properties: {},
        associations: [{ association_type: 'svc_record_to_user', target_id: { ref: 'm' } }],
      }),
    ]);
    expect(resultsOf(made)).toMatchObject([{ status: 201 }, { status: 201 }]);
    const member = await makeMember(admin);
    const gone = await runBatch(admin, [
      item('delete', 'svc_member', { id: member.id }),
      item('create', 'svc_contact', {
        properties: {},
        associations: [{ association_type: 'svc_record_to_user', target_id: member.id }],
      }),
    ]);
    expect(resultsOf(gone)).toMatchObject([{ status: 200 }, { status: 404 }]);
  });

  test('that is deleted takes its keys along for good, and leaves its records and its name in links', async () => {
    const member = await makeMember(admin);
    const key = await makeKey(admin, { grants: ['*:read,create'], reach: 'user', member: member.id });
    const contact = await make(service.client(key.key), 'svc_contact', {});
    expect((await admin.delete(pathOfRecord(member))).status).toBe(200);
    const self = () => service.client(key.key).get('/self/');
    await expectProblem(await self(), 'unauthenticated', 'key_revoked');
    await expectProblem(await admin.get(pathOfRecord(key)), 'not_found', 'record_unknown');
    expect(await associated(admin, contact, 'svc_record_to_user')).toMatchObject([{ id: member.id, title: 'Ada' }]);
    const other = await make(admin, 'svc_contact', {});
    await expectProblem(await putLink(admin, other, 'svc_record_to_user', member.id), 'not_found', 'target_unknown');
    expect((await deleteLink(admin, contact, 'svc_record_to_user', member.id)).status).toBe(200);
    expect(await associated(admin, contact, 'svc_record_to_user')).toEqual([]);
    const back = await runBatch(admin, [item('restore', 'svc_member', { id: member.id })]);
    expect(resultsOf(back)).toMatchObject([{ status: 200 }]);
    await expectProblem(await self(), 'unauthenticated', 'key_revoked');
  });

  test('cannot be shared or hidden by clients', async () => {
    const member = await makeMember(admin);
    await expectProblem(
      await deleteLink(admin, member, 'svc_record_to_org', String(orgId)),
      'forbidden',
      'type_is_read_only',
    );
    await expectProblem(
      await putLink(admin, member, 'svc_record_to_user', member.id),
      'forbidden',
      'type_is_read_only',
    );
  });
});

describe('a role', () => {
  test('of every new org: Administrator, Member and Viewer', async () => {
    const listed = (await admin.get(roles)).body.data as readonly RecordData[];
    const everything = 'read,create,update,delete,associate';
    const names = 'svc_member:read;hide=svc_email,svc_last_seen_at';
    expect(
      listed.map(({ properties: { svc_name, svc_reach, svc_grants } }) => [svc_name, svc_reach, svc_grants]),
    ).toEqual([
      ['Administrator', 'org', [`*:${everything}`, `platform:${everything}`]],
      ['Member', 'user', [`*:${everything}`, `svc_view:${everything}`, names]],
      ['Viewer', 'org', ['*:read', 'svc_view:read', names]],
    ]);
  });

  test('is made, changed and deleted', async () => {
    const role = await make(admin, 'svc_role', { svc_name: 'Sales', svc_reach: 'user', svc_grants: ['svc_deal:read'] });
    const changed = await admin.patch(pathOfRecord(role), { properties: { svc_grants: ['svc_deal:read,update'] } });
    expect(changed.body.data.properties.svc_grants).toEqual(['svc_deal:read,update']);
    expect((await admin.delete(pathOfRecord(role))).status).toBe(200);
    expect(resultsOf(await runBatch(admin, [item('restore', 'svc_role', { id: role.id })]))).toMatchObject([
      { status: 200 },
    ]);
    const twin = await admin.post(roles, {
      properties: { svc_name: 'Sales', svc_reach: 'org', svc_grants: ['svc_deal:read'] },
    });
    await expectProblem(twin, 'conflict', 'unique_value_taken');
  });

  test.each([
    ['an unknown property', 'svc_contact:read;hide=svc_fone', 'unknown_property'],
    ['a date that is hidden', 'svc_contact:read;hide=svc_created_at', 'wrong_shape'],
    ['a hidden value that must be given', 'svc_view:create;hide=svc_name', 'required_missing'],
    ['an unknown type', 'svc_contakt:read', 'unknown_object_type'],
  ])('with %s in a grant is refused', async (_, text, reason) => {
    const properties = { svc_name: 'Odd', svc_reach: 'org', svc_grants: [text] };
    await expectProblem(await admin.post(roles, { properties }), 'validation_failed', reason);
  });

  test('that is built in accepts nothing', async () => {
    const role = await roleNamed(admin, 'Administrator');
    for (const properties of [{ svc_name: 'Boss' }, { svc_reach: 'user' }, { svc_grants: ['*:read'] }]) {
      await expectProblem(await admin.patch(pathOfRecord(role), { properties }), 'forbidden', 'built_in');
    }
    await expectProblem(await admin.delete(pathOfRecord(role)), 'forbidden', 'built_in');
    expect(await read(admin, role)).toEqual(role);
  });

  test('that a member has cannot be deleted', async () => {
    const role = await make(admin, 'svc_role', { svc_name: 'Support', svc_reach: 'org', svc_grants: ['*:read'] });
    const member = await makeMember(admin, {}, role.id);
    await expectProblem(await admin.delete(pathOfRecord(role)), 'conflict', 'role_in_use');
    const together = await runBatch(admin, [
      item('dissociate', 'svc_member', { id: member.id, association_type: hasRole, target_id: role.id }),
      item('delete', 'svc_role', { id: role.id }),
    ]);
    expect(resultsOf(together)).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});

describe('the last administrator', () => {
  let own: Client;
  let boss: RecordData;
  let administratorId: string;
  let memberRoleId: string;
  beforeAll(async () => {
    ({ admin: own } = await administeredOrg(service));
    administratorId = (await roleNamed(own, 'Administrator')).id;
    memberRoleId = (await roleNamed(own, 'Member')).id;
    boss = await makeMember(own, {}, administratorId);
  });

  const attempts: readonly (readonly [string, (client: Client, member: RecordData) => ReturnType<Client['get']>])[] = [
    ['deleted', (client, member) => client.delete(pathOfRecord(member))],
    ['deactivated', (client, member) => client.patch(pathOfRecord(member), { properties: { svc_active: false } })],
    ['unlinked', (client, member) => deleteLink(client, member, hasRole, administratorId)],
    ['moved', (client, member) => putLink(client, member, hasRole, memberRoleId)],
  ];

  test.each(attempts)('cannot be %s', async (_, attempt) => {
    const before = await read(own, boss);
    await expectProblem(await attempt(own, boss), 'conflict', 'last_administrator');
    expect(await read(own, boss)).toEqual(before);
    expect(await associated(own, boss, hasRole)).toMatchObject([{ id: administratorId }]);
  });

  test.each(attempts)('can be %s once there is another', async (_, attempt) => {
    const second = await makeMember(own, {}, administratorId);
    const inactive = await makeMember(own, { svc_active: false }, administratorId);
    const answer = await attempt(own, second);
    expect(answer.status, answer.text).toBe(200);
    await expectProblem(await attempt(own, boss), 'conflict', 'last_administrator');
    await own.delete(pathOfRecord(inactive));
  });

  test('of two who are deactivated at once, one stays', async () => {
    for (let round = 0; round < 10; round++) {
      const { admin: client } = await administeredOrg(service);
      const role = (await roleNamed(client, 'Administrator')).id;
      const pair = [await makeMember(client, {}, role), await makeMember(client, {}, role)];
      const answers = await Promise.all(
        pair.map((member) => client.patch(pathOfRecord(member), { properties: { svc_active: false } })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    }
  });
});

test('a change of role is in the audit, and a member without a role has none', async () => {
  const { admin: own } = await administeredOrg(service);
  const viewer = await roleNamed(own, 'Viewer');
  const member = await makeMember(own);
  await link(own, member, hasRole, viewer.id);
  await unlink(own, member, hasRole, viewer.id);
  expect(await associated(own, member, hasRole)).toEqual([]);
  await own.delete(pathOfRecord(member));
  expect((await actionsOf(own)).slice(-4)).toEqual([
    'member.created',
    'member.changed',
    'member.changed',
    'member.deleted',
  ]);
});
