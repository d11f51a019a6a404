// Questions about the totals of open deals, compared with the expected totals: every way to read a record, every operator, both
// orders page by page, and aggregates over all contacts.
import { expect } from 'vitest';
import { shortest, sumOf, writeDecimal } from '../aggregates/decimals.ts';
import type { Client } from '../client.ts';
import { askAll, manyAtOnce, query } from '../query/ask.ts';
import type { Filter, Question } from '../query/model.ts';
import { pathOfRecord, type RecordData, recordsPath } from '../records.ts';
import { inContact, type Money, potential, sizeOf, type Totals, type TotalsWorld, weighted } from './totals-world.ts';

const totalNames = [potential, weighted] as const;
type TotalName = (typeof totalNames)[number];
const type = 'svc_contact';
const places = 26;

/** The totals among the values of a record. */
export function totalsIn({ properties }: RecordData): Totals {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name.includes('_deal_total')));
}

/** The contacts' totals as they must be read, in the order of the list. */
export function expectedTotals(world: TotalsWorld): readonly (readonly [string, Totals])[] {
  return [...world.liveContacts()].sort().map((id) => [id, world.totalsOf(id)]);
}

async function listed(client: Client, limit: number): Promise<readonly RecordData[]> {
  const records: RecordData[] = [];
  let cursor = '';
  do {
    const { status, body, text } = await client.get(`${recordsPath(type)}?limit=${limit}${cursor}`);
    expect(status, text).toBe(200);
    records.push(...body.data);
    const next = body.pagination?.next_cursor ?? null;
    cursor = next === null ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  return records;
}

/** Lists of small and of large pages, queries and single reads say the same, and it is right. */
export async function readsAgree(client: Client, world: TotalsWorld): Promise<void> {
  const expected = expectedTotals(world);
  const seen = (records: readonly RecordData[]) => records.map((record) => [record.id, totalsIn(record)]);
  expect(seen(await listed(client, 50))).toEqual(expected);
  expect(seen(await listed(client, 500))).toEqual(expected);
  for (const limit of [50, 500]) {
    const { body } = await query(client, type, { limit });
    expect(seen(body.data)).toEqual(expected.slice(0, limit));
  }
  for (const [id, totals] of world.random.some(expected, 8)) {
    const { body } = await client.get(pathOfRecord({ object_type: type, id }));
    expect(totalsIn(body.data)).toEqual(totals);
  }
}

/** Contacts that come with their deals have their totals as well. */
export async function includesAgree(client: Client, world: TotalsWorld): Promise<void> {
  const { body } = await client.get(`${recordsPath('svc_deal')}?limit=100&include=${inContact}`);
  const items = (body.data as readonly (RecordData & { readonly associations: Included })[]).flatMap(
    ({ associations }) => associations[inContact]?.items ?? [],
  );
  expect(items.length).toBeGreaterThan(50);
  for (const item of items) expect(totalsIn(item), item.id).toEqual(world.totalsOf(item.id));
}

type Included = Readonly<Record<string, { readonly items: readonly RecordData[] }>>;

type Comparison = (total: bigint, value: bigint) => boolean;
const comparisons: Readonly<Record<string, Comparison>> = {
  eq: (total, value) => total === value,
  neq: (total, value) => total !== value,
  gt: (total, value) => total > value,
  gte: (total, value) => total >= value,
  lt: (total, value) => total < value,
  lte: (total, value) => total <= value,
};

/** The contacts that each operator finds, for a value that a total has, one that none has, and another unit. */
export async function operatorsAgree(
  client: Client,
  world: TotalsWorld,
  names: readonly TotalName[] = totalNames,
): Promise<void> {
  const questions = names.flatMap((name) => conditionsOn(world, name).map((each) => ({ name, ...each })));
  await manyAtOnce(questions, 4, async ({ name, filter, holds }) => {
    const found = expectedTotals(world).filter(([, totals]) => holds(totals[name]));
    const ids = found.map(([id]) => id);
    expect(await askAll(client, type, { filter }), JSON.stringify(filter)).toEqual(ids);
  });
}

interface TotalCondition {
  readonly filter: Filter;
  readonly holds: (total: Money | undefined) => boolean;
}

function conditionsOn(world: TotalsWorld, property: TotalName): readonly TotalCondition[] {
  const [some, other] = operands(world, property);
  const compared = [some, other].flatMap((value) =>
    Object.entries(comparisons).map(([operator, compare]) => ({
      filter: { property, operator, value },
      holds: (total: Money | undefined) =>
        total?.unit === value.unit ? compare(sizeOf(total), sizeOf(value)) : operator === 'neq',
    })),
  );
  const low = { amount: '-5', unit: 'USD' };
  const within = (total: Money | undefined) =>
    total !== undefined && sizeOf(total) >= sizeOf(low) && sizeOf(total) <= sizeOf(some);
  const foreign = { amount: '0', unit: 'EUR' };
  const between = { property, operator: 'between', value: [low, some] };
  const isSet = { property, operator: 'is_set' };
  return [
    ...compared,
    { filter: between, holds: within },
    { filter: { not: between }, holds: (total) => !within(total) },
    { filter: isSet, holds: (total) => total !== undefined },
    { filter: { property, operator: 'is_not_set' }, holds: (total) => total === undefined },
    { filter: { property, operator: 'gte', value: foreign }, holds: () => false },
    { filter: { and: [isSet, { property, operator: 'neq', value: foreign }] }, holds: (total) => total !== undefined },
    { filter: { or: [{ not: isSet }, between] }, holds: (total) => total === undefined || within(total) },
  ];
}

/** Values of the shape, which has 12 decimals at most; the first is that of a total, written longer. */
function operands(world: TotalsWorld, name: TotalName): readonly [Money, Money] {
  const totals = expectedTotals(world).flatMap(([, each]) => each[name] ?? []);
  const fitting = totals.filter(({ amount }) => /^\d{1,18}(\.\d{1,11})?$/.test(amount));
  const { amount, unit } = world.random.pick(fitting);
  return [
    { amount: amount.includes('.') ? `${amount}0` : `0${amount}.00`.slice(-20), unit },
    { amount: '123.45', unit },
  ];
}

/** Both orders of the totals, to the end, alone and with a filter; unset comes last and ties by id. */
export async function ordersAgree(
  client: Client,
  world: TotalsWorld,
  names: readonly TotalName[] = totalNames,
): Promise<void> {
  const keys = names.flatMap((property) => (['asc', 'desc'] as const).map((direction) => ({ property, direction })));
  await manyAtOnce(keys, 4, async ({ property, direction }) => {
    const all = sorted(world, property, direction);
    const agrees = async (question: Question, ids: readonly string[], limit: number) => {
      const asked = { sort: [{ property, direction }], ...question };
      expect(await askAll(client, type, asked, () => limit), JSON.stringify(asked)).toEqual(ids);
    };
    const sizes = new Map(all.map((id) => [id, world.totalsOf(id)[property]]));
    const isAbove = (id: string) => sizeOf(sizes.get(id) ?? none) > 0n;
    const above = { property, operator: 'gt', value: none };
    await agrees({}, all, 11);
    await agrees({ filter: above }, all.filter(isAbove), 23);
    await agrees(
      { filter: { not: above } },
      all.filter((id) => !isAbove(id)),
      17,
    );
    const unset = all.filter((id) => sizes.get(id) === undefined);
    await agrees({ filter: { property, operator: 'is_not_set' } }, unset, 10);
    const second = { property: 'svc_created_at', direction: 'asc' } as const;
    await agrees({ sort: [{ property, direction }, second] }, all, 40);
  });
}

const none: Money = { amount: '0', unit: 'USD' };

function sorted(world: TotalsWorld, name: TotalName, direction: 'asc' | 'desc'): readonly string[] {
  const sign = direction === 'asc' ? 1 : -1;
  return expectedTotals(world)
    .map(([id, totals]) => ({ id, total: totals[name] }))
    .sort((left, right) => {
      if (left.total === undefined || right.total === undefined) {
        return Number(left.total === undefined) - Number(right.total === undefined);
      }
      const difference = sizeOf(left.total) - sizeOf(right.total);
      return difference === 0n ? 0 : difference < 0n ? -sign : sign;
    })
    .map(({ id }) => id);
}

/** Counts, sums and extremes over all contacts, in groups by unit, with and without a filter. */
export async function aggregatesAgree(client: Client, world: TotalsWorld): Promise<void> {
  const functions = ['count', 'count_distinct', 'sum', 'min', 'max'];
  const aggregations = totalNames.flatMap((property) =>
    functions.map((name) => ({ function: name, property, as: `${name} ${property}` })),
  );
  const isSet = { property: weighted, operator: 'is_set' };
  for (const filter of [undefined, isSet]) {
    const question = { aggregations, group_by: [{ property: potential }], ...(filter && { filter }) };
    const { status, text } = await client.post(`${recordsPath(type)}aggregate/`, question);
    expect(status, text).toBe(200);
    const totals = expectedTotals(world).map(([, each]) => each);
    const set = totals.filter((each) => each[potential] !== undefined);
    const groups = [{ key: ['USD'], values: measured(set) }];
    const none = { key: [null], values: measured(totals.filter((each) => each[potential] === undefined)) };
    const written = JSON.parse(text, (key, value) => (key === 'amount' ? shortest(value) : value));
    expect(written.data).toEqual(filter === undefined ? [...groups, none] : groups);
  }
}

function measured(totals: readonly Totals[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    totalNames.flatMap((name) => {
      const values = totals.flatMap((each) => each[name] ?? []).map(sizeOf);
      const ordered = [...values].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
      const money = (value: bigint | undefined) =>
        value === undefined ? null : [{ amount: writeDecimal(value, places), unit: 'USD' }];
      return [
        [`count ${name}`, String(values.length)],
        [`count_distinct ${name}`, String(new Set(values).size)],
        [`sum ${name}`, money(values.length === 0 ? undefined : sumOf(values))],
        [`min ${name}`, money(ordered[0])],
        [`max ${name}`, money(ordered.at(-1))],
      ];
    }),
  );
}

/** A condition on the totals of linked records. */
export async function linkedFiltersAgree(client: Client, world: TotalsWorld): Promise<void> {
  const value = { amount: '1000', unit: 'USD' };
  const filter: Filter = {
    association: inContact,
    operator: 'exists',
    filter: { property: potential, operator: 'gt', value },
  };
  const live = new Set(world.liveContacts());
  const above = (id: string) => live.has(id) && sizeOf(world.totalsOf(id)[potential] ?? none) > sizeOf(value);
  const expected = world.liveDeals().filter((id) => world.deals.get(id)?.contacts.some(above));
  expect(await askAll(client, 'svc_deal', { filter })).toEqual([...expected].sort());
}
