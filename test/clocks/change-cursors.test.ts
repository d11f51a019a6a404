// A change cursor is over when it is older than the feed is kept (contract 5), whether housekeeping has run or not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { movableClock } from '../support/movable-clock.ts';
import { contacts, make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const keptSeconds = 30 * 86_400;
const clock = movableClock();
let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService({ clock, changesSeconds: keptSeconds });
  client = await service.newClient();
});
afterAll(() => service.stop());

async function read(cursor: string, more = '') {
  return client.get(`/changes/?cursor=${encodeURIComponent(cursor)}${more}`);
}

function nextOf({ body }: Answer): string {
  return body.pagination?.next_cursor ?? '';
}

test('cursors of the feed, of its pages and of lists expire at their time, with and without changes', async () => {
  await make(client, 'svc_contact', { svc_last_name: 'Ada' });
  await make(client, 'svc_contact', { svc_last_name: 'Grace' });
  const given: readonly string[] = [
    nextOf(await read('latest')),
    nextOf(await read('earliest', '&limit=1')),
    (await client.get(contacts)).body.pagination?.changes_cursor ?? '',
  ];
  clock.advance(keptSeconds * 1_000 - 60_000);
  const renewed: string[] = [];
  for (const cursor of given) {
    const answer = await read(cursor);
    expect(answer.status, answer.text).toBe(200);
    renewed.push(nextOf(answer));
  }
  clock.advance(120_000);
  for (const cursor of given) {
    await expectProblem(await read(cursor), 'gone', 'cursor_expired');
    await expectProblem(await read(cursor, '&wait=1'), 'gone', 'cursor_expired');
  }
  for (const cursor of renewed) expect((await read(cursor)).status).toBe(200);
});
