// An export shows links as ids: a column for each association type in CSV, and the shape of a create in NDJSON. Import
// ignores the id of a record.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { type ExportRequest, exportRecords } from '../../src/cli/export/form.ts';
import { builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import type { Client } from '../support/client.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { make, pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function exported(typeName: string, form: ExportRequest['form']): Promise<string> {
  let text = '';
  const request = { orgId, typeName, form, links: true } as const;
  await exportRecords(service.database, systemClock, request, async (piece) => {
    text += piece;
  });
  return text;
}

function link(association_type: string, target_id: string) {
  return { association_type, target_id };
}

test('each association type that begins at the type is a column of ids, the owners among them', async () => {
  const owner = await service.createUser(orgId);
  const company = await make(client, 'svc_company', { svc_name: 'Navy' });
  const people = [await make(client, 'svc_contact', {}), await make(client, 'svc_contact', {})];
  const gone = await make(client, 'svc_contact', {});
  const involved = [...people, gone].map(({ id }) => link('svc_deal_to_contact', id));
  const deal = await make(client, 'svc_deal', { svc_name: 'Ships' }, [
    link('svc_deal_to_company', company.id),
    ...involved,
    link('svc_record_to_user', owner),
  ]);
  const bare = await make(client, 'svc_deal', {});
  await client.delete(pathOfRecord(gone));

  const [header = [], ...rows] = parse(await exported('svc_deal', 'csv')) as string[][];
  const properties = [...(builtinCatalog.objectTypes.get('svc_deal')?.properties.keys() ?? [])];
  const columns = [
    'svc_deal_to_company',
    'svc_deal_to_contact',
    'svc_deal_to_deal_pipeline_stage',
    'svc_record_to_user',
  ];
  expect(header).toEqual(['id', ...properties, ...columns]);
  const ids = people.map(({ id }) => id);
  expect(rows.map((row) => [row[0], ...row.slice(-columns.length)])).toEqual([
    [deal.id, company.id, ids.join(';'), '', owner],
    [bare.id, '', '', '', ''],
  ]);
  const lines = (await exported('svc_deal', 'ndjson')).trimEnd().split('\n');
  const read = lines.map((line) => JSON.parse(line) as { id: string; properties: object; associations: object[] });
  expect(read[0]).toMatchObject({ id: deal.id, object_type: 'svc_deal', properties: { svc_name: 'Ships' } });
  expect(read.map(({ associations }) => associations)).toEqual([
    [
      link('svc_deal_to_company', company.id),
      ...ids.map((id) => link('svc_deal_to_contact', id)),
      link('svc_record_to_user', owner),
    ],
    [],
  ]);
});

test('records with more links than one statement reads keep all of them', async () => {
  const count = bounds.engine.exportedLinksAtOnce + 5;
  const [first, second, third] = [
    await make(client, 'svc_note', {}),
    await make(client, 'svc_note', {}),
    await make(client, 'svc_note', {}),
  ];
  const target = sql`('01a00000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const numbers = sql`generate_series(1, ${count}) as n`;
  await service.database.query(sql`
    insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
    select ${orgId}, 2, ${target}, 1, now(), true, '{}' from ${numbers}`);
  await service.database.query(sql`
    insert into orrery.association
      (org_id, source_id, association_type_id, target_id, source_type_id, target_type_id, created_at)
    select ${orgId}, ${second.id}, 10, ${target}, 4, 2, now() from ${numbers}`);
  const path = `${pathOfRecord(third)}associations/svc_note_to_company/01a00000-0000-7000-8000-000000000007/`;
  expect((await client.call('PUT', path)).status).toBe(200);

  const rows = parse(await exported('svc_note', 'csv'), { columns: true }) as Record<string, string>[];
  const targets = rows.map((row) => [row['id'], row['svc_note_to_company']?.split(';').filter(Boolean) ?? []] as const);
  expect(targets.map(([id, each]) => [id, each.length, new Set(each).size])).toEqual([
    [first.id, 0, 0],
    [second.id, count, count],
    [third.id, 1, 1],
  ]);
});

test('import ignores the id, and the record that it makes has one of its own', async () => {
  await make(client, 'svc_company', { svc_name: 'Bombe', svc_domain: 'bombe.example' });
  const text = await exported('svc_company', 'csv');
  const [header, ...rows] = text.split('\r\n').filter((line) => line.includes('svc_name') || line.includes('Bombe'));
  const again = [header, ...rows.map((row) => row.replace('bombe.example', 'tommy.example'))].join('\r\n');
  const { result } = await folder.run(service, orgId, 'svc_company', again);
  expect(result).toMatchObject({ created: 1, refused: 0 });
  expect(result?.columns[0]).toEqual({ header: 'id', property: null, ignored: 'no matching property' });
  const { body } = await client.post('/objects/svc_company/records/query/', {
    filter: { property: 'svc_name', operator: 'eq', value: 'Bombe' },
  });
  expect(new Set((body.data as { id: string }[]).map(({ id }) => id)).size).toBe(2);
});
