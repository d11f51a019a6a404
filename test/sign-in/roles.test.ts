// The three roles of every org, as those who have signed in with them see the org.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, signedIn, type TestMember } from '../support/sign-in/person.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
});
afterAll(() => service.stop());

async function clientAs(role: string): Promise<{ readonly client: Client; readonly member: TestMember }> {
  const member = await memberWith(admin, role);
  return { client: service.client((await signedIn(service, orgId, member)).bearer), member };
}

test('an administrator does everything with everything', async () => {
  const { client } = await clientAs('Administrator');
  const company = await make(client, 'svc_company', { svc_name: 'Bright Works' });
  await make(client, 'svc_role', { svc_name: 'Guest', svc_reach: 'org', svc_grants: ['svc_company:read'] });
  expect((await client.delete(pathOfRecord(company))).status).toBe(200);
});

test('a member owns what it creates, and does not see what belongs to others alone', async () => {
  const { client, member } = await clientAs('Member');
  const { client: other } = await clientAs('Member');
  const mine = await make(client, 'svc_contact', { svc_last_name: 'Mine' }, [
    { association_type: 'svc_record_to_user', target_id: member.id },
  ]);
  await client.delete(`${pathOfRecord(mine)}associations/svc_record_to_org/${orgId}/`);
  expect((await client.get(pathOfRecord(mine))).status).toBe(200);
  await expectProblem(await other.get(pathOfRecord(mine)), 'not_found', 'record_unknown');
  await expectProblem(await client.get(recordsPath('svc_role')), 'not_found', 'object_type_unknown');
});

test('a viewer reads all, and writes nothing', async () => {
  const { client } = await clientAs('Viewer');
  expect((await client.get(recordsPath('svc_company'))).status).toBe(200);
  const refused = await client.post(recordsPath('svc_company'), { properties: { svc_name: 'No' } });
  await expectProblem(refused, 'forbidden', 'operation_not_granted');
});

describe.each(['Member', 'Viewer'])(
  'to somebody with the role %s, the email addresses of members do not exist',
  (role) => {
    let client: Client;
    let target: Awaited<ReturnType<typeof memberWith>>;
    beforeAll(async () => {
      ({ client } = await clientAs(role));
      target = await memberWith(admin, 'Viewer', { svc_name: 'Grace Hopper' });
    });

    test('in the schema, in records, pages and batches', async () => {
      const type = (await client.get('/objects/svc_member/')).body.data;
      expect(type.properties.map(({ name }: { name: string }) => name)).not.toContain('svc_email');
      const query = { filter: { property: 'svc_name', operator: 'eq', value: 'Grace Hopper' } };
      const answers = [
        await client.get(pathOfRecord(target)),
        await client.get(`${recordsPath('svc_member')}?limit=200`),
        await client.post(`${recordsPath('svc_member')}query/`, query),
      ];
      for (const { text, status } of answers) {
        expect(status).toBe(200);
        expect(text).toContain('Grace Hopper');
        expect(text).not.toContain('@example.com');
      }
    });

    test('in filters, sorts, groups and chosen properties', async () => {
      const records = recordsPath('svc_member');
      const asked = [
        await client.post(`${records}query/`, { filter: { property: 'svc_email', operator: 'exists' } }),
        await client.post(`${records}query/`, { sort: [{ property: 'svc_email' }] }),
        await client.post(`${records}aggregate/`, {
          group_by: [{ property: 'svc_email' }],
          aggregations: [{ name: 'n', function: 'count' }],
        }),
        await client.get(`${pathOfRecord(target)}?properties=svc_email`),
      ];
      for (const answer of asked) {
        await expectProblem(answer, 'invalid_request');
        expect(answer.text).not.toContain('@example.com');
      }
    });

    test('in searches', async () => {
      const search = async (words: string) =>
        (await client.post(`${recordsPath('svc_member')}query/`, { search: words })).body.data as readonly unknown[];
      expect(await search('grace')).toHaveLength(role === 'Member' ? 1 : 2);
      expect(await search(target.email)).toEqual([]);
      expect(await search(target.email.split('@')[0] ?? '')).toEqual([]);
    });

    test('in the change feed', async () => {
      const start = await endOfFeed(client);
      const email = `changed-for-${role.toLowerCase()}@example.com`;
      await admin.patch(pathOfRecord(target), { properties: { svc_email: email, svc_name: 'Grace B. Hopper' } });
      await admin.patch(pathOfRecord(target), { properties: { svc_name: 'Grace Hopper' } });
      await admin.patch(pathOfRecord(target), { properties: { svc_email: `again-${email}` } });
      const entries = await changesSince(client, start);
      expect(JSON.stringify(entries)).toContain('Grace B. Hopper');
      expect(JSON.stringify(entries)).not.toContain(email);
      expect(entries.filter(({ record_id }) => record_id === target.id)).toHaveLength(2);
    });
  },
);
