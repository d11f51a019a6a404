// The commands of signing in: links and invitations for members, and the OpenID provider of an org.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { administeredOrg, auditOf } from '../support/platform/administrator.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person } from '../support/sign-in/person.ts';

let service: TestService;
let folder: string;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'orrery-sign-in-'));
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (name: string, argument: string, options: object = {}) =>
  runCommand(service.databaseUrl, name, argument, { org: String(orgId), ...options });

describe.each([
  ['member link', false],
  ['member invite', true],
] as const)('%s', (name, invitation) => {
  test('prints a link that signs the member in once, and is in the audit', async () => {
    const member = await memberWith(admin, 'Viewer');
    const { value, text } = await run(name, member.email);
    const { link, ...rest } = value as { readonly link: string };
    expect(rest).toEqual({ org_id: orgId, member_id: member.id, expires_at: expect.stringMatching(/Z$/) });
    expect(text).toContain(link);
    const [address, token = ''] = link.split('#link=');
    expect(address).toBe('http://127.0.0.1:4610/console/');
    const shown = await new Person(service.url).post('link/show', { token });
    expect(shown.body.data).toMatchObject({ invitation, member: { id: member.id } });
    expect((await new Person(service.url).open(token)).status).toBe(200);
    const about = (await auditOf(admin)).filter(({ properties }) => properties['svc_record_id'] === member.id);
    expect(about.map(({ properties }) => properties['svc_detail'])).toContain(
      invitation ? 'invitation' : 'one-time link',
    );
  });

  test('refuses an unknown address, and a member who cannot sign in', async () => {
    expect((await run(name, 'nobody@example.com')).failure?.message).toContain('has no member with the email address');
    const inactive = await memberWith(admin, 'Viewer', { svc_active: false });
    expect((await run(name, inactive.email)).failure?.message).toContain('is not active');
    const without = await admin.post('/objects/svc_member/records/', {
      properties: { svc_name: 'None', svc_email: `${invitation}@example.com` },
    });
    expect(without.status).toBe(201);
    expect((await run(name, `${invitation}@example.com`)).failure?.message).toContain('has no role');
  });
});

describe('oidc', () => {
  const facts = { issuer: 'https://id.example.com', clientId: 'orrery' };
  const secretFile = async (content: string) => {
    const file = join(folder, `secret-${Math.random()}`);
    await writeFile(file, content);
    return file;
  };

  test('set, show and remove tell what is set, never the secret, and are in the audit', async () => {
    expect(await run('oidc show', '')).toMatchObject({ value: null });
    const clientSecretFile = await secretFile('top-secret-of-the-provider\n');
    const options = { ...facts, clientSecretFile, provision: 'Member', emailDomain: ['Example.com', 'example.org'] };
    const wanted = {
      org_id: orgId,
      issuer: facts.issuer,
      client_id: 'orrery',
      provision: 'Member',
      email_domains: ['example.com', 'example.org'],
    };
    const set = await run('oidc set', '', options);
    expect(set.value).toEqual(wanted);
    const shown = await run('oidc show', '');
    expect(shown.value).toEqual(wanted);
    expect(`${set.text}${shown.text}`).not.toContain('top-secret');
    expect((await new Person(service.url).post('ways', { org_id: orgId })).body.data.oidc).toBe('id.example.com');
    expect((await run('oidc unbind', 'nobody@example.com')).failure?.message).toContain('has no member');
    const member = await memberWith(admin, 'Viewer');
    const unbound = await run('oidc unbind', member.email);
    expect(unbound.value).toEqual({ org_id: orgId, member_id: member.id, unbound: 0 });
    expect(unbound.text).toContain('has not signed in with a provider yet');
    expect((await run('oidc remove', '')).value).toEqual({ org_id: orgId, removed: true });
    expect((await run('oidc remove', '')).value).toEqual({ org_id: orgId, removed: false });
    const details = (await auditOf(admin)).map(({ properties }) => properties['svc_detail']);
    expect(details).toEqual(expect.arrayContaining(['oidc provider set', 'oidc provider removed']));
    expect(JSON.stringify(details)).not.toContain('top-secret');
  });

  test('set refuses what cannot work, in one sentence', async () => {
    const good = { ...facts, clientSecretFile: await secretFile('secret') };
    const refused = async (options: object) => (await run('oidc set', '', { ...good, ...options })).failure?.message;
    for (const issuer of ['http://id.example.com', 'id.example.com', 'https://u:p@id.example.com', 'https://a/?b']) {
      expect(await refused({ issuer })).toContain('--issuer must be the https address');
    }
    expect(await refused({ clientSecretFile: join(folder, 'missing') })).toContain('cannot be read');
    expect(await refused({ clientSecretFile: await secretFile('two words') })).toContain('and nothing else');
    expect(await refused({ provision: 'Member' })).toContain('--provision needs at least one --email-domain');
    expect(await refused({ emailDomain: ['example.com'] })).toContain('--provision needs at least one --email-domain');
    const domain = ['not a domain'];
    expect(await refused({ provision: 'Member', emailDomain: domain })).toContain('--email-domain must be a domain');
    const admins = { provision: 'Administrator', emailDomain: ['example.com'] };
    expect(await refused(admins)).toBe('Nobody becomes Administrator by signing in.');
    expect(await refused({ ...admins, provision: 'Nothing' })).toContain('has no role "Nothing"');
    expect((await run('oidc show', '')).value).toBeNull();
    expect((await run('oidc set', '', { ...good, issuer: 'http://127.0.0.1:9000' })).failure).toBeUndefined();
  });
});
