// OpenID Connect (platform 7) with a real provider: the first sign-in binds issuer and subject, afterwards only those count.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { dropProvider, type NamedProvider, setProvider, unbindMember } from '../../src/engine/sign-in/for-operator.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { actionsOf, administeredOrg, auditOf, roleNamed } from '../support/platform/administrator.ts';
import { pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person } from '../support/sign-in/person.ts';
import {
  type Account,
  client,
  RealProvider,
  signInThrough,
  throughProvider,
} from '../support/sign-in/real-provider.ts';

let service: TestService;
let provider: RealProvider;
beforeAll(async () => {
  service = await startService();
  provider = await RealProvider.start(service.url);
});
afterAll(async () => {
  await provider.close();
  await service.stop();
});

let orgId: number;
let admin: Client;
beforeEach(async () => {
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
  await use(orgId);
});

function use(org: number, more: Partial<NamedProvider> = {}): Promise<void> {
  const facts = { issuer: provider.issuer, clientId: client.id, clientSecret: client.secret };
  const named = { ...facts, provisionRole: null, emailDomains: [], ...more };
  return withCommandEngine(service.database, (engine) => setProvider(engine, org, named));
}

async function enter(account: Account, org = orgId): Promise<{ readonly person: Person; readonly at: string }> {
  provider.account = account;
  const person = new Person(service.url);
  const at = await signInThrough(person, org, provider.issuer);
  if (person.cookies.has('orrery_session')) await person.refresh();
  return { person, at };
}

const whoIs = async (person: Person) => (await service.client(person.bearer).get('/self/')).body.data.principal_id;
const refusedAt = (org: number) => `/console/?org=${org}#sign-in=refused`;

describe('the first sign-in', () => {
  test('finds the member by a verified address, and opens a session of its role', async () => {
    const member = await memberWith(admin, 'Viewer');
    const { person, at } = await enter({ sub: 'a', email: member.email.toUpperCase(), email_verified: true });
    expect(at).toBe(`/console/?org=${orgId}`);
    expect(await whoIs(person)).toBe(member.id);
    expect(person.cookies.size).toBe(1);
    const opened = (await auditOf(admin)).find(({ properties }) => properties['svc_action'] === 'session.opened');
    expect(opened?.properties).toMatchObject({ svc_principal_id: member.id, svc_detail: 'oidc' });
  });

  test.each([
    ['is not verified', { email_verified: false }],
    ['is not said to be verified', {}],
    ['is missing', { email: undefined, email_verified: true }],
    ['belongs to nobody', { email: 'stranger@example.com', email_verified: true }],
    ['is not an address', { email: 'nobody', email_verified: true }],
  ])('is refused if the address %s', async (_, more) => {
    const member = await memberWith(admin, 'Viewer');
    const { email = member.email, ...rest } = { email: member.email, ...more } as Partial<Account>;
    const account = 'email' in more && more.email === undefined ? { sub: 'b', ...rest } : { sub: 'b', email, ...rest };
    const { person, at } = await enter(account);
    expect(at).toBe(refusedAt(orgId));
    expect(person.cookies.size).toBe(0);
    await until(async () => (await actionsOf(admin)).includes('session.refused'));
  });

  test('is refused to a member who is not active, and to one without a role', async () => {
    const gone = await memberWith(admin, 'Viewer', { svc_active: false });
    expect((await enter({ sub: 'c', email: gone.email, email_verified: true })).at).toBe(refusedAt(orgId));
    const answer = await admin.post(recordsPath('svc_member'), {
      properties: { svc_name: 'None', svc_email: 'none@example.com' },
    });
    expect(answer.status).toBe(201);
    expect((await enter({ sub: 'd', email: 'none@example.com', email_verified: true })).at).toBe(refusedAt(orgId));
    const { rows } = await rawQuery(service.databaseUrl, `select * from orrery.oidc_subject where org_id = ${orgId}`);
    expect(rows).toEqual([]);
  });
});

