// The schema as records (platform 2): types, properties, options and association types come and go without a restart.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminGrant, fullGrant } from '../../src/access/grant.ts';
import { purgeFromTrash } from '../../src/engine/admin/trash.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { raiseRevision } from '../../src/store/org/revision.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { define, definitionNamed, propertyNamed } from '../support/platform/definitions.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

/** Empties the trash of a type, as the operator does. */
function purge(typeName: string): Promise<number> {
  const request = { orgId, typeName, id: undefined, olderThanSeconds: undefined };
  return withCommandEngine(service.database, (engine) => purgeFromTrash(engine, request));
}

const types = recordsPath('svc_object_type');
const properties = recordsPath('svc_property');

test('a type with properties, options and an association type is one atomic batch, and the next request uses it', async () => {
  const answer = await runBatch(
    admin,
    [
      item('create', 'svc_object_type', {
        ref: 'vessel',
        properties: { svc_name: 'vessel', svc_label: 'Vessel', svc_title_property: 'imo' },
      }),
      ...[
        { svc_name: 'imo', svc_label: 'IMO', svc_field_type: 'text', svc_unique: true, svc_required: true },
        { svc_name: 'flag', svc_label: 'Flag', svc_field_type: 'select' },
      ].map((values) =>
        item('create', 'svc_property', {
          ref: values.svc_name,
          properties: values,
          associations: [{ association_type: 'svc_property_to_object_type', target_id: { ref: 'vessel' } }],
        }),
      ),
      ...['no', 'se'].map((svc_value) =>
        item('create', 'svc_property_option', {
          properties: { svc_value, svc_label: svc_value.toUpperCase() },
          associations: [{ association_type: 'svc_property_option_to_property', target_id: { ref: 'flag' } }],
        }),
      ),
      item('create', 'svc_association_type', {
        properties: {
          svc_name: 'sails_for',
          svc_label: 'Sails for',
          svc_source: 'vessel',
          svc_target: 'svc_company',
          svc_cardinality: 'many_to_one',
        },
      }),
    ],
    { atomic: true },
  );
  expect(answer.status, answer.text).toBe(200);
  const company = await make(admin, 'svc_company', { svc_name: 'Line' });
  const links = [{ association_type: 'sails_for', target_id: company.id }];
  const vessel = await make(admin, 'vessel', { imo: '9074729', flag: 'no' }, links);
  expect(vessel.properties).toMatchObject({ imo: '9074729', flag: 'no' });
  const described = (await admin.get('/objects/vessel/')).body.data;
  expect(described).toMatchObject({ label: 'Vessel', category: 'custom', title_property: 'imo' });
  expect(described.properties.map(({ name }: { name: string }) => name)).toEqual([
    'imo',
    'flag',
    'svc_created_at',
    'svc_updated_at',
  ]);
  const wrong = await admin.post(recordsPath('vessel'), { properties: { imo: '1', flag: 'dk' } });
  await expectProblem(wrong, 'validation_failed', 'unknown_option');
});

test('a batch that uses a type which it creates itself answers as for an unknown type', async () => {
  const answer = await runBatch(
    admin,
    [
      item('create', 'svc_object_type', { properties: { svc_name: 'early', svc_label: 'Early' } }),
      item('create', 'early', { properties: {} }),
    ],
    { atomic: true },
  );
  await expectProblem(answer, 'not_found', 'object_type_unknown');
  expect((await admin.get('/objects/early/')).status).toBe(404);
});

