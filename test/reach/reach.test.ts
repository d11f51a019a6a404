// A key of reach `user` learns nothing of a private record, by any operation (contract 2 and 7): two orgs that differ in
// private records alone answer the same requests alike, byte for byte but for ids, times and cursors, which are mapped.
// Computed properties count all records of the org, the one stated exception: what feeds them is of one value here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/operations/all.ts';
import type { Answer } from '../support/answer.ts';
import { hiddenWord } from '../support/reach/build.ts';
import { aggregates, discovery, feedReads, queries, recordReads } from '../support/reach/reads.ts';
import type { Request, Side } from '../support/reach/side.ts';
import { createWorld } from '../support/reach/world.ts';
import { batches, linkWrites, recordWrites } from '../support/reach/writes.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let sides: readonly [Side, Side];
beforeAll(async () => {
  service = await startService();
  sides = await createWorld(service);
});
afterAll(() => service.stop());

/** The request for the page after the one that was answered; undefined where there is none. */
function nextOf(request: Request, { body }: Answer): Request | undefined {
  const cursor = body.pagination?.next_cursor ?? null;
  // The feed has no end: reading stops at the first empty page.
  if (cursor === null || body.data.length === 0) return undefined;
  if (request.body !== undefined) return { ...request, body: { ...request.body, cursor } };
  const [path = '', query = ''] = request.path.split('?');
  const rest = query.split('&').filter((each) => each !== '' && !each.startsWith('cursor='));
  return { ...request, path: `${path}?${[...rest, `cursor=${cursor}`].join('&')}` };
}

/** Asks both orgs, page by page; how many answers there were of each status. */
async function compare(requests: readonly Request[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (const request of requests) {
    let pages: readonly (Request | undefined)[] = [request, request];
    for (let page = 0; pages[0] !== undefined && page < 60; page++) {
      const asked = pages as readonly [Request, Request];
      const answers = await Promise.all(sides.map((side, index) => side.send(asked[index] ?? request)));
      const told = `page ${page} of ${JSON.stringify(request)}`;
      const [one, two] = sides.map((side, index) => side.comparable(answers[index] as Answer));
      expect(two, told).toBe(one);
      for (const [index, side] of sides.entries()) {
        expect(side.leaks(asked[index] ?? request, answers[index] as Answer, hiddenWord), told).toEqual([]);
      }
      const status = answers[0]?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const paged = status === 200 && request.method !== 'DELETE' && answers[0]?.body.pagination !== undefined;
      pages = paged ? answers.map((answer, index) => nextOf(asked[index] ?? request, answer)) : [];
    }
  }
  return statuses;
}

describe('two orgs that differ in private records alone answer alike', () => {
  test('to discovery', async () => {
    expect([...(await compare(discovery())).keys()]).toEqual([200]);
  });

  test.each([
    ['reads of records and of links', recordReads, [200, 400, 404]],
    ['queries', queries, [200]],
    ['aggregates', aggregates, [200]],
    ['the change feed', feedReads, [200]],
    ['writes of links', linkWrites, [200, 404, 412]],
    ['writes of records', recordWrites, [200, 201, 404, 409, 422]],
    ['batches', batches, [207, 404, 409]],
    ['reads of records and of links after all that', recordReads, [200, 400, 404]],
    ['the change feed after all that', feedReads, [200]],
  ] as const)('to %s', async (_, requests, expected) => {
    const statuses = await compare(requests());
    expect(
      [...statuses.keys()].sort((left, right) => left - right),
      JSON.stringify([...statuses]),
    ).toEqual(expected);
  });
});

test('every operation is tried, with hidden ids wherever it takes an id', () => {
  const asked = [discovery, recordReads, queries, aggregates, feedReads, linkWrites, recordWrites, batches].flatMap(
    (each) => each(),
  );
  expect([...new Set(asked.map(({ operation }) => operation))].sort()).toEqual(operations.map(({ id }) => id).sort());
  expect(operations).toHaveLength(20);
  for (const { id, path } of operations.filter((each) => each.path.includes('{id}'))) {
    const hidden = asked.filter((each) => each.operation === id && each.path.includes('«xann»'));
    expect(hidden.length, path).toBeGreaterThan(0);
  }
});

test('the orgs do differ in records that the key cannot see', async () => {
  const counts = await Promise.all(
    sides.map(async ({ keys: { all, me } }) => {
      const counted: Record<string, readonly [number, number]> = {};
      for (const type of ['svc_contact', 'svc_company', 'svc_deal', 'svc_note', 'svc_stage_timer', 'thing']) {
        const [every, mine] = await Promise.all(
          [all, me].map(async (caller) => {
            const { body } = await caller.post(`/objects/${type}/records/aggregate/`, {
              aggregations: [{ function: 'count' }],
            });
            return Number(body.data[0].values.count);
          }),
        );
        counted[type] = [every ?? 0, mine ?? 0];
      }
      return counted;
    }),
  );
  const [plain = {}, full = {}] = counts;
  for (const [type, [every, mine]] of Object.entries(full)) {
    expect(every, type).toBeGreaterThan(plain[type]?.[0] ?? 0);
    expect(mine, type).toBe(plain[type]?.[1]);
    expect(mine, type).toBeGreaterThan(0);
  }
  expect(sides[1].hiddenIds.length).toBeGreaterThan(sides[0].hiddenIds.length + 8);
});
