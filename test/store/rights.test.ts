// The rights in the database that the guide asks for, line by line: they are enough for the service and every command.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { openReady } from '../../src/store/driver/open.ts';
import { readPosition } from '../../src/store/feed/position.ts';
import { createFolder, startServe } from '../support/cli.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { contacts } from '../support/records.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';
import { databaseCommands, runEveryCommand } from '../support/store/every-command.ts';
import { openPasswordServer, type PasswordServer } from '../support/store/password-server.ts';

let server: PasswordServer;
let folder: string;
/** The lines of the guide: the owner, two grants that it can do without, the user of the service, and that one's rights. */
let lines: readonly string[];
beforeAll(async () => {
  server = await openPasswordServer();
  folder = await createFolder();
  const guide = await readFile(join(root, 'docs/operate.md'), 'utf8');
  const section = guide.split(/^### Rights in the database$/m)[1]?.split(/^### /m)[0] ?? '';
  lines = [...section.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, text = '']) => text);
  expect(lines).toHaveLength(5);
  const [owner = ''] = lines;
  // One by one: a database is created outside of any transaction.
  for (const statement of owner.split(/(?<=;)\n/)) await asAdministrator(statement);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const asAdministrator = (text: string, database = 'postgres') => rawQuery(server.adminUrl(database), text);
const passwordOf = (text: string) => /password '([^']+)'/.exec(text)?.[1] ?? '';
const ownerUrl = () => server.urlOf('orrery', passwordOf(lines[0] ?? ''), 'orrery');
const serviceUrl = () => server.urlOf('orrery_service', passwordOf(lines[3] ?? ''), 'orrery');

async function whileServing<T>(databaseUrl: string, run: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startService({ databaseUrl });
  try {
    return await run(service);
  } finally {
    await service.stop();
  }
}

async function everyCommand(databaseUrl: string, except: readonly string[]): Promise<readonly string[]> {
  const own = await mkdtemp(join(folder, 'files-'));
  return whileServing(databaseUrl, (service) => runEveryCommand(service, own, except));
}

/** Refuses the functions about the files of the server, its log, and receiving one, in a database that calls itself Aurora. */
async function likeAurora(database: string): Promise<void> {
  await asAdministrator(
    `do $$ declare refused regprocedure; begin
      for refused in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ (
        '^pg_(control_(checkpoint|recovery)|ls_.*|read_(binary_)?file|stat_file|get_wal_.*|last_(wal|xact)_.*|switch_wal|'
        'stat_get_wal(_receiver)?|create_restore_point|backup_.*|wal_replay_.*|is_wal_replay_.*|promote|'
        'current_wal_.*|walfile_.*)$')
      loop execute format('revoke execute on function %s from public', refused); end loop;
    end $$;
    create function pg_catalog.aurora_version() returns text language sql as $$ select '16.4.1' $$;
    create function pg_catalog.aurora_replica_status() returns table (session_id text, last_update_timestamp timestamptz)
      language sql as $$ values ('MASTER_SESSION_ID', now()) $$`,
    database,
  );
}

test('the owner of the tables has no right over the server, and runs the service and every command', async () => {
  const { rows } =
    await asAdministrator(`select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
    or exists (select from pg_auth_members where member = r.oid) as powerful from pg_roles as r where rolname = 'orrery'`);
  expect(rows).toEqual([{ powerful: false }]);
  expect(new Set(await everyCommand(ownerUrl(), []))).toEqual(new Set(databaseCommands));
});

test('doctor names the grants that are missing, and has nothing to say once they are given', async () => {
  const advice = async () => {
    const { value } = await runCommand(ownerUrl(), 'doctor', '', {});
    const { findings } = value as { readonly findings: readonly Finding[] };
    return findings.flatMap(({ fix }) => (fix?.includes('grant ') ? [`${/grant [^.]*/.exec(fix)?.[0]};\n`] : []));
  };
  const grants = lines.slice(1, 3);
  expect(new Set(await advice())).toEqual(new Set(grants));
  for (const grant of grants) await asAdministrator(grant);
  expect(await advice()).toEqual([]);
});

