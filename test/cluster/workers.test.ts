// A worker that is away costs its own orgs, and nobody else. Orgs move from worker to worker while they are in use.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../deploy/citus/cluster.mjs';
import { openMigrated } from '../../src/store/driver/open.ts';
import type { Client } from '../support/client.ts';
import { distributeTables } from '../support/cluster/cluster.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { contacts } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let cluster: Cluster;
let service: TestService;
let url: string;
const clients = new Map<number, Client>();

/** A cluster of their own: the others must not lose a worker. */
beforeAll(async () => {
  cluster = await startCluster({ pgConfig: process.env['CITUS_PG_CONFIG'] ?? '', keepsDisk: false });
  url = cluster.coordinator.url();
  await (await openMigrated({ engine: 'server', url })).close();
  await distributeTables(url);
  service = await startService({ databaseUrl: url });
  for (let count = 0; count < 8; count++) {
    const orgId = await service.createOrg();
    clients.set(orgId, service.client((await service.createKey(orgId)).key));
  }
});
afterAll(async () => {
  await service.stop();
  await cluster.stop();
});

const create = (client: Client) =>
  client.call('POST', contacts, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { svc_first_name: 'Ada' } }),
    allowFault: true,
  });
const list = (client: Client) => client.call('GET', contacts, { allowFault: true });

/** The port of the worker that has the org. */
async function placeOf(orgId: number): Promise<number> {
  const { rows } = await rawQuery(
    url,
    `select nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('orrery.org', $1::integer)`,
    [orgId],
  );
  return rows[0].port;
}

async function orgsOn(port: number): Promise<readonly number[]> {
  const places = await Promise.all([...clients.keys()].map(async (id) => ({ id, port: await placeOf(id) })));
  return places.filter((place) => place.port === port).map(({ id }) => id);
}

function clientOf(orgId: number): Client {
  const client = clients.get(orgId);
  if (client === undefined) throw new Error(`There is no org ${orgId}.`);
  return client;
}

async function readiness(): Promise<readonly [status: number, text: string]> {
  const answer = await fetch(`${service.url}/readyz`);
  return [answer.status, ((await answer.json()) as { readonly status: string }).status];
}

test('a worker that is down costs its own orgs 503; readiness and doctor tell, and it comes back by itself', async () => {
  const [first, second] = cluster.workers;
  if (first === undefined || second === undefined) throw new Error('There are two workers.');
  const [away, others] = [await orgsOn(first.port), await orgsOn(second.port)];
  expect(away.length * others.length).toBeGreaterThan(0);
  expect(await readiness()).toEqual([200, 'ready']);
  await first.kill();
  for (const orgId of others) expect((await create(clientOf(orgId))).status).toBe(201);
  for (const orgId of away) {
    const { status, body } = await create(clientOf(orgId));
    expect([status, body.reason]).toEqual([503, 'storage_unavailable']);
    expect((await list(clientOf(orgId))).status).toBe(503);
  }
  for (const orgId of others) expect((await create(clientOf(orgId))).status).toBe(201);
  await expect.poll(readiness).toEqual([200, 'partly_ready']);
  const { value, failure } = await runCommand(url, 'doctor', '', {});
  expect(failure?.message).toContain('cluster');
  const { findings } = value as { readonly findings: readonly { check: string; ok: boolean; detail: string }[] };
  const found = findings.find(({ check }) => check === 'cluster');
  expect(found).toMatchObject({ ok: false, detail: expect.stringContaining(`Away: 127.0.0.1:${first.port}.`) });
  await first.restart();
  await expect.poll(async () => (await create(clientOf(away[0] ?? 0))).status).toBe(201);
  for (const orgId of away) expect((await create(clientOf(orgId))).status).toBe(201);
  await expect.poll(readiness).toEqual([200, 'ready']);
  await second.kill();
  await first.kill();
  await expect.poll(readiness).toEqual([503, 'storage_unavailable']);
  await first.restart();
  await second.restart();
  await expect.poll(readiness).toEqual([200, 'ready']);
});

/** Creates one record after the other until it is told to stop; returns how many were acknowledged. */
function keepWriting(client: Client) {
  let isOver = false;
  let acknowledged = 0;
  const writing = (async () => {
    while (!isOver) {
      const { status, text } = await create(client);
      // A write can meet the moment at which the part changes its place; it is repeated, as by any client.
      expect([201, 503], text).toContain(status);
      if (status === 201) acknowledged++;
    }
  })();
  return async () => {
    isOver = true;
    await writing;
    return acknowledged;
  };
}

test('an org goes on while its part moves to another worker, and while it gets a part of its own', async () => {
  const [orgId = 0] = clients.keys();
  const client = clientOf(orgId);
  const from = await placeOf(orgId);
  const to = cluster.workers.find(({ port }) => port !== from)?.port ?? 0;
  const cursor = await endOfFeed(client);
  const stop = keepWriting(client);
  await rawQuery(
    url,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('orrery.org', ${orgId}),
      '127.0.0.1', ${from}, '127.0.0.1', ${to}, shard_transfer_mode => 'force_logical')`,
  );
  expect(await placeOf(orgId)).toBe(to);
  await rawQuery(url, `select isolate_tenant_to_new_shard('orrery.org', ${orgId}, 'CASCADE', 'block_writes')`);
  const acknowledged = await stop();
  expect(acknowledged).toBeGreaterThan(10);
  const created = (await changesSince(client, cursor)).filter(({ type }) => type === 'record.created');
  expect(created.length).toBe(acknowledged);
  const { body } = await client.post(`${contacts}aggregate/`, { aggregations: [{ function: 'count' }] });
  expect(Number(body.data[0].values.count)).toBeGreaterThanOrEqual(acknowledged);
  for (const other of clients.values()) expect((await create(other)).status).toBe(201);
});
