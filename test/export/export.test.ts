// Export writes all records of a type as of one moment, in three forms, with at most two pages in memory.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { type ExportRequest, exportRecords, type TakeExported } from '../../src/cli/export/form.ts';
import { builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import type { Database } from '../../src/store/database.ts';
import type { Client } from '../support/client.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  [orgId, client] = await newOrg();
});
afterAll(() => service.stop());

async function newOrg(): Promise<[number, Client]> {
  const made = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  return [made, service.client((await service.createKey(made)).key)];
}

async function exported(typeName: string, form: ExportRequest['form'], org = orgId): Promise<string> {
  const pieces: string[] = [];
  await exportRecords(service.database, systemClock, { orgId: org, typeName, form }, async (text) => {
    pieces.push(text);
  });
  return pieces.join('');
}

async function listed(type: string): Promise<readonly object[]> {
  const { body } = await client.get(`/objects/${type}/records/?limit=500`);
  return body.data;
}

async function makeNotes(caller: Client, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1_000) {
    const operations = Array.from({ length: Math.min(1_000, count - done) }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_note',
      properties: { svc_title: `Note ${done + index}` },
    }));
    expect((await caller.post('/batch/', { operations })).status).toBe(200);
  }
}

test('CSV has a column for each property and a line for each live record, whoever may see it, in order of creation', async () => {
  const user = await service.createUser(orgId);
  const { key } = await service.createKey(orgId, { userId: user, reach: 'user' });
  const hostile = '=HYPERLINK("http://a.example";"x"), \r\n\'second\' line';
  const ada = await make(service.client(key), 'svc_contact', {
    svc_last_name: hostile,
    svc_email: ['=a@b.example', 'ada@b.example'],
    svc_phone_number: [{ country_code: 'GB', national_number: '2079460958' }],
  });
  await client.delete(`${pathOfRecord(ada)}associations/svc_record_to_org/${orgId}/`);
  const gone = await make(client, 'svc_contact', { svc_last_name: 'Gone' });
  await make(client, 'svc_contact', { svc_last_name: "'+1", svc_timezone: 'Europe/Berlin' });
  await client.delete(pathOfRecord(gone));
  await make(client, 'svc_deal', { svc_amount: { amount: '12.50', unit: 'USD' } }, [
    { association_type: 'svc_deal_to_contact', target_id: ada.id },
  ]);
  const text = await exported('svc_contact', 'csv');
  const [header, ...rows] = parse(text) as string[][];
  expect(header).toEqual(['id', ...(builtinCatalog.objectTypes.get('svc_contact')?.properties.keys() ?? [])]);
  expect(rows[0]?.[0]).toBe(ada.id);
  const cells = rows.map((row) => Object.fromEntries(row.map((cell, index) => [header?.[index] ?? '', cell])));
  expect(cells).toMatchObject([
    {
      svc_last_name: `'${hostile}`,
      svc_email: '["=a@b.example","ada@b.example"]',
      svc_phone_number: '[{"country_code":"GB","national_number":"2079460958"}]',
      svc_first_name: '',
      svc_potential_deal_total: '{"unit":"USD","amount":"12.5"}',
      svc_weighted_deal_total: '{"unit":"USD","amount":"0"}',
      svc_created_at: ada.properties['svc_created_at'],
    },
    { svc_last_name: "''+1", svc_email: '', svc_timezone: 'Europe/Berlin', svc_potential_deal_total: '' },
  ]);
  expect(cells).toHaveLength(2);
  expect(text.endsWith('\r\n')).toBe(true);
});

test('NDJSON and JSON contain each record as the API returns it', async () => {
  const lines = (await exported('svc_contact', 'ndjson')).split('\n');
  expect([lines.length, lines.pop()]).toEqual([3, '']);
  expect(await exported('svc_contact', 'json')).toBe(`[${lines.join()}]\n`);
  const { text } = await client.get('/objects/svc_contact/records/?limit=500');
  expect(text).toContain(`{"data":[${lines.join()}],`);
});

