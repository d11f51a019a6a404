// Updates of single records that wait together share a transaction: fewer of them than requests, each request with its own
// answer, its own entry in the feed, and its own refusal.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { Database, OpenTransaction } from '../../src/store/database.ts';
import type { Client } from '../support/client.ts';
import { holdRow } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { contacts, make, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
let transactions = 0;
/** While it is set, transactions that lock records wait for it. */
let gate: Promise<void> | undefined;
beforeAll(async () => {
  service = await startService({ adapt: counting });
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  await service.stop();
});

/** Counts the transactions that lock records. */
function counting(database: Database): Database {
  const counted = (transaction: OpenTransaction): OpenTransaction => ({
    ...transaction,
    query: async <Row extends object>(statement: Sql) => {
      if (statement.text.includes('for no key update')) {
        transactions++;
        await gate;
      }
      return transaction.query<Row>(statement);
    },
  });
  return { ...database, transaction: (run) => database.transaction((each) => run(counted(each))) };
}

async function newContacts(count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `Name ${index}`);
  return Promise.all(names.map(async (name) => (await make(client, 'svc_contact', { svc_last_name: name })).id));
}

const update = (id: string | undefined, properties: object, headers = {}) =>
  client.patch(`${contacts}${id}/`, { properties }, headers);

/** Runs the requests so that all but the first ones wait together. */
async function together<T>(requests: () => readonly Promise<T>[]): Promise<readonly T[]> {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  transactions = 0;
  const asked = requests();
  await until(async () => transactions > 0);
  // Those that came meanwhile have been read from their connections by now.
  for (let times = 0; times < 10; times++) await client.get('/self/');
  gate = undefined;
  open();
  return Promise.all(asked);
}

test('many updates at once take few transactions, and each has its own version and entry', async () => {
  const ids = await newContacts(40);
  const answers = await together(() => ids.map((id, index) => update(id, { svc_job_title: `Title ${index}` })));
  expect(transactions).toBeLessThan(20);
  for (const [index, { status, body, headers }] of answers.entries()) {
    expect(status).toBe(200);
    expect(body.data).toEqual(await read(client, body.data));
    expect(body.data).toMatchObject({ version: '2', properties: { svc_job_title: `Title ${index}` } });
    const entries = await service.database.query(sql`
      select request_id, version from orrery.change where org_id = ${orgId} and record_id = ${ids[index]} and version > 1`);
    expect(entries).toEqual([{ request_id: headers.get('svc-request-id'), version: '2' }]);
  }
});

test('what is refused leaves no trace in the others, and what needs more than its record is done as well', async () => {
  const ids = await newContacts(12);
  await update(ids[0], { svc_email: ['taken@group.example'] });
  const answers = await together(() =>
    ids.map((id, index) => {
      if (index % 4 === 1) return update(id, { svc_email: ['taken@group.example'] });
      if (index % 4 === 2) return update(id, { svc_job_title: 'x' }, { 'If-Match': '"7"' });
      if (index % 4 === 3) return update(id, { svc_email: [`free${index}@group.example`] });
      return update(id, { svc_job_title: 'Title' });
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 412, 200, 200, 409, 412, 200, 200, 409, 412, 200]);
  expect(answers[1]?.body.conflict?.existing_id).toBe(ids[0]);
  for (const index of [1, 2]) {
    expect(await read(client, { object_type: 'svc_contact', id: ids[index] ?? '' })).toMatchObject({ version: '1' });
  }
});

test('updates of one record at once all take place, one after the other', async () => {
  const [id] = await newContacts(1);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => update(id, { svc_job_title: `Title ${index}` })),
  );
  const versions = answers.map(({ body }) => Number(body.data.version));
  expect(versions.sort((left, right) => left - right)).toEqual(Array.from({ length: 10 }, (_, index) => index + 2));
});

test('a record that somebody else has locked does not delay the others', async () => {
  const ids = await newContacts(10);
  const release = await holdRow(
    service.databaseUrl,
    `select 1 from orrery.record where org_id = ${orgId} and id = '${ids[0]}' for update`,
  );
  const [held, ...others] = ids.map((id) => update(id, { svc_job_title: 'Title' }));
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  await release();
  expect((await held)?.status).toBe(200);
});
