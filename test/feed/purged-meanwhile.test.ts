// Entries that are purged while a page is read: the page skips nothing that is still kept.
import { expect, test, vi } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { purgeFeed } from '../../src/store/records/purge.ts';
import { startService } from '../support/service.ts';

const day = 86_400;

test('a purge between the statements of a page takes no other entries from the reader', async () => {
  let purge: (() => Promise<unknown>) | undefined;
  const adapt = (database: Database): Database => {
    const query = async <Row extends object>(statement: Sql) => {
      const rows = await database.brief.query<Row>(statement);
      // The first statement of a page finds the last entry that it examines.
      if (purge !== undefined && statement.text.includes('from orrery.change as c')) {
        const once = purge;
        purge = undefined;
        await once();
      }
      return rows;
    };
    return { ...database, brief: { ...database.brief, query } };
  };
  const service = await startService({ adapt });
  try {
    const orgId = await service.createOrg();
    const client = service.client((await service.createKey(orgId)).key);
    const looked = bounds.store.feedEntriesExamined;
    // More than one statement examines: the oldest are due, and the wanted ones come just after the first examined
    // part.
    await service.database.query(sql`
      insert into orrery.change (org_id, kind, type_id, record_id, version, at, principal_id, request_id)
      select ${orgId}::integer, 3, case when n between ${looked + 1} and ${looked + 100} then 2 else 1 end,
        gen_random_uuid(), 1, case when n <= ${looked / 2} then now() - interval '40 days' else now() end,
        'test', gen_random_uuid()
      from generate_series(1, ${looked * 2}) as n order by n`);
    await service.database.query(sql`
      update orrery.change set at = now() - interval '40 days' where org_id = ${orgId} and principal_id = 'svc_system'`);
    // These entries are new, but for their dates: what other tests have under way must not be older than they are.
    await vi.waitFor(
      async () => {
        const [row] = await service.database.query<{ over: boolean }>(sql`
          select max(xid) < pg_snapshot_xmin(pg_current_snapshot()) as over from orrery.change where org_id = ${orgId}`);
        expect(row?.over).toBe(true);
      },
      { timeout: 120_000, interval: 50 },
    );
    purge = () => service.database.transaction((transaction) => purgeFeed(transaction, orgId, 30 * day));
    const told: unknown[] = [];
    let cursor = 'earliest';
    for (let page = 0; page < 5; page++) {
      const { status, body, text } = await client.get(`/changes/?object_type=svc_company&limit=1000&cursor=${cursor}`);
      expect(status, text).toBe(200);
      told.push(...body.data);
      cursor = body.pagination?.next_cursor ?? '';
    }
    expect(purge).toBeUndefined();
    expect(told).toHaveLength(100);
  } finally {
    await service.stop();
  }
});
