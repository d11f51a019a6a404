// Pages of a sorted query have no gaps or repetitions (contract 5): generated sorts over heavy ties, unset and hostile
// values, cut into pages of random size, give what the model gives, in order; and while other records come, go and
// change, each record that stays as it is comes exactly once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import { askAll, manyAtOnce } from '../support/query/ask.ts';
import { Stirred } from '../support/query/concurrent-writes.ts';
import { createQueryOrg, type QueryOrg } from '../support/query/data.ts';
import { Trials } from '../support/query/trials.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('QUERY_SEED');
const random = new Random(seed);
const timeout = 180_000;

let service: TestService;
let org: QueryOrg;
let trials: Trials;
beforeAll(async () => {
  service = await startService();
  const sizes = { specimen: 200, svc_contact: 60, freelancer: 20, svc_company: 30, svc_deal: 50 };
  org = await createQueryOrg(service, random, sizes);
  trials = new Trials(seed, random, org);
});
afterAll(() => service.stop());

test('every property that can be sorted by sorts as in the model, up and down', { timeout }, async () => {
  await manyAtOnce(trials.everySort(), 4, (trial) => trials.pagesAgree(trial));
});

test('generated sorts, with and without filter and search, have the order of the model', { timeout }, async () => {
  await manyAtOnce(trials.sorts(50), 4, (trial) => trials.pagesAgree(trial));
});

test('pages of one record each pass through ties and unset values', async () => {
  const [caller] = org.callers;
  for (const direction of ['asc', 'desc'] as const) {
    const sort = ['hue', 'svc_lead_score'].map((property) => ({ property, direction }));
    await trials.pagesAgree({ caller, type: 'svc_contact', question: { sort }, limits: [1] });
  }
});

test('a record that stays as it is comes exactly once while others come, go and change', { timeout }, async () => {
  const [caller] = (await createQueryOrg(service, random, { specimen: 160, svc_contact: 1, freelancer: 1 })).callers;
  const stirred = new Stirred(random, caller, 'specimen');
  await stirred.pagesHold([], `QUERY_SEED=${seed}`);
  for (let round = 0; round < 12; round++) {
    await stirred.pagesHold(trials.sort('specimen'), `QUERY_SEED=${seed} round ${round}`);
  }
});

test.each(['x', '字', '😀'])('texts that differ only in their last of 1,024 times %s sort and page', async (letter) => {
  const client = await service.newClient();
  const endings = ['d', 'B', 'a', 'C', 'e', 'F'];
  const text = (ending: string) => `${letter.repeat(1_023)}${ending}`;
  const creates = endings.map((ending) =>
    item('create', 'svc_contact', { properties: { svc_last_name: text(ending) } }),
  );
  const results = await succeed(client, creates);
  const expected = [2, 1, 3, 0, 4, 5].map((place) => results[place]?.id);
  const sort = [{ property: 'svc_last_name', direction: 'asc' as const }];
  expect(await askAll(client, 'svc_contact', { sort })).toEqual(expected);
  expect(await askAll(client, 'svc_contact', { sort }, () => 1)).toEqual(expected);
});
