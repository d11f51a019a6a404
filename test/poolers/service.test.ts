// What a service and its commands do by way of a pooler with session pooling, as the guide configures it: requests beside each
// other, waiting readers, imports, backups, and all that a session keeps.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { tryKeepLock } from '../../src/store/locks.ts';
import { item, succeed } from '../support/batch.ts';
import { createFolder } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { type Pooler, pgbouncerPath, startPooler } from '../support/poolers/pgbouncer.ts';
import { query } from '../support/query/ask.ts';
import { endOfFeed } from '../support/read-feed.ts';
import { listedIds, make, pathOfRecord, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

// `modes` says so if it is absent, and fails if it must be there.
describe.skipIf(pgbouncerPath === undefined)('through PgBouncer', () => {
  let own: TestDatabase;
  let pooler: Pooler;
  let first: TestService;
  let second: TestService;
  let orgId: number;
  let client: Client;
  let folder: string;
  beforeAll(async () => {
    own = await createMigratedDatabase();
    pooler = await startPooler(own.url);
    first = await startService({ databaseUrl: pooler.url });
    second = await startService({ databaseUrl: pooler.url });
    orgId = await first.createOrg({ quota: 1_000_000, windowSeconds: 60 });
    client = first.client((await first.createKey(orgId)).key);
    folder = await createFolder();
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
    await pooler.stop();
    await own.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The result of a command; its failure fails the test. */
  async function run(name: string, argument: string, options: Readonly<Record<string, unknown>> = {}) {
    const { value, text, failure } = await runCommand(pooler.url, name, argument, options);
    if (failure !== undefined) throw failure;
    return { value, text };
  }

  test('many requests at once write, read, find and add up, each statement prepared and used again', async () => {
    const numbers = Array.from({ length: 24 }, (_, index) => index + 1);
    const made = await Promise.all(
      numbers.map((number) => make(client, 'svc_company', { svc_employee_count: String(number) })),
    );
    const [one, two] = made;
    if (one === undefined || two === undefined) throw new Error('24 records have a first and a second one.');
    await Promise.all(
      made.map(async (record) => {
        const answer = await client.patch(pathOfRecord(record), { properties: { svc_name: 'Known' } });
        expect(answer.status, answer.text).toBe(200);
      }),
    );
    expect((await read(client, one)).properties).toMatchObject({ svc_employee_count: '1', svc_name: 'Known' });
    await succeed(client, [
      item('create', 'svc_contact', { properties: { svc_first_name: 'Ada' } }),
      item('delete', 'svc_company', { id: two.id }),
    ]);
    const filter = { property: 'svc_employee_count', operator: 'gt', value: '14' };
    const answers = await Promise.all(numbers.map(() => query(client, 'svc_company', { filter })));
    for (const { body } of answers) expect(body.data).toHaveLength(10);
    const sum = { function: 'sum', property: 'svc_employee_count', as: 'all' };
    const { body, text } = await client.post(`${recordsPath('svc_company')}aggregate/`, { aggregations: [sum] });
    expect(body.data, text).toMatchObject([{ values: { all: String((24 * 25) / 2 - 2) } }]);
    const headers = { 'Idempotency-Key': 'once' };
    const again = () => client.post(recordsPath('svc_company'), { properties: { svc_name: 'Once' } }, headers);
    expect((await again()).body.data.id).toBe((await again()).body.data.id);
  });

  test('a reader that waits at one service is told of a write through another, and a notification arrives', async () => {
    const reader = second.client(client.key);
    const cursor = await endOfFeed(reader);
    const waiting = reader.get(`/changes/?cursor=${cursor}&wait=20`);
    await until(async () => second.waitingRequests() === 1);
    const { id } = await make(client, 'svc_deal', { svc_name: 'Told' });
    expect((await waiting).body.data).toMatchObject([{ type: 'record.created', record_id: id }]);
    const heard: string[] = [];
    const listening = await second.database.listen('any', { notified: (each) => heard.push(each), ended: () => {} });
    await first.database.query(sql`select pg_notify('any', 'told')`);
    await until(async () => heard.length > 0);
    expect(heard).toEqual(['told']);
    await listening.close();
  });

  test('a file is imported after a dry run, is known the second time, and is taken back', async () => {
    const path = join(folder, 'contacts.csv');
    const lines = Array.from({ length: 1_200 }, (_, index) => `person-${index}@example.com,Person ${index}`);
    await writeFile(path, ['Email,Last name', ...lines, ''].join('\n'));
    const options = { org: String(orgId), type: 'svc_contact', match: 'svc_email' };
    const before = await listedIds(client, 'svc_contact');
    expect((await run('import', path, { ...options, dryRun: true })).value).toMatchObject({ created: 1_200 });
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
    const { value } = await run('import', path, options);
    expect(value).toMatchObject({ created: 1_200, refused: 0 });
    // The lock of the first one has ended with its session.
    expect((await run('import', path, options)).value).toMatchObject({ created: 0, unchanged: 1_200 });
    await run('revert', '', { org: String(orgId), job: (value as { readonly job_id: string }).job_id });
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
  });

  test('a backup is made and restored while the service runs, and doctor finds the database well', async () => {
    const file = join(folder, 'all.backup');
    const kept = await make(client, 'svc_company', { svc_name: 'Kept' });
    await run('db backup', file);
    expect((await readFile(file)).length).toBeGreaterThan(0);
    const later = await make(client, 'svc_company', { svc_name: 'Later' });
    await run('db restore', file, { discard: true });
    await until(async () => (await client.get(pathOfRecord(later))).status === 404);
    expect((await read(client, kept)).properties['svc_name']).toBe('Kept');
    const { text } = await runCommand(pooler.url, 'doctor', '', {});
    expect(text).toMatch(/^ok +database /m);
    expect(text).not.toMatch(/^WRONG +(database|connections|migrations|transactions|statistics) /m);
  });

  test('sessions have their settings, and end clean: locks are free, and no statement is left', async () => {
    const setting = (name: string) => sql`select current_setting(${name}) as value`;
    expect(await first.database.query(setting('plan_cache_mode'))).toEqual([{ value: 'force_generic_plan' }]);
    expect(await first.database.query(setting('default_transaction_isolation'))).toEqual([{ value: 'read committed' }]);
    const holder = await first.database.connect();
    expect(await holder.query(setting('search_path'))).toEqual([{ value: 'pg_catalog' }]);
    expect(await holder.query(setting('statement_timeout'))).toEqual([{ value: '0' }]);
    const lock = { use: 'import', key: 1 } as const;
    expect(await tryKeepLock(holder, lock)).toBe(true);
    await holder.script('create temporary table kept (id integer)');
    const other = await second.database.connect();
    expect(await tryKeepLock(other, lock)).toBe(false);
    await holder.close();
    await until(() => tryKeepLock(other, lock));
    await other.close();
    // The next session gets the server connection of an earlier one, without what that had.
    const next = await first.database.connect();
    const left = sql`select (select count(*)::integer from pg_prepared_statements) as statements,
      to_regclass('pg_temp.kept') as kept, current_setting('search_path') as path`;
    expect(await next.query(left)).toEqual([{ statements: 0, kept: null, path: 'pg_catalog' }]);
    await next.close();
  });

  test('a pooler that restarts costs requests a moment, and nothing that was acknowledged', async () => {
    const { id } = await make(client, 'svc_company', { svc_name: 'Acknowledged' });
    await pooler.restart();
    await until(async () => (await client.post(recordsPath('svc_company'), { properties: {} })).status === 201);
    expect((await read(client, { object_type: 'svc_company', id })).properties['svc_name']).toBe('Acknowledged');
  });
});
