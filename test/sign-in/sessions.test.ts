// Sessions (platform 7): one credential for all bearers, whose rights are those of the role, on every process; and their end.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { deleteLink, putLink } from '../support/links.ts';
import { actionsOf, administeredOrg, auditOf, makeMember, roleNamed } from '../support/platform/administrator.ts';
import { make, pathOfRecord, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person, signedIn, tokenFor, withPassword } from '../support/sign-in/person.ts';

let service: TestService;
let other: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  other = await startService({ databaseUrl: service.databaseUrl });
  ({ orgId, admin } = await administeredOrg(service));
  // One who stays, so that others can leave.
  await memberWith(admin, 'Administrator');
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const statusOf = async (person: Person, at: TestService = service) =>
  (await at.client(person.bearer).get('/self/')).status;

describe('a session', () => {
  test('is one credential with the rights of the role, on every process at once', async () => {
    const member = await memberWith(admin, 'Viewer');
    const person = await signedIn(service, orgId, member);
    const role = await roleNamed(admin, 'Viewer');
    const self = (await service.client(person.bearer).get('/self/')).body.data;
    expect(self).toMatchObject({ org_id: orgId, principal_id: member.id, reach: 'org' });
    expect(self.grants).toHaveLength((role.properties['svc_grants'] as readonly string[]).length);
    expect(self.credential.name).toBe('Session of Ada Lovelace');
    const first = person.bearer;
    const refreshed = await person.refresh();
    expect(refreshed.body.data).toMatchObject({
      org_id: orgId,
      session_id: self.credential.id,
      member: { id: member.id, name: 'Ada Lovelace', email: member.email },
      role: 'Viewer',
    });
    expect(person.bearer).not.toBe(first);
    // The first bearer made the credential known here, and the second one is new to it.
    for (const bearer of [first, person.bearer]) {
      for (const at of [service, other]) {
        expect((await at.client(bearer).get('/self/')).body.data.credential).toEqual(self.credential);
      }
    }
  });

  test('of a bearer lasts at most 15 minutes, and its cookie fetches bearers only', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const before = Date.now();
    const { body, headers } = await person.refresh();
    const lasts = Date.parse(body.data.expires_at) - before;
    expect(lasts).toBeGreaterThan(14 * 60_000);
    expect(lasts).toBeLessThanOrEqual(15 * 60_000 + 5_000);
    expect(headers.get('cache-control')).toBe('no-store');
    const [[name, value] = ['', '']] = [...person.cookies];
    expect(name).toBe('orrery_session');
    for (const sent of [{ cookie: `${name}=${value}` }, { authorization: `Bearer ${value}` }]) {
      const answer = await fetch(`${service.url}/rest/v1/self/`, { headers: sent });
      expect(answer.status).toBe(401);
    }
  });

  test('keeps cursors and idempotency keys from one bearer to the next', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Administrator'));
    for (const name of ['a', 'b', 'c']) await make(admin, 'svc_company', { svc_name: name });
    const first = service.client(person.bearer);
    const page = await first.get('/objects/svc_company/records/?limit=1');
    const headers = { 'idempotency-key': 'one-record' };
    const body = { properties: { svc_name: 'Once' } };
    const made = await first.post(recordsPath('svc_company'), body, headers);
    await person.refresh();
    const next = service.client(person.bearer);
    const cursor = encodeURIComponent(page.body.pagination?.next_cursor ?? '');
    expect((await next.get(`/objects/svc_company/records/?limit=1&cursor=${cursor}`)).status).toBe(200);
    const again = await next.post(recordsPath('svc_company'), body, headers);
    expect(again.headers.get('svc-idempotent-replay')).toBe('true');
    expect(again.body.data.id).toBe(made.body.data.id);
  });

  test('without a cookie, a bearer is null', async () => {
    const answer = await new Person(service.url).post('bearer');
    expect(answer).toMatchObject({ status: 200, body: { data: null } });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('of a member makes keys that do not expire, within its own rights', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Administrator'));
    const client = service.client(person.bearer);
    const key = { properties: { svc_name: 'CRM sync', svc_grants: ['svc_contact:read'] } };
    expect((await client.post(recordsPath('svc_access_key'), key)).status).toBe(201);
    const viewer = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const refused = await service.client(viewer.bearer).post(recordsPath('svc_access_key'), key);
    await expectProblem(refused, 'not_found', 'object_type_unknown');
  });
});

