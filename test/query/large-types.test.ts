// Types with many records are read in other ways: indexes that are built when they are first needed, sets that are
// counted, walks that give up. With the bounds lowered a few hundred records take all of them, and every answer must
// still be the model's: before, while and after the indexes are built.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { askAll, manyAtOnce } from '../support/query/ask.ts';
import { Stirred } from '../support/query/concurrent-writes.ts';
import { createQueryOrg, type QueryOrg } from '../support/query/data.ts';
import { Trials } from '../support/query/trials.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('QUERY_SEED');
const random = new Random(seed);
const timeout = 180_000;
let restoreBounds: () => void;

let service: TestService;
let org: QueryOrg;
let trials: Trials;
beforeAll(async () => {
  restoreBounds = lowerBounds({
    store: { largeType: 20, smallSet: 15, examinedRows: 25, searchTryMs: 1, indexedAtOnce: 40 },
    engine: { typeSizeKnownMs: 0, indexGraceMs: 2_500, indexWaitMs: 50 },
    shares: { wishRepeatedMs: 0 },
  });
  service = await startService();
  const sizes = { specimen: 200, svc_contact: 60, freelancer: 30, svc_company: 40, svc_deal: 50 };
  org = await createQueryOrg(service, random, sizes);
  trials = new Trials(seed, random, org);
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
});

test('pages in a large type hold while records change and indexes are built', { timeout }, async () => {
  const [caller] = (await createQueryOrg(service, random, { specimen: 160, svc_contact: 1, freelancer: 1 })).callers;
  const stirred = new Stirred(random, caller, 'specimen');
  for (let round = 0; round < 6; round++) {
    await stirred.pagesHold(trials.sort('specimen'), `QUERY_SEED=${seed} round ${round}`);
  }
});

test('every operator finds what the model finds in a large type', { timeout }, async () => {
  // One type has every field type, the other one the properties that are unique or kept by the service.
  const all = trials.everyOperator(['specimen', 'svc_contact']);
  expect(all.length).toBeGreaterThan(200);
  await manyAtOnce(all, 4, async (trial) => {
    await trials.filterAgrees(trial);
  });
});

test('generated filter trees find what the model finds in a large type', { timeout }, async () => {
  await manyAtOnce(trials.filters(150), 4, async (trial) => {
    await trials.filterAgrees(trial);
  });
});

test('every sort has the order of the model in a large type', { timeout }, async () => {
  await manyAtOnce(trials.everySort(), 4, (trial) => trials.pagesAgree(trial));
});

test('generated sorts, filters and searches have the order of the model in a large type', { timeout }, async () => {
  await manyAtOnce(trials.sorts(30), 4, (trial) => trials.pagesAgree(trial));
});

test('a walk that gives up among the values does not continue with the records that have none', async () => {
  const client = await service.newClient();
  const contact = (properties: object) => item('create', 'svc_contact', { properties });
  const many = (count: number, make: (place: number) => object) =>
    Array.from({ length: count }, (_, place) => make(place));
  const results = await succeed(client, [
    ...many(60, (place) => contact({ svc_last_name: `a${place}`, svc_headline: 'x' })),
    ...many(10, (place) => contact({ svc_last_name: `b${place}`, svc_headline: 'y' })),
    ...many(20, () => contact({ svc_headline: 'y' })),
  ]);
  const filter = { property: 'svc_headline', operator: 'not_contains', value: 'x' };
  for (const limit of [1, 3, 5, 30]) {
    const sort = [{ property: 'svc_last_name', direction: 'asc' as const }];
    const ids = await askAll(client, 'svc_contact', { filter, sort }, () => limit);
    expect(ids, `limit ${limit}`).toEqual(results.slice(60).map(({ id }) => id));
  }
});
