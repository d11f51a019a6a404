// Records of synced and generated types, by the ids that they have in a connected system.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Client } from '../support/client.ts';
import { countRows, ingest, trashAll } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { type RecordData, recordsPath, sentValues } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});

const meetings = (...lines: readonly (object | string)[]) => ingest(service.database, orgId, 'svc_meeting', lines);

async function stored(type = 'svc_meeting'): Promise<readonly RecordData[]> {
  return (await client.get(`${recordsPath(type)}?limit=500`)).body.data;
}

interface Entry {
  readonly kind: number;
  readonly version: string;
  readonly principal: string;
  readonly changed: unknown;
}

/** The feed entries of records of a type, by default meetings. */
async function feed(typeId = 11): Promise<readonly Entry[]> {
  return service.database.query<Entry>(sql`
    select kind, version, principal_id as principal, changed::json as changed from orrery.change
    where org_id = ${orgId} and type_id = ${typeId} order by seq`);
}

const kickOff = {
  external_id: 'cal-1',
  properties: { svc_subject: 'Kick-off', svc_attendee_email: ['ada@example.com'], svc_status: 'tentative' },
};

test('a new external id creates a record, a known one updates it, and a repeated line changes nothing', async () => {
  expect(await meetings(kickOff)).toEqual({ created: 1, updated: 0, unchanged: 0, refused: [] });
  const [made] = await stored();
  expect(made).toMatchObject({ object_type: 'svc_meeting', version: '1' });
  expect(sentValues(made as RecordData)).toEqual(kickOff.properties);
  const change = { external_id: 'cal-1', properties: { svc_status: 'confirmed', svc_attendee_email: null } };
  expect(await meetings(change)).toEqual({ created: 0, updated: 1, unchanged: 0, refused: [] });
  const [changed] = await stored();
  expect(changed).toMatchObject({ id: made?.id, version: '2' });
  expect(sentValues(changed as RecordData)).toEqual({ svc_subject: 'Kick-off', svc_status: 'confirmed' });
  const entries = await feed();
  expect(await meetings(change, change)).toEqual({ created: 0, updated: 0, unchanged: 2, refused: [] });
  expect(await stored()).toEqual([changed]);
  expect(await feed()).toEqual(entries);
  expect(entries).toEqual([
    { kind: 1, version: '1', principal: 'svc_system', changed: expect.objectContaining(kickOff.properties) },
    {
      kind: 2,
      version: '2',
      principal: 'svc_system',
      changed: {
        svc_status: { old: 'tentative', new: 'confirmed' },
        svc_attendee_email: { old: ['ada@example.com'] },
      },
    },
  ]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('ingested records belong to the org and to no user', async () => {
  await meetings(kickOff);
  expect(await countRows(service.database, orgId, 'record_user')).toBe(0);
  const userId = await service.createUser(orgId);
  const { key } = await service.createKey(orgId, { userId, reach: 'user' });
  const { body } = await service.client(key).get(recordsPath('svc_meeting'));
  expect(body.data).toHaveLength(1);
  const found = await client.post(`${recordsPath('svc_meeting')}query/`, { search: 'kick' });
  expect(found.body.data).toEqual(body.data);
});

test('external ids are distinguished by org, by type and by every character', async () => {
  await meetings(kickOff, { ...kickOff, external_id: 'CAL-1' }, { ...kickOff, external_id: 'cal-1 ' });
  expect(await stored()).toHaveLength(3);
  await ingest(service.database, orgId, 'svc_file', [{ external_id: 'cal-1', properties: { svc_name: 'a.pdf' } }]);
  expect(await stored('svc_file')).toHaveLength(1);
  const other = await service.createOrg();
  expect(await ingest(service.database, other, 'svc_meeting', [kickOff])).toMatchObject({ created: 1 });
  expect(await stored()).toHaveLength(3);
  const longest = { external_id: '😀'.repeat(bounds.engine.externalIdCharacters), properties: {} };
  expect(await meetings(longest)).toMatchObject({ created: 1, refused: [] });
  expect(await meetings(longest)).toMatchObject({ unchanged: 1, refused: [] });
});

test('every synced and generated type is accepted, with all its properties except the dates of the service', async () => {
  const types = (await client.get('/objects/')).body.data as readonly { name: string; category: string }[];
  const brought = types.filter(({ category }) => category === 'synced' || category === 'generated');
  expect(brought.length).toBeGreaterThan(8);
  for (const { name } of brought) {
    const outcome = await ingest(service.database, orgId, name, [
      { external_id: 'a', properties: {} },
      { external_id: 'b', properties: { svc_created_at: '2026-01-01T00:00:00Z' } },
      { external_id: 'c', properties: { svc_updated_at: null } },
    ]);
    expect(outcome, name).toEqual({
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: [
        [2, 'read_only_property', ['/properties/svc_created_at']],
        [3, 'read_only_property', ['/properties/svc_updated_at']],
      ],
    });
  }
});

test('lines with the same external id apply in order, also after a refused one', async () => {
  const line = (subject: unknown) => ({ external_id: 'x', properties: { svc_subject: subject } });
  const outcome = await meetings(line(7), line('first'), line('second'), line('second'), line(''), line('third'));
  expect(outcome).toMatchObject({ created: 1, updated: 2, unchanged: 1 });
  expect(outcome.refused.map(([number]) => number)).toEqual([1, 5]);
  expect((await stored()).map(({ version, properties }) => [version, properties['svc_subject']])).toEqual([
    ['3', 'third'],
  ]);
  expect(await countRows(service.database, orgId, 'external_id')).toBe(1);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a file of many batches is ingested completely, and again without a change', async () => {
  const lines = Array.from({ length: 2 * bounds.engine.ingestedAtOnce + 50 }, (_, index) => ({
    external_id: `visit-${index % 1_020}`,
    properties: { svc_title: `Visit ${index % 1_020}`, svc_page_view_count: String(index % 1_020) },
  }));
  const visits = () => ingest(service.database, orgId, 'svc_web_visit', lines);
  expect(await visits()).toEqual({ created: 1_020, updated: 0, unchanged: 30, refused: [] });
  const changes = await countRows(service.database, orgId, 'change');
  expect(await visits()).toEqual({ created: 0, updated: 0, unchanged: 1_050, refused: [] });
  expect(await countRows(service.database, orgId, 'change')).toBe(changes);
  expect(await countRows(service.database, orgId, 'external_id')).toBe(1_020);
});

test('two simultaneous ingests of one file create no second record, and both succeed', async () => {
  const lines = Array.from({ length: 700 }, (_, index) => ({
    external_id: `m-${(index * 7_919) % 700}`,
    properties: { svc_subject: `Meeting ${(index * 7_919) % 700}` },
  }));
  const outcomes = await Promise.all([meetings(...lines), meetings(...lines.toReversed()), meetings(...lines)]);
  const sum = (pick: (each: (typeof outcomes)[number]) => number) =>
    outcomes.map(pick).reduce((left, right) => left + right, 0);
  expect(sum((each) => each.created)).toBe(700);
  expect(sum((each) => each.unchanged)).toBe(1_400);
  expect(outcomes.flatMap((each) => each.refused)).toEqual([]);
  expect(await countRows(service.database, orgId, 'external_id')).toBe(700);
  expect(await feed()).toHaveLength(700);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a record in the trash is restored with its new values, as one version', async () => {
  await meetings(kickOff);
  const [made] = await stored();
  await trashAll(service.database, orgId, 'svc_meeting');
  expect(await stored()).toEqual([]);
  const change = { external_id: 'cal-1', properties: { svc_status: 'confirmed' } };
  expect(await meetings(change, change)).toEqual({ created: 0, updated: 1, unchanged: 1, refused: [] });
  const [back] = await stored();
  expect(back).toMatchObject({ id: made?.id, version: '3' });
  expect(sentValues(back as RecordData)).toEqual({ ...kickOff.properties, svc_status: 'confirmed' });
  expect((await feed()).at(-1)).toMatchObject({ kind: 4, version: '3', changed: { svc_status: 'confirmed' } });
  expect(await countRows(service.database, orgId, 'trash')).toBe(0);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a purged record loses its external id, and the next line creates a new record', async () => {
  await meetings(kickOff, { external_id: 'cal-2', properties: {} });
  const before = await stored();
  await trashAll(service.database, orgId, 'svc_meeting');
  await service.database.query(sql`
    update orrery.trash set deleted_at = now() - interval '31 days' where org_id = ${orgId}`);
  await keepHouse(service.database, { trashSeconds: 30 * 86_400, changesSeconds: 30 * 86_400 });
  expect(await countRows(service.database, orgId, 'external_id')).toBe(0);
  expect(await meetings(kickOff)).toMatchObject({ created: 1 });
  expect(before.map(({ id }) => id)).not.toContain((await stored())[0]?.id);
  // It may have been purged after the external id was looked up.
  await service.database.query(sql`delete from orrery.record where org_id = ${orgId}`);
  expect(await meetings(kickOff, kickOff)).toEqual({ created: 1, updated: 0, unchanged: 1, refused: [] });
  expect(await countRows(service.database, orgId, 'external_id')).toBe(1);
});

test('custom properties are ingested too: required ones must be present in new records, unique ones stay unique', async () => {
  await service.applySchema(orgId, {
    properties: {
      svc_meeting: [
        { name: 'room', label: 'Room', field_type: 'text', required: true },
        { name: 'slot', label: 'Slot', field_type: 'text', unique: true },
      ],
    },
  });
  const line = (id: string, properties: object) => ({ external_id: id, properties });
  const outcome = await meetings(
    line('a', { slot: '1' }),
    line('a', { slot: '1', room: 'A' }),
    line('a', { slot: '2' }),
    line('b', { slot: '1', room: 'B' }),
    line('c', { slot: '1', room: 'C' }),
    line('a', { room: null }),
    line('b', { slot: '2' }),
  );
  expect(outcome).toEqual({
    created: 2,
    updated: 1,
    unchanged: 0,
    refused: [
      [1, 'required_missing', ['/properties/room']],
      [5, 'unique_value_taken', ['/properties/slot']],
      [6, 'required_missing', ['/properties/room']],
      [7, 'unique_value_taken', ['/properties/slot']],
    ],
  });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  // A value that was taken while the record was in the trash keeps it there, unless the line has another value.
  await trashAll(service.database, orgId, 'svc_meeting');
  expect(await meetings(line('d', { slot: '2', room: 'D' }), line('a', { room: 'E' }))).toMatchObject({
    created: 1,
    refused: [[2, 'unique_value_taken', ['/properties/slot']]],
  });
  expect(await countRows(service.database, orgId, 'trash')).toBe(2);
  expect(await meetings(line('a', { slot: '3' }))).toMatchObject({ updated: 1, refused: [] });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
