// OpenID Connect under attack, and with providers that fail: whatever comes back, nobody is signed in, and the page says why.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { setProvider } from '../../src/engine/sign-in/for-operator.ts';
import type { Client } from '../support/client.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { startService, type TestService } from '../support/service.ts';
import { FalseProvider } from '../support/sign-in/false-provider.ts';
import { memberWith, Person, signedIn, type TestMember } from '../support/sign-in/person.ts';
import { signInThrough, throughProvider } from '../support/sign-in/real-provider.ts';

let service: TestService;
let provider: FalseProvider;
let orgId: number;
let admin: Client;
let member: TestMember;
beforeAll(async () => {
  service = await startService();
  provider = await FalseProvider.start();
  ({ orgId, admin } = await administeredOrg(service));
  member = await memberWith(admin, 'Administrator');
  await use(orgId, provider.issuer);
});
afterAll(async () => {
  await provider.close();
  await service.stop();
});
beforeEach(() => {
  provider.claims = (usual) => ({ ...usual, email: member.email });
  provider.header = {};
  provider.instead = () => false;
});

function use(org: number, issuer: string): Promise<void> {
  const named = { issuer, clientId: 'orrery', clientSecret: 'secret', provisionRole: null, emailDomains: [] };
  return withCommandEngine(service.database, (engine) => setProvider(engine, org, named));
}
const home = () => `/console/?org=${orgId}`;
async function ends(person = new Person(service.url)): Promise<string> {
  const at = await signInThrough(person, orgId, provider.issuer);
  expect(person.cookies.has('orrery_session')).toBe(at === home());
  return at;
}
async function begun(person: Person, query = `org=${orgId}`): Promise<{ readonly to: URL; readonly back: URL }> {
  const answer = await person.send('GET', `oidc/start?${query}`);
  const to = new URL(answer.headers.get('location') ?? '');
  return { to, back: await throughProvider(to.href, provider.issuer) };
}
const finish = async (person: Person, back: URL) =>
  (await person.send('GET', `oidc/callback${back.search}`)).headers.get('location');

describe('what is sent to the provider', () => {
  test('has a state, a nonce and a challenge of its own each time, and the cookie lasts ten minutes', async () => {
    const seen = new Set<string | null>();
    for (let time = 0; time < 3; time++) {
      const person = new Person(service.url);
      const { to } = await begun(person);
      for (const name of ['state', 'nonce', 'code_challenge']) seen.add(to.searchParams.get(name));
      expect(to.searchParams.get('code_challenge_method')).toBe('S256');
      expect(to.searchParams.get('redirect_uri')).toBe(`${service.url}/auth/oidc/callback`);
      expect(to.searchParams.get('state')).toMatch(new RegExp(`^${orgId}\\.`));
    }
    expect(seen.size).toBe(9);
    const answer = await new Person(service.url).send('GET', `oidc/start?org=${orgId}`);
    const form = /^orrery_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/;
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(form)]);
  });

  test('is kept over https in a cookie that no other host of the domain can set', async () => {
    const secure = await startService({
      databaseUrl: service.databaseUrl,
      settings: { publicUrl: 'https://crm.example.com' },
    });
    try {
      const [cookie] = (await new Person(secure.url).send('GET', `oidc/start?org=${orgId}`)).headers.getSetCookie();
      expect(cookie).toMatch(/^__Host-orrery_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    } finally {
      await secure.stop();
    }
  });

  test('is kept without the cookie of the session, which is for /auth alone', async () => {
    const person = await signedIn(service, orgId, member);
    const session = person.cookies.get('orrery_session') ?? '';
    await begun(person);
    const kept = Buffer.from(person.cookies.get('orrery_oidc') ?? '', 'base64url').toString();
    expect(kept).toContain(session.slice(0, 13));
    expect(kept).not.toContain(session.slice(14));
  });

  test('includes the verifier that belongs to the challenge', async () => {
    const person = new Person(service.url);
    const { back } = await begun(person);
    expect(await finish(person, back)).toBe(home());
    expect(provider.sent.get('code_verifier')?.length).toBeGreaterThanOrEqual(43);
  });
});

