// A page of a record with 5,000 links costs as much as one of a record with 100: counted are the rows and blocks that
// PostgreSQL touches for a page, at the beginning, in the middle and at the end, from both ends of the links (contract
// 5 and 6).
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { type Hub, type Hubs, makeHubs, pageFindings, pagesOf } from '../support/links/hubs.ts';
import { linkPath, plainSend, type Send } from '../support/plain-requests.ts';
import { startService, type TestService } from '../support/service.ts';

const limit = 50;
const sizes = { large: 5_000, small: 100 } as const;

let service: TestService;
let client: Client;
let send: Send;
let large: Hubs;
let small: Hubs;
/** The statements on links since recording began. */
let heard: Sql[] = [];

/** Records every statement that is not part of a transaction. */
function listening(database: Database): Database {
  const query = <Row extends object>(statement: Sql) => {
    if (statement.text.includes('orrery.association')) heard.push(statement);
    return database.brief.query<Row>(statement);
  };
  return { ...database, brief: { ...database.brief, query } };
}

beforeAll(async () => {
  service = await startService({ adapt: listening });
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const { key } = await service.createKey(orgId);
  client = service.client(key);
  send = plainSend(service.url, key);
  small = await makeHubs(send, sizes.small);
  large = await makeHubs(send, sizes.large);
  await rawQuery(service.databaseUrl, 'vacuum analyze orrery.association, orrery.record');
});
afterAll(() => service.stop());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

interface Work {
  readonly rows: number;
  readonly blocks: number;
}

/** The rows that all nodes of the plan returned or discarded, and the blocks that were read. */
function workOf(plan: PlanNode): Work {
  const rowsOf = (node: PlanNode): number => {
    const removed = (['Filter', 'Index Recheck', 'Join Filter'] as const).reduce(
      (sum, by) => sum + (node[`Rows Removed by ${by}`] ?? 0),
      0,
    );
    const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
    return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
  };
  return { rows: rowsOf(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

/**
 * Runs the statements again and counts. As the service runs them: with a plan that knows no values, and with one that
 * knows them; the worse of the two counts.
 */
async function measure(statements: readonly Sql[]): Promise<Work> {
  const connection = new pg.Client({ connectionString: service.databaseUrl });
  await connection.connect();
  try {
    let worst: Work = { rows: 0, blocks: 0 };
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await connection.query(`set plan_cache_mode = ${mode}`);
      const total = { rows: 0, blocks: 0 };
      for (const { text, values } of statements) {
        const explain = {
          text: `explain (analyze, buffers, format json) ${text}`,
          values,
          name: `${mode} ${text.length}`,
        };
        // Twice, because the first query of a table also reads its statistics.
        await connection.query(explain);
        const { rows } = await connection.query(explain);
        const work = workOf(rows[0]['QUERY PLAN'][0].Plan);
        total.rows += work.rows;
        total.blocks += work.blocks;
      }
      worst = { rows: Math.max(worst.rows, total.rows), blocks: Math.max(worst.blocks, total.blocks) };
    }
    return worst;
  } finally {
    await connection.end();
  }
}

interface MeasuredPage {
  readonly work: Work;
  readonly answer: Answer;
}

/** The pages of a hub that are asked for, counted from 0, each with the work that it makes. */
async function measurePages(hub: Hub, wanted: readonly number[]): Promise<readonly MeasuredPage[]> {
  const pages: MeasuredPage[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page++) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    heard = [];
    const answer: Answer = await client.get(`${linkPath(hub.type, hub.id, hub.association)}?limit=${limit}${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(heard.length).toBeGreaterThan(0);
    if (wanted.includes(page)) pages.push({ answer, work: await measure(heard) });
    cursor = answer.body.pagination?.next_cursor ?? null;
  }
  return pages;
}

const directions = ['incoming', 'outgoing'] as const;

test.each(directions)('pages of %s links cost the same in a hub of 5,000 as in one of 100', async (direction) => {
  const [small0, small1] = await measurePages(small[direction], [0, 1]);
  const pages = await measurePages(large[direction], [0, 49, 99]);
  expect(pages.map(({ answer }) => answer.body.data.length)).toEqual([limit, limit, limit]);
  const most = (measured: readonly (MeasuredPage | undefined)[], what: keyof Work) =>
    Math.max(...measured.map((page) => page?.work[what] ?? 0));
  // A page is read with one row more than it has, and nothing reads on from there; but with other statistics PostgreSQL can join its
  // few tables in another order.
  const told = JSON.stringify([small0, small1, ...pages].map((page) => page?.work));
  expect(most(pages, 'rows'), told).toBeLessThanOrEqual(most([small0, small1], 'rows') + 4 * (limit + 1));
  // An index over more rows may be a level higher, which each row is looked up through.
  expect(most(pages, 'blocks'), told).toBeLessThanOrEqual(most([small0, small1], 'blocks') + 3 * (limit + 1));
});

test.each(directions)('all 5,000 %s links come exactly once, in order, in full pages', async (direction) => {
  for (const size of [500, 77]) {
    const pages = await pagesOf(send, large[direction], size);
    expect(pageFindings(direction, pages, large.contacts, size)).toEqual([]);
  }
});

test.each(directions)('%s ends that are deleted between two pages are left out, and come back', async (direction) => {
  const gone = large.contacts.filter((_, index) => index % 250 === 240);
  const each = (operation: 'delete' | 'restore') =>
    send('POST', '/batch/', { operations: gone.map((id) => ({ operation, object_type: 'svc_contact', id })) });
  const statuses: number[] = [];
  const pages = await pagesOf(send, large[direction], 200, async (page) => {
    if (page === 4) statuses.push((await each('delete')).status);
    if (page === 14) statuses.push((await each('restore')).status);
  });
  expect(statuses).toEqual([200, 200]);
  // Before page 4 none was deleted; after page 14 all were restored.
  const came = pages.flatMap((page) => page.ids);
  const missing = large.contacts.filter((id) => !came.includes(id));
  const missed = gone.filter((id) => id > (pages[4]?.ids.at(-1) ?? '') && id <= (pages[14]?.ids.at(-1) ?? ''));
  expect(missing).toEqual(missed);
  expect(missed.length).toBeGreaterThan(5);
  expect(new Set(came).size).toBe(came.length);
  expect(pages.slice(0, -1).every((page) => page.ids.length === 200)).toBe(true);
});

test('the hub of 100 is not affected by any of this', async () => {
  for (const direction of directions) {
    const pages = await pagesOf(send, small[direction], 30);
    expect(pageFindings(direction, pages, small.contacts, 30)).toEqual([]);
  }
});
