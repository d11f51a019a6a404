import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../src/cli/all.ts';
import {
  createFolder,
  createStorage,
  orreryJson,
  runHere,
  runOrrery,
  type ServeProcess,
  type Storage,
  startServe,
} from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { root } from '../support/repository.ts';

let storage: Storage;
let service: ServeProcess;
let folder: string;
const on = () => storage.args;

beforeAll(async () => {
  storage = await createStorage();
  folder = await createFolder();
  service = await startServe(on());
});
afterAll(async () => {
  await service.stop();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Key {
  readonly key_id: string;
  readonly key: string;
}

async function newOrg(...more: readonly string[]): Promise<string> {
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...more, ...on()]);
  return String(org_id);
}

test('every command has help with an example that begins with its own name', async () => {
  const helps = await Promise.all(
    commands.map(async ({ name }) => ({ name, ...(await runHere([...name.split(' '), '--help'])) })),
  );
  for (const { name, status, stdout } of helps) {
    expect(status, name).toBe(0);
    expect(stdout, name).toContain('Example:');
    expect(stdout.split('Example:')[1], name).toContain(`orrery ${name}`);
    expect(stdout, name).toContain('--json');
  }
});

test('an org is created and listed, and two orgs may have the same name', async () => {
  const first = await orreryJson<Record<string, unknown>>(['org', 'create', 'Twin Ltd', '--currency', 'EUR', ...on()]);
  expect(first).toEqual({ org_id: expect.any(Number), name: 'Twin Ltd' });
  const second = await orreryJson<{ org_id: number }>(['org', 'create', 'Twin Ltd', '--rate-limit', '10/5', ...on()]);
  expect(second.org_id).not.toBe(first['org_id']);
  const list = await orreryJson<readonly Record<string, unknown>[]>(['org', 'list', ...on()]);
  expect(list).toContainEqual(expect.objectContaining({ ...first, currency: 'EUR' }));
  expect(list).toContainEqual(
    expect.objectContaining({ org_id: second.org_id, rate_limit: { quota: 10, window_seconds: 5 } }),
  );
});

test('the global flags may be given anywhere', async () => {
  const { status, stdout } = await runOrrery(['--json', ...on(), 'org', 'list']);
  expect(status).toBe(0);
  expect(Array.isArray(JSON.parse(stdout))).toBe(true);
  const between = await runOrrery(['org', ...on(), 'list', '--json']);
  expect(Array.isArray(JSON.parse(between.stdout))).toBe(true);
});

test.each(['member', 'user'])('a %s is created and listed', async (word) => {
  const org = await newOrg();
  const args = [word, 'create', '--org', org, '--name', 'Ada Lovelace', '--email', 'ada@example.com', ...on()];
  const user = await orreryJson<Record<string, unknown>>(args);
  expect(user).toEqual({
    user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    member_id: user['user_id'],
    org_id: Number(org),
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  });
  const list = await orreryJson<readonly unknown[]>([word, 'list', '--org', org, ...on()]);
  expect(list).toEqual([{ ...user, active: true, created_at: expect.any(String) }]);
});