describe('afterwards', () => {
  test('the subject counts, whatever address it has, and the address counts no more', async () => {
    const member = await memberWith(admin, 'Viewer');
    await enter({ sub: 'one', email: member.email, email_verified: true });
    const changed = await enter({ sub: 'one', email: 'married@example.com', email_verified: false });
    expect(await whoIs(changed.person)).toBe(member.id);
    // Somebody else at the provider has the address now.
    const thief = await enter({ sub: 'two', email: member.email, email_verified: true });
    expect(thief.at).toBe(refusedAt(orgId));
  });

  test('the operator lets a member in with another account of the provider', async () => {
    const member = await memberWith(admin, 'Viewer');
    const account = (sub: string) => ({ sub, email: member.email, email_verified: true });
    await enter(account('first account'));
    expect((await enter(account('second account'))).person.cookies.has('orrery_session')).toBe(false);
    const unbind = () => withCommandEngine(service.database, (engine) => unbindMember(engine, orgId, member.email));
    expect(await unbind()).toEqual({ memberId: member.id, accounts: 1 });
    expect(await whoIs((await enter(account('second account'))).person)).toBe(member.id);
    expect((await enter(account('first account'))).person.cookies.has('orrery_session')).toBe(false);
  });

  test('a deactivated member stays out, and comes back when an administrator says so', async () => {
    const member = await memberWith(admin, 'Viewer');
    const account = { sub: 'one', email: member.email, email_verified: true };
    await enter(account);
    await admin.patch(pathOfRecord(member), { properties: { svc_active: false } });
    expect((await enter(account)).at).toBe(refusedAt(orgId));
    await admin.patch(pathOfRecord(member), { properties: { svc_active: true } });
    expect(await whoIs((await enter(account)).person)).toBe(member.id);
  });

  test('a deleted member stays out, even if somebody else gets the address', async () => {
    const member = await memberWith(admin, 'Viewer');
    const account = { sub: 'one', email: member.email, email_verified: true };
    await enter(account);
    await admin.delete(pathOfRecord(member));
    expect((await enter(account)).at).toBe(refusedAt(orgId));
    await memberWith(admin, 'Viewer', { svc_email: member.email });
    expect((await enter(account)).at).toBe(refusedAt(orgId));
  });

  test('a provider with new keys is believed at once', async () => {
    const member = await memberWith(admin, 'Viewer');
    const account = { sub: 'one', email: member.email, email_verified: true };
    await enter(account);
    provider.replaceKeys();
    expect(await whoIs((await enter(account)).person)).toBe(member.id);
  });

  test('nobody signs in with a provider that was removed, and sessions go on', async () => {
    const member = await memberWith(admin, 'Viewer');
    const { person } = await enter({ sub: 'one', email: member.email, email_verified: true });
    await withCommandEngine(service.database, (engine) => dropProvider(engine, orgId));
    const started = await new Person(service.url).send('GET', `oidc/start?org=${orgId}`);
    expect(started.headers.get('location')).toBe(`/console/?org=${orgId}#sign-in=none`);
    expect((await person.refresh()).body.data.member.id).toBe(member.id);
    expect((await new Person(service.url).post('ways', { org_id: orgId })).body.data.oidc).toBeNull();
  });
});

