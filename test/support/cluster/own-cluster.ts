// A cluster of its own for a test file that does harm to the servers: a coordinator and two workers, a service, and a few orgs.
import { type Cluster, type ClusterServer, startCluster } from '../../../deploy/citus/cluster.mjs';
import { openMigrated } from '../../../src/store/driver/open.ts';
import type { Client } from '../client.ts';
import { rawQuery } from '../database.ts';
import { contacts } from '../records.ts';
import { startService, type TestService } from '../service.ts';
import { distributeTables } from './cluster.ts';

export interface OwnCluster {
  readonly cluster: Cluster;
  readonly service: TestService;
  readonly url: string;
  /** A client for each org. */
  readonly clients: ReadonlyMap<number, Client>;
  readonly workers: readonly [ClusterServer, ClusterServer];
  stop(): Promise<void>;
}

export async function startOwnCluster(orgs: number): Promise<OwnCluster> {
  const cluster = await startCluster({ pgConfig: process.env['CITUS_PG_CONFIG'] ?? '', keepsDisk: false });
  try {
    return await serve(cluster, orgs);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function serve(cluster: Cluster, orgs: number): Promise<OwnCluster> {
  const url = cluster.coordinator.url();
  await (await openMigrated({ engine: 'server', url })).close();
  await distributeTables(url);
  const service = await startService({ databaseUrl: url });
  const clients = new Map<number, Client>();
  for (let count = 0; count < orgs; count++) {
    const orgId = await service.createOrg();
    clients.set(orgId, service.client((await service.createKey(orgId)).key));
  }
  const [first, second] = cluster.workers;
  if (first === undefined || second === undefined) throw new Error('There are two workers.');
  const stop = async () => {
    await service.stop();
    await cluster.stop();
  };
  return { cluster, service, url, clients, workers: [first, second], stop };
}

export const create = (client: Client) =>
  client.call('POST', contacts, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { svc_first_name: 'Ada' } }),
    allowFault: true,
  });

export const list = (client: Client) => client.call('GET', contacts, { allowFault: true });

/** The port of the worker that has the org. */
export async function placeOf(url: string, orgId: number): Promise<number> {
  const { rows } = await rawQuery(
    url,
    `select nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('orrery.org', $1::integer)`,
    [orgId],
  );
  return rows[0].port;
}

/** The clients of the orgs that are on the worker. */
export async function clientsOn({ url, clients }: OwnCluster, { port }: ClusterServer): Promise<readonly Client[]> {
  const found: Client[] = [];
  for (const [orgId, client] of clients) if ((await placeOf(url, orgId)) === port) found.push(client);
  return found;
}

/** Creates one record after the other until it is told to stop; returns the ids of those that were acknowledged. */
export function keepWriting(client: Client, expected: readonly number[]): () => Promise<readonly string[]> {
  let isOver = false;
  const acknowledged: string[] = [];
  const writing = (async () => {
    while (!isOver) {
      const { status, text, body } = await create(client);
      if (!expected.includes(status)) throw new Error(`${status}: ${text}`);
      if (status === 201) acknowledged.push((body.data as { readonly id: string }).id);
    }
  })();
  return async () => {
    isOver = true;
    await writing;
    return acknowledged;
  };
}
