// Links, stages, deletes, restores and merges against a model in memory (contract 5 and 6): hundreds of generated steps,
// each answer as the model predicts, and in the end records, computed values, links from both ends, timers and the feed
// as well. Some of them run with a clock that jumps forwards and backwards, or write each item of a batch for itself, as
// if its records were long. LINKS_SEED=… runs the same again; LINKS_STEPS=… plays more or fewer.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { findLinkFaults, playLinkSteps } from '../support/links/driver.ts';
import { type Send, sendTo } from '../support/links/requests.ts';
import type { Item } from '../support/links/rules.ts';
import { smallestSteps } from '../support/links/shrink.ts';
import { type Step, stepText } from '../support/links/steps.ts';
import { linksSchema } from '../support/links/world.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { Random } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const given = Number(process.env['LINKS_SEED'] ?? '');
const seed = Number.isInteger(given) && given > 0 ? given : Math.floor(Math.random() * 2 ** 31);
const count = Number(process.env['LINKS_STEPS'] ?? '200');

/** Jumps by up to five minutes, forwards and backwards, every few times that it is read. */
function jumpingClock(): Clock {
  const random = new Random(seed);
  let offsetMs = 0;
  return {
    nowMs: () => {
      if (random.chance(0.1)) offsetMs = random.between(-300_000, 300_000);
      return systemClock.nowMs() + offsetMs;
    },
    monotonicMs: () => systemClock.monotonicMs(),
  };
}

const services = new Map<string, TestService>();
beforeAll(async () => {
  services.set('the real clock', await startService());
  services.set('a clock that jumps', await startService({ clock: jumpingClock() }));
  services.set('long records', await startService());
});
afterAll(() => Promise.all([...services.values()].map((service) => service.stop())));

let resetBounds = () => {};
afterEach(() => resetBounds());

/** Requests to a new org with the schema of these tests. */
async function openOrg(service: TestService): Promise<Send> {
  const orgId = await service.createOrg({ quota: 10_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, linksSchema);
  return sendTo(service.url, (await service.createKey(orgId)).key);
}

const everyOperation = ['associate', 'create', 'delete', 'dissociate', 'merge', 'restore', 'update', 'upsert'];

test.each(['the real clock', 'a clock that jumps', 'long records'])(
  'links, stages, deletes and merges have the effects that the model predicts, with %s',
  { timeout: 600_000 },
  async (name) => {
    const service = services.get(name) as TestService;
    if (name === 'long records') resetBounds = lowerBounds({ engine: { unitBytes: 0 }, store: { lockedBytes: 1 } });
    const steps: Step[] = [];
    const onStep = (step: Step) => steps.push(step);
    const findings = await findLinkFaults({ send: await openOrg(service), seed, count, checks: 3, onStep });
    if (findings.length === 0) {
      const played = new Set(steps.flatMap(({ items }) => items.map(({ operation }) => operation)));
      expect([...played].sort()).toEqual(everyOperation);
      expect(new Set(steps.map(({ way }) => way))).toEqual(new Set(['single', 'batch', 'atomic']));
      return;
    }
    const smallest = await smallestSteps(steps, async (fewer) => playLinkSteps(await openOrg(service), fewer), 100);
    const told = [`LINKS_SEED=${seed}`, ...findings, 'Fewer steps:', ...smallest.steps.map(stepText)];
    expect.fail([...told, 'lead to:', ...smallest.findings].join('\n'));
  },
);

const item = (operation: 'delete' | 'restore', type: string, id: string): Item => ({ operation, type, id });
const merge = (type: string, id: string, duplicate: string): Item => ({ operation: 'merge', type, id, duplicate });
const make = (type: string, id: string, association?: string, target = ''): Item => ({
  operation: 'create',
  type,
  id,
  properties: {},
  links: association === undefined ? [] : [{ association, target }],
});

const company = 'svc_company';
const contact = 'svc_contact';
const deal = 'svc_deal';
const stage = 'svc_deal_pipeline_stage';
const worksAt = 'svc_contact_to_company';
const inStage = 'svc_deal_to_deal_pipeline_stage';
const dealOf = 'svc_deal_to_company';

test.each<readonly [string, readonly Item[]]>([
  [
    'a duplicate comes back, without the links to it that moved',
    [
      make(company, 'A'),
      make(company, 'B'),
      make(contact, 'C', worksAt, 'A'),
      merge(company, 'B', 'A'),
      item('restore', company, 'A'),
    ],
  ],
  [
    'a duplicate comes back, without its links that moved',
    [
      make(company, 'A'),
      make(contact, 'C'),
      make(contact, 'D', worksAt, 'A'),
      merge(contact, 'C', 'D'),
      item('restore', contact, 'D'),
    ],
  ],
  [
    'a duplicate comes back, without the stage that the other entered',
    [
      make(stage, 'S'),
      make(deal, 'C'),
      make(deal, 'D', inStage, 'S'),
      merge(deal, 'C', 'D'),
      item('restore', deal, 'D'),
    ],
  ],
  [
    'a target comes back, whose link stayed with the duplicate',
    [
      make(company, 'A'),
      make(contact, 'C'),
      make(contact, 'D', worksAt, 'A'),
      item('delete', company, 'A'),
      merge(contact, 'C', 'D'),
      item('restore', company, 'A'),
    ],
  ],
  [
    'a source comes back, whose link stayed with the duplicate',
    [
      make(company, 'A'),
      make(company, 'B'),
      make(contact, 'C', worksAt, 'A'),
      item('delete', contact, 'C'),
      merge(company, 'B', 'A'),
      item('restore', contact, 'C'),
    ],
  ],
  [
    'a target comes back that was replaced',
    [
      make(company, 'A'),
      make(company, 'B'),
      make(deal, 'D', dealOf, 'A'),
      item('delete', company, 'A'),
      { operation: 'associate', type: deal, id: 'D', association: dealOf, target: 'B' },
      item('restore', company, 'A'),
    ],
  ],
  [
    'a stage comes back after a record that was in it',
    [
      make(stage, 'S'),
      make(deal, 'D', inStage, 'S'),
      item('delete', deal, 'D'),
      item('delete', stage, 'S'),
      item('restore', deal, 'D'),
      item('restore', stage, 'S'),
    ],
  ],
  [
    'a record comes back whose stage was merged',
    [
      make(stage, 'S'),
      make(stage, 'T'),
      make(deal, 'D', inStage, 'S'),
      item('delete', deal, 'D'),
      merge(stage, 'T', 'S'),
      item('restore', deal, 'D'),
    ],
  ],
])('reads, feed and model agree when %s', async (_, items) => {
  const send = await openOrg(services.get('the real clock') as TestService);
  const steps = items.map((each): Step => {
    const single = each.operation !== 'merge' && each.operation !== 'restore';
    return { way: single ? 'single' : 'batch', items: [each] };
  });
  expect(await playLinkSteps(send, steps)).toEqual([]);
});
