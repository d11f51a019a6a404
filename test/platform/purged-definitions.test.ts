// What is purged of the schema (platform 2): the values of a property are erased from records, the trash, history and indexes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { purgeFromTrash } from '../../src/engine/admin/trash.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { item, runBatch } from '../support/batch.ts';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { define } from '../support/platform/definitions.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
let resetBounds: () => void;
beforeAll(async () => {
  resetBounds = lowerBounds({ engine: { definitionSettledMs: 0 }, store: { erasedRecordsAtOnce: 3 } });
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(async () => {
  await service.stop();
  resetBounds();
});

const secret = 'Xanadu';

/** The tables that have the word in any of their rows. */
async function tablesWithSecret(): Promise<readonly string[]> {
  const tables = ['record', 'trash', 'change', 'former_value', 'unique_value', 'index_text', 'search', 'fact'];
  const found: string[] = [];
  for (const table of tables) {
    const text = `select 1 from orrery.${table} as t where t::text ilike '%${secret}%' and t.org_id = $1 limit 1`;
    if (((await rawQuery(service.databaseUrl, text, [orgId])).rowCount ?? 0) > 0) found.push(table);
  }
  return found;
}

test('the values of a purged property are erased everywhere, and its name begins anew', async () => {
  await define.type(admin, 'tomb');
  const property = await define.property(admin, 'tomb', {
    svc_name: 'epitaph',
    svc_label: 'Epitaph',
    svc_unique: true,
  });
  await define.property(admin, 'tomb', { svc_name: 'place', svc_label: 'Place' });
  const tombs: RecordData[] = [];
  for (let index = 0; index < 8; index++) {
    tombs.push(await make(admin, 'tomb', { epitaph: `${secret} ${index}`, place: `Hill ${index}` }));
  }
  const [changed, deleted] = tombs as [RecordData, RecordData];
  await admin.patch(pathOfRecord(changed), { properties: { epitaph: `${secret} again`, place: 'Valley' } });
  await admin.delete(pathOfRecord(deleted));
  expect(await tablesWithSecret()).toEqual(
    expect.arrayContaining(['record', 'trash', 'change', 'unique_value', 'search']),
  );
  await admin.delete(pathOfRecord(property));
  await keepHouse(service.database, { trashSeconds: 3_600, changesSeconds: 3_600 });
  // It is not its time yet.
  expect(await tablesWithSecret()).toContain('record');
  await rawQuery(service.databaseUrl, "update orrery.trash set deleted_at = now() - interval '2 hours' where id = $1", [
    property.id,
  ]);
  await keepHouse(service.database, { trashSeconds: 3_600, changesSeconds: 3_600 });
  expect(await tablesWithSecret()).toEqual([]);
  // The feed still tells that the property was there.
  const findings = (await findingsIn(service.database, orgId)).filter((each) => !each.includes(property.id));
  expect(findings).toEqual([]);
  const kept = await read(admin, changed);
  expect(kept).toMatchObject({ version: '2', properties: { place: 'Valley' } });
  const query = (search: string) => admin.post(`${recordsPath('tomb')}query/`, { search });
  expect((await query('valley')).body.data).toHaveLength(1);
  expect((await query(secret)).body.data).toEqual([]);
  const jobs = (await admin.get(`${recordsPath('svc_job')}?limit=200`)).body.data as readonly RecordData[];
  expect(jobs.map((job) => job.properties)).toContainEqual(
    expect.objectContaining({ svc_kind: 'erase', svc_state: 'done', svc_message: 'tomb.epitaph' }),
  );
  await define.property(admin, 'tomb', { svc_name: 'epitaph', svc_label: 'Epitaph' });
  expect((await read(admin, changed)).properties).not.toHaveProperty('epitaph');
  await admin.patch(pathOfRecord(changed), { properties: { epitaph: 'New' } });
  expect((await read(admin, changed)).properties).toMatchObject({ epitaph: 'New' });
});

test('an option that went with its property is purged with it, and one of a property that came back is not', async () => {
  await define.type(admin, 'urn');
  const shape = await define.property(admin, 'urn', {
    svc_name: 'shape',
    svc_label: 'Shape',
    svc_field_type: 'select',
  });
  const round = await define.option(admin, shape, 'round');
  await admin.delete(pathOfRecord(shape));
  const purge = (id: string) =>
    withCommandEngine(service.database, (engine) =>
      purgeFromTrash(engine, { orgId, typeName: undefined, id, olderThanSeconds: undefined }),
    );
  await expect(purge(round.id)).rejects.toThrow(/in use/);
  await runBatch(admin, [item('restore', 'svc_property', { id: shape.id })]);
  const relabelled = await admin.patch(pathOfRecord(round), { properties: { svc_label: 'Round' } });
  expect(relabelled.status, relabelled.text).toBe(200);
  await admin.delete(pathOfRecord(shape));
  expect(await purge(shape.id)).toBe(1);
  expect(await purge(round.id)).toBe(1);
  await make(admin, 'urn', {});
});

test('an import matches by a property that has the name of a deleted one', async () => {
  await define.type(admin, 'crypt');
  const unique = { svc_name: 'code', svc_label: 'Code', svc_unique: true };
  await admin.delete(pathOfRecord(await define.property(admin, 'crypt', unique)));
  await define.property(admin, 'crypt', unique);
  await define.property(admin, 'crypt', { svc_name: 'name', svc_label: 'Name' });
  const crypt = await make(admin, 'crypt', { code: 'A', name: 'Old' });
  const upserted = await admin.put(`${recordsPath('crypt')}?match=code`, { properties: { code: 'A', name: 'Newer' } });
  expect([upserted.status, upserted.body.data.id]).toEqual([200, crypt.id]);
  const folder = await mkdtemp(join(tmpdir(), 'orrery-test-'));
  const file = join(folder, 'crypts.csv');
  await writeFile(file, 'code,name\nA,New\nB,Other\n');
  const on = ['--database-url', service.databaseUrl];
  const words = ['import', '--org', String(orgId), '--type', 'crypt', '--match', 'code', file, ...on];
  const { status, stderr } = await runOrrery(words);
  await rm(folder, { recursive: true });
  expect(status, stderr).toBe(0);
  expect((await read(admin, crypt)).properties).toMatchObject({ code: 'A', name: 'New' });
});
