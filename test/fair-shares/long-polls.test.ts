// Requests that wait for the same long page: it is made once, what nobody has read is bounded, and the page does not
// depend on the client that asked first.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep, within } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import type { Client } from '../support/client.ts';
import { newGate } from '../support/fair-shares/gate.ts';
import { longestHoldMs } from '../support/fair-shares/thread-holds.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { openConnection } from '../support/raw-connection.ts';
import { changes, changesPath, endOfFeed } from '../support/read-feed.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const gate = newGate();
let service: TestService;
let client: Client;
let resetBounds: () => void;
beforeAll(async () => {
  // A page that is longer than what the operating system keeps for a client that does not read.
  resetBounds = lowerBounds({ store: { changesPageBytes: 16_777_216 } });
  service = await startService({ adapt: gate.adapt });
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  gate.open();
  await service.stop();
  resetBounds();
});

async function metric(name: string): Promise<number> {
  const { text } = await service.client().raw('GET', '/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
}

async function openPoll(cursor: string) {
  const connection = await openConnection(service.port);
  const path = changesPath({ cursor, wait: 25, limit: 1_000 });
  connection.send(`GET /rest/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}\r\n\r\n`);
  return connection;
}

test('sixty requests that wait for the same page and read nothing take no more than the bound', async () => {
  const cursor = await endOfFeed(client);
  const polls = await Promise.all(Array.from({ length: 60 }, () => openPoll(cursor)));
  for (const { socket } of polls) socket.pause();
  await expect.poll(() => service.waitingRequests()).toBe(60);
  const create = { operation: 'create', object_type: 'svc_note', properties: { svc_body: 'word '.repeat(3_000) } };
  expect((await client.post('/batch/', { operations: Array(500).fill(create) })).status).toBe(200);
  const { holdMs } = await longestHoldMs(async () => {
    await expect.poll(() => service.waitingRequests()).toBe(0);
    await expect.poll(() => metric('orrery_bytes_in_flight'), { timeout: 20_000 }).toBeGreaterThan(0);
    await sleep(1_000);
  });
  expect(await metric('orrery_bytes_in_flight')).toBeLessThan(bounds.shares.bytesOfOrg + 8_000_000);
  // Alone it takes 20 to 40; in a process of many tests, a garbage collection can take 200 and counts as well.
  expect(holdMs).toBeLessThan(400);
  for (const { socket } of polls) socket.resume();
  const statuses = await Promise.all(polls.map(async (poll) => (await poll.answer()).status));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  for (const poll of polls) poll.destroy();
});

test('a client that leaves does not end the read that others share with it', async () => {
  const cursor = await endOfFeed(client);
  const note = await make(client, 'svc_note');
  gate.close(Number.NaN);
  // All connections that an org alone may have.
  const most = bounds.store.poolConnections - bounds.shares.connectionsReservedAlone;
  const held = Array.from({ length: most }, () => client.get(pathOfRecord(note)));
  await expect.poll(() => gate.running).toBe(most);
  const first = await openPoll(cursor);
  await expect.poll(() => metric('orrery_waiting_requests{for="connection"}')).toBe(1);
  const second = changes(client, { cursor, wait: 25, limit: 1_000 });
  await sleep(200);
  first.destroy();
  await sleep(200);
  gate.open();
  const entries = (await within(15_000, second))?.entries ?? [];
  expect(new Set(entries.map(({ record_id }) => record_id))).toEqual(new Set([note.id]));
  for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
});
