// Every operation on every platform type (platform 1): with the grants for it, without them, and from another org.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { asJob } from '../../src/engine/admin/jobs.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import type { Answer } from '../support/answer.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { deleteLink, putLink } from '../support/links.ts';
import { administeredOrg, makeKey, makeMember, roleNamed } from '../support/platform/administrator.ts';
import { define } from '../support/platform/definitions.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

const types = [
  ...(['svc_object_type', 'svc_property', 'svc_property_option', 'svc_association_type'] as const),
  ...(['svc_member', 'svc_role', 'svc_access_key', 'svc_view', 'svc_audit_entry', 'svc_job'] as const),
] as const;
type Type = (typeof types)[number];

const newValues: Readonly<Partial<Record<Type, object>>> = {
  svc_object_type: { svc_name: 'port', svc_label: 'Port' },
  svc_property: { svc_name: 'draft', svc_label: 'Draft', svc_field_type: 'number' },
  svc_property_option: { svc_value: 'new', svc_label: 'New' },
  svc_association_type: {
    svc_name: 'knows',
    svc_source: 'svc_contact',
    svc_target: 'svc_contact',
    svc_cardinality: 'many_to_many',
  },
  svc_member: { svc_name: 'Grace' },
  svc_role: { svc_name: 'Auditor', svc_reach: 'org', svc_grants: ['svc_contact:read'] },
  svc_access_key: { svc_name: 'Sync', svc_grants: ['svc_contact:read'] },
  svc_view: { svc_name: 'Mine', svc_view_kind: 'board', svc_object_type: 'svc_deal' },
};

interface World {
  readonly orgId: number;
  readonly admin: Client;
  readonly records: Readonly<Record<Type, RecordData>>;
}

let service: TestService;
let own: World;
let other: World;
beforeAll(async () => {
  service = await startService();
  [own, other] = [await newWorld(), await newWorld()];
});
afterAll(() => service.stop());

async function newWorld(): Promise<World> {
  const { orgId, admin } = await administeredOrg(service);
  const role = await make(admin, 'svc_role', { svc_name: 'Sales', svc_reach: 'org', svc_grants: ['svc_deal:read'] });
  const member = await makeMember(admin, { svc_email: 'ada@example.com' }, role.id);
  const { key: _, ...key } = await makeKey(admin, { grants: ['svc_contact:read'], member: member.id });
  const flag = { svc_name: 'flag', svc_label: 'Flag', svc_field_type: 'select' };
  const vessel = await define.type(admin, 'vessel');
  const property = await define.property(admin, 'vessel', flag);
  const view = await make(admin, 'svc_view', { svc_name: 'All', svc_view_kind: 'table', svc_object_type: 'svc_deal' });
  await withCommandEngine(service.database, (engine) =>
    asJob(
      engine,
      { orgId, kind: 'export' },
      async () => {},
      () => ({}),
    ),
  );
  const first = async (type: Type) => ((await admin.get(recordsPath(type))).body.data as RecordData[])[0] as RecordData;
  const records = {
    svc_object_type: vessel,
    svc_property: property,
    svc_property_option: await define.option(admin, property, 'no'),
    svc_association_type: await define.association(admin, 'sails_for', 'vessel', 'svc_company'),
    svc_member: member,
    svc_role: role,
    svc_access_key: key,
    svc_view: view,
    svc_audit_entry: await first('svc_audit_entry'),
    svc_job: await first('svc_job'),
  };
  return { orgId, admin, records };
}

