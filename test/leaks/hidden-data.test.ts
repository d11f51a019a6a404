// Nothing hidden leaks (contract 2 and 7): two orgs that differ only in data that a credential may not see answer 2,000
// generated reads alike, byte for byte but for what is new in every answer. LEAK_SEED repeats a run.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import { hiddenWord, type Side } from '../support/leaks/builder.ts';
import { type Request, Requests } from '../support/leaks/requests.ts';
import { comparable, createSides, inWordsOf } from '../support/leaks/world.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('LEAK_SEED');
const wanted = Number(process.env['LEAK_REQUESTS'] ?? 2_000);

let service: TestService;
let sides: readonly [Side, Side];
beforeAll(async () => {
  service = await startService();
  sides = await createSides(service, new Random(seed));
});
afterAll(() => service.stop());

function send(side: Side, { method, path, body }: Request, cursor: string | null): Promise<Answer> {
  const address = inWordsOf(side, path);
  if (method === 'POST') {
    const whole = { ...body, ...(cursor === null ? {} : { cursor }) };
    return side.client.post(address, inWordsOf(side, JSON.stringify(whole)));
  }
  const mark = address.includes('?') ? '&' : '?';
  return side.client.get(cursor === null ? address : `${address}${mark}cursor=${cursor}`);
}

/** Ids and words of hidden records that the answer has and the request had not. */
function leaked(side: Side, request: Request, answer: Answer): readonly string[] {
  const asked = inWordsOf(side, JSON.stringify(request));
  return [...side.hiddenIds, hiddenWord].filter((text) => answer.text.includes(text) && !asked.includes(text));
}

const cursorOf = (answer: Answer) => answer.body.pagination?.next_cursor ?? null;

test('two orgs that differ only in hidden data give the same answers', async () => {
  const requests = new Requests(new Random(seed + 1));
  const statuses = new Map<string, number>();
  let sent = 0;
  let pages = 0;
  while (sent < wanted) {
    const request = requests.next();
    let cursors: readonly (string | null)[] = [null, null];
    for (let page = 0; page < 4; page++) {
      const answers = await Promise.all(sides.map((side, index) => send(side, request, cursors[index] ?? null)));
      sent++;
      pages += Number(page > 0);
      const told = `seed ${seed}, request ${sent}, page ${page}: ${JSON.stringify(request)}`;
      const [one, two] = answers.map((answer, index) => comparable(sides[index] as Side, answer));
      expect(two, told).toBe(one);
      for (const [index, answer] of answers.entries()) {
        expect(leaked(sides[index] as Side, request, answer), told).toEqual([]);
      }
      const kind = `${/(query|aggregate)\/$/.exec(request.path)?.[1] ?? 'get'} ${answers[0]?.status}`;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      cursors = answers.map(cursorOf);
      if (cursors[0] === null) break;
    }
  }
  // A run in which most requests were refused, or none, would prove little.
  for (const kind of ['query 200', 'query 400', 'aggregate 200', 'aggregate 400', 'get 200']) {
    expect(statuses.get(kind) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(wanted / 30);
  }
  expect(pages).toBeGreaterThan(wanted / 20);
});

test('the orgs differ in what the credential cannot see', () => {
  const [plain, full] = sides;
  expect(full.hiddenIds.length).toBeGreaterThan(plain.hiddenIds.length + 50);
});
