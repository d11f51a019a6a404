// A transaction that is running while a reader asks: its entries already have their numbers, and must reach that reader
// once they are committed, no matter who else commits meanwhile (contract 5).
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import type { FeedEntry } from '../support/feed/copy.ts';
import { beginWrite } from '../support/feed/open-write.ts';
import { make, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

interface Read {
  readonly ids: readonly string[];
  readonly next: string;
}

async function readFrom(cursor: string): Promise<Read> {
  const { status, body, text } = await client.get(`/changes/?limit=1000&cursor=${cursor}`);
  expect(status, text).toBe(200);
  return {
    ids: (body.data as FeedEntry[]).map((entry) => entry.record_id),
    next: body.pagination?.next_cursor ?? '',
  };
}

/** The cursors of readers who begin now: by the end of the feed, by following it, by a list and by a query. */
async function beginReading(followed: string): Promise<readonly string[]> {
  const list = await client.get(`${recordsPath('svc_company')}?limit=1`);
  const query = await client.post(`${recordsPath('svc_company')}query/`, { limit: 1 });
  const pages = [list, query].map(({ body }) => body.pagination as { changes_cursor?: string } | undefined);
  return [
    (await readFrom('latest')).next,
    (await readFrom(followed)).next,
    ...pages.map((pagination) => pagination?.changes_cursor ?? 'none'),
  ];
}

test('a transaction that was under way while nobody else wrote comes to each reader once, after its commit', async () => {
  const begun = (await readFrom('latest')).next;
  const write = await beginWrite(service.databaseUrl, orgId);
  const cursors = await beginReading(begun);
  await write.commit();
  for (const cursor of cursors) {
    const { ids, next } = await readFrom(cursor);
    expect(ids).toEqual([write.id]);
    expect((await readFrom(next)).ids).toEqual([]);
  }
});

test('a transaction that was under way while others committed comes to readers who began before, between and after', async () => {
  const begun = (await readFrom('latest')).next;
  const first = await beginWrite(service.databaseUrl, orgId);
  const second = await beginWrite(service.databaseUrl, orgId);
  const before = await beginReading(begun);
  const made = await make(client, 'svc_contact');
  const between = await beginReading(begun);
  const third = await beginWrite(service.databaseUrl, orgId);
  await second.commit();
  const after = await beginReading(begun);
  await first.commit();
  await third.commit();
  const expectAll = async (cursors: readonly string[], wanted: readonly string[]) => {
    for (const cursor of cursors) expect([...(await readFrom(cursor)).ids].sort()).toEqual([...wanted].sort());
  };
  await expectAll(before, [first.id, second.id, made.id, third.id]);
  await expectAll(between, [first.id, second.id, third.id]);
  await expectAll(after, [first.id, third.id]);
  expect([...(await readFrom(begun)).ids].sort()).toEqual([first.id, second.id, made.id, third.id].sort());
});

test('a transaction that is rolled back never comes, and delays no reader', async () => {
  const begun = (await readFrom('latest')).next;
  const write = await beginWrite(service.databaseUrl, orgId);
  const cursors = await beginReading(begun);
  const made = await make(client, 'svc_contact');
  for (const cursor of cursors) expect((await readFrom(cursor)).ids).toEqual([made.id]);
  await write.rollback();
  for (const cursor of cursors) expect((await readFrom(cursor)).ids).toEqual([made.id]);
});

test('a transaction with thousands of parts that is under way makes no cursor longer', async () => {
  const other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
  try {
    await other.query('create table if not exists parts (number integer)');
    await other.query('begin');
    await other.query(`do $$ begin
      for part in 1..3000 loop
        begin insert into parts values (part); exception when others then raise; end;
      end loop;
    end $$`);
    const write = await beginWrite(service.databaseUrl, orgId);
    const before = await readFrom('latest');
    const list = await client.get(recordsPath('svc_contact'));
    const lengths = [before.next.length, String(list.body.pagination?.changes_cursor).length];
    expect(Math.max(...lengths)).toBeLessThan(500);
    await write.commit();
    const after = await readFrom(before.next);
    expect(after.ids).toContain(write.id);
    expect(after.next.length).toBeLessThan(500);
  } finally {
    await other.query('rollback');
    await other.end();
  }
});