describe('provisioning', () => {
  const provisioning = { provisionRole: 'Member', emailDomains: ['example.com', 'example.org'] };
  const members = async () =>
    ((await admin.get(`${recordsPath('svc_member')}?limit=200`)).body.data as readonly RecordData[]).map(
      ({ properties }) => properties['svc_email'],
    );

  test('creates a member with the role for an address of the domains, once', async () => {
    await use(orgId, provisioning);
    const account = { sub: 'new', email: 'New.Person@Example.ORG', email_verified: true, name: 'New\r\n Person' };
    const { person } = await enter(account);
    const { member, role } = (await person.refresh()).body.data;
    expect({ name: member.name, role }).toEqual({ name: 'New Person', role: 'Member' });
    const again = await enter({ ...account, email: 'other@example.net' });
    expect(await whoIs(again.person)).toBe(member.id);
    expect((await members()).filter((email) => email === account.email)).toHaveLength(1);
  });

  test('creates nobody for another domain, an unverified address, or a domain that only looks alike', async () => {
    await use(orgId, provisioning);
    const before = await members();
    for (const email of ['a@evil.com', 'a@sub.example.com', 'a@example.com.evil.com', 'a@evilexample.com']) {
      expect((await enter({ sub: email, email, email_verified: true })).at).toBe(refusedAt(orgId));
    }
    expect((await enter({ sub: 'x', email: 'x@example.com' })).at).toBe(refusedAt(orgId));
    expect(await members()).toEqual(before);
  });

  test('never brings back a deactivated or a deleted member', async () => {
    await use(orgId, provisioning);
    const inactive = await memberWith(admin, 'Viewer', { svc_active: false });
    expect((await enter({ sub: 'i', email: inactive.email, email_verified: true })).at).toBe(refusedAt(orgId));
    const deleted = await memberWith(admin, 'Viewer');
    await admin.delete(pathOfRecord(deleted));
    const account = { sub: 'j', email: deleted.email.toUpperCase(), email_verified: true };
    expect((await enter(account)).at).toBe(refusedAt(orgId));
  });

  test('by many sign-ins of one person at once creates one member', async () => {
    await use(orgId, provisioning);
    provider.account = { sub: 'many', email: 'many@example.com', email_verified: true };
    const people = Array.from({ length: 6 }, () => new Person(service.url));
    await Promise.all(people.map((person) => signInThrough(person, orgId, provider.issuer)));
    expect((await members()).filter((email) => email === 'many@example.com')).toHaveLength(1);
    expect(people.every((person) => person.cookies.has('orrery_session'))).toBe(true);
    const { member } = (await people[0]?.refresh())?.body.data ?? {};
    expect(member.name).toBe('New member');
  });

  test('needs a domain, and never gives Administrator', async () => {
    const asked = use(orgId, { provisionRole: 'Administrator', emailDomains: ['example.com'] });
    await expect(asked).rejects.toThrow('Nobody becomes Administrator by signing in.');
    // Not even if the database says so.
    await use(orgId, provisioning);
    const { id } = await roleNamed(admin, 'Administrator');
    await rawQuery(
      service.databaseUrl,
      `update orrery.oidc_provider set provision_role_id = '${id}' where org_id = ${orgId}`,
    );
    const { person } = await enter({ sub: 'climber', email: 'climber@example.com', email_verified: true });
    expect(person.cookies.has('orrery_session')).toBe(false);
    expect(await members()).not.toContain('climber@example.com');
  });
});

describe('several orgs with several providers', () => {
  test('sign in each with its own, and a sign-in of one is nothing in another', async () => {
    const { orgId: elsewhere, admin: foreign } = await administeredOrg(service);
    const second = await RealProvider.start(service.url);
    try {
      await use(elsewhere, { issuer: second.issuer });
      const here = await memberWith(admin, 'Viewer');
      const there = await memberWith(foreign, 'Viewer');
      const mine = await enter({ sub: 's', email: here.email, email_verified: true });
      expect((await mine.person.refresh()).body.data).toMatchObject({ org_id: orgId, member: { id: here.id } });
      second.account = { sub: 's', email: there.email, email_verified: true };
      const other = new Person(service.url);
      await signInThrough(other, elsewhere, second.issuer);
      expect((await other.refresh()).body.data).toMatchObject({ org_id: elsewhere, member: { id: there.id } });
      // A state that was begun for one org does not finish in another.
      const person = new Person(service.url);
      const to = (await person.send('GET', `oidc/start?org=${orgId}`)).headers.get('location') ?? '';
      const back = await throughProvider(to, provider.issuer);
      back.searchParams.set('state', (back.searchParams.get('state') ?? '').replace(/^\d+/, String(elsewhere)));
      const ended = await person.send('GET', `oidc/callback${back.search}`);
      expect(ended.headers.get('location')).toBe(`/console/?org=${elsewhere}#sign-in=expired`);
      expect(person.cookies.has('orrery_session')).toBe(false);
    } finally {
      await second.close();
    }
  });
});
