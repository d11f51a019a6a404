// A property that is asked for in a large type gets an index automatically, while others write: none, building, ready. What is
// found stays the same all along, and every row of the index is right in the end.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import { listNamedIndexes } from '../../src/engine/admin/property-indexes.ts';
import type { BriefDatabase, Database } from '../../src/store/database.ts';
import { raiseRevision } from '../../src/store/org/revision.ts';
import { beginIndex } from '../../src/store/query/property-indexes.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const size = 3_500;
const schema = {
  properties: {
    svc_contact: [
      { name: 'code', label: 'Code', field_type: 'text' },
      { name: 'score', label: 'Score', field_type: 'number' },
      { name: 'tags', label: 'Tags', field_type: 'text', multi_valued: true },
    ],
  },
};

let service: TestService;
let orgId: number;
let client: Client;
const statements: string[] = [];

/** Remembers the text of every statement. */
function listening(database: Database): Database {
  const heard = <T extends Pick<Database, 'query'>>(transaction: T): T => ({
    ...transaction,
    query: <Row extends object>(statement: Sql) => {
      statements.push(statement.text);
      return transaction.query<Row>(statement);
    },
  });
  const { brief } = database;
  const queryTogether: BriefDatabase['queryTogether'] = (several, bytesEach) => {
    statements.push(...several.map(({ text }) => text));
    return brief.queryTogether(several, bytesEach);
  };
  return {
    ...heard(database),
    brief: { ...heard(brief), queryTogether },
    transaction: (run) => database.transaction((each) => run(heard(each))),
  };
}

function valuesOf(index: number): Readonly<Record<string, unknown>> {
  return {
    code: `Code${index % 700}`,
    score: `${index % 97}`,
    ...(index % 3 === 0 ? {} : { tags: [`t${index % 7}`, 'all'] }),
  };
}

let restoreBounds: () => void;
beforeAll(async () => {
  restoreBounds = lowerBounds({
    store: { largeType: 3_000, indexedAtOnce: 250 },
    engine: { indexWaitMs: 50 },
    shares: { wishRepeatedMs: 0 },
  });
  service = await startService({ indexGraceMs: 2_000, adapt: listening });
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, schema);
  client = service.client((await service.createKey(orgId)).key);
  for (let from = 0; from < size; from += 1_000) {
    const count = Math.min(1_000, size - from);
    await succeed(
      client,
      Array.from({ length: count }, (_, index) =>
        item('create', 'svc_contact', { properties: valuesOf(from + index) }),
      ),
    );
  }
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
});

async function find(asked: Client, body: object): Promise<readonly string[]> {
  const answer = await asked.post(`${contacts}query/`, { limit: 500, ...body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }: { readonly id: string }) => id);
}

function stateOf(property: string): Promise<string | undefined> {
  return listNamedIndexes(service.database).then((all) => all.find((each) => each.property === property)?.state);
}

const byCode = { filter: { property: 'code', operator: 'eq', value: 'code7' } };

test('a small type needs no index, and gets none', async () => {
  const small = await service.createOrg();
  await service.applySchema(small, schema);
  const other = service.client((await service.createKey(small)).key);
  await other.post(contacts, { properties: { code: 'x' } });
  expect(await find(other, { filter: { property: 'code', operator: 'eq', value: 'X' } })).toHaveLength(1);
  expect((await listNamedIndexes(service.database)).filter((each) => each.orgId === small)).toEqual([]);
});

test('an index is filled while others write, and is used when it is ready and not before', async () => {
  const before = await find(client, byCode);
  expect(before.length).toBeGreaterThan(4);
  // The second time counts.
  await find(client, byCode);
  let writing = true;
  let written = 0;
  const writers = [0, 1, 2].map(async (writer) => {
    for (let round = 0; writing && round < 500; round++) {
      const made = await client.post(contacts, { properties: { code: `Made${writer}`, tags: ['new'] } });
      const { id } = made.body.data;
      await client.patch(`${contacts}${id}/`, { properties: { code: `Moved${round % 3}`, tags: null } });
      if (round % 4 === 0) await client.delete(`${contacts}${id}/`);
      const [old] = await find(client, { filter: { property: 'score', operator: 'is_set' }, limit: 1 });
      await client.patch(`${contacts}${old}/`, { properties: { code: `Old${writer}-${round}` } });
      written++;
    }
  });
  statements.length = 0;
  await until(async () => (await stateOf('code')) === 'ready');
  const reads = statements.filter((text) => text.includes('select p.id') && text.includes('orrery.index_text'));
  expect(reads.length).toBeLessThan(written);
  writing = false;
  await Promise.all(writers);
  expect(written).toBeGreaterThan(3);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  // Processes learn of it within a second.
  await until(async () => {
    statements.length = 0;
    expect(await find(client, byCode)).toEqual(before);
    return statements.some((text) => text.includes('orrery.index_text'));
  });
  expect(await find(client, { filter: { property: 'code', operator: 'eq', value: 'made0' } })).toEqual([]);
});