test.each(['serve', 'demo'])('the owner runs %s', async (command) => {
  const serving = await startServe(['--database-url', ownerUrl()], {}, command);
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
  expect((await serving.stop()).status).toBe(0);
});

test('a user who may not change tables begins a life of the log after a recovery, and reads how far it went', async () => {
  await asAdministrator(lines[3] ?? '');
  await rawQuery(ownerUrl(), lines[4] ?? '');
  await asAdministrator('delete from orrery.change_mark', 'orrery');
  const database = await openReady({ engine: 'server', url: serviceUrl() });
  const { life, log } = await readPosition(database);
  // As on a server that was promoted, of which more is asked.
  const [begun] = await database.query<{ timeline: number }>(sql`
    select l.timeline, orrery.recovered_to(l.timeline - 1, l.timeline) as promoted from orrery.change_life as l
    where l.identity = ${life}`);
  await database.close();
  expect(begun).toEqual({ timeline: 1, promoted: null });
  expect(Number(log)).toBeGreaterThan(0);
});

test('that user runs the service and every command but two, on Amazon Aurora as well', async () => {
  await likeAurora('orrery');
  await asAdministrator('delete from orrery.change_mark', 'orrery');
  const except = ['db migrate', 'db restore'];
  expect(await everyCommand(serviceUrl(), except)).toHaveLength(databaseCommands.length - except.length);
  await expect(rawQuery(serviceUrl(), 'create table orrery.mine ()')).rejects.toThrow('permission denied');
  await expect(rawQuery(serviceUrl(), 'drop table orrery.record')).rejects.toThrow('must be owner');
});

test('of a new release, that user is told who must make the tables', async () => {
  const { rows } = await rawQuery(
    ownerUrl(),
    'delete from orrery.migration where number = (select max(number) from orrery.migration) returning number, name, checksum',
  );
  const refused = await startService({ databaseUrl: serviceUrl() }).catch((error: unknown) => error);
  await rawQuery(
    ownerUrl(),
    'insert into orrery.migration (number, name, checksum) values ($1, $2, $3)',
    Object.values(rows[0]),
  );
  expect(refused).toMatchObject({ fix: expect.stringContaining('run "orrery db migrate" as the user who owns them') });
  const file = join(folder, 'refused.backup');
  expect((await runCommand(serviceUrl(), 'db backup', file, {})).failure).toBeUndefined();
  const { failure } = await runCommand(serviceUrl(), 'db restore', file, { discard: true });
  expect(failure?.fix).toMatch(/^Let it own the schema/);
});

test('a restore by the owner goes on while the other user serves, and leaves its rights as they are', async () => {
  const file = join(folder, 'before.backup');
  await whileServing(serviceUrl(), async (service) => {
    const client = await service.newClient();
    const create = () => client.post(contacts, { properties: { svc_first_name: 'Ada' } });
    expect((await create()).status).toBe(201);
    expect((await runCommand(serviceUrl(), 'db backup', file, {})).failure).toBeUndefined();
    expect((await runCommand(ownerUrl(), 'db restore', file, { discard: true })).failure).toBeUndefined();
    await expect.poll(async () => (await create()).status).toBe(201);
  });
  expect((await runCommand(serviceUrl(), 'org create', 'After', {})).failure).toBeUndefined();
});

test('Amazon Aurora refuses nothing that the tables, the service, a restore and doctor need', async () => {
  await asAdministrator('create database aurora template template0');
  await asAdministrator('grant create on database aurora to orrery');
  await likeAurora('aurora');
  const url = ownerUrl().replace('/orrery?', '/aurora?');
  await expect(rawQuery(url, 'select pg_control_checkpoint()')).rejects.toThrow('permission denied');
  await whileServing(url, async (service) => {
    const client = await service.newClient();
    expect((await client.post(contacts, { properties: { svc_first_name: 'Ada' } })).status).toBe(201);
    expect((await client.get('/changes/')).status).toBe(200);
  });
  const { failure } = await runCommand(url, 'db restore', join(folder, 'before.backup'), { discard: true });
  expect(failure).toBeUndefined();
  expect((await runCommand(url, 'doctor', '', {})).text).toContain('Amazon Aurora keeps copies');
});
