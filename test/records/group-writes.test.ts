// Creates that wait together are written together: fewer statements than requests, each request with its own answer, its
// own entry in the feed, and its own refusal.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
let service: TestService;
let orgIds: readonly number[];
let clients: readonly Client[];
let inserts = 0;
/** While it is set, statements that write records wait for it. */
let gate: Promise<void> | undefined;
beforeAll(async () => {
  service = await startService({ adapt: counting });
  orgIds = [await service.createOrg(), await service.createOrg()];
  clients = await Promise.all(orgIds.map(async (orgId) => service.client((await service.createKey(orgId)).key)));
});
afterAll(() => service.stop());

/** Counts the statements that write records. */
function counting(database: Database): Database {
  const counted = <T extends Transaction>(transaction: T): T => ({
    ...transaction,
    query: async <Row extends object>(statement: Sql) => {
      if (statement.text.includes('insert into orrery.record ')) {
        inserts++;
        await gate;
      }
      return transaction.query<Row>(statement);
    },
  });
  return {
    ...database,
    brief: counted(database.brief),
    transaction: (run) => database.transaction((each) => run(counted(each))),
  };
}

function create(client: Client | undefined, properties: object): Promise<Answer> {
  return (client as Client).post(contacts, { properties });
}

test('many creates at once take fewer statements, and each record has its own name and request', async () => {
  inserts = 0;
  // On a slow machine too, a group neither waits too long nor gives up and falls apart.
  const resetBounds = lowerBounds({ engine: { groupWaitMs: 60_000 }, store: { groupLockMs: 9_000 } });
  onTestFinished(resetBounds);
  // The database does not answer until all requests of the first org have arrived, so that requests wait together.
  const unitsLeft = async () =>
    Number(/r=(\d+)/.exec((await clients[0]?.get('/self/'))?.headers.get('ratelimit') ?? '')?.[1]);
  const unitsBefore = await unitsLeft();
  let asked = 0;
  gate = until(async () => unitsBefore - (await unitsLeft()) - ++asked >= 100);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      create(clients[index % 2], { svc_last_name: `L${index}`, svc_email: [`e${index}@group.example`] }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(inserts).toBeLessThan(100);
  expect(inserts).toBeGreaterThan(2);
  for (const [index, { body, headers }] of answers.entries()) {
    const { data } = (await (clients[index % 2] as Client).get(`${contacts}${body.data.id}/`)).body;
    expect(data).toEqual(body.data);
    expect(data.properties.svc_last_name).toBe(`L${index}`);
    const [entry] = await service.database.query<{ request_id: string; version: string }>(sql`
      select request_id, version from orrery.change
      where org_id = ${orgIds[index % 2]} and record_id = ${body.data.id}`);
    expect(entry).toEqual({ request_id: headers.get('svc-request-id'), version: '1' });
  }
});

test('of the requests for one value one gets it, and the others of their group are not affected', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      create(clients[0], { svc_email: [index % 3 === 0 ? 'wanted@group.example' : `free${index}@group.example`] }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((_, index) => index % 3 !== 0)).toEqual(Array.from({ length: 40 }, () => 201));
  const wanted = answers.filter((_, index) => index % 3 === 0);
  expect(wanted.map(({ status }) => status).sort((left, right) => left - right)).toEqual([
    201,
    ...Array.from({ length: 19 }, () => 409),
  ]);
  const holder = wanted.find(({ status }) => status === 201)?.body.data.id;
  for (const { status, body } of wanted) if (status === 409) expect(body.conflict?.existing_id).toBe(holder);
});

test('a request that waits for a long transaction does not delay the others', async () => {
  const orgId = orgIds[0] ?? 0;
  let late: Promise<Answer> | undefined;
  await service.database.transaction(async (transaction) => {
    await transaction.query(sql`insert into orrery.unique_value (org_id, type_id, property_id, value, record_id)
      values (${orgId}, 1, 5, 'held@group.example', '01890a5d-ac96-774b-bcce-b302099a8057')`);
    late = create(clients[0], { svc_email: ['held@group.example'] });
    const others = Array.from({ length: 40 }, (_, index) =>
      create(clients[0], { svc_email: [`beside${index}@group.example`] }),
    );
    const answers = await Promise.all(others);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await transaction.query(sql`delete from orrery.unique_value
      where org_id = ${orgId} and type_id = 1 and property_id = 5 and value = 'held@group.example'`);
  });
  expect((await late)?.status).toBe(201);
});

test('records that are written in groups are as complete as those that are written alone', async () => {
  for (const orgId of orgIds) expect(await findingsIn(service.database, orgId)).toEqual([]);
});
