// The slots for automatic indexes: what a key has to do to get one, what it cannot get, and how an index loses its slot while
// others read and write.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import { dropIndex, listIndexesOf } from '../../src/engine/admin/property-indexes.ts';
import { openDirectory } from '../../src/engine/process/directory.ts';
import { openIndexSteps } from '../../src/engine/process/index-steps.ts';
import { openBytes } from '../../src/engine/shares/bytes.ts';
import { openConnections } from '../../src/engine/shares/connections.ts';
import { openWaitingRoom } from '../../src/engine/shares/waiting-room.ts';
import type { BriefDatabase, Database, Transaction } from '../../src/store/database.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { movableClock } from '../support/movable-clock.ts';
import { contacts } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'] as const;
type Name = (typeof names)[number];
const schema = { properties: { svc_contact: names.map((name) => ({ name, label: name, field_type: 'text' })) } };
const size = 150;

const clock = movableClock();
const statements: string[] = [];

/** Remembers the text of every statement, those of a transaction when it has ended. */
function listening(database: Database): Database {
  const heard = <T extends Transaction>(inner: T): T => ({
    ...inner,
    query: async <Row extends object>(statement: Sql) => {
      const rows = await inner.query<Row>(statement);
      statements.push(statement.text);
      return rows;
    },
  });
  const transaction: Database['transaction'] = async (run) => {
    const own: string[] = [];
    const result = await database.transaction((inner) =>
      run({
        ...inner,
        query: (statement) => {
          own.push(statement.text);
          return inner.query(statement);
        },
      }),
    );
    statements.push(...own);
    return result;
  };
  const { brief } = database;
  const queryTogether: BriefDatabase['queryTogether'] = async <Row extends object>(
    several: readonly Sql[],
    bytesEach: number,
  ) => {
    const rows = await brief.queryTogether<Row>(several, bytesEach);
    statements.push(...several.map(({ text }) => text));
    return rows;
  };
  return { ...heard(database), brief: { ...heard(brief), queryTogether }, transaction };
}

let restoreBounds: () => void;
let service: TestService;
beforeAll(async () => {
  restoreBounds = lowerBounds({
    store: { largeType: 100, indexedAtOnce: 40, purgedRowsAtOnce: 40, indexesPerType: 4 },
    engine: { indexWaitMs: 50 },
    shares: { indexesOfKey: 2 },
  });
  service = await startService({ indexGraceMs: 1_500, adapt: listening, clock });
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

let orgId: number;
let first: Client;
let second: Client;
beforeEach(async () => {
  ({ orgId, first, second } = await newOrg());
});

/** An org with a type that is large, and two keys. */
async function newOrg(): Promise<{ orgId: number; first: Client; second: Client }> {
  const made = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(made, schema);
  const client = service.client((await service.createKey(made)).key);
  const values = (index: number) => Object.fromEntries(names.map((name) => [name, `v${index % 7}`]));
  await succeed(
    client,
    Array.from({ length: size }, (_, index) => item('create', 'svc_contact', { properties: values(index) })),
  );
  return { orgId: made, first: client, second: service.client((await service.createKey(made)).key) };
}

async function find(client: Client, property: Name, value = 'v1'): Promise<readonly string[]> {
  const filter = { property, operator: 'eq', value };
  const answer = await client.post(`${contacts}query/`, { filter, limit: 500 });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }: { readonly id: string }) => id);
}

/** Asks for properties, and again as soon as that counts. */
async function wish(client: Client, ...wanted: readonly Name[]): Promise<void> {
  for (const name of wanted) await find(client, name);
  clock.advance(bounds.shares.wishRepeatedMs);
  for (const name of wanted) await find(client, name);
}

async function states(): Promise<Readonly<Record<string, string>>> {
  const indexes = await listIndexesOf(service.database, orgId);
  return Object.fromEntries(indexes.map(({ property, state }) => [property, state]));
}

/** How many wishes were decided. */
function tried(): number {
  return statements.filter((text) => text.includes('pg_advisory_xact_lock($1')).length;
}

async function allReady(count: number): Promise<void> {
  await until(async () => {
    const all = Object.values(await states());
    return all.length === count && all.every((state) => state === 'ready');
  });
}

