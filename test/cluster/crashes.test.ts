// A crash of the first server loses the last numbers that it has given to entries of the feed, which the workers have stored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { create, keepWriting, type OwnCluster, startOwnCluster } from '../support/cluster/own-cluster.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';

let own: OwnCluster;
beforeAll(async () => {
  own = await startOwnCluster(3);
});
afterAll(() => own.stop());

test('whatever was acknowledged before a crash of the first server is in the feed, and new entries come after it', async () => {
  const { cluster, clients } = own;
  // The log is written as late as can be, so that a crash loses more of it than usual.
  cluster.coordinator.psql('postgres', `alter system set wal_writer_delay = '10s'`);
  cluster.coordinator.psql('postgres', 'select pg_reload_conf()');
  for (let crash = 0; crash < 4; crash++) {
    const followers = await Promise.all(
      [...clients.values()].map(async (client) => ({ client, cursor: await endOfFeed(client) })),
    );
    // What a cursor has seen must be in the log: it takes the server a moment if nobody waits for that.
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000);
    });
    const writers = [...clients.values()].map((client) => keepWriting(client, [201, 503]));
    await new Promise((resolve) => {
      setTimeout(resolve, 700 + 90 * crash);
    });
    await cluster.coordinator.kill();
    await cluster.coordinator.restart();
    for (const { client } of followers) await expect.poll(async () => (await create(client)).status).toBe(201);
    const acknowledged = await Promise.all(writers.map((stop) => stop()));
    for (const [index, { client, cursor }] of followers.entries()) {
      const entries = (await changesSince(client, cursor)).filter(({ type }) => type === 'record.created');
      const found = entries.map((entry) => entry.record_id);
      expect(new Set(found).size).toBe(found.length);
      expect(found).toEqual(expect.arrayContaining([...(acknowledged[index] ?? [])]));
    }
  }
});
