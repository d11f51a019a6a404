// Links and invitations (platform 7): once, for a while, exchanged by a post, and made only by those who may.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { linkForm } from '../../src/access/sign-in-text.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { putLink } from '../support/links.ts';
import { administeredOrg, auditOf, makeKey, makeMember, roleNamed } from '../support/platform/administrator.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person, signedIn, type TestMember, tokenFor, withPassword } from '../support/sign-in/person.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
});
afterAll(() => service.stop());

const password = 'correct horse battery';

describe('a one-time link', () => {
  test('shows whom it is for as often as it is opened, and signs in once', async () => {
    const member = await memberWith(admin, 'Viewer');
    const token = await tokenFor(service, orgId, member.email);
    const person = new Person(service.url);
    for (let look = 0; look < 3; look++) {
      const shown = await person.post('link/show', { token });
      expect(shown.body.data).toMatchObject({
        org_id: orgId,
        member: { id: member.id, name: 'Ada Lovelace', email: member.email },
        invitation: false,
      });
    }
    expect((await person.open(token)).body.data).toMatchObject({ org_id: orgId, role: 'Viewer' });
    const again = await new Person(service.url).open(token);
    await expectProblem(again, 'unauthenticated', 'sign_in_refused');
    await expectProblem(await person.post('link/show', { token }), 'unauthenticated', 'sign_in_refused');
  });

  test('is used by one of many who open it at once', async () => {
    const token = await tokenFor(service, orgId, (await memberWith(admin, 'Viewer')).email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Person(service.url).open(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
  });

  test('is refused after 10 minutes, with another secret, and in another form', async () => {
    const member = await memberWith(admin, 'Viewer');
    const token = await tokenFor(service, orgId, member.email);
    const other = await tokenFor(service, orgId, member.email);
    const mixed = linkForm.newText(token.slice(0, 13));
    for (const wrong of [mixed, `${token.slice(0, -1)}!`, 'x', `${token}0`]) {
      await expectProblem(await new Person(service.url).open(wrong), 'unauthenticated', 'sign_in_refused');
    }
    const { rows } = await rawQuery(
      service.databaseUrl,
      `update orrery.sign_in_link set expires_at = now() where link_id = $1
       returning extract(epoch from expires_at - made_at) as seconds`,
      [token.slice(0, 13)],
    );
    expect(rows).toHaveLength(1);
    await expectProblem(await new Person(service.url).open(token), 'unauthenticated', 'sign_in_refused');
    expect((await new Person(service.url).open(other)).status).toBe(200);
  });

  test('lasts 10 minutes, and an invitation 7 days', async () => {
    const { email } = await memberWith(admin, 'Viewer');
    for (const [kind, seconds] of [
      ['link', 600],
      ['invitation', 604_800],
    ] as const) {
      const token = await tokenFor(service, orgId, email, kind);
      const { body } = await new Person(service.url).post('link/show', { token });
      const left = (Date.parse(body.data.expires_at) - Date.now()) / 1_000;
      expect(Math.abs(left - seconds)).toBeLessThan(30);
    }
  });

  test('asks first if somebody else is signed in', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const member = await memberWith(admin, 'Viewer');
    const token = await tokenFor(service, orgId, member.email);
    const own = person.bearer;
    const asked = await person.post('link', { token });
    expect(asked.body.data).toMatchObject({ replaces: true, member: { id: member.id } });
    expect(asked.headers.getSetCookie()).toEqual([]);
    expect((await service.client(own).get('/self/')).status).toBe(200);
    expect((await person.open(token, { replace: true })).body.data.member.id).toBe(member.id);
  });

  test('sets no password', async () => {
    const token = await tokenFor(service, orgId, (await memberWith(admin, 'Viewer')).email);
    const answer = await new Person(service.url).open(token, { password });
    await expectProblem(answer, 'invalid_request', 'invalid_member');
    expect((await new Person(service.url).open(token)).status).toBe(200);
  });

  test('is not stored, and neither are cookies, bearers and passwords', async () => {
    const member = await memberWith(admin, 'Viewer');
    const token = await tokenFor(service, orgId, member.email);
    const person = await withPassword(service, orgId, member, password);
    const secrets = [token, person.bearer ?? '', ...person.cookies.values(), password];
    const tables = ['session', 'bearer', 'sign_in_link', 'password', 'record', 'change', 'idempotency'];
    for (const table of tables) {
      const { rows } = await rawQuery(service.databaseUrl, `select t::text as row from orrery.${table} as t`);
      for (const secret of secrets)
        expect(
          rows.filter(({ row }) => row.includes(secret)),
          table,
        ).toEqual([]);
    }
    const log = service.logLines.join('');
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});

describe('an invitation', () => {
  const inviting = async (by: Client | Person, memberId: string) => {
    const key = by instanceof Person ? by.bearer : by.key;
    return new Person(service.url).post('invitations', { member_id: memberId }, { bearer: key });
  };

  test('is made by an administrator, sets a password, and works once', async () => {
    const member = await memberWith(admin, 'Viewer');
    const boss = await signedIn(service, orgId, await memberWith(admin, 'Administrator'));
    const { body } = await inviting(boss, member.id);
    expect(body.data.link).toMatch(new RegExp(`^${service.url}/console/#link=l[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$`));
    const token = body.data.link.split('#link=')[1];
    const person = new Person(service.url);
    await expectProblem(await person.open(token, { password: 'too short' }), 'validation_failed', 'wrong_shape');
    expect((await person.open(token, { password })).status).toBe(200);
    expect((await new Person(service.url).open(token, { password })).status).toBe(401);
    const typed = await new Person(service.url).post('password', { org_id: orgId, email: member.email, password });
    expect(typed.status).toBe(200);
    const entries = (await auditOf(admin)).filter(({ properties }) => properties['svc_record_id'] === member.id);
    expect(entries.some(({ properties }) => properties['svc_detail'] === 'invitation')).toBe(true);
  });

  test('sets a new password, which ends the sessions and the other links', async () => {
    const member = await memberWith(admin, 'Viewer');
    const before = await withPassword(service, orgId, member, password);
    const link = await tokenFor(service, orgId, member.email);
    await withPassword(service, orgId, member, 'another long password');
    expect((await before.refresh()).body.data).toBeNull();
    expect((await new Person(service.url).open(link)).status).toBe(401);
    const old = await new Person(service.url).post('password', { org_id: orgId, email: member.email, password });
    expect(old.status).toBe(401);
  });

  test('by somebody who sees only their own records is for themselves alone', async () => {
    const grants = ['svc_contact:read', 'svc_member:read,update'];
    const role = await make(admin, 'svc_role', { svc_name: 'Seller', svc_reach: 'user', svc_grants: grants });
    const seller = (name: string) => makeMember(admin, { svc_name: name, svc_email: `${name}@example.com` }, role.id);
    const [one, other] = [await seller('one'), await seller('other')];
    const person = await signedIn(service, orgId, { id: one.id, email: 'one@example.com' });
    await expectProblem(await inviting(person, other.id), 'forbidden', 'grant_exceeds_caller');
    expect((await inviting(person, one.id)).status).toBe(200);
  });

  const inviter = ['svc_contact:read', 'svc_member:read,update'];
  let modestRoles = 0;
  /** A member whom such a key may invite. */
  const modest = async () => {
    const grants = ['svc_contact:read'];
    const role = await make(admin, 'svc_role', {
      svc_name: `Modest ${++modestRoles}`,
      svc_reach: 'org',
      svc_grants: grants,
    });
    return makeMember(admin, { svc_email: `${role.id}@example.com` }, role.id);
  };

  test('works no more when its maker leaves or has other rights', async () => {
    const member = await modest();
    const tokenBy = async (maker: Client | Person) => (await inviting(maker, member.id)).body.data.link.split('=')[1];
    const shown = async (token: string) => (await new Person(service.url).post('link/show', { token })).status;
    const bosses = [await memberWith(admin, 'Administrator'), await memberWith(admin, 'Administrator')] as const;
    const keys = [await makeKey(admin, { grants: inviter }), await makeKey(admin, { grants: inviter })] as const;
    const makers = [
      ...(await Promise.all(bosses.map((boss) => signedIn(service, orgId, boss)))),
      ...keys.map(({ key }) => service.client(key)),
    ];
    const tokens = await Promise.all(makers.map(tokenBy));
    for (const token of tokens) expect(await shown(token)).toBe(200);
    const asMember = ({ id }: TestMember) => ({ object_type: 'svc_member', id });
    await admin.patch(pathOfRecord(asMember(bosses[0])), { properties: { svc_active: false } });
    await putLink(admin, asMember(bosses[1]), 'svc_member_to_role', (await roleNamed(admin, 'Viewer')).id);
    await admin.delete(pathOfRecord(keys[0]));
    await admin.patch(pathOfRecord(keys[1]), { properties: { svc_grants: ['svc_contact:read'] } });
    for (const token of tokens) expect(await shown(token)).toBe(401);
  });

  test('by a key that expires works no longer than the key', async () => {
    const member = await modest();
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { key } = await makeKey(admin, { grants: inviter, expires });
    expect((await inviting(service.client(key), member.id)).body.data.expires_at).toBe(expires);
  });

  test('needs at least the rights of the member', async () => {
    const boss = await memberWith(admin, 'Administrator');
    const grants = ['*:read', 'svc_member:read,update'];
    const role = await make(admin, 'svc_role', { svc_name: 'Clerk', svc_reach: 'org', svc_grants: grants });
    const clerk = await makeMember(admin, { svc_name: 'Clerk', svc_email: 'clerk@example.com' }, role.id);
    const person = await signedIn(service, orgId, { id: clerk.id, email: 'clerk@example.com' });
    await expectProblem(await inviting(person, boss.id), 'forbidden', 'grant_exceeds_caller');
    expect((await inviting(person, clerk.id)).status).toBe(200);
  });

  test('needs the operation, the type and the org of the member', async () => {
    const member = await memberWith(admin, 'Viewer');
    const reader = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    await expectProblem(await inviting(reader, member.id), 'forbidden', 'operation_not_granted');
    const blind = service.client((await service.createKey(orgId, { grants: [fullGrant] })).key);
    await expectProblem(await inviting(blind, member.id), 'not_found', 'record_unknown');
    const { admin: foreign } = await administeredOrg(service);
    await expectProblem(await inviting(foreign, member.id), 'not_found', 'record_unknown');
    await expectProblem(await inviting(admin, 'no-id'), 'not_found', 'record_unknown');
  });

  test('is not made for a member who cannot sign in', async () => {
    const without = await makeMember(admin, { svc_email: 'roleless@example.com' });
    await expectProblem(await inviting(admin, without.id), 'conflict');
    const gone = await memberWith(admin, 'Viewer', { svc_active: false });
    await expectProblem(await inviting(admin, gone.id), 'conflict');
  });
});
