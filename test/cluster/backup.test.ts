// Backup and restore on a cluster: what is saved from distributed tables is restored into a new database, which is then distributed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { item, runBatch } from '../support/batch.ts';
import { createFolder } from '../support/cli.ts';
import { createDistributed, createJoined } from '../support/cluster/cluster.ts';
import { runCommand } from '../support/command.ts';
import { contacts } from '../support/records.ts';
import { startService } from '../support/service.ts';

test('a backup made while clients write is whole for each org, and goes into a new database of the cluster', async () => {
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

  const refused = await runCommand(url, 'db restore', file, { discard: true });
  expect(refused.failure?.message).toContain('distributed over a cluster');
  const { url: other } = await createJoined();
  expect((await runCommand(other, 'db restore', file, { discard: true })).failure).toBeUndefined();
  expect((await runCommand(other, 'db distribute', '', {})).failure).toBeUndefined();
  const restored = await startService({ databaseUrl: other });
  for (const key of keys) {
    const client = restored.client(key);
    const counted = await client.post(`${contacts}aggregate/`, { aggregations: [{ function: 'count' }] });
    expect(counted.status, counted.text).toBe(200);
    const { count } = counted.body.data[0].values as { readonly count: string };
    expect(Number(count) % 3).toBe(0);
    expect((await client.post(contacts, { properties: { svc_first_name: 'Di' } })).status).toBe(201);
  }
  await restored.stop();
  await rm(folder, { recursive: true });
});
