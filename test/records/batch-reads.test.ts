// A batch over more records than may be in memory at once: they are read a portion at a time, not one by one, and not
// again for each item.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
let statements = 0;
beforeAll(async () => {
  service = await startService({ adapt: counting });
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

/** Counts the statements of transactions. */
function counting(database: Database): Database {
  const transaction: Database['transaction'] = (run) =>
    database.transaction((each) =>
      run({
        ...each,
        query: <Row extends object>(statement: Sql) => {
          statements++;
          return each.query<Row>(statement);
        },
      }),
    );
  return { ...database, transaction };
}

async function createMany(type: string, values: (n: number) => object): Promise<readonly string[]> {
  const items = Array.from({ length: 1_000 }, (_, n) => item('create', type, { properties: values(n) }));
  return (await succeed(client, items)).map(({ id }) => id ?? '');
}

/** The ids in an order that is not that of their creation. */
function shuffled(ids: readonly string[]): readonly string[] {
  return ids.map((_, n) => ids[(n * 617) % ids.length] ?? '');
}

/** How many statements the batch makes; all items succeed. */
async function statementsOf(items: readonly object[]): Promise<number> {
  statements = 0;
  await succeed(client, items);
  return statements;
}

const kilobyte = 'x'.repeat(1_000);

test('a thousand updates, restores and deletions of a megabyte take few statements', async () => {
  const ids = await createMany('svc_company', (n) => ({ svc_name: `Company ${n}`, svc_description: kilobyte }));
  const on = (operation: string, more = {}) =>
    shuffled(ids).map((id) => item(operation, 'svc_company', { id, ...more }));
  expect(await statementsOf(on('update', { properties: { svc_name: 'Other' } }))).toBeLessThan(40);
  expect(await statementsOf(on('delete'))).toBeLessThan(40);
  expect(await statementsOf(on('restore'))).toBeLessThan(40);
});

test('a thousand deletions of notes, each in a stage, take few statements', async () => {
  const ids = await createMany('svc_note', (n) => ({ svc_title: `Note ${n}`, svc_body: kilobyte }));
  const items = shuffled(ids).map((id) => item('delete', 'svc_note', { id }));
  expect(await statementsOf(items)).toBeLessThan(60);
});

test('a thousand links of activities to records of a kilobyte take few statements', async () => {
  const calls = await createMany('svc_call', (n) => ({
    svc_started_at: '2026-01-02T03:04:05Z',
    svc_subject: `Call ${n}`,
    svc_summary: kilobyte,
  }));
  const contacts = await createMany('svc_contact', (n) => ({
    svc_last_name: `Name ${n}`,
    svc_summary: kilobyte,
  }));
  const targets = shuffled(contacts);
  const items = calls.map((id, n) =>
    item('associate', 'svc_call', { id, association_type: 'svc_activity_to_contact', target_id: targets[n] }),
  );
  expect(await statementsOf(items)).toBeLessThan(80);
});