test('a type without records gives a header, nothing, or an empty array', async () => {
  const header = ['id', ...(builtinCatalog.objectTypes.get('svc_file')?.properties.keys() ?? [])].join();
  expect(await exported('svc_file', 'csv')).toBe(`${header}\r\n`);
  expect([await exported('svc_file', 'ndjson'), await exported('svc_file', 'json')]).toEqual(['', '[]\n']);
});

test('every type that can be read can be exported; others are unknown, and so is an org that does not exist', async () => {
  await ingest(service.database, orgId, 'svc_web_visit', [{ external_id: 'v-1', properties: {} }]);
  for (const { name, category } of builtinCatalog.objectTypes.values()) {
    if (category === 'platform') continue;
    const [header, ...rows] = parse(await exported(name, 'csv')) as string[][];
    expect([header?.slice(0, 2), rows.length], name).toEqual([
      ['id', [...(builtinCatalog.objectTypes.get(name)?.properties.keys() ?? [])][0]],
      (await listed(name)).length,
    ]);
  }
  for (const name of ['svc_user', 'svc_org', 'svc_contct', '']) {
    await expect(exported(name, 'csv')).rejects.toThrow(`Org ${orgId} has no object type "${name}".`);
  }
  await expect(exported('svc_contact', 'csv', 999_999)).rejects.toThrow('There is no org 999999.');
});

test('changes made during an export are not in it: records, values and properties', async () => {
  const [org, own] = await newOrg();
  const count = bounds.engine.exportedAtOnce + 500;
  await makeNotes(own, count);
  const { body } = await own.post('/objects/svc_note/records/query/', {
    filter: { property: 'svc_title', operator: 'in', value: ['Note 1400', 'Note 1450'] },
  });
  const [changed, deleted] = body.data as { id: string; object_type: string }[];
  if (changed === undefined || deleted === undefined) throw new Error('The notes are not there.');
  let text = '';
  let pieces = 0;
  await exportRecords(
    service.database,
    systemClock,
    { orgId: org, typeName: 'svc_note', form: 'csv' },
    async (piece) => {
      text += piece;
      if (pieces++ > 0) return;
      await service.applySchema(org, {
        properties: { svc_note: [{ name: 'late', label: 'Late', field_type: 'text' }] },
      });
      await own.patch(pathOfRecord(changed), { properties: { svc_title: 'Changed' } });
      await own.delete(pathOfRecord(deleted));
      await make(own, 'svc_note', { svc_title: 'Late' });
    },
  );
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  expect(rows.map((row) => row['svc_title'])).toEqual(Array.from({ length: count }, (_, index) => `Note ${index}`));
  expect(Object.keys(rows[0] ?? {})).not.toContain('late');
  expect(await exported('svc_note', 'csv', org)).toMatch(/late/);
});

test('no more than one page is read ahead of the reader', async () => {
  const [org, own] = await newOrg();
  await makeNotes(own, 3 * bounds.engine.exportedAtOnce + 1);
  let read = 0;
  const ahead: number[] = [];
  let written = 0;
  await follow(
    counting(() => read++),
    org,
    async (_, records) => {
      // Long enough for further pages to be read, if any were.
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (records > 0) ahead.push(read - ++written);
    },
  );
  expect(ahead).toEqual([1, 1, 1, 0]);
});

/** A database that counts the pages that are read over connections of their own. */
function counting(count: () => void): Database {
  return {
    ...service.database,
    connect: async () => {
      const connection = await service.database.connect();
      return {
        ...connection,
        query: (statement) => {
          if (statement.text.includes('pg_column_size')) count();
          return connection.query(statement);
        },
      };
    },
  };
}

async function follow(database: Database, org: number, take: TakeExported): Promise<void> {
  await exportRecords(database, systemClock, { orgId: org, typeName: 'svc_note', form: 'ndjson' }, take);
}

test('a reader that fails ends the export, and nothing of it stays open', async () => {
  const lost = new Error('Nobody reads.');
  const failing = follow(service.database, orgId, () => Promise.reject(lost));
  await expect(failing).rejects.toBe(lost);
  const open = () =>
    service.database.query(sql`
      select 1 as found from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
  await expect.poll(open).toEqual([]);
});
