// A database that was moved to another server: the feed is complete and in order, and earlier cursors expire.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { endLivesElsewhere } from '../../src/store/feed/lives.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('as long as the server is the same, nothing happens', async () => {
  const lives = () => service.database.query(sql`select number, identity from orrery.change_life`);
  const before = await lives();
  await endLivesElsewhere(service.database);
  expect(await lives()).toEqual(before);
});

test('on another server the entries are kept in their order, and an older cursor is gone', async () => {
  const client = await service.newClient();
  for (const name of ['a', 'b', 'c']) await make(client, 'svc_contact', { svc_last_name: name });
  const whole = await client.get('/changes/?limit=1000');
  const part = await client.get('/changes/?limit=3');
  // As if the rows had come from a server that has had far more transactions.
  await service.database.query(sql`update orrery.change_life set home = 'elsewhere'`);
  await service.database.query(sql`update orrery.change set xid = '4000000000' where org_id > ${0}`);
  await endLivesElsewhere(service.database);
  for (const answer of [whole, part]) {
    const gone = await client.get(`/changes/?cursor=${answer.body.pagination?.next_cursor}`);
    expect([gone.status, gone.body.code, gone.body.reason]).toEqual([410, 'gone', 'cursor_expired']);
  }
  const again = await client.get('/changes/?limit=1000');
  expect(again.body.data).toEqual(whole.body.data);
  const next = await client.get(`/changes/?cursor=${again.body.pagination?.next_cursor}`);
  expect(next.body.data).toEqual([]);
  await make(client, 'svc_contact', { svc_last_name: 'd' });
  const last = await client.get(`/changes/?cursor=${next.body.pagination?.next_cursor}`);
  expect(last.body.data).toHaveLength(1);
});