describe('a sign-in that somebody else has begun', () => {
  test('is not finished in another browser, nor without the cookie', async () => {
    const [one, two] = [new Person(service.url), new Person(service.url)];
    const [first, second] = [await begun(one), await begun(two)];
    expect(await finish(one, second.back)).toBe(`${home()}#sign-in=expired`);
    expect(await finish(new Person(service.url), first.back)).toBe(`${home()}#sign-in=expired`);
    expect(one.cookies.size).toBe(0);
  });

  test('is not finished twice', async () => {
    const person = new Person(service.url);
    const { back } = await begun(person);
    expect(await finish(person, back)).toBe(home());
    const cookies = new Map(person.cookies);
    expect(await finish(person, back)).toBe(`${home()}#sign-in=expired`);
    expect(person.cookies).toEqual(cookies);
  });

  test('replaces the session that the browser had', async () => {
    const other = await memberWith(admin, 'Viewer');
    const person = await signedIn(service, orgId, other);
    const before = person.bearer;
    expect(await ends(person)).toBe(home());
    await person.refresh();
    expect((await service.client(person.bearer).get('/self/')).body.data.principal_id).toBe(member.id);
    await sleep(1_000);
    expect((await service.client(before).get('/self/')).body.reason).toBe('session_ended');
  });
});

