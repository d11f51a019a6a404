// Generated aggregates agree with a recount in plain JavaScript (test/support/aggregates/model.ts) of all that the same
// credential can page through (contract 5). AGGREGATE_SEED repeats a run; AGGREGATE_RUNS makes it longer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AggregateRequest,
  type Entry,
  nameOf,
  recount,
  type View,
  valuesOf,
} from '../support/aggregates/model.ts';
import { associations, requestOf } from '../support/aggregates/requests.ts';
import { normalised } from '../support/aggregates/values.ts';
import { createWorld, facts, viewOf, visibleTypes, type World } from '../support/aggregates/world.ts';
import type { Client } from '../support/client.ts';
import { Random, seedFrom } from '../support/random.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('AGGREGATE_SEED');
const runs = Number(process.env['AGGREGATE_RUNS'] ?? 45);
const things = recordsPath('thing');

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service, new Random(seed));
});
afterAll(() => service.stop());

/** One page of groups. */
async function page(client: Client, body: object): Promise<{ entries: readonly Entry[]; next: string | null }> {
  const answer = await client.post(`${things}aggregate/`, body);
  if (answer.status !== 200) expect.fail(`seed ${seed}: ${JSON.stringify(body)}\nwas answered ${answer.text}`);
  return { entries: answer.body.data, next: answer.body.pagination?.next_cursor ?? null };
}

/** Every group, page by page; each page but the last is full. */
async function walk(client: Client, request: AggregateRequest, limit: number): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const { entries, next }: Awaited<ReturnType<typeof page>> = await page(client, {
      ...request,
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
    expect(next === null ? entries.length <= limit : entries.length === limit, 'a page that is not full').toBe(true);
    found.push(...entries);
    cursor = next;
  } while (cursor !== null);
  return found;
}

/** The records that a query with the same filter and search gives. */
async function narrowed(client: Client, view: View, { filter, search }: AggregateRequest): Promise<View> {
  if (filter === undefined && search === undefined) return view;
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const body: object = {
      ...(filter === undefined ? {} : { filter }),
      ...(search === undefined ? {} : { search }),
      ...(cursor === null ? {} : { cursor }),
      limit: 60,
    };
    const answer = await client.post(`${things}query/`, body);
    if (answer.status !== 200) expect.fail(`seed ${seed}: ${JSON.stringify(body)}\nwas answered ${answer.text}`);
    for (const { id } of answer.body.data as readonly { id: string }[]) ids.add(id);
    cursor = answer.body.pagination?.next_cursor ?? null;
  } while (cursor !== null);
  return { ...view, records: view.records.filter(({ id }) => ids.has(id)) };
}

/** The answer in the form of the recount. */
function inModelForm(view: View, request: AggregateRequest, entries: readonly Entry[]): readonly Entry[] {
  const held = new Map(
    request.aggregations.map(({ property = '' }) => [
      property,
      new Set(view.records.flatMap((record) => valuesOf(record, property))),
    ]),
  );
  return entries.map(({ key, values }) => ({
    key,
    values: Object.fromEntries(
      request.aggregations.map((aggregation) => {
        const { function: name, property = '' } = aggregation;
        const as = nameOf(aggregation);
        return [as, normalised(name, facts.get(property), values[as], held.get(property) ?? new Set())];
      }),
    ),
  }));
}

/** Groups of this run, over all credentials: a run that compared nothing would prove nothing. */
let compared = 0;

for (const [name, offset] of [
  ['all', 1],
  ['first', 2],
  ['second', 3],
  ['narrow', 4],
  ['narrowUser', 5],
] as const) {
  test(`the key "${name}" counts exactly the records that it can page through`, async () => {
    const client = world.clients[name];
    const reads = name.startsWith('narrow') ? 'narrow' : 'all';
    const view = await viewOf(world, client, visibleTypes[reads]);
    expect(view.records.length).toBeGreaterThan(20);
    const random = new Random(seed + offset);
    for (let run = 0; run < runs; run++) {
      const request = requestOf(random, associations[reads]);
      const told = `seed ${seed}, run ${run} of "${name}": ${JSON.stringify(request)}`;
      const narrow = await narrowed(client, view, request);
      const expected = recount(narrow, request);
      const whole = await walk(client, request, 1_000);
      expect(inModelForm(narrow, request, whole), told).toEqual(expected);
      for (const { values } of whole) {
        expect(Object.keys(values).sort(), told).toEqual(request.aggregations.map(nameOf).sort());
      }
      compared += whole.length;
      // Pages of a few groups, and no more than a few of them.
      const limit = Math.max(random.between(1, 7), Math.ceil(whole.length / 6));
      if (whole.length > 1) expect(await walk(client, request, limit), `${told}, limit ${limit}`).toEqual(whole);
    }
  });
}

test('the runs compared groups of every sort', () => {
  expect(compared).toBeGreaterThan(runs * 5);
});