async function setAskedDaysAgo(property: string, days: number): Promise<void> {
  const { typeId, propertyId } = await placeOf(property);
  await service.database.query(sql`
    update orrery.property_index set asked_at = now() - make_interval(days => ${days}::integer)
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
}

async function placeOf(property: string): Promise<{ typeId: number; propertyId: number }> {
  const known = await openDirectory(service.database, systemClock).find(orgId);
  const type = known?.catalog.objectTypes.get('svc_contact');
  return { typeId: type?.id ?? 0, propertyId: type?.properties.get(property)?.id ?? 0 };
}

async function rowsOf(property: string): Promise<number> {
  const { typeId, propertyId } = await placeOf(property);
  const [row] = await service.database.query<{ count: number }>(sql`
    select count(*)::integer as count from orrery.index_text
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId}`);
  return row?.count ?? 0;
}

test('one pass over all properties builds nothing, however often it asks within a minute', async () => {
  for (let round = 0; round < 3; round++) for (const name of names) await find(first, name);
  clock.advance(bounds.shares.wishRepeatedMs);
  await find(first, 'p6');
  await until(async () => Object.keys(await states()).length > 0);
  expect(Object.keys(await states())).toEqual(['p6']);
});

test('a key holds at most half of the slots, so that another key still gets the rest', async () => {
  const before = tried();
  await wish(first, ...names);
  await until(async () => tried() >= before + names.length);
  await allReady(2);
  const taken = await states();
  const left = names.filter((name) => !(name in taken));
  expect(left).toHaveLength(4);
  await wish(second, ...left.slice(0, 2));
  await allReady(4);
  const holders = (await listIndexesOf(service.database, orgId)).map(({ credentialId }) => credentialId);
  expect(new Set(holders).size).toBe(2);
  expect(holders.filter((holder) => holder === holders[0])).toHaveLength(2);
});

test('an index that is asked for keeps its slot, and one that nobody asks for gives it up', async () => {
  await wish(first, 'p1', 'p2');
  await wish(second, 'p3', 'p4');
  await allReady(4);
  const third = service.client((await service.createKey(orgId)).key);
  const before = tried();
  await wish(third, 'p5');
  await until(async () => tried() > before);
  expect(Object.keys(await states())).toEqual(['p1', 'p2', 'p3', 'p4']);

  await setAskedDaysAgo('p1', 9);
  await setAskedDaysAgo('p3', 11);
  const expected = await find(first, 'p3');
  // The query has just asked for it.
  await until(async () => (await ageOf('p3')) < 60);
  await setAskedDaysAgo('p3', 11);
  clock.advance(bounds.shares.wishTriedMs);
  await find(third, 'p5');
  await until(async () => (await states())['p5'] === 'ready' && !('p3' in (await states())));
  expect(await states()).toEqual({ p1: 'ready', p2: 'ready', p4: 'ready', p5: 'ready' });
  expect(await rowsOf('p3')).toBe(0);
  expect(await rowsOf('p5')).toBe(size);
  expect(await find(second, 'p3')).toEqual(expected);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

/** In seconds. */
async function ageOf(property: string): Promise<number> {
  const index = (await listIndexesOf(service.database, orgId)).find((each) => each.property === property);
  return (systemClock.nowMs() - (index?.askedAt.getTime() ?? 0)) / 1_000;
}

test('the use of an index is stored once an hour, not with every query', async () => {
  await wish(first, 'p1');
  await allReady(1);
  await setAskedDaysAgo('p1', 9);
  const updates = () => statements.filter((text) => text.includes('set asked_at')).length;
  clock.advance(bounds.engine.indexUseEveryMs);
  const before = updates();
  for (let round = 0; round < 30; round++) await find(first, 'p1');
  await until(async () => (await ageOf('p1')) < 60);
  for (let round = 0; round < 30; round++) await find(first, 'p1');
  expect(updates()).toBe(before + 1);
  clock.advance(bounds.engine.indexUseEveryMs);
  await find(first, 'p1');
  await until(async () => updates() === before + 2);
});

/** Two processes that read and write the property until they are told to stop. */
function keepBusy(property: Name, clients: readonly Client[], expected: readonly string[]) {
  let busy = true;
  let rounds = 0;
  const writers = clients.map(async (client, writer) => {
    const { id } = (await client.post(contacts, { properties: { [property]: 'mine' } })).body.data;
    for (let round = 0; busy; round++) {
      // A value that comes back must not meet a row that another process has left behind.
      for (const value of ['there', 'back', null]) {
        const other = clients[(writer + round) % clients.length] ?? client;
        const answer = await other.patch(`${contacts}${id}/`, { properties: { [property]: value } });
        expect(answer.status, answer.text).toBe(200);
        await sleep(20);
      }
      rounds++;
    }
  });
  const readers = clients.map(async (client) => {
    while (busy) {
      expect(await find(client, property)).toEqual(expected);
      await sleep(20);
    }
  });
  const done = Promise.all([...writers, ...readers]);
  return {
    rounds: () => rounds,
    stop: async () => {
      busy = false;
      await done;
    },
  };
}

test('an index is dropped while two processes read and write: every answer stays right, and no row stays', async () => {
  await wish(first, 'p1', 'p2');
  await allReady(2);
  const other = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 1_500 });
  const expected = await find(first, 'p1');
  expect(expected.length).toBeGreaterThan(10);
  const clients = [first, other.client(first.key)];
  const busy = keepBusy('p1', clients, expected);
  expect(await dropIndex(service.database, { orgId, typeName: 'svc_contact', property: 'p1' })).toBe(true);
  // A process looks for such indexes when it starts, and then once a minute.
  const third = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 1_500 });
  const seen = new Set<string>();
  await until(async () => {
    const state = (await states())['p1'];
    seen.add(state ?? 'gone');
    return state === undefined;
  });
  expect([...seen]).toEqual(expect.arrayContaining(['retired', 'dropping', 'gone']));
  expect(busy.rounds()).toBeGreaterThan(3);
  await busy.stop();
  await Promise.all([other.stop(), third.stop()]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test.each([
  ['before every query knew', 'retired', null, size],
  ['when every query knew', 'retired', '3', size],
  ['before every writer knew', 'dropping', null, size],
  ['among its rows', 'dropping', '3', 70],
  ['after its last row', 'dropping', '3', 0],
])('a removal that was cut off %s is finished by the next process', async (_, state, barrier, rows) => {
  const { typeId, propertyId } = await placeOf('p1');
  await service.database.query(sql`
    insert into orrery.property_index (org_id, type_id, property_id, state, barrier)
    values (${orgId}, ${typeId}, ${propertyId}, ${state}, ${barrier}::xid8)`);
  await service.database.query(sql`
    insert into orrery.index_text (org_id, type_id, property_id, unset, value, record_id)
    select r.org_id, r.type_id, ${propertyId}::integer, false, r.properties ->> 'p1', r.id from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${typeId} limit ${rows}`);
  const next = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 0 });
  await until(async () => !('p1' in (await states())));
  await next.stop();
  expect(await rowsOf('p1')).toBe(0);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('indexes of several orgs are filled in turn, so that one org with many does not hold up the others', async () => {
  const other = await newOrg();
  const database = service.database;
  const { typeId, propertyId } = await placeOf('p1');
  const begun = [
    { org: orgId, property: propertyId },
    { org: orgId, property: propertyId + 1 },
    { org: other.orgId, property: propertyId },
  ];
  for (const { org, property } of begun) {
    await database.query(sql`
      insert into orrery.property_index (org_id, type_id, property_id, state, barrier)
      values (${org}, ${typeId}, ${property}, 'building', '3'::xid8)`);
  }
  const connections = openConnections(database, systemClock, openWaitingRoom(), openBytes());
  const grace = { writersMs: 0, queriesMs: 0 };
  const fail = (error: unknown) => {
    throw error;
  };
  const step = openIndexSteps(connections, openDirectory(database, systemClock), grace, fail, () => {});
  const filled = async (org: number) =>
    (await listIndexesOf(database, org)).reduce((sum, index) => sum + index.filled, 0);
  const counts: number[][] = [];
  for (let count = 0; count < 4; count++) {
    expect(await step()).toBe('more');
    counts.push([await filled(orgId), await filled(other.orgId)]);
  }
  const { indexedAtOnce: some } = bounds.store;
  expect(counts).toEqual([
    [some, 0],
    [some, some],
    [2 * some, some],
    [2 * some, 2 * some],
  ]);
});
