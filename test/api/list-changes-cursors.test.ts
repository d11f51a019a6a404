// GET /changes/: its parameters, its cursors, long polls, and what is left after the retention of entries (contract 5).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep, within } from '../../src/base/clock.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { rotateKey } from '../../src/engine/admin/keys.ts';
import type { Client } from '../support/client.ts';
import { withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { idsOf, keyWith } from '../support/links.ts';
import { changes, changesPath, changesSince, endOfFeed, type FeedEntry, liveAfter } from '../support/read-feed.ts';
import { faultsOf, listedIds, make, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let credentialId: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const issued = await service.createKey(orgId);
  credentialId = issued.credentialId;
  client = service.client(issued.key);
});
afterAll(() => service.stop());

const recordsOf = (entries: readonly FeedEntry[]) => entries.map(({ record_id }) => record_id);

async function makeMany(caller: Client, count: number, type = 'svc_company'): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await make(caller, type)).id);
  return ids;
}

describe('a parameter', () => {
  test.each(['nope', 'svc_user', 'svc_org', ''])('object_type of "%s" is not a type', async (object_type) => {
    const answer = await client.get(changesPath({ object_type }));
    if (object_type === '') expect([400, 404]).toContain(answer.status);
    else await expectProblem(answer, 'not_found', 'object_type_unknown');
  });

  test.each([
    ['limit', '0', 'limit_out_of_range'],
    ['limit', '1001', 'limit_out_of_range'],
    ['limit', '1.5', 'limit_out_of_range'],
    ['limit', '', 'limit_out_of_range'],
    ['wait', '-1', 'invalid_parameter'],
    ['wait', '26', 'invalid_parameter'],
    ['wait', '0.5', 'invalid_parameter'],
    ['wait', '', 'invalid_parameter'],
    ['cursor', 'abc', 'invalid_cursor'],
    ['cursor', 'Latest', 'invalid_cursor'],
    ['cursor', '', 'invalid_cursor'],
    ['since', '2026-01-01', 'unknown_parameter'],
  ])('%s of "%s" is refused', async (parameter, value, reason) => {
    const answer = await client.get(changesPath({ [parameter]: value }));
    await expectProblem(answer, 'invalid_request', reason);
    expect(faultsOf(answer)).toMatchObject([{ parameter, reason }]);
  });

  test('is reported with the others', async () => {
    const answer = await client.get(changesPath({ limit: 0, wait: 99, cursor: 'abc', nope: 1 }));
    await expectProblem(answer, 'invalid_request');
    expect(
      faultsOf(answer)
        .map(({ parameter }) => `${parameter}`)
        .sort(),
    ).toEqual(['cursor', 'limit', 'nope', 'wait']);
  });
});

