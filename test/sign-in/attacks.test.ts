// What somebody may try at /auth without a browser (test/browser has the rest): other origins, other methods, other orgs,
// other people's cookies, and names that look like headers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearerForm, cookieForm } from '../../src/access/sign-in-text.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person, signedIn, tokenFor, withPassword } from '../support/sign-in/person.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
});
afterAll(() => service.stop());

const posts = [
  'ways',
  'password',
  'link',
  'link/show',
  'bearer',
  'sign-out',
  'sessions',
  'sessions/end',
  'password/change',
  'invitations',
];

describe('everything at /auth', () => {
  test.each(posts)('%s is posted by a page of our own origin only', async (path) => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Administrator'));
    const origins = [
      'https://evil.example',
      'null',
      `${service.url}.evil.example`,
      service.url.replace('http:', 'https:'),
    ];
    for (const origin of origins) {
      await expectProblem(await person.post(path, {}, { headers: { origin } }), 'forbidden', 'foreign_origin');
    }
    const without = await fetch(`${service.url}/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${person.bearer}` },
      body: '{}',
    });
    expect(without.status).toBe(403);
    expect((await service.client(person.bearer).get('/self/')).status).toBe(200);
  });

  test.each(posts)('%s changes nothing by GET, and takes JSON only', async (path) => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await person.send(method, path, { headers: { origin: service.url } });
      expect(answer.status, method).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
    const headers = { origin: service.url, 'content-type': 'text/plain', authorization: `Bearer ${person.bearer}` };
    expect((await person.send('POST', path, { headers, body: '{}' })).status).toBe(415);
    const wrong = await person.post(path, { surprise: true });
    await expectProblem(wrong, 'invalid_request');
    expect((await service.client(person.bearer).get('/self/')).status).toBe(200);
  });

  test('has a limit of its own for each address', async () => {
    const apart = await startService();
    try {
      const { orgId: own, admin: boss } = await administeredOrg(apart);
      const known = await signedIn(apart, own, await memberWith(boss, 'Administrator'));
      await known.refresh();
      const person = new Person(apart.url);
      const statuses: number[] = [];
      for (let count = 0; count < 310; count++) statuses.push((await person.post('bearer')).status);
      // Signing in was one of them.
      expect(statuses.slice(0, 299)).toEqual(Array(299).fill(200));
      expect(statuses.slice(299)).toEqual(Array(11).fill(429));
      expect((await person.send('GET', 'nothing')).status).toBe(429);
      // Those who are signed in go on, and can sign out.
      expect((await known.refresh()).body.data).not.toBeNull();
      expect((await known.post('sign-out')).status).toBe(200);
      // The API and the pages have their own.
      expect((await fetch(`${apart.url}/rest/v1/`)).status).toBe(200);
      expect((await fetch(`${apart.url}/console/`)).status).toBe(200);
    } finally {
      await apart.stop();
    }
  });

  test('has a larger limit for everybody together behind a proxy', async () => {
    const publicUrl = 'https://crm.example.com';
    const proxied = await startService({ databaseUrl: service.databaseUrl, settings: { publicUrl } });
    try {
      const person = new Person(proxied.url);
      const headers = { origin: publicUrl };
      const answers = await Promise.all(Array.from({ length: 310 }, () => person.post('bearer', {}, { headers })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(310);
    } finally {
      await proxied.stop();
    }
  });

  test('sets cookies that no script reads, that go to /auth alone, and over https only where there is https', async () => {
    const { email } = await memberWith(admin, 'Viewer');
    const open = async (at: TestService, origin: string) => {
      const person = new Person(at.url);
      const token = await tokenFor(service, orgId, email);
      const { headers } = await person.post('link', { token }, { headers: { origin } });
      return headers.getSetCookie();
    };
    const value = 's[0-9A-Za-z]{12}_[0-9A-Za-z]{38}';
    const plain = new RegExp(`^orrery_session=${value}; Path=/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$`);
    expect(await open(service, service.url)).toEqual([expect.stringMatching(plain)]);
    const secure = await startService({
      databaseUrl: service.databaseUrl,
      settings: { publicUrl: 'https://crm.example.com' },
    });
    try {
      const form = new RegExp(`^__Secure-orrery_session=${value}; .*; HttpOnly; SameSite=Strict; Secure$`);
      expect(await open(secure, 'https://crm.example.com')).toEqual([expect.stringMatching(form)]);
      expect(await open(secure, secure.url)).toEqual([]);
    } finally {
      await secure.stop();
    }
  });

  test('is open to no other origin, even one that may use the API', async () => {
    const origin = 'https://app.example.com';
    const shared = await startService({
      databaseUrl: service.databaseUrl,
      settings: { corsOrigins: new Set([origin]) },
    });
    try {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await fetch(`${shared.url}/auth/bearer`, { method: 'OPTIONS', headers });
      expect(preflight.status).toBe(405);
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
      const posted = await new Person(shared.url).post('bearer', {}, { headers: { origin } });
      expect(posted.status).toBe(403);
    } finally {
      await shared.stop();
    }
  });
});

