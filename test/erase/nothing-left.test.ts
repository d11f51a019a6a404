// After an erasure no value of the person is stored anywhere: not in a row of any table, and, once PostgreSQL has rewritten its
// tables, not in a byte of its files. What is not the person's own is untouched.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOwnConnection } from '../../src/store/driver/own-connection.ts';
import { fixedReach } from '../../src/store/driver/reach.ts';
import { createStorage, orreryJson, runOrrery, startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { erase, lifeSchema, liveLife, type Person } from '../support/erase/life.ts';
import { filesWith, tablesWith } from '../support/erase/search.ts';
import { findingsIn } from '../support/integrity.ts';
import { changesSince } from '../support/read-feed.ts';
import { postmasterOf } from '../support/records/killable-host.ts';
import { contacts, pathOfRecord, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

/** Where a person leaves values. External ids are those of connected systems: see the test of the command. */
const storedIn = 'record trash change former_value idempotency fact index_text search unique_value'.split(' ');

let folder: string;
let service: TestService;
let orgId: number;
let client: Client;
let person: Person;
let bystander: Person;
let note: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orrery-erase-'));
  service = await startService();
  orgId = await service.createOrg();
  await service.applySchema(orgId, lifeSchema);
  client = service.client((await service.createKey(orgId)).key);
  const importLines = async (lines: readonly string[]) => {
    const file = join(folder, 'people.csv');
    await writeFile(file, `${lines.join('\n')}\n`);
    const options = { org: String(orgId), type: 'svc_contact', match: 'svc_email' };
    const { failure } = await runCommand(service.databaseUrl, 'import', file, options);
    if (failure !== undefined) throw failure;
  };
  person = await liveLife({ client, importLines }, 'ada');
  bystander = await liveLife({ client, importLines }, 'bea');
  // The test would prove nothing if a value had not been there.
  const before = await tablesWith(service.databaseUrl, person.secrets.values);
  expect(person.secrets.values.filter((value) => before[value] === undefined)).toEqual([]);
  expect([...new Set(Object.values(before).flat())]).toEqual(expect.arrayContaining(storedIn));
  note = await erase(client, person.id);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

test('no row of any table has a value of the person, or of the duplicates that were merged into it', async () => {
  expect(await tablesWith(service.databaseUrl, person.secrets.values)).toEqual({});
});

test('others keep everything, and so does a duplicate that was restored', async () => {
  const { values } = person.restored.secrets;
  expect(Object.keys(await tablesWith(service.databaseUrl, values)).toSorted()).toEqual([...values].toSorted());
  expect(await read(client, { object_type: 'svc_contact', id: person.restored.id })).toMatchObject({
    properties: { svc_headline: values.at(-1) },
  });
  // The refused values of the other person are gone as well: nobody can tell whose they were.
  const kept = await tablesWith(service.databaseUrl, bystander.secrets.values);
  const lost = bystander.secrets.values.filter((value) => kept[value] === undefined);
  expect(lost.map((value) => value.replace(/^Zqbea|[0-9]+$/g, ''))).toEqual(['noaddress', 'nozone', 'nonumber']);
});

test('what remains agrees with itself: indexes, unique values, words, facts, links and feed', async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('the note counts what is linked, and tells of backups', () => {
  expect(note).toBe(
    '1 note and 1 activity linked to it are not erased. Backups made before still hold the values; restoring one into this database repeats the erasure.',
  );
});

test('the record is gone for every operation, as if it had never been there', async () => {
  const absent = '01890a5d-ac96-774b-bcce-b302099a8057';
  const shapeOf = async (id: string) => {
    const path = pathOfRecord({ object_type: 'svc_contact', id });
    const on = (operation: string, more: object = {}) => ({ operation, object_type: 'svc_contact', id, ...more });
    const batch = await client.post('/batch/', {
      operations: [
        on('update', { properties: {} }),
        on('delete'),
        on('restore'),
        on('erase'),
        on('merge', { duplicate_id: person.restored.id }),
        { ...on('merge', { duplicate_id: id }), id: person.restored.id },
      ],
    });
    const answers = [
      await client.get(path),
      await client.patch(path, { properties: {} }),
      await client.delete(path),
      batch,
    ];
    return answers.map(({ status, text }) => [
      status,
      text.replaceAll(id, 'ID').replaceAll(/"request_id":"[^"]*"/g, ''),
    ]);
  };
  for (const id of [person.id, ...person.duplicates]) expect(await shapeOf(id)).toEqual(await shapeOf(absent));
  const { failure } = await runCommand(service.databaseUrl, 'trash restore', person.id, { org: String(orgId) });
  expect(failure?.kind).toBe('not_found');
});

test('the feed keeps its entries, without values, and ends with the deletion of each', async () => {
  const entries = await changesSince(client, 'earliest', { limit: 1000 });
  for (const id of [person.id, ...person.duplicates]) {
    const own = entries.filter(({ record_id }) => record_id === id);
    expect(own.length).toBeGreaterThan(2);
    expect(own.filter(({ changed }) => changed !== undefined)).toEqual([]);
    expect(own.at(-1)?.type).toBe('record.deleted');
    expect(own[0]).toMatchObject({ type: 'record.created', version: '1' });
    const versions = own.map(({ version }) => Number(version));
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
  }
});

test('what was linked to it stays, without the links', async () => {
  for (const [type, name] of [
    ['svc_note', 'svc_note_to_contact'],
    ['svc_call', 'svc_activity_to_contact'],
  ] as const) {
    const { body } = await client.get(`${recordsPath(type)}?include=${name}`);
    const linked = body.data.map((each: { associations: Record<string, { items: unknown[] }> }) => {
      return each.associations[name]?.items.length;
    });
    // That of the other person has its link.
    expect(linked.toSorted()).toEqual([0, 1]);
  }
  const { rows } = await rawQuery(
    service.databaseUrl,
    'select 1 from orrery.association where source_id = any ($1) or target_id = any ($1)',
    [[person.id, ...person.duplicates]],
  );
  expect(rows).toEqual([]);
});

test('the audit names the record and its duplicates', async () => {
  const { rows } = await rawQuery(
    service.databaseUrl,
    `select properties from orrery.record where org_id = $1 and properties ->> 'svc_action' = 'record.erased'`,
    [orgId],
  );
  expect(rows).toEqual([
    {
      properties: expect.objectContaining({
        svc_object_type: 'svc_contact',
        svc_record_id: person.id,
        svc_detail: `With merged duplicates: ${[...person.duplicates].toSorted().join(', ')}`,
        svc_principal_id: expect.any(String),
        svc_address: expect.any(String),
      }),
    },
  ]);
});

test('its unique values are free', async () => {
  const [email, badge] = ['home', 'badge'].map((name) => person.secrets.values.find((value) => value.includes(name)));
  const again = await client.post(contacts, { properties: { svc_email: [`${email}@mail.example`], badge } });
  expect(again.status, again.text).toBe(201);
  await erase(client, again.body.data.id);
});

test('PostgreSQL has no byte of it in its data, once the tables are rewritten', async (context) => {
  if (process.env['TEST_DATABASE_URL']) context.skip('The files of a database server are not ours to read.');
  const storage = await createStorage();
  const dataDir = storage.folder ?? '';
  const served = await startServe(storage.args);
  try {
    const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...storage.args]);
    const org = String(org_id);
    const { key } = await orreryJson<{ key: string }>(['key', 'create', '--org', org, ...storage.args]);
    const schema = join(folder, 'schema.json');
    await writeFile(schema, JSON.stringify(lifeSchema));
    await orreryJson(['schema', 'apply', '--org', org, schema, ...storage.args]);
    const importLines = async (lines: readonly string[]) => {
      const file = join(folder, 'served.csv');
      await writeFile(file, `${lines.join('\n')}\n`);
      const words = ['import', '--org', org, '--type', 'svc_contact', file, '--match', 'svc_email'];
      expect((await runOrrery([...words, ...storage.args])).status).toBe(0);
    };
    const caller = new Client(served.url, key);
    const eva = await liveLife({ client: caller, importLines }, 'eva');
    const { host, port } = await postmasterOf(dataDir);
    const connection = await openOwnConnection(
      fixedReach({ host, port, user: 'orrery', database: 'postgres' }, dataDir),
    );
    try {
      // As a service that has run for a while: statistics hold samples of values.
      await connection.script('analyze');
      await connection.script('checkpoint');
      expect((await filesWith(join(dataDir, 'postgres', 'base'), eva.secrets.values)).length).toBeGreaterThan(10);
      await erase(caller, eva.id);
      // This is what the guide tells operators who cannot wait for PostgreSQL's own cleaning.
      await connection.script('vacuum (full, analyze)');
      await connection.script('vacuum full pg_catalog.pg_statistic');
      await connection.script('checkpoint');
      expect(await filesWith(join(dataDir, 'postgres', 'base'), eva.secrets.values)).toEqual([]);
      expect(await filesWith(join(dataDir, 'postgres', 'global'), eva.secrets.values)).toEqual([]);
      // The log of writes still has them, until PostgreSQL removes its files instead of using them again.
      const log = join(dataDir, 'postgres', 'pg_wal');
      expect((await filesWith(log, eva.secrets.values)).length).toBeGreaterThan(0);
      for (const statement of ['alter system set wal_recycle = off', 'select pg_reload_conf()']) {
        await connection.script(statement);
      }
      const afterCheckpoint = async () => {
        await connection.script('select pg_switch_wal()');
        await connection.script('checkpoint');
        return filesWith(log, eva.secrets.values);
      };
      await expect.poll(afterCheckpoint).toEqual([]);
    } finally {
      await connection.close();
    }
  } finally {
    await served.stop();
    await storage.remove();
  }
});
