// The primary dies while writers are at work and a copy follows them. Nothing acknowledged is lost or comes twice, a cursor from
// before the writers leads across, and a copy that follows at every moment skips nothing: where its cursor is gone, it loads again.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { until } from '../support/eventually.ts';
import { contacts } from '../support/records.ts';
import { startService } from '../support/service.ts';
import { addressOf, openServerPair } from '../support/store/server-pair.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const writers = 4;

/** Writes one record after the other, each until it is acknowledged, and notes their names. */
async function write(client: Client, acknowledged: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const name = randomUUID();
    const headers = { 'content-type': 'application/json', 'idempotency-key': name };
    const body = JSON.stringify({ properties: { svc_last_name: name } });
    await until(async () => {
      const { status } = await client.call('POST', contacts, { headers, body, allowFault: true });
      // While an attempt before still runs, the next one gets 409.
      expect([201, 409, 503]).toContain(status);
      return status === 201;
    });
    acknowledged.push(name);
  }
}

interface Page {
  readonly status: number;
  readonly names: readonly string[];
  readonly next: string;
}

async function read(client: Client, cursor: string): Promise<Page> {
  const path = `/changes/?limit=1000&object_type=svc_contact&wait=1&cursor=${cursor}`;
  const { status, body } = await client.call('GET', path, { allowFault: true });
  if (status !== 200) return { status, names: [], next: cursor };
  const entries = body.data as readonly { changed: { svc_last_name?: { new: string } } }[];
  const names = entries.map(({ changed }) => changed.svc_last_name?.new ?? '');
  return { status, names, next: body.pagination?.next_cursor ?? '' };
}

/** Follows the feed as a copy does, until it is at its end after all writers have stopped. */
async function follow(client: Client, from: string, isOver: () => boolean): Promise<readonly string[]> {
  let names: string[] = [];
  for (let cursor = from; ; ) {
    const isLast = isOver();
    // A page without entries has waited for a second.
    const page = await read(client, cursor);
    expect([200, 410, 503]).toContain(page.status);
    if (page.status === 410) names = [];
    cursor = page.status === 410 ? 'earliest' : page.next;
    names.push(...page.names);
    if (isLast && page.status === 200 && page.names.length === 0) return names;
  }
}

test('a primary that dies under its writers loses nothing acknowledged, and no copy skips an entry', async () => {
  const pair = await openServerPair();
  opened.push(pair);
  const service = await startService({ databaseUrl: addressOf([pair.primary, pair.standby]) });
  opened.push({ close: () => service.stop() });
  const client = await service.newClient();
  const before = (await read(client, 'latest')).next;
  // Its commit waits until the standby has everything up to here.
  await service.createOrg();
  const acknowledged: string[] = [];
  let isOver = false;
  const working = Array.from({ length: writers }, () => write(client, acknowledged, () => isOver));
  const following = follow(client, 'earliest', () => isOver);
  await until(async () => acknowledged.length >= 10 * writers);
  await pair.primary.kill();
  await pair.primary.proxy.cut();
  const known = acknowledged.length;
  await pair.standby.promote();
  await until(async () => acknowledged.length >= known + 10 * writers);
  isOver = true;
  await Promise.all(working);
  const copied = await following;
  expect(copied.toSorted()).toEqual(acknowledged.toSorted());
  expect((await read(client, before)).names.toSorted()).toEqual(acknowledged.toSorted());
  expect((await read(client, 'earliest')).names).toHaveLength(acknowledged.length);
});
