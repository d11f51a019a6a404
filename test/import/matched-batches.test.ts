// Batches of an import that looks for records are under way two at a time: one is written while the next finds and locks its
// records. The result is that of one after the other, whatever they share.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { holdRow } from '../support/database.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { differenceOf, stateOf } from '../support/import/state.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
let restoreBounds: () => void;
beforeAll(async () => {
  restoreBounds = lowerBounds({ engine: { importedAtOnce: atOnce } });
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
  await folder.remove();
});

let orgId: number;
let client: Client;
beforeEach(async () => {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});

const contact = 1;
const atOnce = 100;

interface Row {
  readonly email: string;
  readonly summary: string;
}

function csvOf(rows: readonly Row[]): string {
  return `Email,Summary\n${rows.map(({ email, summary }) => `${email},${summary}\n`).join('')}`;
}

const importRows = (org: number, rows: readonly Row[]) =>
  folder.run(service, org, 'svc_contact', csvOf(rows), { match: 'svc_email' });

async function upsertAll(as: Client, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += atOnce) {
    const operations = rows.slice(at, at + atOnce).map(({ email, summary }) => ({
      operation: 'upsert',
      object_type: 'svc_contact',
      match: 'svc_email',
      properties: { svc_email: [email], svc_summary: summary },
    }));
    const { body } = await as.post('/batch/', { operations });
    expect(body.data.failed).toBe(0);
  }
}

test('every table has the rows that upserts through the API would have made', async () => {
  const other = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const others = service.client((await service.createKey(other)).key);
  const before = Array.from({ length: atOnce }, (_, index) => ({ email: `p${index * 3}@x.example`, summary: 'old' }));
  // Some rows find what the row before has made, what the batch before has made, and what is unchanged.
  const rows = Array.from({ length: 3 * atOnce + 200 }, (_, index) => {
    const found = index % 50 === 49 ? index - 1 : index % 70 === 69 ? Math.max(0, index - atOnce) : index;
    return { email: `P${found}@x.example`, summary: index % 9 === 0 ? 'old' : `words of ${index % 7} and ${index}` };
  });
  for (const [org, as] of [
    [orgId, client],
    [other, others],
  ] as const) {
    await upsertAll(as, before);
    if (org === orgId) await upsertAll(as, rows);
  }
  const { result, failure } = await importRows(other, rows);
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({ rows: rows.length, refused: 0 });
  const ours = await stateOf(service.database, other, contact);
  expect(differenceOf(ours, await stateOf(service.database, orgId, contact))).toBeUndefined();
  expect(await findingsIn(service.database, other)).toEqual([]);
});

/** Statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}

test('a batch that lost a race gets the records that the next one has locked', async () => {
  const shared = await make(client, 'svc_contact', { svc_email: ['one@x.example', 'two@x.example'] });
  const racer = await make(client, 'svc_contact', { svc_email: ['racer@x.example'] });
  const filler = (name: string) =>
    Array.from({ length: atOnce - 2 }, (_, index) => ({ email: `${name}${index}@x.example`, summary: name }));
  const rows = [
    { email: 'one@x.example', summary: 'first' },
    { email: 'raced@x.example', summary: 'raced' },
    ...filler('a'),
    { email: 'two@x.example', summary: 'second' },
    ...filler('b'),
  ];
  const racing = new pg.Client({ connectionString: service.databaseUrl });
  await racing.connect();
  try {
    // The racer takes a value that the first batch is about to give to a new record.
    await racing.query('begin');
    await racing.query(
      `update orrery.record set properties = jsonb_set(properties, '{svc_email}', '["racer@x.example", "raced@x.example"]')
       where org_id = $1 and type_id = $2 and id = $3`,
      [orgId, contact, racer.id],
    );
    await racing.query(`insert into orrery.unique_value values ($1, $2, 5, 'raced@x.example', $3)`, [
      orgId,
      contact,
      racer.id,
    ]);
    const running = importRows(orgId, rows);
    // The first batch waits for the racer, and the second one for a record of the first.
    await expect.poll(waiting, { interval: 20 }).toBe(2);
    await racing.query('commit');
    const { result, failure } = await running;
    expect(failure).toBeUndefined();
    // The first batch took the second address from its record, so the second batch makes one.
    expect(result).toMatchObject({ rows: rows.length, created: 2 * (atOnce - 2) + 1, updated: 2, refused: 0 });
  } finally {
    await racing.end();
  }
  const summaryOf = async (id: string) =>
    (await client.get(`/objects/svc_contact/records/${id}/`)).body.data.properties.svc_summary;
  expect([await summaryOf(shared.id), await summaryOf(racer.id)]).toEqual(['first', 'raced']);
});

/** Transactions of this database that wait for their client. */
async function resting(): Promise<number> {
  const [row] = await service.database.query<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`);
  return row?.count ?? 0;
}

test('a value that the batch before gives up is free, though this batch was checked ahead of it', async () => {
  const map = { Hub: { external_id: true, source: 'hub' } };
  const run = (lines: readonly string[]) =>
    folder.run(service, orgId, 'svc_contact', `Hub,Email\n${lines.join('\n')}\n`, { map, match: 'external_id' });
  await run(['1,old@x.example']);
  const restore = lowerBounds({ engine: { importedAtOnce: 2 } });
  // Another transaction is about to take a value of the first batch, which waits for it while the second is checked.
  const release = await holdRow(
    service.databaseUrl,
    `insert into orrery.unique_value values (${orgId}, 1, 5, 'held@x.example', '01890a5d-ac96-774b-bcce-b302099a8057')`,
  );
  try {
    const running = run(['1,new@x.example', '2,held@x.example', '3,old@x.example', '4,other@x.example']);
    await expect.poll(async () => [await waiting(), await resting()], { interval: 20 }).toEqual([1, 2]);
    await release();
    expect((await running).result).toMatchObject({ created: 3, updated: 1, refused: 0 });
  } finally {
    restore();
  }
});
