// A worker that is away costs its own orgs, and nobody else. Orgs move from worker to worker while they are in use.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from '../support/children.ts';
import type { Client } from '../support/client.ts';
import {
  clientsOn,
  create,
  keepWriting,
  list,
  type OwnCluster,
  placeOf,
  startOwnCluster,
} from '../support/cluster/own-cluster.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { contacts } from '../support/records.ts';

let own: OwnCluster;
beforeAll(async () => {
  own = await startOwnCluster(8);
});
afterAll(() => own.stop());

async function readiness(): Promise<readonly [status: number, text: string]> {
  const answer = await fetch(`${own.service.url}/readyz`);
  return [answer.status, ((await answer.json()) as { readonly status: string }).status];
}

/** Something that every process has to learn of, in an org whose worker is there. */
async function administer(client: Client): Promise<void> {
  const self = await client.get('/self/');
  await own.service.createKey(Number(self.body.data.org_id), { name: 'made meanwhile' });
}

test('a worker that is down costs its own orgs 503; readiness and doctor tell, and it comes back by itself', async () => {
  const { url, workers } = own;
  const [first, second] = workers;
  const [away, others] = [await clientsOn(own, first), await clientsOn(own, second)];
  expect(away.length * others.length).toBeGreaterThan(0);
  expect(await readiness()).toEqual([200, 'ready']);
  await first.kill();
  for (const client of others) expect((await create(client)).status).toBe(201);
  for (const client of away) {
    const { status, body } = await create(client);
    expect([status, body.reason]).toEqual([503, 'storage_unavailable']);
    expect((await list(client)).status).toBe(503);
  }
  for (const client of others) {
    await administer(client);
    expect((await create(client)).status).toBe(201);
  }
  await expect.poll(readiness).toEqual([200, 'partly_ready']);
  for (const client of others) expect((await list(client)).status).toBe(200);
  const { value, failure } = await runCommand(url, 'doctor', '', {});
  expect(failure?.message).toContain('cluster');
  const { findings } = value as { readonly findings: readonly { check: string; ok: boolean; detail: string }[] };
  const found = findings.find(({ check }) => check === 'cluster');
  expect(found).toMatchObject({ ok: false, detail: expect.stringContaining(`Away: 127.0.0.1:${first.port}.`) });
  await first.restart();
  for (const client of away) await expect.poll(async () => (await create(client)).status).toBe(201);
  await expect.poll(readiness).toEqual([200, 'ready']);
  await second.kill();
  await first.kill();
  await expect.poll(readiness).toEqual([503, 'storage_unavailable']);
  await first.restart();
  await second.restart();
  await expect.poll(readiness).toEqual([200, 'ready']);
});

test('a worker that hangs costs its own orgs alone, however many requests of theirs wait for it', async () => {
  const [first, second] = own.workers;
  const [away, others] = [await clientsOn(own, first), await clientsOn(own, second)];
  // A process asks one after the other about keys that are new to it, so those have to wait while a worker begins to hang.
  for (const client of own.clients.values()) expect((await create(client)).status).toBe(201);
  const stopped = [first.pid(), ...(await childrenOf(first.pid()))];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  const waiting = away.flatMap((client) => Array.from({ length: 8 }, () => create(client)));
  try {
    // More requests than there are connections wait at that moment.
    for (const client of others) {
      await administer(client);
      expect((await create(client)).status).toBe(201);
      expect((await list(client)).status).toBe(200);
    }
    for (const { status } of await Promise.all(waiting)) expect([503, 504]).toContain(status);
    await expect.poll(readiness).toEqual([200, 'partly_ready']);
    for (const client of away) expect((await list(client)).status).toBe(503);
    for (const client of others) expect((await create(client)).status).toBe(201);
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
  }
  await expect.poll(readiness).toEqual([200, 'ready']);
  for (const client of away) await expect.poll(async () => (await create(client)).status).toBe(201);
});

test('an org goes on while its part moves to another worker, and while it gets a part of its own', async () => {
  const { url, clients, workers } = own;
  const [[orgId, client] = never()] = clients;
  const from = await placeOf(url, orgId);
  const to = workers.find(({ port }) => port !== from)?.port ?? 0;
  const cursor = await endOfFeed(client);
  // A write can meet the moment at which the part changes its place; it is repeated, as by any client.
  const stop = keepWriting(client, [201, 503]);
  await rawQuery(
    url,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('orrery.org', ${orgId}),
      '127.0.0.1', ${from}, '127.0.0.1', ${to}, shard_transfer_mode => 'force_logical')`,
  );
  expect(await placeOf(url, orgId)).toBe(to);
  await rawQuery(url, `select isolate_tenant_to_new_shard('orrery.org', ${orgId}, 'CASCADE', 'block_writes')`);
  const acknowledged = await stop();
  expect(acknowledged.length).toBeGreaterThan(10);
  const created = (await changesSince(client, cursor)).filter(({ type }) => type === 'record.created');
  expect(created.map((entry) => entry.record_id).toSorted()).toEqual(acknowledged.toSorted());
  const { body } = await client.post(`${contacts}aggregate/`, { aggregations: [{ function: 'count' }] });
  expect(Number(body.data[0].values.count)).toBeGreaterThanOrEqual(acknowledged.length);
  for (const other of clients.values()) expect((await create(other)).status).toBe(201);
});

test('all orgs go on while the parts are put where there is room', async () => {
  const { url, clients, workers } = own;
  const [first, second] = workers;
  const { rows } = await rawQuery(
    url,
    `select count(*)::integer as moved from (
      select citus_move_shard_placement(s.shardid, '127.0.0.1', ${first.port}, '127.0.0.1', ${second.port},
        shard_transfer_mode => 'block_writes')
      from pg_dist_shard_placement as s join pg_dist_shard as p on p.shardid = s.shardid
      where p.logicalrelid = 'orrery.org'::regclass and s.nodeport = ${first.port}) as moves`,
  );
  expect(rows[0].moved).toBeGreaterThan(0);
  expect(await clientsOn(own, first)).toEqual([]);
  const cursors = new Map<Client, string>();
  for (const client of clients.values()) cursors.set(client, await endOfFeed(client));
  const writers = [...clients.values()].map((client) => ({ client, stop: keepWriting(client, [201, 503]) }));
  await rawQuery(url, `select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
  await rawQuery(url, 'select citus_rebalance_wait()');
  expect((await clientsOn(own, first)).length).toBeGreaterThan(0);
  for (const { client, stop } of writers) {
    const acknowledged = await stop();
    const created = (await changesSince(client, cursors.get(client) ?? '')).filter(
      ({ type }) => type === 'record.created',
    );
    expect(created.map((entry) => entry.record_id).toSorted()).toEqual(acknowledged.toSorted());
  }
});

function never(): never {
  throw new Error('There are orgs.');
}
