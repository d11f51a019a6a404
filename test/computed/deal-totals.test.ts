// The totals of open deals (contract 6): after any change, every read, filter, order and aggregate says
// what a recount says.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import {
  aggregatesAgree,
  expectedTotals,
  includesAgree,
  linkedFiltersAgree,
  operatorsAgree,
  ordersAgree,
  readsAgree,
} from '../support/computed/totals-questions.ts';
import { potential, stirTotals, TotalsWorld, weighted } from '../support/computed/totals-world.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const random = new Random(seedFrom('QUERY_SEED'));
let service: TestService;
let world: TotalsWorld;
beforeAll(async () => {
  service = await startService();
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  world = new TotalsWorld(service.client((await service.createKey(orgId)).key), random);
  await world.fill();
  // As every database has them soon.
  await service.database.script('analyze orrery.record, orrery.association');
});
afterAll(() => service.stop());

test('every read has the totals, before and after deals, stages and links change', async () => {
  await readsAgree(world.client, world);
  await stirTotals(world);
  await readsAgree(world.client, world);
  const totals = expectedTotals(world).map(([, each]) => Object.keys(each).length);
  // Otherwise the tests of this file would prove little.
  expect(totals.filter((count) => count === 2).length).toBeGreaterThan(25);
  expect(totals.filter((count) => count === 0).length).toBeGreaterThan(10);
});

test('contacts that are included have them', async () => {
  await includesAgree(world.client, world);
});

test('every operator finds by them', async () => {
  await operatorsAgree(world.client, world);
});

test('both orders hold page by page', async () => {
  await ordersAgree(world.client, world);
});

test('they are added up and grouped', async () => {
  await aggregatesAgree(world.client, world);
});

test('a filter on what is linked finds by them', async () => {
  await linkedFiltersAgree(world.client, world);
});

/** Runs on a second service that takes types of so many records for large, and has little patience with them. */
async function withLargeTypes(largeType: number, run: (client: Client) => Promise<void>): Promise<void> {
  const restoreBounds = lowerBounds({
    store: { largeType, smallSet: 15, examinedRows: 25, searchTryMs: 1 },
    engine: { typeSizeKnownMs: 0 },
  });
  const other = await startService({ databaseUrl: service.databaseUrl });
  try {
    await run(other.client(world.client.key));
  } finally {
    restoreBounds();
    await other.stop();
  }
}

test('they are the same where there are many contacts', async () => {
  await withLargeTypes(20, async (client) => {
    await ordersAgree(client, world, [weighted]);
    await aggregatesAgree(client, world);
  });
});

test('they are the same where there are few contacts and many deals', async () => {
  const between = Math.floor((world.liveContacts().length + world.liveDeals().length) / 2);
  await withLargeTypes(between, async (client) => {
    await operatorsAgree(client, world, [potential]);
    await aggregatesAgree(client, world);
  });
});
