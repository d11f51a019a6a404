// Nothing hidden leaks (contract 2 and 7): two orgs that differ only in data that a credential may not see answer 700
// generated reads and writes alike, byte for byte but for what is new in every answer, while others work in one of them.
// LEAK_SEED repeats a run. `npm run soak` does the same with 40,000 requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import type { Making } from '../support/leaks/builder.ts';
import { hiddenWord } from '../support/leaks/hidden-values.ts';
import { runTwins, twinFindings } from '../support/leaks/twins.ts';
import { createSides } from '../support/leaks/world.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('LEAK_SEED');
const wanted = Number(process.env['LEAK_REQUESTS'] ?? 700);

let service: TestService;
let sides: readonly [Making, Making];
beforeAll(async () => {
  service = await startService();
  sides = await createSides(service, new Random(seed));
});
afterAll(() => service.stop());

test('two orgs that differ only in hidden data give the same answers', async () => {
  const writes = ['post 201', 'patch 200', 'patch 404', 'put 200', 'put 404', 'batch 207', 'changes 200'];
  const least = Object.fromEntries(writes.map((kind) => [kind, Math.max(3, wanted / 400)]));
  const { findings, statuses, pages, hiddenWork } = await runTwins({ sides, count: wanted, least, seed });
  expect(findings).toEqual([]);
  // A run in which most requests were refused, or none, would prove little.
  for (const kind of ['query 200', 'query 400', 'aggregate 200', 'aggregate 400', 'get 200', 'get 404']) {
    expect(statuses[kind] ?? 0, JSON.stringify(statuses)).toBeGreaterThan(wanted / 60);
  }
  for (const [kind, times] of Object.entries(least)) {
    expect(statuses[kind] ?? 0, JSON.stringify(statuses)).toBeGreaterThanOrEqual(times);
  }
  expect(pages).toBeGreaterThan(wanted / 30);
  expect(hiddenWork).toBeGreaterThan(wanted / 30);
});

test('the orgs differ in what the credential cannot see', () => {
  const [plain, full] = sides;
  expect(full.hiddenIds.length).toBeGreaterThan(plain.hiddenIds.length + 50);
});

describe('the comparison finds', () => {
  const request = { method: 'GET', path: '/objects/svc_contact/records/?limit=2' } as const;
  let answers: readonly [Answer, Answer];
  beforeAll(async () => {
    const [one, two] = await Promise.all(sides.map(({ client }) => client.get(request.path)));
    answers = [one as Answer, two as Answer];
  });
  const planted = (change: (answer: Answer, side: Making) => Partial<Answer>) => {
    const [one, two] = answers;
    return twinFindings(sides, request, [one, { ...two, ...change(two, sides[1]) }]);
  };

  test('nothing in answers as they were served', () => {
    expect(planted(() => ({}))).toEqual([]);
  });

  test.each<[what: string, change: (answer: Answer, side: Making) => Partial<Answer>]>([
    ['another status', () => ({ status: 404 })],
    ['a header too many', ({ headers }) => ({ headers: new Headers([...headers, ['x-hidden', '1']]) })],
    ['another number', ({ text }) => ({ text: text.replace('"version":"', '"version":"9') })],
    ['one more record', ({ text }) => ({ text: text.replace('"data":[', '"data":[{},') })],
    ['an id that has no word', ({ text }) => ({ text: text.replace(/[0-9a-f]{12}"/, '0123456789ab"') })],
    [
      'a cursor where there was none',
      ({ text }) => ({ text: text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":null') }),
    ],
  ])('%s', (_, change) => {
    expect(planted(change)).toHaveLength(1);
  });

  test('the id of a hidden record, a word of it, and a change that tells of nothing, even in both answers', () => {
    const shownOf: readonly ((side: Making) => string)[] = [
      ({ hiddenIds }) => `"${hiddenIds.at(-1)}"`,
      () => `"${hiddenWord}"`,
      () => '{"type":"record.updated","version":"2","changed":{}}',
    ];
    for (const shown of shownOf) {
      const both = sides.map((side, index) => {
        const { text, ...rest } = answers[index] as Answer;
        return { ...rest, text: text.replace('"data":[', `"data":[${shown(side)},`) };
      });
      const shows = twinFindings(sides, request, both).filter((finding) => finding.startsWith('shows '));
      expect(shows).toHaveLength(2);
    }
  });
});
