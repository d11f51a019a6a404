// A quiet org beside a noisy one, in short: the most telling attacks, smaller and with less of everything to take. The
// quiet org gets every answer, and soon; afterwards nothing is held any more. `npm run soak` measures all of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminGrant, fullGrant } from '../../src/access/grant.ts';
import { sleep } from '../../src/base/clock.ts';
import type { NoisyWorld, Tally } from '../support/fair-shares/attack.ts';
import { attacks } from '../support/fair-shares/attacks.ts';
import { noisySchema, prepareRecords } from '../support/fair-shares/prepare.ts';
import { QuietOrg, type Sample } from '../support/fair-shares/quiet-org.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { plainSend } from '../support/plain-requests.ts';
import { startService, type TestService } from '../support/service.ts';

const attackMs = 1_500;
const perSecond = 20;
/** No answer of the quiet org may take longer than this beyond the calm ones: a machine may be busy with something else. */
const patienceMs = 3_000;

/** The attacks, and by how much each of them is smaller than in the soak. */
const chosen: readonly (readonly [name: string, scale: number])[] = [
  ['aggregates with exploding groups', 1],
  ['lists of a user to whom most is private', 1],
  ['nested arrays', 1],
  ['unknown members in each item', 1],
  ['updates of one record at once', 10],
  ['stage moves of one record at once', 10],
  ['upserts of one unique value by many clients', 10],
  ['changes of members, roles and keys at once', 1],
  ['pages that nobody reads', 10],
  ['bodies without their last byte', 10],
  ['polls for a type that never changes, beside writes', 2],
  ['polls that all get long pages', 2],
  ['thousands of polls', 10],
  ['forged keys from one address', 1],
];

let service: TestService;
let quiet: QuietOrg;
let world: NoisyWorld;
let calm: readonly Sample[];
let resetBounds: () => void;

beforeAll(async () => {
  resetBounds = lowerBounds({ store: { poolWaiting: 50 } });
  service = await startService();
  quiet = await QuietOrg.prepare(service.port, await newKey(), 100);
  world = await newWorld();
  calm = await quiet.run(perSecond, overAfter(attackMs));
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
    admin: await keyOf({ grants: [fullGrant, adminGrant] }),
    user: await keyOf({ userId: await service.createUser(orgId), reach: 'user' }),
  };
  const owner = await keyOf({ userId: await service.createUser(orgId) });
  const records = await prepareRecords(
    { full: plainSend(service.url, keys.full), owner: plainSend(service.url, owner) },
    { links: 60, hidden: 3_000, large: 50, dossier: 50_000 },
  );
  return { port: service.port, orgId, keys, records, units: 600, scale: 1 };
}

function overAfter(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() >= until;
}

function slowest(samples: readonly Sample[]): number {
  return Math.max(...samples.map(({ ms }) => ms));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** How long the noisy org waited; requests that were still unanswered at the end waited until then. */
function noisyMs({ times, outcomes }: Tally): number {
  return median([...times, ...Array.from({ length: outcomes['unanswered'] ?? 0 }, () => attackMs)]);
}

/** The gauges of what requests hold or wait for that are not 0 again after some time. */
async function stillHeld(): Promise<readonly string[]> {
  for (let looks = 0; ; looks++) {
    const response = await fetch(`${service.url}/metrics`);
    const text = await response.text();
    expect(response.status).toBe(200);
    const lines = text.split('\n').filter((line) => /^orrery_.*(busy|waiting|waits|in_flight|held)/.test(line));
    expect(lines.length).toBeGreaterThan(1);
    const held = lines.filter((line) => !line.endsWith(' 0'));
    if (held.length === 0 || looks > 60) return held;
    await sleep(500);
  }
}

test.each(chosen)('the quiet org hardly notices: %s', async (name, scale) => {
  const attack = attacks.find((each) => each.name === name)?.arm({ ...world, scale });
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  let isOver = false;
  const [samples, tally] = await Promise.all([
    quiet.run(perSecond, () => isOver),
    attack(performance.now() + attackMs).finally(() => {
      isOver = true;
    }),
  ]);
  expect(samples.filter(({ text }) => text !== '')).toEqual([]);
  expect(slowest(samples)).toBeLessThan(slowest(calm) + patienceMs);
  // It does not stand in a queue behind the noisy org.
  const usual = median(calm.map(({ ms }) => ms));
  expect(median(samples.map(({ ms }) => ms))).toBeLessThan(Math.max(20 * usual, noisyMs(tally) / 2));
  expect(Object.keys(tally.outcomes), 'what the noisy org got').not.toContain('500');
  expect(await stillHeld()).toEqual([]);
});