describe.each(types)('%s', (type) => {
  test('is listed, described, read, queried, searched, counted, and in the feed', async () => {
    const { admin, records } = own;
    const record = records[type];
    expect((await admin.get(`/objects/${type}/`)).body.data).toMatchObject({ name: type, category: 'platform' });
    expect((await admin.get(pathOfRecord(record))).body.data.id).toBe(record.id);
    const listed = (await admin.get(`${recordsPath(type)}?limit=500`)).body.data as readonly RecordData[];
    expect(listed.map(({ id }) => id)).toContain(record.id);
    const query = {
      filter: { property: 'svc_created_at', operator: 'gte', value: '2020-01-01T00:00:00Z' },
      limit: 500,
    };
    const found = (await admin.post(`${recordsPath(type)}query/`, query)).body.data as readonly RecordData[];
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(listed.map(({ id }) => id)));
    const counted = await admin.post(`${recordsPath(type)}aggregate/`, { aggregations: [{ function: 'count' }] });
    expect(counted.body.data[0].values.count).toBe(String(listed.length));
    expect((await admin.get(`/objects/${type}/associations/`)).status).toBe(200);
    const { data: entries } = (await admin.get('/changes/?cursor=earliest&limit=1000')).body as {
      data: readonly { object_type: string; id: string; record_id?: string }[];
    };
    expect(JSON.stringify(entries)).toContain(record.id);
  });

  test('is read and not written by a key that may only read', async () => {
    const { admin, records } = own;
    const { key } = await makeKey(admin, { grants: [`${type}:read`] });
    const reader = service.client(key);
    const path = pathOfRecord(records[type]);
    expect((await reader.get(path)).status).toBe(200);
    const before = await snapshotOf(service);
    const writes = [
      await reader.post(recordsPath(type), { properties: newValues[type] ?? {} }),
      await reader.patch(path, { properties: {} }),
      await reader.delete(path),
      await putLink(reader, records[type], 'svc_record_to_org', String(own.orgId)),
    ];
    for (const answer of writes) {
      expect(answer.status, answer.text).toBe(403);
      expect(['operation_not_granted', 'type_is_read_only']).toContain(answer.body.reason);
    }
    expect(await snapshotOf(service)).toEqual(before);
  });

  test('of another org is not there: every operation answers as for an id that was never given', async () => {
    const { admin } = own;
    const foreign = other.records[type];
    const before = await snapshotOf(service);
    const ask = async (id: string): Promise<readonly Answer[]> => {
      const record = { object_type: type, id };
      return [
        await admin.get(pathOfRecord(record)),
        await admin.patch(pathOfRecord(record), { properties: {} }),
        await admin.delete(pathOfRecord(record)),
        await putLink(admin, record, 'svc_record_to_org', String(own.orgId)),
        await deleteLink(admin, record, 'svc_record_to_org', String(own.orgId)),
        await admin.get(`${pathOfRecord(record)}associations/svc_record_to_user/`),
        await runBatch(admin, [
          item('update', type, { id, properties: {} }),
          item('delete', type, { id }),
          item('restore', type, { id }),
        ]),
      ];
    };
    const absent = newId();
    const [theirs, nobodys] = [await ask(foreign.id), await ask(absent)];
    const shown = (answers: readonly Answer[], id: string) =>
      answers.map(({ status, text }) => [status, text.replaceAll(id, 'ID').replace(/"request_id":"[^"]*"/g, '')]);
    expect(shown(theirs, foreign.id)).toEqual(shown(nobodys, absent));
    for (const { status } of theirs) expect([207, 403, 404]).toContain(status);
    expect(await snapshotOf(service)).toEqual(before);
    const feed = (await admin.get('/changes/?cursor=earliest&limit=1000')).text;
    expect(feed).not.toContain(foreign.id);
  });
});

test('links lead to nothing of another org', async () => {
  const { admin, records } = own;
  const role = await roleNamed(other.admin, 'Viewer');
  const answer = await putLink(admin, records.svc_member, 'svc_member_to_role', role.id);
  await expectProblem(answer, 'not_found', 'target_unknown');
  const key = await admin.post(recordsPath('svc_access_key'), {
    properties: newValues.svc_access_key,
    associations: [{ association_type: 'svc_access_key_to_member', target_id: other.records.svc_member.id }],
  });
  await expectProblem(key, 'not_found', 'target_unknown');
});

test('views are records like any other: shared, private, merged and restored', async () => {
  const { admin, orgId } = own;
  const make3 = () => make(admin, 'svc_view', newValues.svc_view as Record<string, unknown>);
  const [one, two, three] = [await make3(), await make3(), await make3()];
  expect((await deleteLink(admin, one, 'svc_record_to_org', String(orgId))).status).toBe(200);
  const results = resultsOf(
    await runBatch(admin, [
      item('merge', 'svc_view', { id: two.id, duplicate_id: three.id }),
      item('delete', 'svc_view', { id: one.id }),
      item('restore', 'svc_view', { id: one.id }),
    ]),
  );
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
});
