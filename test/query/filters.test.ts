// Filters mean what contract 4 and 5 say: generated filter trees over hostile values find what a model in plain
// JavaScript finds; QUERY_TREES=2000 makes more of them. A failure prints its seed and the smallest filter on which both still differ.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manyAtOnce } from '../support/query/ask.ts';
import { createQueryOrg } from '../support/query/data.ts';
import { Trials } from '../support/query/trials.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('QUERY_SEED');
const random = new Random(seed);
const treeCount = Number(process.env['QUERY_TREES'] ?? '450');
const timeout = 180_000;

let service: TestService;
let trials: Trials;
beforeAll(async () => {
  service = await startService();
  const sizes = { specimen: 240, svc_contact: 70, freelancer: 30, svc_company: 40, svc_deal: 60 };
  trials = new Trials(seed, random, await createQueryOrg(service, random, sizes));
});
afterAll(() => service.stop());

test('every operator of every property finds what the model finds', { timeout }, async () => {
  const all = trials.everyOperator();
  expect(all.length).toBeGreaterThan(300);
  await manyAtOnce(all, 4, async (trial) => {
    await trials.filterAgrees(trial);
  });
});

test('generated filter trees find what the model finds', { timeout }, async () => {
  const outcomes = { none: 0, some: 0, all: 0 };
  await manyAtOnce(trials.filters(treeCount), 4, async (trial) => {
    outcomes[await trials.filterAgrees(trial)]++;
  });
  // Trees that find nothing or everything test little.
  expect(outcomes.some, JSON.stringify(outcomes)).toBeGreaterThan(treeCount / 3);
});
