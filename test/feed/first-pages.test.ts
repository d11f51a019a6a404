// The `changes_cursor` of a first page: its snapshot is taken before the records are read, whichever way leads to them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aroundStatements } from '../support/around-statements.ts';
import type { Client } from '../support/client.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
/** Snapshots and reads of records, in the order in which they ran. */
let ran: string[] = [];
let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService({
    adapt: (database) =>
      aroundStatements(database, (text, run) => {
        for (const [found] of text.matchAll(/pg_current_snapshot|from orrery\.record as r/g)) ran.push(found);
        return run();
      }),
  });
  client = service.client((await service.createKey(await service.createOrg())).key);
  await make(client, 'svc_contact');
});
afterAll(() => service.stop());

test.each([
  ['a list', () => client.get(contacts)],
  [
    'a query by an index',
    () => client.post(`${contacts}query/`, { sort: [{ property: 'svc_last_name', direction: 'asc' }] }),
  ],
  [
    'a query that tests each record',
    () => client.post(`${contacts}query/`, { filter: { property: 'svc_headline', operator: 'is_set' } }),
  ],
])('%s takes one snapshot, and then reads', async (_, ask) => {
  // The first cursor of a process also reads the position of the feed.
  await ask();
  ran = [];
  expect((await ask()).body.pagination?.changes_cursor).toBeTypeOf('string');
  expect(ran[0]).toBe('pg_current_snapshot');
  expect(new Set(ran.slice(1))).toEqual(new Set(['from orrery.record as r']));
});