describe('a session ends', () => {
  const both = [() => service, () => other] as const;
  const endsEverywhere = async (bearer: string | undefined, reason: string) => {
    for (const at of both) {
      const refused = await withinASecond(
        () => at().client(bearer).get('/self/'),
        ({ body }) => body.reason === reason,
      );
      await expectProblem(refused, 'unauthenticated', reason);
    }
  };
  /** Known to both processes before it ends. */
  const known = async (role = 'Viewer') => {
    const member = await memberWith(admin, role);
    const person = await signedIn(service, orgId, member);
    for (const at of both) expect(await statusOf(person, at())).toBe(200);
    return { member, person, bearer: person.bearer };
  };

  test('by signing out, and the audit tells of its beginning and end', async () => {
    const { member, person, bearer } = await known();
    const out = await person.post('sign-out');
    expect(out).toMatchObject({ status: 200, body: { data: null } });
    expect(person.cookies.size).toBe(0);
    await endsEverywhere(bearer, 'session_ended');
    expect((await person.post('bearer', {}, { bearer: undefined })).body.data).toBeNull();
    const entries = (await auditOf(admin)).filter(({ properties }) => properties['svc_record_id'] === member.id);
    expect(entries.map(({ properties }) => [properties['svc_action'], properties['svc_principal_id']])).toEqual(
      expect.arrayContaining([
        ['session.opened', member.id],
        ['session.closed', member.id],
      ]),
    );
  });

  test('when the member is deactivated, and does not come back with it', async () => {
    const { member, person, bearer } = await known();
    const token = await tokenFor(service, orgId, member.email);
    await admin.patch(pathOfRecord(member), { properties: { svc_active: false } });
    await endsEverywhere(bearer, 'key_revoked');
    expect((await person.refresh()).body.data).toBeNull();
    await admin.patch(pathOfRecord(member), { properties: { svc_active: true } });
    await endsEverywhere(bearer, 'session_ended');
    expect((await person.refresh()).body.data).toBeNull();
    expect((await new Person(service.url).open(token)).status).toBe(401);
    expect(await actionsOf(admin)).toContain('session.closed');
  });

  test('when the member is deleted', async () => {
    const { member, person, bearer } = await known();
    await admin.delete(pathOfRecord(member));
    await endsEverywhere(bearer, 'key_revoked');
    expect((await person.refresh()).body.data).toBeNull();
  });

  test('as long as the member has no role, and its rights change with the role within a second', async () => {
    const { member, person, bearer } = await known();
    const administrator = await roleNamed(admin, 'Administrator');
    await putLink(admin, member, 'svc_member_to_role', administrator.id);
    for (const at of both) {
      const granted = await withinASecond(
        () => at().client(bearer).get(recordsPath('svc_role')),
        ({ status }) => status === 200,
      );
      expect(granted.status).toBe(200);
    }
    await deleteLink(admin, member, 'svc_member_to_role', administrator.id);
    await endsEverywhere(bearer, 'session_ended');
    expect((await person.refresh()).body.data).toBeNull();
  });

  test('after 12 hours without use, and after 30 days in any case', async () => {
    for (const past of ['used_at = now() - interval %L', 'opened_at = now() - interval %L']) {
      const { person } = await known();
      const { session_id: id } = (await person.refresh()).body.data;
      const after = past.startsWith('used') ? '12 hours' : '30 days';
      await rawQuery(
        service.databaseUrl,
        `update orrery.session set ${past.replace('%L', `'${after}'`)} where session_id = '${id}'`,
      );
      expect((await person.refresh()).body.data).toBeNull();
    }
  });

  test('when its member ends it from another one, which lists them', async () => {
    const member = await memberWith(admin, 'Viewer');
    const [one, two, three] = [
      await signedIn(service, orgId, member),
      await signedIn(service, orgId, member),
      await signedIn(service, orgId, member),
    ];
    const stranger = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const foreign = (await stranger.post('sessions')).body.data[0].id;
    const listed = (await one.post('sessions')).body.data;
    expect(listed).toHaveLength(3);
    expect(listed.filter((each: { current: boolean }) => each.current)).toHaveLength(1);
    expect(listed[0]).toMatchObject({ way: 'link', address: expect.stringContaining('127.0.0.1') });
    const secondId = (await two.refresh()).body.data.session_id;
    expect((await one.post('sessions/end', { id: secondId })).body.data).toEqual({ ended: 1 });
    await endsEverywhere(two.bearer, 'session_ended');
    expect((await one.post('sessions/end', { id: foreign })).body.data).toEqual({ ended: 0 });
    expect((await one.post('sessions/end')).body.data).toEqual({ ended: 1 });
    await endsEverywhere(three.bearer, 'session_ended');
    expect(await statusOf(one)).toBe(200);
    expect(await statusOf(stranger)).toBe(200);
  });

  test('when another one changes the password', async () => {
    const member = await memberWith(admin, 'Viewer');
    const person = await withPassword(service, orgId, member, 'correct horse battery');
    const other = await signedIn(service, orgId, member);
    for (const at of both) expect(await statusOf(other, at())).toBe(200);
    const body = { current_password: 'correct horse battery', password: 'another long password' };
    expect((await person.post('password/change', body)).status).toBe(200);
    await endsEverywhere(other.bearer, 'session_ended');
    expect(await statusOf(person)).toBe(200);
  });

  test('when an invitation sets another password', async () => {
    const { member, bearer } = await known();
    await withPassword(service, orgId, member, 'another long password');
    await endsEverywhere(bearer, 'session_ended');
  });

  test('when its member opens more of them than are kept', async () => {
    const { member, bearer } = await known();
    for (let more = 0; more < 50; more++) await signedIn(service, orgId, member);
    await endsEverywhere(bearer, 'session_ended');
  });

  test('in part when its role is granted less', async () => {
    const values = { svc_name: 'Shrinking', svc_reach: 'org', svc_grants: ['svc_contact:read', 'svc_deal:read'] };
    const role = await make(admin, 'svc_role', values);
    const { id } = await makeMember(admin, { svc_email: 'shrinking@example.com' }, role.id);
    const { bearer } = await signedIn(service, orgId, { id, email: 'shrinking@example.com' });
    const deals = (at: TestService) => at.client(bearer).get(recordsPath('svc_deal'));
    for (const at of both) expect((await deals(at())).status).toBe(200);
    await admin.patch(pathOfRecord(role), { properties: { svc_grants: ['svc_contact:read'] } });
    for (const at of both) {
      const refused = await withinASecond(
        () => deals(at()),
        ({ status }) => status === 404,
      );
      await expectProblem(refused, 'not_found', 'object_type_unknown');
    }
  });

  test('when the same browser signs in as somebody else', async () => {
    const { person, bearer } = await known();
    const next = await memberWith(admin, 'Viewer');
    await person.open(await tokenFor(service, orgId, next.email), { replace: true });
    await endsEverywhere(bearer, 'session_ended');
    expect(await statusOf(person)).toBe(200);
  });

  test('and a bearer that is 15 minutes old is refused, though its session goes on', async () => {
    const { person, bearer } = await known();
    await rawQuery(service.databaseUrl, `update orrery.bearer set valid_until = now() - interval '1 second'`);
    // The process has to read the session again to know.
    await admin.patch(pathOfRecord(await memberWith(admin, 'Viewer')), { properties: { svc_name: 'Somebody' } });
    await endsEverywhere(bearer, 'key_expired');
    expect((await person.refresh()).status).toBe(200);
    expect(await statusOf(person)).toBe(200);
  });
});