test('a property that is sorted by gets one too, and so does one that has many values', async () => {
  const sorted = { sort: [{ property: 'score', direction: 'desc' }] };
  const tagged = { filter: { property: 'tags', operator: 'in', value: ['T3', 'nothing'] }, limit: 50 };
  const before = [await find(client, sorted), await find(client, tagged)];
  for (const body of [sorted, tagged]) await find(client, body);
  await until(async () => (await stateOf('score')) === 'ready' && (await stateOf('tags')) === 'ready');
  await until(async () => {
    statements.length = 0;
    expect(await find(client, sorted)).toEqual(before[0]);
    return statements.some((text) => text.includes('orrery.index_number'));
  });
  expect(await find(client, tagged)).toEqual(before[1]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('an index that was interrupted is continued by the next process, and fills each record once', async () => {
  await service.database.query(sql`
    update orrery.property_index set state = 'building', filled_to = null, filled = 0, barrier = null
    where org_id = ${orgId} and property_id = (
      select property_id from orrery.property_index where org_id = ${orgId} order by begun_at limit 1)`);
  await service.database.query(sql`
    delete from orrery.index_text as i using orrery.property_index as p
    where i.org_id = ${orgId} and p.org_id = ${orgId} and p.state = 'building'
      and i.type_id = p.type_id and i.property_id = p.property_id`);
  const one = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 0 });
  await until(async () => (await listNamedIndexes(service.database)).some((each) => each.filled > 0));
  await one.stop();
  const halfway = (await listNamedIndexes(service.database)).find((each) => each.state === 'building');
  const two = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 0 });
  const three = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 0 });
  await until(async () => (await listNamedIndexes(service.database)).every((each) => each.state === 'ready'));
  await two.stop();
  await three.stop();
  expect(halfway?.filled).toBeLessThan(size);
  const [{ live } = { live: 0 }] = await service.database.query<{ live: number }>(sql`
    select count(*)::integer as live from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = (
      select p.type_id from orrery.property_index as p where p.org_id = ${orgId} order by p.begun_at limit 1)`);
  const code = (await listNamedIndexes(service.database)).find((each) => each.property === 'code');
  expect(code?.filled).toBe(live);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

/** A transaction with a number, like every transaction that writes. */
async function holdTransaction(): Promise<{ end(): Promise<void> }> {
  let release = () => {};
  let over: Promise<void> = Promise.resolve();
  await new Promise<void>((begun) => {
    over = service.database.transaction(async (transaction) => {
      await transaction.query(sql`select pg_current_xact_id()::text as xid`);
      await new Promise<void>((resolve) => {
        release = resolve;
        begun();
      });
    });
  });
  return {
    end: () => {
      release();
      return over;
    },
  };
}

test('filling an index waits for transactions that do not know of it', async () => {
  const other = await service.createOrg();
  const older = await holdTransaction();
  await service.database.query(sql`
    insert into orrery.property_index (org_id, type_id, property_id, state) values (${other}, 1, 3, 'building')`);
  const next = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 0 });
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  const states = (await listNamedIndexes(service.database)).filter((each) => each.orgId === other);
  expect(states.map(({ state }) => state)).toEqual(['building']);
  await older.end();
  await until(async () => (await listNamedIndexes(service.database)).every((each) => each.state === 'ready'));
  await next.stop();
});

test('writes of a process that did not know of an index are corrected before it is used', async () => {
  // Its clock can be stopped: then it trusts its caches, and learns of nothing new.
  let stoppedAtMs: number | undefined;
  const clock = { ...systemClock, monotonicMs: () => stoppedAtMs ?? systemClock.monotonicMs() };
  const late = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 2_500, clock });
  const other = await service.createOrg();
  await service.applySchema(other, schema);
  const { key } = await service.createKey(other);
  const [early, deaf] = [service.client(key), late.client(key)];
  await early.get('/self/');
  stoppedAtMs = systemClock.monotonicMs();
  await deaf.get('/self/');
  // An index is not filled while a transaction that is older is under way, however long the next steps take.
  const older = await holdTransaction();
  const [type, code] = [1, 1_000];
  await service.database.transaction(async (transaction) => {
    await beginIndex(transaction, other, { typeId: type, propertyId: code }, null);
    await raiseRevision(transaction, other);
  });
  // Another org's request makes the first process read the revision, and so learn of the index.
  await until(async () => {
    await early.get('/self/');
    const probe = (await early.post(contacts, { properties: { code: 'probe' } })).body.data;
    const rows = await service.database.query(sql`
      select 1 as there from orrery.index_text where org_id = ${other} and record_id = ${probe.id} and property_id = ${code}`);
    return rows.length > 0;
  });
  const [changed, gone] = await Promise.all(
    ['a', 'b'].map(async (value) => (await early.post(contacts, { properties: { code: value } })).body.data.id),
  );
  const changeUnaware = async () => {
    await deaf.patch(`${contacts}${changed}/`, { properties: { code: 'z' } });
    await deaf.delete(`${contacts}${gone}/`);
  };
  await changeUnaware();
  // The rows of the former values are still there.
  expect((await early.patch(`${contacts}${changed}/`, { properties: { code: 'a' } })).status).toBe(200);
  await succeed(early, [item('restore', 'svc_contact', { id: gone })]);
  await changeUnaware();
  stoppedAtMs = undefined;
  await older.end();
  const builder = await startService({ databaseUrl: service.databaseUrl, indexGraceMs: 2_500 });
  await until(async () => (await listNamedIndexes(service.database)).every((each) => each.state === 'ready'));
  await Promise.all([late.stop(), builder.stop()]);
  expect(await findingsIn(service.database, other)).toEqual([]);
  expect((await early.patch(`${contacts}${changed}/`, { properties: { code: 'a' } })).status).toBe(200);
  await succeed(early, [item('restore', 'svc_contact', { id: gone })]);
  expect(await findingsIn(service.database, other)).toEqual([]);
});
