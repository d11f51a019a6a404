// Backup and restore on a cluster: what is saved from distributed tables is restored in their place, or into a new database, which is then
// distributed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { item, runBatch } from '../support/batch.ts';
import { createFolder } from '../support/cli.ts';
import { createDistributed, createJoined } from '../support/cluster/cluster.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { contacts } from '../support/records.ts';
import { startService } from '../support/service.ts';

test('a backup made while clients write is whole for each org, and goes into a new database of the cluster, and into its own', async () => {
  const { url } = await createDistributed();
  const folder = await createFolder();
  const file = join(folder, 'cluster.backup');
  const service = await startService({ databaseUrl: url });
  const keys: string[] = [];
  for (let org = 0; org < 4; org++) keys.push((await service.createKey(await service.createOrg())).key);
  let isOver = false;
  // Each batch is one transaction: a backup has all of its records, or none.
  const writing = keys.map(async (key) => {
    const creates = ['Ada', 'Bob', 'Cy'].map((name) =>
      item('create', 'svc_contact', { properties: { svc_first_name: name } }),
    );
    while (!isOver) {
      const { status, text } = await runBatch(service.client(key), creates, { atomic: true });
      expect(status, text).toBeLessThan(300);
    }
  });
  const { failure } = await runCommand(url, 'db backup', file, {});
  isOver = true;
  await Promise.all(writing);
  await service.stop();
  expect(failure).toBeUndefined();

  const { url: other } = await createJoined();
  expect((await runCommand(other, 'db restore', file, { discard: true })).failure).toBeUndefined();
  expect((await runCommand(other, 'db distribute', '', {})).failure).toBeUndefined();
  await expectWhole(other, keys);

  // In the place of what is there, which has other orgs meanwhile.
  const before = await shardsOf(url);
  expect((await runCommand(url, 'db restore', file, { discard: true })).failure).toBeUndefined();
  expect(await shardsOf(url)).toEqual(before);
  await expectWhole(url, keys);
  await rm(folder, { recursive: true });
});

/** Each distributed table, and into how many shards it is divided. */
async function shardsOf(url: string): Promise<readonly unknown[]> {
  const { rows } = await rawQuery(
    url,
    'select logicalrelid::text as name, count(*) from pg_dist_shard group by 1 order by 1',
  );
  return rows;
}

async function expectWhole(url: string, keys: readonly string[]): Promise<void> {
  const restored = await startService({ databaseUrl: url });
  for (const key of keys) {
    const client = restored.client(key);
    const counted = await client.post(`${contacts}aggregate/`, { aggregations: [{ function: 'count' }] });
    expect(counted.status, counted.text).toBe(200);
    const { count } = counted.body.data[0].values as { readonly count: string };
    expect(Number(count) % 3).toBe(0);
    expect((await client.post(contacts, { properties: { svc_first_name: 'Di' } })).status).toBe(201);
  }
  await restored.stop();
}