describe('a token', () => {
  const now = () => Math.floor(Date.now() / 1_000);
  test.each<[string, (usual: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>]>([
    ['with another nonce', (usual) => ({ ...usual, nonce: 'another' })],
    ['without a nonce', ({ nonce: _, ...usual }) => usual],
    ['for another client', (usual) => ({ ...usual, aud: 'another' })],
    ['of another issuer', (usual) => ({ ...usual, iss: 'https://issuer.example' })],
    ['that has expired', (usual) => ({ ...usual, exp: now() - 120 })],
    ['of the future', (usual) => ({ ...usual, iat: now() + 600, exp: now() + 900, nbf: now() + 600 })],
    ['without a subject', ({ sub: _, ...usual }) => usual],
  ])('%s is refused', async (_, change) => {
    provider.claims = (usual) => change({ ...usual, email: member.email });
    expect(await ends()).toBe(`${home()}#sign-in=provider`);
  });

  test.each([
    ['without a signature', { alg: 'none' }],
    ['signed with an unknown key', { kid: 'two' }],
    ['signed in another way', { alg: 'HS256' }],
  ])('%s is refused', async (_, header) => {
    provider.header = header;
    expect(await ends()).toBe(`${home()}#sign-in=provider`);
  });

  test('of a provider whose clock differs by less than a minute is believed', async () => {
    for (const seconds of [-45, 45]) {
      provider.claims = (usual) => ({
        ...usual,
        email: member.email,
        iat: now() + seconds,
        exp: now() + seconds + (seconds < 0 ? 10 : 300),
      });
      expect(await ends()).toBe(home());
    }
  });
});

describe('a provider', () => {
  test('that is down, broken or endless ends on our page, and works again when it does', async () => {
    const failing = [
      (_: string, response: import('node:http').ServerResponse) => {
        response.destroy();
        return true;
      },
      (path: string, response: import('node:http').ServerResponse) => {
        if (path !== '/token') return false;
        response.writeHead(500).end('<html>');
        return true;
      },
      (path: string, response: import('node:http').ServerResponse) => {
        if (path !== '/token') return false;
        response.setHeader('content-type', 'application/json');
        const more = () => {
          while (response.write('x'.repeat(65_536))) if (response.destroyed) return;
          response.once('drain', more);
        };
        more();
        return true;
      },
    ];
    for (const instead of failing) {
      provider.instead = (path, response) => (path === '/authorize' ? false : instead(path, response));
      expect(await ends()).toBe(`${home()}#sign-in=provider`);
    }
    provider.instead = () => false;
    expect(await ends()).toBe(home());
  });

  test('that is slow is given up after five seconds, and nobody else waits', async () => {
    provider.instead = (path) => path === '/token';
    const from = performance.now();
    const slow = ends();
    const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
    expect((await service.client(person.bearer).get('/self/')).status).toBe(200);
    expect(await slow).toBe(`${home()}#sign-in=provider`);
    expect(performance.now() - from).toBeGreaterThan(4_500);
  });

  test('that never answers keeps nobody of another org waiting', async () => {
    const { orgId: elsewhere, admin: foreign } = await administeredOrg(service);
    const silent = await FalseProvider.start();
    try {
      silent.instead = () => true;
      await use(elsewhere, silent.issuer);
      await memberWith(foreign, 'Administrator');
      const start = () => new Person(service.url).send('GET', `oidc/start?org=${elsewhere}`);
      const waiting = Array.from({ length: 40 }, start);
      expect(await ends()).toBe(home());
      const outcomes = (await Promise.all(waiting)).map((answer) => answer.headers.get('location')?.split('#')[1]);
      expect(new Set(outcomes)).toEqual(new Set(['sign-in=busy', 'sign-in=provider']));
      // It is not asked again at once.
      const from = performance.now();
      expect((await start()).headers.get('location')).toContain('#sign-in=provider');
      expect(performance.now() - from).toBeLessThan(2_000);
    } finally {
      await silent.close();
    }
  });

  test('that tells the address only to those who ask is believed if it verifies it there', async () => {
    const told = { sub: 'subject', email: member.email };
    for (const [verified, at] of [
      [true, home()],
      [false, `${home()}#sign-in=refused`],
    ] as const) {
      const asking = await FalseProvider.start();
      try {
        const { orgId: own, admin: boss } = await administeredOrg(service);
        await use(own, asking.issuer);
        const person = await memberWith(boss, 'Viewer');
        // The token vouches for no address: that it has `email_verified` says nothing about another one.
        asking.person = { ...told, email: person.email, email_verified: verified };
        expect(await signInThrough(new Person(service.url), own, asking.issuer)).toBe(
          at.replace(`org=${orgId}`, `org=${own}`),
        );
      } finally {
        await asking.close();
      }
    }
  });

  test('that says no, or that the person has cancelled, signs nobody in', async () => {
    const person = new Person(service.url);
    const { back } = await begun(person);
    const state = back.searchParams.get('state') ?? '';
    const cancelled = new URL(`${service.url}/auth/oidc/callback?error=access_denied&state=${state}`);
    expect(await finish(person, cancelled)).toBe(`${home()}#sign-in=cancelled`);
    const second = new Person(service.url);
    const { back: other } = await begun(second);
    const failed = `error=server_error&state=${other.searchParams.get('state')}`;
    const at = await finish(second, new URL(`${service.url}/auth/oidc/callback?${failed}`));
    expect(at).toBe(`${home()}#sign-in=provider`);
  });
});

describe('the way back', () => {
  test('leads to pages of the console only', async () => {
    const wanted = '/console/objects/svc_deal?org=1';
    const kept = new Person(service.url);
    const { back } = await begun(kept, `org=${orgId}&return_to=${encodeURIComponent(wanted)}`);
    expect(await finish(kept, back)).toBe(wanted);
    const elsewhere = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/console/../../evil',
      '/console//evil.example\r\nSet-Cookie: a=b',
      '/rest/v1/',
      'javascript:alert(1)',
      '/console/%0d%0aSet-Cookie:%20a=b',
    ];
    for (const address of elsewhere) {
      const person = new Person(service.url);
      const started = await begun(person, `org=${orgId}&return_to=${encodeURIComponent(address)}`);
      const at = await finish(person, started.back);
      expect(at?.startsWith('/console/'), `${address} led to ${at}`).toBe(true);
      expect([...person.cookies.keys()]).toEqual(['orrery_session']);
    }
  });

  test('survives a cookie that is not ours', async () => {
    for (const value of [
      'x',
      'e30',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('null').toString('base64url'),
    ]) {
      const person = new Person(service.url);
      person.cookies.set('orrery_oidc', value);
      const answer = await person.send('GET', 'oidc/callback?code=a&state=1.x');
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('/console/?org=1#sign-in=expired');
    }
  });
});