describe('what is built in', () => {
  test('has records from the start, one for each type that is neither hidden nor of the platform', async () => {
    const listed = (await admin.get('/objects/')).body.data as readonly { name: string; category: string }[];
    const wanted = listed.filter(({ category }) => category !== 'platform').map(({ name }) => name);
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await admin.get(`${types}?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      found.push(...(page.body.data as readonly RecordData[]).map((each) => String(each.properties['svc_name'])));
      cursor = page.body.pagination?.next_cursor as string | undefined;
      if (cursor === undefined || cursor === null) break;
    }
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  test('accepts other labels and descriptions, and nothing else', async () => {
    const deal = await definitionNamed(admin, 'svc_object_type', 'svc_deal');
    const relabelled = await admin.patch(pathOfRecord(deal), {
      properties: { svc_label: 'Fixture', svc_plural_label: 'Fixtures', svc_description: 'A charter.' },
    });
    expect(relabelled.status, relabelled.text).toBe(200);
    expect((await admin.get('/objects/svc_deal/')).body.data).toMatchObject({
      label: 'Fixture',
      plural_label: 'Fixtures',
      description: 'A charter.',
    });
    const name = await propertyNamed(admin, 'svc_deal', 'svc_name');
    await admin.patch(pathOfRecord(name), { properties: { svc_label: 'Voyage' } });
    const described = (await admin.get('/objects/svc_deal/')).body.data;
    expect(described.properties.find((each: { name: string }) => each.name === 'svc_name')?.label).toBe('Voyage');
    for (const [record, values] of [
      [deal, { svc_name: 'fixture' }],
      [deal, { svc_title_property: 'svc_amount' }],
      [name, { svc_required: true }],
      [name, { svc_field_type: 'number' }],
      [name, { svc_position: '9' }],
    ] as const) {
      await expectProblem(await admin.patch(pathOfRecord(record), { properties: values }), 'forbidden', 'built_in');
    }
    for (const record of [deal, name]) {
      await expectProblem(await admin.delete(pathOfRecord(record)), 'forbidden', 'built_in');
    }
  });

  test('a property of the org can be added to it', async () => {
    const tier = await define.property(admin, 'svc_contact', { svc_name: 'tier', svc_label: 'Tier' });
    expect(tier.properties).toMatchObject({ svc_custom: true, svc_required: false, svc_multi_valued: false });
    const contact = await make(admin, 'svc_contact', { tier: 'gold' });
    expect(contact.properties['tier']).toBe('gold');
  });
});

describe('a property that is deleted', () => {
  test('is gone from reads, filters, sorts, searches, matches and the schema, and comes back with its values', async () => {
    await define.type(admin, 'ship');
    const code = await define.property(admin, 'ship', { svc_name: 'code', svc_label: 'Code', svc_unique: true });
    await define.property(admin, 'ship', { svc_name: 'note', svc_label: 'Note' });
    const ship = await make(admin, 'ship', { code: 'Zanzibar', note: 'old' });
    const search = { search: 'zanzibar' };
    const query = (body: object) => admin.post(`${recordsPath('ship')}query/`, body);
    expect((await query(search)).body.data).toHaveLength(1);
    await admin.delete(pathOfRecord(code));
    expect((await read(admin, ship)).properties).not.toHaveProperty('code');
    expect((await admin.get(recordsPath('ship'))).body.data[0].properties).not.toHaveProperty('code');
    expect((await query(search)).body.data).toEqual([]);
    expect((await query({ search: 'old' })).body.data).toHaveLength(1);
    const filter = { property: 'code', operator: 'eq', value: 'Zanzibar' };
    await expectProblem(await query({ filter }), 'invalid_request', 'unknown_property');
    await expectProblem(
      await query({ sort: [{ property: 'code', direction: 'asc' }] }),
      'invalid_request',
      'unknown_property',
    );
    const upserted = await admin.put(`${recordsPath('ship')}?match=code`, { properties: { code: 'x' } });
    expect(upserted.status).toBe(400);
    await expectProblem(
      await admin.patch(pathOfRecord(ship), { properties: { code: 'x' } }),
      'validation_failed',
      'unknown_property',
    );
    const changed = await admin.patch(pathOfRecord(ship), { properties: { note: 'new' } });
    expect(changed.body.data.properties).toMatchObject({ note: 'new' });
    expect(changed.body.data.properties).not.toHaveProperty('code');
    await runBatch(admin, [item('restore', 'svc_property', { id: code.id })]);
    expect((await read(admin, ship)).properties).toMatchObject({ code: 'Zanzibar', note: 'new' });
    expect((await query(search)).body.data).toHaveLength(1);
    const taken = await admin.post(recordsPath('ship'), { properties: { code: 'Zanzibar' } });
    await expectProblem(taken, 'conflict', 'unique_value_taken');
  });

  test('leaves its name: a new property starts empty, and the old one cannot come back beside it', async () => {
    await define.type(admin, 'barge');
    const former = await define.property(admin, 'barge', { svc_name: 'load', svc_label: 'Load', svc_unique: true });
    const barge = await make(admin, 'barge', { load: 'coal' });
    await admin.delete(pathOfRecord(former));
    const now = await define.property(admin, 'barge', {
      svc_name: 'load',
      svc_label: 'Load',
      svc_field_type: 'number',
    });
    expect((await read(admin, barge)).properties).not.toHaveProperty('load');
    await admin.patch(pathOfRecord(barge), { properties: { load: '12' } });
    expect((await read(admin, barge)).properties['load']).toBe('12');
    const listed = (await admin.get(recordsPath('barge'))).body.data as readonly RecordData[];
    expect(listed.map((each) => each.properties['load'])).toEqual(['12']);
    const filter = { property: 'load', operator: 'gt', value: '11' };
    const found = await admin.post(`${recordsPath('barge')}query/`, {
      filter,
      sort: [{ property: 'load', direction: 'asc' }],
    });
    expect(found.body.data).toMatchObject([{ id: barge.id, properties: { load: '12' } }]);
    const sums = await admin.post(`${recordsPath('barge')}aggregate/`, {
      aggregations: [{ function: 'sum', property: 'load' }],
    });
    expect(sums.body.data[0].values).toEqual({ sum_load: '12' });
    const restored = resultsOf(await runBatch(admin, [item('restore', 'svc_property', { id: former.id })]));
    expect(restored).toMatchObject([{ status: 409, problem: { reason: 'unique_value_taken' } }]);
    const twin = await admin.post(properties, {
      properties: { svc_name: 'load', svc_label: 'Load', svc_field_type: 'text' },
      associations: [
        {
          association_type: 'svc_property_to_object_type',
          target_id: (await definitionNamed(admin, 'svc_object_type', 'barge')).id,
        },
      ],
    });
    await expectProblem(twin, 'conflict', 'unique_value_taken');
    expect(twin.body.conflict).toBeUndefined();
    await admin.delete(pathOfRecord(now));
    expect(resultsOf(await runBatch(admin, [item('restore', 'svc_property', { id: former.id })]))).toMatchObject([
      { status: 200 },
    ]);
    expect((await read(admin, barge)).properties['load']).toBe('coal');
    const entries = (await admin.get('/changes/?cursor=earliest&limit=1000&object_type=barge')).body.data as readonly {
      changed?: Record<string, { new?: unknown }>;
    }[];
    const loads = entries.flatMap(({ changed }) => (changed?.['load'] === undefined ? [] : [changed['load'].new]));
    expect(loads).toEqual(['coal']);
  });
});

describe('a type', () => {
  test('goes only without records, with all that defines it, and comes back with it', async () => {
    const raft = await define.type(admin, 'raft');
    const size = await define.property(admin, 'raft', {
      svc_name: 'size',
      svc_label: 'Size',
      svc_field_type: 'select',
    });
    const gone = await define.property(admin, 'raft', { svc_name: 'gone', svc_label: 'Gone' });
    const option = await define.option(admin, size, 'big');
    const association = await define.association(admin, 'raft_to_company', 'raft', 'svc_company');
    await admin.delete(pathOfRecord(gone));
    const record = await make(admin, 'raft', { size: 'big' });
    await expectProblem(await admin.delete(pathOfRecord(raft)), 'conflict', 'type_in_use');
    await expectProblem(await admin.delete(pathOfRecord(option)), 'conflict', 'option_in_use');
    await admin.delete(pathOfRecord(record));
    await expectProblem(await admin.delete(pathOfRecord(raft)), 'conflict', 'type_in_use');
    await purge('raft');
    expect((await admin.delete(pathOfRecord(raft))).status).toBe(200);
    for (const each of [raft, size, option, association]) {
      expect((await admin.get(pathOfRecord(each))).status, each.object_type).toBe(404);
    }
    expect((await admin.get('/objects/raft/')).status).toBe(404);
    // The feed goes on, without the records of the type.
    const plain = service.client((await service.createKey(orgId)).key);
    for (const client of [admin, plain]) {
      const feed = await client.get('/changes/?cursor=earliest&limit=1000');
      expect(feed.status, feed.text).toBe(200);
      expect(feed.text).not.toContain('"object_type":"raft"');
    }
    expect(resultsOf(await runBatch(admin, [item('restore', 'svc_object_type', { id: raft.id })]))).toMatchObject([
      { status: 200 },
    ]);
    for (const each of [raft, size, option, association]) {
      expect((await admin.get(pathOfRecord(each))).status, each.object_type).toBe(200);
    }
    expect((await admin.get(pathOfRecord(gone))).status).toBe(404);
    await make(admin, 'raft', { size: 'big' });
  });
});

test('definitions are changed by a credential of reach "org" alone', async () => {
  const member = await make(admin, 'svc_member', { svc_name: 'Ada' });
  const { key } = await service.createKey(orgId, {
    userId: member.id,
    reach: 'user',
    grants: [fullGrant, adminGrant],
  });
  const answer = await service.client(key).post(types, { properties: { svc_name: 'own', svc_label: 'Own' } });
  await expectProblem(answer, 'forbidden', 'operation_not_granted');
});

test('the audit tells the names of what has changed', async () => {
  await define.type(admin, 'audited');
  const entries = await admin.post(`${recordsPath('svc_audit_entry')}query/`, {
    filter: { property: 'svc_action', operator: 'eq', value: 'schema.changed' },
    sort: [{ property: 'svc_at', direction: 'desc' }],
    limit: 1,
  });
  expect(entries.body.data).toMatchObject([{ properties: { svc_detail: 'audited' } }]);
});

test('what a later release adds to the vocabulary gets its definitions when somebody next looks', async () => {
  const property = await propertyNamed(admin, 'svc_contact', 'svc_headline');
  // As if the record had never been written.
  for (const table of ['record', 'fact', 'search', 'index_text']) {
    const id = table === 'record' || table === 'fact' ? 'id' : 'record_id';
    await rawQuery(service.databaseUrl, `delete from orrery.${table} where org_id = $1 and ${id} = $2`, [
      orgId,
      property.id,
    ]);
  }
  await rawQuery(service.databaseUrl, 'delete from orrery.association where org_id = $1 and source_id = $2', [
    orgId,
    property.id,
  ]);
  const before = `jsonb_set(document::jsonb, '{recorded}', '"an earlier vocabulary"')::json`;
  await rawQuery(service.databaseUrl, `update orrery.custom_schema set document = ${before} where org_id = $1`, [
    orgId,
  ]);
  const count = async () =>
    Number(
      (await admin.post(`${properties}aggregate/`, { aggregations: [{ function: 'count' }] })).body.data[0].values
        .count,
    );
  const counted = await count();
  await service.database.transaction((transaction) => raiseRevision(transaction, orgId));
  await withinASecond(count, (now) => now === counted + 1);
  const again = await propertyNamed(admin, 'svc_contact', 'svc_headline');
  expect(again.properties).toMatchObject({ svc_field_type: 'text', svc_custom: false });
  expect(again.id).not.toBe(property.id);
});