describe('a cursor', () => {
  test('cuts the feed into pages without gaps or repetitions, and the last one is empty', async () => {
    const start = await endOfFeed(client);
    const ids = await makeMany(client, 5);
    for (const limit of [1, 2, 5, 1000]) {
      const seen: string[] = [];
      let cursor = start;
      while (seen.length < ids.length) {
        const { entries, next } = await changes(client, { cursor, limit });
        expect(entries.length).toBe(Math.min(limit, ids.length - seen.length));
        seen.push(...recordsOf(entries));
        cursor = next;
      }
      expect(seen).toEqual(ids);
      const empty = await changes(client, { cursor, limit });
      expect(empty.entries).toEqual([]);
      expect((await changes(client, { cursor: empty.next })).entries).toEqual([]);
    }
  });

  test('without a limit leads to pages of 200', async () => {
    const own = await service.newClient();
    const operation = { operation: 'create', object_type: 'svc_company', properties: {} };
    const start = await endOfFeed(own);
    await own.post('/batch/', { operations: Array(203).fill(operation) });
    const first = await changes(own, { cursor: start });
    expect(first.entries).toHaveLength(200);
    expect((await changes(own, { cursor: first.next })).entries).toHaveLength(3);
  });

  test('of "earliest" is the default, and "latest" is the end', async () => {
    const [none, first] = [
      await changes(client, { limit: 3 }),
      await changes(client, { cursor: 'earliest', limit: 3 }),
    ];
    expect(none.entries).toEqual(first.entries);
    const end = await endOfFeed(client);
    expect((await changes(client, { cursor: end })).entries).toEqual([]);
    const [id] = await makeMany(client, 1);
    expect(recordsOf((await changes(client, { cursor: end })).entries)).toEqual([id]);
    // It can be used repeatedly.
    expect(recordsOf((await changes(client, { cursor: end })).entries)).toEqual([id]);
  });

  test('tells nothing by being equal to another: no two are, even of one place', async () => {
    const own = await service.newClient();
    const first = await changes(own, { limit: 1 });
    // The rest of a window that was begun: both pages end at the same place.
    const pages = [
      await changes(own, { cursor: first.next, limit: 1 }),
      await changes(own, { cursor: first.next, limit: 1 }),
    ];
    expect(pages[0]?.entries).toEqual(pages[1]?.entries);
    const cursors = [...pages.map(({ next }) => next), await endOfFeed(own), await endOfFeed(own)];
    for (let count = 0; count < 2; count++) {
      cursors.push(String((await own.get(recordsPath('svc_company'))).body.pagination?.changes_cursor));
    }
    expect(new Set(cursors).size).toBe(cursors.length);
    for (const cursor of cursors) expect((await own.get(changesPath({ cursor }))).status).toBe(200);
  });

  test('belongs to the org: other keys, other parameters and other processes can continue from it', async () => {
    const start = await endOfFeed(client);
    const [company] = await makeMany(client, 1);
    const [contact] = await makeMany(client, 1, 'svc_contact');
    const { next } = await changes(client, { cursor: start, limit: 1 });
    const other = await startService({ databaseUrl: service.databaseUrl });
    const neighbour = await service.createKey(orgId);
    const rotated = await rotateKey(service.database, credentialId, 3_600);
    try {
      for (const caller of [service.client(neighbour.key), service.client(rotated.key), other.client(rotated.key)]) {
        await withinASecond(
          () => caller.get('/self/'),
          ({ status }) => status === 200,
        );
        expect(recordsOf(await changesSince(caller, next))).toEqual([contact]);
        expect(recordsOf(await changesSince(caller, start, { object_type: 'svc_company' }))).toEqual([company]);
        expect(recordsOf(await changesSince(caller, start, { record_id: contact ?? '' }))).toEqual([contact]);
      }
    } finally {
      await other.stop();
    }
  });

  test('of another org or operation is refused, or one that was changed', async () => {
    const start = await endOfFeed(client);
    const stranger = await service.newClient();
    await makeMany(client, 2);
    const list = await client.get(`${recordsPath('svc_company')}?limit=1`);
    const foreign = await endOfFeed(stranger);
    const madeUp = await client.get(changesPath({ cursor: 'abc' }));
    for (const [caller, cursor] of [
      [client, foreign],
      [stranger, start],
      [client, list.body.pagination?.next_cursor ?? ''],
      [client, start.slice(0, -1)],
      [client, `${start}A`],
      [client, `${start.startsWith('A') ? 'B' : 'A'}${start.slice(1)}`],
    ] as const) {
      const answer = await caller.get(changesPath({ cursor }));
      await expectProblem(answer, 'invalid_request', 'invalid_cursor');
      expect(faultsOf(answer)).toEqual([{ parameter: 'cursor', reason: 'invalid_cursor' }]);
      expect(answer.body.detail).toBe(madeUp.body.detail);
    }
    const asList = await client.get(`${recordsPath('svc_company')}?cursor=${start}`);
    await expectProblem(asList, 'invalid_request', 'invalid_cursor');
  });

  test('comes with the first page of a list or query, for an exact copy', async () => {
    const path = recordsPath('svc_contact');
    const asked = [
      (cursor?: string) => client.get(`${path}?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`),
      (cursor?: string) => client.post(`${path}query/`, { limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
    ];
    for (const ask of asked) {
      const [doomed] = await makeMany(client, 4, 'svc_contact');
      const first = await ask();
      const pagination = first.body.pagination as { next_cursor: string; changes_cursor?: string };
      expect(pagination.changes_cursor).toEqual(expect.any(String));
      await client.delete(`${path}${doomed}/`);
      await makeMany(client, 1, 'svc_contact');
      const loaded: string[] = idsOf(first.body.data);
      for (let next: string | null = pagination.next_cursor; next !== null; ) {
        const { body } = await ask(next);
        expect(Object.keys(body.pagination ?? {})).toEqual(['next_cursor']);
        loaded.push(...idsOf(body.data));
        next = body.pagination?.next_cursor ?? null;
      }
      const tail = await changesSince(client, pagination.changes_cursor ?? '', { object_type: 'svc_contact' });
      expect([...liveAfter(tail, loaded)].sort()).toEqual([...(await listedIds(client, 'svc_contact'))].sort());
    }
  });
});

describe('a long poll', () => {
  test('ends as soon as something changes', async () => {
    const cursor = await endOfFeed(client);
    const waiting = changes(client, { cursor, wait: 25 });
    await sleep(150);
    const [id] = await makeMany(client, 1);
    const page = await within(15_000, waiting);
    expect(recordsOf(page?.entries ?? [])).toEqual([id]);
    expect(recordsOf((await changes(client, { cursor, wait: 25 })).entries)).toEqual([id]);
  });

  test('ends empty when its time is over, and its cursor continues', async () => {
    const cursor = await endOfFeed(client);
    const began = performance.now();
    const page = await changes(client, { cursor, wait: 1 });
    expect(page.entries).toEqual([]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(950);
    const [id] = await makeMany(client, 1);
    expect(recordsOf((await changes(client, { cursor: page.next })).entries)).toEqual([id]);
  });

  test('is not ended by changes that it did not ask for or may not see', async () => {
    const cursor = await endOfFeed(client);
    const own = await keyWith(service, orgId, ['svc_contact', 'read']);
    const polls = Promise.all([
      changes(client, { cursor, wait: 20, object_type: 'svc_contact' }),
      changes(own, { cursor, wait: 20 }),
    ]);
    await sleep(150);
    await makeMany(client, 1);
    await sleep(150);
    const [id] = await makeMany(client, 1, 'svc_contact');
    for (const { entries } of await polls) expect(recordsOf(entries)).toEqual([id]);
  });

  test('waits from "latest" on, and not at all if there are entries', async () => {
    const waiting = changes(client, { cursor: 'latest', wait: 25 });
    await sleep(300);
    const [id] = await makeMany(client, 1);
    expect(recordsOf((await within(15_000, waiting))?.entries ?? [])).toEqual([id]);
    const page = await within(15_000, changes(client, { wait: 25, limit: 1 }));
    expect(page?.entries).toHaveLength(1);
  });
});

test('a cursor whose changes are no longer kept gets 410, and the feed begins with what is left', async () => {
  const own = await service.newClient();
  const before = await endOfFeed(own);
  const [first] = await makeMany(own, 3);
  const { next: middle } = await changes(own, { cursor: before, limit: 1 });
  await sleep(5);
  await keepHouse(service.database, { trashSeconds: 1_000_000, changesSeconds: 0 });
  for (const parameters of [
    { cursor: before },
    { cursor: middle },
    { cursor: before, object_type: 'svc_contact' },
    { cursor: before, record_id: first ?? '' },
    { cursor: before, wait: 1 },
  ]) {
    await expectProblem(await own.get(changesPath(parameters)), 'gone', 'cursor_expired');
  }
  expect((await changes(own)).entries).toEqual([]);
  const [late] = await makeMany(own, 1);
  expect(recordsOf((await changes(own, { cursor: 'earliest' })).entries)).toEqual([late]);
  expect(await listedIds(own, 'svc_company')).toHaveLength(4);
});
