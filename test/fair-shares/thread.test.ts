// The thread that serves everybody: no body, however it is made, keeps it for long. A hold is the processor time between
// two passes of the event loop, and each attack is measured beside an honest body of the same size.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { longestHoldMs, openSender } from '../support/fair-shares/thread-holds.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;
let folder: string;
const sender = openSender();
/** The longest hold of an honest batch of 8 MiB. */
let honestMs: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orrery-thread-'));
  service = await startService();
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  ({ key } = await service.createKey(orgId));
  // Shapes are compiled, and code is optimized, when they are first used.
  for (let count = 0; count < 3; count++) await send(batch, honestBatch(200_000), dryRun);
  honestMs = (await send(batch, honestBatch(8_000_000), dryRun)).holdMs;
});
afterAll(async () => {
  await sender.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

const dryRun = { 'svc-dry-run': 'true' };
const batch = '/rest/v1/batch/';
const contacts = '/rest/v1/objects/svc_contact/records/';
const query = `${contacts}query/`;

const list = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join();
const create = (members: string) => `{"operation":"create","object_type":"svc_contact","properties":{${members}}}`;
const blanks = (count: number) => ' '.repeat(count);
const nested = (between: string) => `[${between}`.repeat(28) + ']'.repeat(28);
const unknown = (count: number) => list(count, (index) => `"u${index}":1`);

/** Updates of absent records, with values of a usual length. */
function honestBatch(bytes: number): string {
  const values = list(16, () => `"Ada Lovelace, Countess, of ${'x'.repeat(450)}"`);
  const item = `{"operation":"update","object_type":"svc_contact","id":"nobody","properties":{"svc_email":[${values}]}}`;
  return `{"operations":[${list(Math.floor(bytes / item.length), () => item)}]}`;
}

/** The shortest hold of up to three rounds: other processes can hold the thread, too, but not each time. */
async function send(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  { times = 1, rounds: most = 3, enoughMs = 0 } = {},
) {
  const file = join(folder, 'body');
  await writeFile(file, body);
  const request = { url: service.url + path, key, file, headers, times };
  const rounds = [await longestHoldMs(() => sender.post(request))];
  // A round that is short enough shows that the others would have been.
  while (rounds.length < most && rounds.every(({ holdMs }) => holdMs >= enoughMs)) {
    rounds.push(await longestHoldMs(() => sender.post(request)));
  }
  const [best, ...others] = rounds.toSorted((one, other) => one.holdMs - other.holdMs);
  if (best === undefined) throw new TypeError('Nothing was sent.');
  for (const { result } of others) expect(result.length).toBe(best.result.length);
  return { answers: best.result, holdMs: best.holdMs };
}

test.each([
  ['8 MiB of nested arrays', batch, () => `{"operations":[${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}]}`, 400],
  [
    '450 arrays nested 900 deep',
    batch,
    () => `{"operations":[${list(450, () => '['.repeat(900) + ']'.repeat(900))}]}`,
    207,
  ],
  ['2.7 million empty objects', batch, () => `{"operations":[${list(2_700_000, () => '{}')}]}`, 413],
  ['120,000 empty objects', batch, () => `{"operations":[${list(120_000, () => '{}')}]}`, 413],
  ['800 items with 800 unknown values', batch, () => `{"operations":[${list(800, () => create(unknown(800)))}]}`, 413],
  ['8 MiB of blanks', batch, () => `{"operations":[${blanks(8_000_000)}]}`, 413],
  ['8 MiB of digits', batch, () => `{"operations":[${'1'.repeat(8_000_000)}]}`, 413],
  ['blanks in each item', batch, () => `{"operations":[${list(120, () => `{"a":${blanks(65_000)}1}`)}]}`, 207],
  [
    '8 MB of escaped quotes in 900 arrays',
    batch,
    () => `{"operations":${'['.repeat(900)}"${'\\"'.repeat(3_990_000)}"${']'.repeat(900)}}`,
    207,
  ],
  ['a name of 8 MB of escapes', batch, () => `{"operations":[${create(`"${'\\u00e9'.repeat(1_330_000)}":"x"`)}]}`, 207],
  ['nested blanks', batch, () => `{"operations":[${list(4, () => nested(blanks(65_000)))}]}`, 207],
  ['800 items with 600 unknown values', batch, () => `{"operations":[${list(800, () => create(unknown(600)))}]}`, 207],
  ['800 items with 300 unknown values', batch, () => `{"operations":[${list(800, () => create(unknown(300)))}]}`, 207],
  ['a create with 90,000 unknown values', contacts, () => `{"properties":{${unknown(90_000)}}}`, 413],
  ['a create with 50 links of 1,900 unknown members', contacts, () => links(50, `{${unknown(1_900)}}`), 400],
  ['a create with 90,000 links that are numbers', contacts, () => links(90_000, '1'), 400],
  ['a query for 90,000 unknown properties', query, () => `{"properties":[${list(90_000, (i) => `"p${i}"`)}]}`, 400],
  ['a batch of 8 MB that lacks its last bracket', batch, () => honestBatch(8_000_000).slice(0, -1), 400],
])('%s: the thread is held no longer than by an honest body', async (_, path, body, status) => {
  const { answers, holdMs } = await send(path, body(), {}, { enoughMs: honestMs + 50 });
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  expect(holdMs).toBeLessThan(honestMs + 50);
});

function links(count: number, each: string): string {
  return `{"properties":{},"associations":[${list(count, () => each)}]}`;
}

const withEmails = (operation: string, round: number, more = '') => {
  const emails = (index: number) => list(100, (each) => `"${operation}${round}x${index}x${each}@thread.example"`);
  const item = (index: number) =>
    `{"operation":"${operation}","object_type":"svc_contact"${more},"properties":{"svc_email":[${emails(index)}]}}`;
  return `{"operations":[${list(300, item)}]}`;
};
const absent = '01890a5d-ac96-774b-bcce-b302099a8057';
const link = `{"association_type":"svc_contact_to_company","target_id":"${absent}"}`;

test.each<[string, (round: number) => string, number]>([
  ['30,000 unique values', (round) => withEmails('create', round), 200],
  ['30,000 values to match records by', (round) => withEmails('upsert', round, ',"match":"svc_email"'), 200],
  ['30,000 links', () => `{"operations":[${list(300, () => linked(list(100, () => link)))}]}`, 207],
])('a batch with %s is handled in slices', async (_, body, status) => {
  // Other values each time: those of the last are taken. The best of three counts, because machines are shared.
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && leastMs >= honestMs + 100; round++) {
    const { answers, holdMs } = await send(batch, body(round), {}, { rounds: 1 });
    expect(answers).toMatchObject([{ status }]);
    leastMs = Math.min(leastMs, holdMs);
  }
  expect(leastMs).toBeLessThan(honestMs + 100);
});

function linked(associations: string): string {
  return `{"operation":"create","object_type":"svc_contact","properties":{},"associations":[${associations}]}`;
}

test('honest batches are handled in slices, a single one of 8 MB and 18 at once', async () => {
  expect(honestMs).toBeLessThan(50);
  const { answers, holdMs } = await send(batch, honestBatch(1_000_000), dryRun, {
    times: 18,
    enoughMs: honestMs + 50,
  });
  expect(answers.map(({ status }) => status)).toEqual(Array(18).fill(207));
  expect(holdMs).toBeLessThan(honestMs + 50);
});