describe('a session', () => {
  test('has a new cookie for every sign-in: one that was planted before is worth nothing', async () => {
    const attacker = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const planted = attacker.cookies.get('orrery_session') ?? '';
    const victim = new Person(service.url);
    victim.cookies.set('orrery_session', planted);
    const member = await memberWith(admin, 'Administrator');
    await victim.open(await tokenFor(service, orgId, member.email), { replace: true });
    expect(victim.cookies.get('orrery_session')).not.toBe(planted);
    expect((await attacker.refresh()).body.data).toBeNull();
    expect((await victim.refresh()).body.data.member.id).toBe(member.id);
  });

  test('is not opened by two cookies of the same name', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const own = person.cookies.get('orrery_session') ?? '';
    const cookie = `orrery_session=${own}; orrery_session=${own}`;
    const answer = await new Person(service.url).post('bearer', {}, { headers: { cookie } });
    expect(answer.body.data).toBeNull();
  });

  test('is not opened by the cookie, bearer or link of another kind, session or org', async () => {
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    const other = await signedIn(service, orgId, await memberWith(admin, 'Administrator'));
    const token = await tokenFor(service, orgId, (await memberWith(admin, 'Viewer')).email);
    const cookie = person.cookies.get('orrery_session') ?? '';
    const forged = cookieForm.newText((other.cookies.get('orrery_session') ?? '').slice(0, 13));
    // The right secret, for an org in which it is nothing.
    const { orgId: elsewhere } = await administeredOrg(service);
    const moved = cookieForm.newText(cookieForm.newId(elsewhere));
    expect(cookieForm.parse(moved)?.orgId).toBe(elsewhere);
    for (const value of [forged, moved, token, person.bearer ?? '', `${cookie}0`, 'x', '']) {
      const thief = new Person(service.url);
      thief.cookies.set('orrery_session', value);
      expect((await thief.refresh()).body.data, value).toBeNull();
    }
    const bearer = person.bearer ?? '';
    const invented = bearerForm.newText((other.bearer ?? '').slice(12, 25));
    expect(bearerForm.parse(invented)?.orgId).toBe(orgId);
    const foreign = bearerForm.newText(bearerForm.newId(elsewhere));
    for (const value of [invented, foreign, cookie, token, `svc_live_${bearer.slice(12)}`]) {
      expect((await service.client(value).get('/self/')).status, value).toBe(401);
    }
  });

  test('of one org is nothing in another', async () => {
    const { orgId: elsewhere, admin: foreign } = await administeredOrg(service);
    const member = await memberWith(admin, 'Administrator');
    const person = await signedIn(service, orgId, member);
    const stranger = await memberWith(foreign, 'Administrator');
    await withPassword(service, elsewhere, stranger, 'correct horse battery');
    const body = { org_id: orgId, email: stranger.email, password: 'correct horse battery' };
    expect((await new Person(service.url).post('password', body)).status).toBe(401);
    const answer = await person.post('invitations', { member_id: stranger.id });
    await expectProblem(answer, 'not_found', 'record_unknown');
    const self = (await service.client(person.bearer).get('/self/')).body.data;
    expect(self.org_id).toBe(orgId);
  });

  test('is for people: a key neither lists nor ends sessions', async () => {
    for (const path of ['sessions', 'sessions/end', 'sign-out']) {
      const answer = await new Person(service.url).post(path, {}, { bearer: admin.key });
      await expectProblem(answer, 'forbidden', 'operation_not_granted');
    }
    await expectProblem(await new Person(service.url).post('sessions'), 'unauthenticated', 'key_missing');
  });

  test('is not opened with line breaks in an address', async () => {
    const email = 'eve@example.com\r\nSet-Cookie: orrery_session=evil';
    const answer = await new Person(service.url).post('password', { org_id: orgId, email, password: 'x' });
    await expectProblem(answer, 'invalid_request');
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('of somebody with a name full of line breaks and quotes breaks no header and no answer', async () => {
    const name = 'Eve\r\nSet-Cookie: orrery_session=evil; Path=/\r\n\r\n<script>alert(1)</script>"\\';
    const member = await memberWith(admin, 'Viewer', { svc_name: name });
    const person = await signedIn(service, orgId, member);
    const { body, headers } = await person.refresh();
    expect(body.data.member.name).toBe(name);
    expect(headers.getSetCookie()).toEqual([]);
    expect((await service.client(person.bearer).get('/self/')).body.data.credential.name).toBe(`Session of ${name}`);
  });
});
