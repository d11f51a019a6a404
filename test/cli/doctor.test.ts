// The findings of doctor, each one provoked: on the machine, in the data folder, in the server and in the tables.
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOpenDatabase } from '../../src/cli/doctor/check-database.ts';
import { checkMachine } from '../../src/cli/doctor/check-machine.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { type Config, type Flags, readConfig } from '../../src/config.ts';
import { findOldestTransaction } from '../../src/store/driver/health.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'orrery-doctor-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const ask = (text: string) => rawQuery(service.databaseUrl, text);

/** The finding of one check of the machine, with these settings. */
async function ofMachine(check: string, flags: Flags): Promise<Finding | undefined> {
  const findings = await checkMachine(readConfig({ port: '0', ...flags }, {}));
  return findings.find((each) => each.check === check);
}

/** The findings about the database, read over a new connection. */
async function ofDatabase(flags: Flags = {}): Promise<ReadonlyMap<string, Finding>> {
  const config: Config = readConfig({ databaseUrl: service.databaseUrl, ...flags }, {});
  const database = await openUnmigrated(config.place);
  try {
    const { findings } = await checkOpenDatabase(config, database);
    for (const each of findings) expect(each.ok || each.fix !== undefined, each.check).toBe(true);
    return new Map(findings.map((each) => [each.check, each]));
  } finally {
    await database.close();
  }
}

test('warns of sign-in over plain http to other machines, and says what to do', async () => {
  const told = async (flags: Flags) => (await ofMachine('sign-in', flags))?.fix;
  for (const plain of [{ host: '0.0.0.0' }, { host: '10.0.0.7' }, { publicUrl: 'http://crm.example.com' }]) {
    expect(await told(plain)).toContain('--public-url');
  }
  for (const safe of [{}, { host: '::1' }, { host: '0.0.0.0', publicUrl: 'https://crm.example.com' }]) {
    expect(await told(safe)).toBeUndefined();
  }
});

test('a healthy database has no bad finding', async () => {
  const { key } = await service.createKey(await service.createOrg());
  const findings = [...(await ofDatabase()).values()];
  // The server of the tests may not wait for the disk, which the doctor sees.
  const { rows } = await rawQuery(service.databaseUrl, "select current_setting('fsync') as fsync");
  const bad = rows[0]?.fsync === 'on' ? [] : ['durability'];
  expect(findings.filter((each) => !each.ok).map(({ check }) => check)).toEqual(bad);
  const checks = [
    'database',
    'transport',
    'clock',
    'durability',
    'replication',
    'connections',
    'temporary files',
    'transactions',
    'migrations',
    'statistics',
    'keys',
    'members',
  ];
  expect(findings.map(({ check }) => check)).toEqual([...checks, 'storage', 'indexes', 'housekeeping']);
  expect(JSON.stringify(findings)).not.toContain(key);
});

test.each([
  ['plain_text', 'in plain text', true],
  ['tls_unverified', 'not checked', true],
  ['tls_verified', 'is checked', false],
  ['local', 'on this machine', false],
] as const)('doctor names the transport %s, and never as an error', async (transport, words, isNote) => {
  const config = readConfig({ databaseUrl: service.databaseUrl }, {});
  const { database } = service;
  const facts = { ...database.facts, transport };
  const { findings } = await checkOpenDatabase(config, { ...database, facts });
  const found = findings.find(({ check }) => check === 'transport');
  expect(found).toMatchObject({ ok: true, detail: expect.stringContaining(words) });
  expect(found?.fix !== undefined).toBe(isNote);
});

test('little free space is reported, and a full disk by its name', async () => {
  const space = async (freeBytes: number) => {
    const restore = lowerBounds({ store: { diskSpareBytes: freeBytes } });
    try {
      return await ofMachine('disk', { dataDir: folder });
    } finally {
      restore();
    }
  };
  expect((await space(0))?.detail).toMatch(/MiB are free/);
  expect(await space(Number.POSITIVE_INFINITY)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('The disk of the data folder is full'),
  });
});

test('settings that lose data, and too few connections, are reported with what to set', async () => {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await ask(`alter database ${name} set synchronous_commit = off`);
  try {
    const found = (await ofDatabase({ workers: '24' })).get('durability');
    expect(found).toMatchObject({ ok: false, fix: expect.stringContaining('synchronous_commit = on') });
  } finally {
    await ask(`alter database ${name} reset synchronous_commit`);
  }
  const { rows } = await ask("select current_setting('max_connections')::int as most");
  const connections = (await ofDatabase({ workers: '24' })).get('connections');
  expect(connections?.ok).toBe(rows[0].most >= 24 * 4 + 5 + 3);
});

