// The trash for operators: its list, restoring a record by the rules of the API, and purging.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { raw, sql } from '../../src/base/sql.ts';
import { purgeFromTrash, readTrash, restoreFromTrash } from '../../src/engine/admin/trash.ts';
import type { CommandEngine } from '../../src/engine/process/call.ts';
import { openDirectory } from '../../src/engine/process/directory.ts';
import { openStorage } from '../../src/engine/shares/storage.ts';
import type { Client } from '../support/client.ts';
import { countRows, ingest, trashAll } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { absentId } from '../support/operation-examples.ts';
import { make, pathOfRecord, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let engine: CommandEngine;
let orgId: number;
let client: Client;
const noted: number[] = [];
beforeAll(async () => {
  service = await startService();
  engine = {
    clock: systemClock,
    database: service.database,
    directory: openDirectory(service.database.urgent, systemClock),
    signal: { note: (org) => noted.push(org) },
    storage: openStorage(service.database.urgent, systemClock, () => {}),
    words: { wrote: () => {} },
  };
});
afterAll(() => service.stop());

/** Each test has its own org. */
async function newOrg(): Promise<void> {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
}

async function trashed(type: string, properties = {}, links: Parameters<typeof make>[3] = []): Promise<RecordData> {
  const record = await make(client, type, properties, links);
  expect((await client.delete(pathOfRecord(record))).status).toBe(200);
  return record;
}

function everything() {
  return { orgId, typeName: undefined };
}

function purge(selection: { id?: string; typeName?: string; olderThanSeconds?: number }): Promise<number> {
  return purgeFromTrash(engine, {
    orgId,
    typeName: selection.typeName,
    id: selection.id,
    olderThanSeconds: selection.olderThanSeconds,
  });
}

async function idsInTrash(): Promise<readonly string[]> {
  return (await readTrash(engine, everything(), 100)).map(({ id }) => id);
}

test('the list shows what was deleted, the last first, of all types or of one, and of one org', async () => {
  await newOrg();
  await trashed('svc_company', { svc_name: 'Of another org' });
  await newOrg();
  const company = await trashed('svc_company', { svc_name: 'Acme' });
  const contact = await trashed('svc_contact');
  const note = await trashed('svc_note', { svc_title: 'Call back' });
  const list = await readTrash(engine, everything(), 100);
  expect(list.map(({ id, type, title }) => [id, type.name, title])).toEqual([
    [note.id, 'svc_note', 'Call back'],
    [contact.id, 'svc_contact', null],
    [company.id, 'svc_company', 'Acme'],
  ]);
  for (const { deletedAt } of list) expect(Math.abs(deletedAt.getTime() - Date.now())).toBeLessThan(60_000);
  const companies = await readTrash(engine, { orgId, typeName: 'svc_company' }, 100);
  expect(companies.map(({ id }) => id)).toEqual([company.id]);
  expect((await readTrash(engine, everything(), 2)).map(({ id }) => id)).toEqual([note.id, contact.id]);
  await expect(readTrash(engine, { orgId, typeName: 'svc_compny' }, 1)).rejects.toThrow('has no object type');
  await expect(readTrash(engine, { orgId: 999_999, typeName: undefined }, 1)).rejects.toThrow(
    'There is no org 999999.',
  );
});

test('a restored record has its links and its stage again, the feed reports it, and waiting readers are woken', async () => {
  await newOrg();
  const stages = await client.get('/objects/svc_deal_pipeline_stage/records/');
  const company = await make(client, 'svc_company');
  const deal = await trashed('svc_deal', { svc_name: 'Big' }, [
    { association_type: 'svc_deal_to_deal_pipeline_stage', target_id: stages.body.data[1].id },
    { association_type: 'svc_deal_to_company', target_id: company.id },
  ]);
  const cursor = (await client.get('/changes/?cursor=latest')).body.pagination?.next_cursor;
  noted.length = 0;
  const restored = await restoreFromTrash(engine, everything(), deal.id);
  expect({ ...restored, type: restored.type.name }).toEqual({
    type: 'svc_deal',
    id: deal.id,
    version: '3',
    restored: true,
  });
  expect(noted).toEqual([orgId]);
  expect((await read(client, deal)).version).toBe('3');
  const linked = await client.get(`${pathOfRecord(deal)}associations/svc_deal_to_company/`);
  expect(linked.body.data).toMatchObject([{ id: company.id }]);
  const stage = await client.get(`${pathOfRecord(deal)}associations/svc_deal_to_deal_pipeline_stage/`);
  expect(stage.body.data).toMatchObject([{ id: stages.body.data[1].id }]);
  const { body } = await client.get(`/changes/?cursor=${cursor}`);
  expect(body.data).toMatchObject([{ type: 'record.restored', record_id: deal.id, principal_id: 'svc_system' }]);
  // Run again, nothing happens, because the record is live.
  expect(await restoreFromTrash(engine, { orgId, typeName: 'svc_deal' }, deal.id)).toMatchObject({
    restored: false,
    version: '3',
  });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('records that no key may delete or restore can be restored, too', async () => {
  await newOrg();
  await ingest(service.database, orgId, 'svc_meeting', [
    { external_id: 'm-1', properties: { svc_subject: 'Kick-off' } },
  ]);
  await trashAll(service.database, orgId, 'svc_meeting');
  const [entry] = await readTrash(engine, everything(), 10);
  expect(await restoreFromTrash(engine, everything(), entry?.id ?? '')).toMatchObject({ restored: true });
  expect((await client.get('/objects/svc_meeting/records/')).body.data).toHaveLength(1);
});

test('a restore that collides names the other record, and changes nothing', async () => {
  await newOrg();
  const old = await trashed('svc_contact', { svc_email: ['a@b.example', 'c@d.example'] });
  const heir = await make(client, 'svc_contact', { svc_email: ['C@d.example'] });
  await expect(restoreFromTrash(engine, everything(), old.id)).rejects.toMatchObject({
    kind: 'rows_refused',
    message: `Record ${old.id} cannot be restored: record ${heir.id} of svc_contact has the same svc_email.`,
    fix: 'Change or delete that record with the API, then restore this one.',
  });
  expect(await idsInTrash()).toEqual([old.id]);
  await client.delete(pathOfRecord(heir));
  expect(await restoreFromTrash(engine, everything(), old.id)).toMatchObject({ restored: true });
});

test('a record that does not exist, or is of another type, is refused in one sentence', async () => {
  await newOrg();
  const foreign = await trashed('svc_note');
  await newOrg();
  const note = await trashed('svc_note');
  for (const id of [foreign.id, absentId, 'constructor', '']) {
    const message = `Org ${orgId} has no record ${JSON.stringify(id)}, neither live nor in the trash.`;
    await expect(restoreFromTrash(engine, everything(), id)).rejects.toMatchObject({ kind: 'not_found', message });
    if (id !== '') await expect(purge({ id })).rejects.toMatchObject({ kind: 'not_found', message });
  }
  await expect(restoreFromTrash(engine, { orgId, typeName: 'svc_deal' }, note.id)).rejects.toMatchObject({
    message: `svc_deal of org ${orgId} has no record "${note.id}", neither live nor in the trash.`,
  });
  const live = await make(client, 'svc_note');
  await expect(purge({ id: live.id })).rejects.toMatchObject({
    message: `Record ${live.id} of svc_note is live, not in the trash.`,
  });
  expect(await idsInTrash()).toEqual([note.id]);
});

test('a purge removes the selected records with everything that belongs to them, and nothing else', async () => {
  await newOrg();
  const user = await service.createUser(orgId);
  client = service.client((await service.createKey(orgId, { userId: user })).key);
  const company = await make(client, 'svc_company');
  const link = { association_type: 'svc_contact_to_company', target_id: company.id };
  const kept = await trashed('svc_contact', {}, [link]);
  const gone = await trashed('svc_contact', {}, [link]);
  const note = await trashed('svc_note');
  await ingest(service.database, orgId, 'svc_risk', [{ external_id: 'r-1', properties: {} }]);
  await trashAll(service.database, orgId, 'svc_risk');
  const rows = async () => [
    await countRows(service.database, orgId, 'trash'),
    await linksOf(orgId, 'svc_contact_to_company'),
    await countRows(service.database, orgId, 'record_user'),
    await countRows(service.database, orgId, 'external_id'),
  ];
  // The timer of the note's status is for its user, too.
  // So is the key of the user.
  expect(await rows()).toEqual([4, 2, 6, 1]);
  expect(await purge({ id: gone.id })).toBe(1);
  expect(await rows()).toEqual([3, 1, 5, 1]);
  expect(await purge({ typeName: 'svc_risk' })).toBe(1);
  expect(await rows()).toEqual([2, 1, 5, 0]);
  await service.database.query(sql`
    update orrery.trash set deleted_at = now() - interval '8 days' where org_id = ${orgId} and id = ${note.id}`);
  expect(await purge({ olderThanSeconds: 7 * 86_400, typeName: 'svc_contact' })).toBe(0);
  expect(await purge({ olderThanSeconds: 7 * 86_400 })).toBe(1);
  expect(await idsInTrash()).toEqual([kept.id]);
  expect(await restoreFromTrash(engine, everything(), kept.id)).toMatchObject({ restored: true });
  expect(await purge({})).toBe(0);
  // The feed keeps the entries of purged records for its normal time.
  const findings = await findingsIn(service.database, orgId);
  expect(findings.filter((finding) => !/^the feed has .*, which is nowhere$/.test(finding))).toEqual([]);
});

async function linksOf(org: number, name: string): Promise<number> {
  const known = await engine.directory.find(org);
  const id = known?.catalog.pairs.find((pair) => pair.name === name)?.id ?? 0;
  const [row] = await service.database.query<{ n: number }>(sql`
    select count(*)::int as n from ${raw('orrery.association')} where org_id = ${org} and association_type_id = ${id}`);
  return row?.n ?? -1;
}

test('a record with more links than one step removes is purged with all of them, or keeps all of them', async () => {
  await newOrg();
  const hub = await trashed('svc_company');
  const pair = (await engine.directory.find(orgId))?.catalog.pairs.find(
    ({ name }) => name === 'svc_contact_to_company',
  );
  const links = 2 * bounds.store.purgedRowsAtOnce + 1;
  await service.database.query(sql`
    insert into orrery.association
      (org_id, source_id, association_type_id, target_id, source_type_id, target_type_id, created_at)
    select ${orgId}, gen_random_uuid(), ${pair?.id}, ${hub.id}, 1, 2, now() from generate_series(1, ${links})`);
  expect(await linksOf(orgId, 'svc_contact_to_company')).toBe(links);
  const { database } = engine;
  let deletes = 0;
  const breaking: typeof database = {
    ...database,
    transaction: (run) =>
      database.transaction((transaction) =>
        run({
          ...transaction,
          query: (statement) => {
            const isThird = statement.text.includes('delete from orrery.association') && ++deletes === 3;
            return isThird ? Promise.reject(new Error('Broken off.')) : transaction.query(statement);
          },
        }),
      ),
  };
  const request = { ...everything(), id: hub.id, olderThanSeconds: undefined };
  await expect(purgeFromTrash({ ...engine, database: breaking }, request)).rejects.toThrow('Broken off.');
  expect([await linksOf(orgId, 'svc_contact_to_company'), await idsInTrash()]).toEqual([links, [hub.id]]);
  expect(await purge({ id: hub.id })).toBe(1);
  expect([await linksOf(orgId, 'svc_contact_to_company'), await idsInTrash()]).toEqual([0, []]);
});

test('more records than one step takes are all purged, and a record that is being restored stays', async () => {
  await newOrg();
  const count = bounds.store.purgedRecordsAtOnce + 100;
  const send = async (operations: readonly object[]) =>
    (await client.post('/batch/', { operations })).body.data.results;
  const made = await send(
    Array.from({ length: count }, () => ({ operation: 'create', object_type: 'svc_note', properties: {} })),
  );
  const ids: readonly string[] = made.map((each: { id: string }) => each.id);
  await send(ids.map((id) => ({ operation: 'delete', object_type: 'svc_note', id })));
  const [held = ''] = ids;
  await service.database.transaction(async (transaction) => {
    await transaction.query(sql`
      select 1 as held from orrery.trash where org_id = ${orgId} and id = ${held} for no key update`);
    expect(await purge({})).toBe(count - 1);
  });
  expect(await idsInTrash()).toEqual([held]);
});
