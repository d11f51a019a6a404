// A quiet org beside a noisy one, in short: the most telling attacks, smaller and with less of everything to take. The
// quiet org gets every answer, and soon; afterwards nothing is held any more. `npm run soak` measures all of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/eventually.ts';
import type { NoisyWorld } from '../support/fair-shares/attack.ts';
import { attacks } from '../support/fair-shares/attacks.ts';
import { noisySchema, prepareRecords } from '../support/fair-shares/prepare.ts';
import { QuietOrg, type Sample } from '../support/fair-shares/quiet-org.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { plainSend } from '../support/plain-requests.ts';
import { startService, type TestService } from '../support/service.ts';

/** Smaller by this number: 60 clients instead of 600. */
const scale = 10;
const attackMs = 2_000;
const perSecond = 20;
/** Times are not what this test is about: no answer of the quiet org may take longer than this beyond the calm ones. */
const patienceMs = 3_000;

const chosen = [
  'aggregates with exploding groups',
  'lists of a user to whom most is private',
  'nested arrays',
  'unknown members in each item',
  'updates of one record at once',
  'stage moves of one record at once',
  'upserts of one unique value by many clients',
  'pages that nobody reads',
  'bodies without their last byte',
  'polls for a type that never changes, beside writes',
  'thousands of polls',
  'forged keys from one address',
];

let service: TestService;
let quiet: QuietOrg;
let world: NoisyWorld;
let calmMs: number;
let resetBounds: () => void;

beforeAll(async () => {
  resetBounds = lowerBounds({ store: { poolWaiting: 50 } });
  service = await startService();
  quiet = await QuietOrg.prepare(service.port, await newKey(), 100);
  world = await newWorld();
  calmMs = slowest(await quiet.run(perSecond, overAfter(attackMs)));
});

afterAll(async () => {
  quiet?.close();
  await service?.stop();
  resetBounds();
});

async function newKey(): Promise<string> {
  return (await service.createKey(await service.createOrg())).key;
}

async function newWorld(): Promise<NoisyWorld> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, noisySchema);
  const keyOf = async (more?: Parameters<TestService['createKey']>[1]) => (await service.createKey(orgId, more)).key;
  const keys = {
    full: await keyOf(),
    readOnly: await keyOf({ grants: [{ objectTypes: ['*'], operations: ['read'] }] }),
    user: await keyOf({ userId: await service.createUser(orgId), reach: 'user' }),
  };
  const owner = await keyOf({ userId: await service.createUser(orgId) });
  const records = await prepareRecords(
    { full: plainSend(service.url, keys.full), owner: plainSend(service.url, owner) },
    { links: 60, hidden: 3_000, large: 50, dossier: 50_000 },
  );
  return { port: service.port, orgId, keys, records, units: 600, scale };
}

function overAfter(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() >= until;
}

function slowest(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ ms }) => ms));
}

/** The gauges of what requests hold or wait for, as far as they are not 0. */
async function held(): Promise<readonly string[]> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => /^orrery_.*(busy|waiting|waits|in_flight|held)/.test(line) && !line.endsWith(' 0'));
}

test.each(chosen)('the quiet org does not notice: %s', async (name) => {
  const attack = attacks.find((each) => each.name === name)?.arm(world);
  let isOver = false;
  const [samples, tally] = await Promise.all([
    quiet.run(perSecond, () => isOver),
    attack?.(performance.now() + attackMs).finally(() => {
      isOver = true;
    }),
  ]);
  expect(samples.length).toBeGreaterThan(5);
  expect(samples.filter(({ text }) => text !== '')).toEqual([]);
  expect(slowest(samples)).toBeLessThan(calmMs + patienceMs);
  expect(Object.keys(tally?.outcomes ?? {}), 'what the noisy org got').not.toContain('500');
  await until(async () => (await held()).length === 0);
});