test('a forgotten transaction is found', async () => {
  const release = await holdRow(service.databaseUrl, "set application_name = 'forgotten'; select 1");
  const oldest = await findOldestTransaction(service.database);
  await release();
  expect(oldest?.seconds).toBeGreaterThan(0);
});

test('keys that expire soon, orgs without a key, and entries past their retention are reported, but are not errors', async () => {
  const orgId = await service.createOrg();
  const { credentialId } = await service.createKey(await service.createOrg(), {
    expiresAt: new Date(Date.now() + 5 * 86_400_000),
  });
  await ask(`insert into orrery.trash (org_id, type_id, id, version, updated_at, org_visible, properties, deleted_at)
    values (${orgId}, 1, gen_random_uuid(), 1, now(), true, '{}', now() - interval '40 days')`);
  await ask(
    `insert into orrery.property_index (org_id, type_id, property_id, state) values (${orgId}, 1, 3, 'building')`,
  );
  const findings = await ofDatabase();
  expect(findings.get('keys')).toMatchObject({ ok: true, fix: expect.any(String) });
  expect(findings.get('keys')?.detail).toContain(`Without a working key: org ${orgId}.`);
  expect(findings.get('keys')?.detail).toContain(`Expiring within 14 days: ${credentialId}.`);
  expect(findings.get('housekeeping')).toMatchObject({ ok: true, detail: expect.stringContaining(`org ${orgId}`) });
  expect(findings.get('indexes')?.detail).toMatch(/Being built: svc_contact\.\w+ of org/);
});

test('large tables without statistics, and pending migrations, are errors', async () => {
  // PostgreSQL could otherwise make the statistics by itself before anybody looks.
  await ask(`create table orrery.large with (autovacuum_enabled = false)
    as select repeat(md5(g::text), 30) as text from generate_series(1, 10000) as g`);
  try {
    expect((await ofDatabase()).get('statistics')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('large'),
    });
    await ask('analyze orrery.large');
    expect((await ofDatabase()).get('statistics')?.ok).toBe(true);
  } finally {
    await ask('drop table orrery.large');
  }
  const { rows } = await ask(
    'delete from orrery.migration where number = (select max(number) from orrery.migration) returning *',
  );
  const [last] = rows;
  expect((await ofDatabase()).get('migrations')).toMatchObject({ ok: false, fix: 'Run "orrery db migrate".' });
  await rawQuery(service.databaseUrl, 'insert into orrery.migration (number, name, checksum) values ($1, $2, $3)', [
    last.number,
    last.name,
    last.checksum,
  ]);
});

test('a port is free, used by Orrery, or used by another program', async () => {
  expect(await ofMachine('port', { port: String(service.port) })).toMatchObject({ ok: true });
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  const port = String((other.address() as AddressInfo).port);
  expect(await ofMachine('port', { port })).toMatchObject({ ok: false, fix: expect.stringContaining('--port') });
  await new Promise((resolve) => {
    other.close(resolve);
  });
  expect((await ofMachine('port', { port }))?.detail).toContain('is free');
});

test('a data folder that others can write to or read secrets from is an error', async () => {
  expect((await ofMachine('data folder', { dataDir: join(folder, 'none') }))?.detail).toContain(
    'first start creates it',
  );
  const dataDir = join(folder, 'open');
  await mkdir(dataDir, { mode: 0o700 });
  expect(await ofMachine('data folder', { dataDir })).toMatchObject({ ok: true });
  await chmod(dataDir, 0o777);
  expect(await ofMachine('data folder', { dataDir })).toMatchObject({
    ok: false,
    fix: expect.stringContaining('chmod'),
  });
  await writeFile(join(dataDir, 'demo.env'), 'ORRERY_KEY=svc_live_secret');
  await chmod(join(dataDir, 'demo.env'), 0o644);
  const found = await ofMachine('private files', { dataDir });
  expect(found).toMatchObject({ ok: false, fix: expect.stringContaining('chmod 600') });
  expect(JSON.stringify(found)).not.toContain('svc_live');
  await writeFile(join(folder, 'file'), '');
  expect(await ofMachine('data folder', { dataDir: join(folder, 'file') })).toMatchObject({ ok: false });
  const long = join(folder, 'a'.repeat(100));
  await mkdir(long, { mode: 0o700 });
  expect((await ofMachine('socket', { dataDir: long }))?.detail).toContain('too long');
});

test('programs of earlier PostgreSQL versions are reported, and the next start of the database removes them', async () => {
  const dataDir = join(folder, 'upgraded');
  await mkdir(join(dataDir, 'engine-17.0.0', 'native'), { recursive: true });
  expect((await ofMachine('engine copies', { dataDir }))?.detail).toContain('engine-17.0.0');
  const server = await openEmbedded(dataDir);
  await server.close();
  expect((await readdir(dataDir)).filter((name) => name === 'engine-17.0.0')).toEqual([]);
});