test('a new key works immediately in the running service, until it is revoked', async () => {
  const org = await newOrg();
  const { key, key_id } = await orreryJson<Key>(['key', 'create', '--org', org, '--name', 'sync', ...on()]);
  expect(key).toMatch(/^svc_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
  const client = new Client(service.url, key);
  const self = await client.get('/self/');
  expect(self.body.data).toMatchObject({ org_id: Number(org), credential: { id: key_id, name: 'sync' } });
  await orreryJson(['key', 'revoke', key_id, ...on()]);
  await expect.poll(async () => (await client.get('/self/')).body.reason).toBe('key_revoked');
});

test('a rotated key has the same id, and its old secret works for the grace period', async () => {
  const org = await newOrg();
  const old = await orreryJson<Key>(['key', 'create', '--org', org, ...on()]);
  const graceful = await orreryJson<Key>(['key', 'rotate', old.key_id, '--grace', '1h', ...on()]);
  expect(graceful.key_id).toBe(old.key_id);
  expect(graceful.key).not.toBe(old.key);
  await expect.poll(async () => (await new Client(service.url, graceful.key).get('/self/')).status).toBe(200);
  expect((await new Client(service.url, old.key).get('/self/')).status).toBe(200);
  const abrupt = await orreryJson<Key>(['key', 'rotate', old.key_id, '--grace', '0s', ...on()]);
  await expect.poll(async () => (await new Client(service.url, graceful.key).get('/self/')).status).toBe(401);
  expect((await new Client(service.url, abrupt.key).get('/self/')).status).toBe(200);
  // A grace period that was still running ends with the shorter one.
  expect((await new Client(service.url, old.key).get('/self/')).body.reason).toBe('key_expired');
});

test('a key has the grants, reach, user and expiry that were asked for', async () => {
  const org = await newOrg();
  const { user_id } = await orreryJson<{ user_id: string }>(['user', 'create', '--org', org, '--name', 'Ada', ...on()]);
  const args = ['key', 'create', '--org', org, '--user', user_id, '--reach', 'user', '--expires', '90d'];
  const grants = ['--grant', 'svc_contact,svc_company:read,update', '--grant', 'svc_deal:read'];
  const { key, key_id } = await orreryJson<Key>([...args, ...grants, ...on()]);
  const { body } = await new Client(service.url, key).get('/self/');
  expect(body.data).toMatchObject({
    principal_id: user_id,
    reach: 'user',
    grants: [
      { object_types: ['svc_contact', 'svc_company'], operations: ['read', 'update'] },
      { object_types: ['svc_deal'], operations: ['read'] },
    ],
  });
  const days = (Date.parse(body.data.credential.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThan(90.1);
  const list = await orreryJson<readonly Record<string, unknown>[]>(['key', 'list', '--org', org, ...on()]);
  expect(list).toEqual([expect.objectContaining({ key_id, user_id, reach: 'user' })]);
  expect(JSON.stringify(list)).not.toContain(key);
  await expect
    .poll(async () => (await orreryJson<readonly object[]>(['key', 'list', '--org', org, ...on()]))[0])
    .toHaveProperty('last_used_at');
});

test('a key hides and locks what its grant says, and is explained', async () => {
  const org = await newOrg();
  const grant = 'svc_contact:read,update;hide=svc_phone_number;lock=svc_email';
  const { key, key_id } = await orreryJson<Key>(['key', 'create', '--org', org, '--grant', grant, ...on()]);
  const { body } = await new Client(service.url, key).get('/objects/svc_contact/');
  const { properties } = body.data as { properties: readonly { name: string; read_only: boolean }[] };
  expect(properties.some(({ name }) => name === 'svc_phone_number')).toBe(false);
  expect(properties).toContainEqual(expect.objectContaining({ name: 'svc_email', read_only: true }));
  const explained = await orreryJson<{ object_types: readonly object[] }>(['key', 'explain', key_id, ...on()]);
  expect(explained.object_types).toMatchObject([
    { object_type: 'svc_contact', operations: ['read', 'update'], locked_properties: ['svc_email'], records: 0 },
  ]);
});

test('an applied schema is served immediately, shown as it was applied, and applied again without effect', async () => {
  const org = await newOrg();
  const { key } = await orreryJson<Key>(['key', 'create', '--org', org, ...on()]);
  const client = new Client(service.url, key);
  expect((await client.get('/objects/pet/')).status).toBe(404);
  const file = {
    object_types: [
      { name: 'pet', label: 'Pet', kind: 'person', properties: [{ name: 'age', label: 'Age', field_type: 'number' }] },
    ],
    properties: { svc_contact: [{ name: 'vip', label: 'VIP', field_type: 'boolean' }] },
    labels: { svc_deal: { label: 'Opportunity', properties: { svc_name: 'Title' } } },
    association_types: [
      { name: 'pet_to_contact', source: 'pet', target: { kind: 'person' }, cardinality: 'many_to_many' },
    ],
  };
  const path = join(folder, 'schema.json');
  await writeFile(path, JSON.stringify(file));
  await orreryJson(['schema', 'apply', '--org', org, path, ...on()]);
  await expect.poll(async () => (await client.get('/objects/pet/')).status).toBe(200);
  const shown = await orreryJson<object>(['schema', 'show', '--org', org, ...on()]);
  expect(shown).toEqual(file);
  await writeFile(path, JSON.stringify(shown));
  await orreryJson(['schema', 'apply', '--org', org, path, ...on()]);
  expect(await orreryJson(['schema', 'show', '--org', org, ...on()])).toEqual(file);
});

test('schema apply names what it added and what it changed, and says that nothing changed', async () => {
  const org = await newOrg();
  const path = join(folder, 'growing.json');
  const apply = async (file: object, ...more: readonly string[]) => {
    await writeFile(path, JSON.stringify(file));
    const { stdout } = await runHere(['schema', 'apply', '--org', org, path, ...more, ...on()]);
    return stdout.trim();
  };
  const name = { name: 'name', label: 'Name', field_type: 'text' };
  const size = { name: 'size', label: 'Size', field_type: 'select', options: [{ value: 's', label: 'Small' }] };
  const pet = { name: 'pet', label: 'Pet', title_property: 'name', properties: [name, size] };
  const owner = { name: 'pet_owner', source: 'pet', target: 'svc_contact', cardinality: 'many_to_one' };
  const file = { object_types: [pet], association_types: [owner] };
  expect(await apply(file)).toBe(
    [
      `Schema of org ${org}:`,
      '  added 1 object type: pet',
      '  added 2 properties: pet.name, pet.size',
      '  added 1 option: pet.size=s',
      '  added 1 association type: pet_owner',
    ].join('\n'),
  );
  expect(await apply(file)).toBe(`Schema of org ${org}: no changes.`);
  const changed = {
    object_types: [{ ...pet, label: 'Animal', properties: [{ ...name, required: true }, size] }],
    properties: {
      svc_contact: Array.from({ length: 22 }, (_, index) => ({ ...name, name: `p${index}` })),
    },
    labels: { svc_deal: { label: 'Chance', properties: { svc_name: 'Title' } } },
  };
  expect(await apply(changed)).toBe(
    [
      `Schema of org ${org}:`,
      `  added 22 properties: ${Array.from({ length: 20 }, (_, index) => `svc_contact.p${index}`).join(', ')} and 2 more`,
      '  changed 2 object types: pet, svc_deal',
      '  changed 2 properties: pet.name, svc_deal.svc_name',
    ].join('\n'),
  );
  const none = { object_types: [], properties: [], options: [], association_types: [] };
  const large = [{ value: 'l', label: 'Large' }];
  const larger = { object_types: [{ ...pet, properties: [name, { ...size, options: [...size.options, ...large] }] }] };
  expect(JSON.parse(await apply(larger, '--json'))).toEqual({
    org_id: Number(org),
    applied: true,
    added: { ...none, options: ['pet.size=l'] },
    changed: { ...none, object_types: ['pet'] },
  });
});

test('db status shows the state of the database, and migrating again does nothing', async () => {
  const migrations = (await readFile(join(root, 'src/store/migrations/0001-foundation.sql'), 'utf8')).length;
  expect(migrations).toBeGreaterThan(0);
  const status = await orreryJson<Record<string, unknown>>(['db', 'status', ...on()]);
  expect(status).toMatchObject({ pending: [], engine: storage.folder === undefined ? 'server' : 'embedded' });
  expect(status['current']).toBe(status['latest']);
  expect(await orreryJson(['db', 'migrate', ...on()])).toEqual({ applied: [], current: status['latest'] });
});

test('a healthy installation passes the doctor', async () => {
  const { status, stdout } = await runHere(['doctor', '--json', ...on()]);
  expect(status).toBe(0);
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: readonly { check: string }[] };
  expect(healthy).toBe(true);
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['node', 'port', 'database', 'clock', 'migrations', 'keys']),
  );
});

test('every setting is shown with its source, and no password', async () => {
  const env = { DATABASE_URL: 'postgres://me:hunter2@db.example/crm', ORRERY_PORT: '8080' };
  const settings = await orreryJson<readonly Record<string, unknown>[]>(['config'], { env });
  expect(settings).toContainEqual(expect.objectContaining({ name: 'port', value: '8080', source: 'environment' }));
  expect(settings).toContainEqual(expect.objectContaining({ name: 'host', value: '127.0.0.1', source: 'default' }));
  expect(JSON.stringify(settings)).not.toContain('hunter2');
  const { release } = await orreryJson<{ release: string }>(['version']);
  expect(release).toBe(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
});
