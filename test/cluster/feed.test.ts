// On a cluster the feed loses no entry: a transaction is committed on the server of its org before the first server counts it as over.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import { createFolder } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { createDistributed, watchLogs } from '../support/cluster/cluster.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { changes, endOfFeed } from '../support/read-feed.ts';
import { contacts } from '../support/records.ts';
import { startService } from '../support/service.ts';

const rounds = 20;

async function ok(answer: ReturnType<Client['post']>): Promise<string> {
  const { status, text, body } = await answer;
  expect(status, text).toBeLessThan(300);
  return (body.data as { readonly id?: string }).id ?? '';
}

/** Writes of every kind, one after the other. */
async function write(client: Client, writer: number): Promise<void> {
  const create = (name: string) => ok(client.post(contacts, { properties: { svc_first_name: name } }));
  const many = Array.from({ length: 30 }, (_, row) =>
    item('create', 'svc_contact', { properties: { svc_first_name: `${writer} of ${row}` } }),
  );
  for (let turn = 0; turn < 3; turn++) {
    const id = await create(`first of ${writer}`);
    const duplicate = await create(`second of ${writer}`);
    await succeed(client, many);
    await ok(client.patch(`${contacts}${id}/`, { properties: { svc_last_name: `${turn}` } }));
    await succeed(client, [item('merge', 'svc_contact', { id, duplicate_id: duplicate })]);
    expect((await client.delete(`${contacts}${id}/`)).status).toBe(200);
  }
}

/** The ids of all entries after a cursor, read while others write and until they have ended. */
async function follow(client: Client, cursor: string, writing: Promise<unknown>): Promise<readonly string[]> {
  let isOver = false;
  void writing.finally(() => {
    isOver = true;
  });
  const ids: string[] = [];
  for (let place = cursor; ; ) {
    const wasOver = isOver;
    const { entries, next } = await changes(client, { cursor: place, limit: 500, object_type: 'svc_contact' });
    ids.push(...entries.map(({ id }) => id));
    if (entries.length === 0 && wasOver) return ids;
    place = next;
  }
}

test(`in ${rounds} rounds of writes and imports, readers get every entry once, and nothing is prepared`, async () => {
  const { url, name } = await createDistributed();
  const service = await startService({ databaseUrl: url });
  const folder = await createFolder();
  const file = join(folder, 'contacts.csv');
  const map = join(folder, 'map.json');
  await writeFile(map, '{"Name": "svc_first_name"}');
  const logs = await watchLogs();
  for (let round = 0; round < rounds; round++) {
    const orgId = await service.createOrg();
    const client = service.client((await service.createKey(orgId)).key);
    const cursor = await endOfFeed(client);
    const { rows: before } = await rawQuery(
      url,
      'select count(*)::integer as count from orrery.change where org_id = $1 and type_id = 1',
      [orgId],
    );
    await writeFile(file, `Name\n${Array.from({ length: 300 }, (_, row) => `Row ${row} of ${round}\n`).join('')}`);
    const importing = async () => {
      const { failure } = await runCommand(url, 'import', file, { type: 'svc_contact', map, org: String(orgId) });
      expect(failure).toBeUndefined();
    };
    const writing = Promise.all([importing(), ...Array.from({ length: 6 }, (_, writer) => write(client, writer))]);
    const readers = await Promise.all([follow(client, cursor, writing), follow(client, cursor, writing)]);
    await writing;
    const { rows: after } = await rawQuery(
      url,
      'select count(*)::integer as count from orrery.change where org_id = $1 and type_id = 1',
      [orgId],
    );
    for (const ids of readers) {
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe(after[0].count - before[0].count);
    }
  }
  await service.stop();
  const lines = (await logs()).split('\n').filter((line) => line.includes(` ${name} `));
  expect(lines.length).toBeGreaterThan(1_000);
  expect(lines.filter((line) => line.includes('PREPARE TRANSACTION'))).toEqual([]);
});
