// POST /batch/: works, refuses, permits (contract 2, 5, 7, 8 and 9). Refs, links and merges have files of their own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, outcomesOf, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem, limitOf } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import {
  contacts,
  faultsOf,
  listedIds,
  make,
  pathOfRecord,
  type RecordData,
  read,
  sentValues,
} from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

const create = (properties: object = {}, more: object = {}) => item('create', 'svc_contact', { properties, ...more });
const update = (id: unknown, properties: object) => item('update', 'svc_contact', { id, properties });

describe('a batch', () => {
  test('runs operations over any types, and answers each as the single one would be', async () => {
    const [one, two] = [await make(client, 'svc_contact'), await make(client, 'svc_company')];
    const trashed = await make(client, 'svc_deal');
    await client.delete(pathOfRecord(trashed));
    const answer = await runBatch(client, [
      create({ svc_first_name: 'Ada' }),
      update(one.id, { svc_first_name: 'Grace' }),
      item('upsert', 'svc_company', { match: 'svc_domain', properties: { svc_domain: 'batch.example' } }),
      item('upsert', 'svc_company', {
        match: 'svc_domain',
        properties: { svc_domain: 'batch.example', svc_name: 'B' },
      }),
      item('delete', 'svc_company', { id: two.id }),
      item('restore', 'svc_deal', { id: trashed.id }),
    ]);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.data).sort()).toEqual(['failed', 'results', 'succeeded']);
    expect(answer.body.data).toMatchObject({ succeeded: 6, failed: 0 });
    const results = resultsOf(answer);
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(results.map(({ status }) => status)).toEqual([201, 200, 201, 200, 200, 200]);
    expect(results.slice(1, 2).concat(results.slice(4))).toMatchObject([
      { id: one.id, version: '2' },
      { id: two.id },
      { id: trashed.id, version: '3' },
    ]);
    expect(results[3]?.id).toBe(results[2]?.id);
    expect(answer.headers.get('etag')).toBeNull();
    const made = await read(client, { object_type: 'svc_contact', id: results[0]?.id ?? '' });
    expect(made).toMatchObject({ version: '1', properties: { svc_first_name: 'Ada' } });
    expect((await client.get(pathOfRecord(two))).status).toBe(404);
  });

  test('with a failed item is 207, even if every item fails', async () => {
    const mixed = await runBatch(client, [create(), create({ nope: 1 }), create()]);
    expect(mixed.status).toBe(207);
    expect(mixed.body.data).toMatchObject({ succeeded: 2, failed: 1 });
    expect(outcomesOf(mixed)).toEqual(['201 1', '422 unknown_property', '201 1']);
    const failed = await runBatch(client, [create({ nope: 1 })], { atomic: false });
    expect(failed.status).toBe(207);
    expect(failed.body.data).toMatchObject({ succeeded: 0, failed: 1 });
  });

  test('of a thousand creates makes a thousand records', async () => {
    const own = await service.newClient();
    const items = Array.from({ length: 1_000 }, (_, index) => create({ svc_email: [`${index}@thousand.example`] }));
    const answer = await runBatch(own, items);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ succeeded: 1_000, failed: 0 });
    const ids = resultsOf(answer).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1_000);
    const first = await own.get(`${contacts}?limit=500`);
    const second = await own.get(`${contacts}?limit=500&cursor=${first.body.pagination?.next_cursor}`);
    const listed: readonly RecordData[] = [...first.body.data, ...second.body.data];
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed[999]?.properties['svc_email']).toEqual(['999@thousand.example']);
    // A second time all of them collide, each with its own holder.
    const again = await runBatch(own, items);
    expect(again.body.data).toMatchObject({ succeeded: 0, failed: 1_000 });
    expect(resultsOf(again).map(({ problem }) => problem?.conflict?.existing_id)).toEqual(ids);
  });

  test('refuses 1,001 operations, none, and anything that is not a list', async () => {
    const before = await listedIds(client, 'svc_contact');
    const many = await runBatch(client, Array(1_001).fill(create()));
    await expectProblem(many, 'payload_too_large', 'too_many_operations');
    for (const [body, pointer, reason] of [
      [{ operations: [] }, '/operations', 'invalid_member'],
      [{}, '/operations', 'invalid_member'],
      [{ operations: {} }, '/operations', 'invalid_member'],
      [{ operations: [create()], atomic: 'yes' }, '/atomic', 'invalid_member'],
      [{ operations: [create()], atomic: null }, '/atomic', 'invalid_member'],
      [{ operations: [create()], atomc: true }, '/atomc', 'unknown_member'],
    ] as const) {
      const answer = await client.post('/batch/', body);
      await expectProblem(answer, 'invalid_request', reason);
      expect(faultsOf(answer)).toMatchObject([{ pointer }]);
    }
    await expectProblem(await client.post('/batch/?atomic=true', { operations: [create()] }), 'invalid_request');
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
  });

  test('costs a unit of the rate limit for every 50 operations or fraction, and is refused whole if units are lacking', async () => {
    const own = await service.newClient();
    const left = async () => limitOf(await own.get('/self/'), 'ratelimit').r ?? 0;
    for (const [count, cost] of [
      [1, 1],
      [50, 1],
      [51, 2],
      [100, 2],
      [101, 3],
      [1_000, 20],
    ] as const) {
      const before = await left();
      const answer = await runBatch(own, Array(count).fill(item('delete', 'svc_contact', { id: absentId })));
      expect(limitOf(answer, 'ratelimit').r, String(count)).toBe(before - cost);
    }
    const poor = service.client(
      (await service.createKey(await service.createOrg({ quota: 5, windowSeconds: 60 }))).key,
    );
    const refused = await runBatch(poor, Array(251).fill(create()));
    await expectProblem(refused, 'rate_limited', 'org_limit');
    expect((await poor.get(contacts)).body.data).toEqual([]);
  });
});

describe('the errors of an item', () => {
  const [bad, badly] = [{ svc_email: ['no address'], nope: 1 }, ['/properties/svc_email/0', '/properties/nope']];
  test.each<[what: string, item: unknown, status: number, reason: string, places: readonly string[]]>([
    ['is null', null, 400, 'invalid_member', ['']],
    ['is a text', 'create', 400, 'invalid_member', ['']],
    ['is a list', [create()], 400, 'invalid_member', ['']],
    ['has no operation', { object_type: 'svc_contact' }, 400, 'invalid_member', ['/operation']],
    ['has an unknown operation', item('creat', 'svc_contact'), 400, 'invalid_member', ['/operation']],
    ['has an inherited operation', item('constructor', 'svc_contact'), 400, 'invalid_member', ['/operation']],
    ['creates nothing', item('create', 'svc_contact'), 400, 'invalid_member', ['/properties']],
    ['has no type', { operation: 'create', properties: {} }, 400, 'invalid_member', ['/object_type']],
    ['creates an id', create({}, { id: absentId }), 400, 'unknown_member', ['/id']],
    ['has errors of both kinds', create(bad, { more: 1 }), 400, 'unknown_member', ['/more']],
    ['updates no id', item('update', 'svc_contact', { properties: {} }), 400, 'invalid_member', ['/id']],
    ['updates a number', update(5, {}), 400, 'invalid_member', ['/id']],
    ['names a ref of nothing', update({ ref: '' }, {}), 400, 'invalid_member', ['/id']],
    ['names more than a ref', update({ ref: 'a', id: 'b' }, {}), 400, 'invalid_member', ['/id']],
    ['upserts by nothing', item('upsert', 'svc_contact', { properties: {} }), 400, 'invalid_member', ['/match']],
    [
      'upserts by a property that is not unique',
      item('upsert', 'svc_contact', { match: 'svc_first_name', properties: {} }),
      400,
      '',
      ['/match'],
    ],
    [
      'upserts without the value',
      item('upsert', 'svc_contact', { match: 'svc_email', properties: {} }),
      422,
      'required_missing',
      ['/properties/svc_email'],
    ],
    ['has wrong values', create(bad), 422, 'wrong_shape', badly],
    ['updates to wrong values', update(absentId, bad), 422, 'wrong_shape', badly],
    ['is of a type that does not exist', item('delete', 'svc_contacts', { id: 'a' }), 404, 'object_type_unknown', ['']],
    ['is of a hidden type', item('delete', 'svc_user', { id: 'a' }), 404, 'object_type_unknown', ['']],
    ['is of a type with a NUL', item('delete', 'a\0\ud800', { id: 'a' }), 404, 'object_type_unknown', ['']],
    ['has no record', update(absentId, {}), 404, 'record_unknown', ['/id']],
    ['has an id of another form', item('delete', 'svc_contact', { id: '\0' }), 404, 'record_unknown', ['/id']],
    ['is of a synced type', item('create', 'svc_file', { properties: {} }), 403, 'type_is_synced', ['']],
    ['is of a generated type', item('delete', 'svc_risk', { id: absentId }), 403, 'type_is_generated', ['']],
    ['is a timer', item('update', 'svc_stage_timer', { id: absentId, properties: {} }), 403, 'type_is_read_only', ['']],
  ])('that %s are its own, each with its place, and end an atomic batch', async (_, wrong, status, reason, places) => {
    const answer = await runBatch(client, [create(), wrong, create()]);
    expect(answer.status).toBe(207);
    const [first, result, last] = resultsOf(answer);
    expect([first?.status, last?.status]).toEqual([201, 201]);
    expect(Object.keys(result ?? {}).sort()).toEqual(['index', 'problem', 'status']);
    expect(result).toMatchObject({ index: 1, status, problem: { status, request_id: answer.body.request_id } });
    if (reason !== '') expect(result?.problem?.reason).toBe(reason);
    const pointers = (result?.problem?.errors ?? []).map(({ pointer }) => pointer);
    expect(pointers).toEqual(places.map((place) => `/operations/1${place}`));

    const before = await listedIds(client, 'svc_contact');
    const atomic = await runBatch(client, [create(), wrong, create()], { atomic: true });
    expect(atomic.status).toBe(status);
    await expectProblem(atomic, result?.problem?.code ?? '', result?.problem?.reason);
    expect(faultsOf(atomic).map(({ pointer }) => pointer)).toEqual(pointers);
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
  });

  test('offer the nearest operation, member and property', async () => {
    const { body } = await runBatch(client, [
      item('creat', 'svc_contact'),
      { ...create(), asociations: [] },
      create({ svc_frist_name: 'Ada' }),
    ]);
    const near = body.data.results.map((each: { problem: { errors: { nearest?: string }[] } }) =>
      each.problem.errors.map(({ nearest }) => nearest),
    );
    expect(near).toEqual([['create'], ['associations'], ['svc_first_name']]);
  });

  test('leave nothing of the item behind', async () => {
    const record = await make(client, 'svc_contact', { svc_email: ['kept@trace.example'] });
    const associations = [{ association_type: 'svc_contact_to_company', target_id: absentId }];
    const answer = await runBatch(client, [
      create({ svc_email: ['free@trace.example'] }, { associations }),
      update(record.id, { svc_first_name: 'X', svc_email: ['taken@trace.example', 'bad'] }),
      create({ svc_email: ['new@trace.example', 'KEPT@trace.example'] }),
      create({ svc_email: ['free@trace.example', 'new@trace.example', 'taken@trace.example'] }),
    ]);
    expect(outcomesOf(answer)).toEqual(['404 target_unknown', '422 wrong_shape', '409 unique_value_taken', '201 1']);
    expect(await read(client, record)).toEqual(record);
  });
});

describe('an atomic batch', () => {
  test('that succeeds is answered like any other', async () => {
    const answer = await runBatch(client, [create({ svc_first_name: 'A' }), create()], { atomic: true });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ succeeded: 2, failed: 0 });
    expect((await client.get(`${contacts}${resultsOf(answer)[0]?.id}/`)).status).toBe(200);
  });

  test('answers its first failure of any kind, in the order of its items, and writes nothing', async () => {
    const holder = await make(client, 'svc_contact', { svc_email: ['held@atomic.example'] });
    const other = await make(client, 'svc_contact', { svc_first_name: 'Ada' });
    const before = await listedIds(client, 'svc_contact');
    const good = [create({ svc_email: ['made@atomic.example'] }), update(other.id, { svc_first_name: 'X' })];
    const [taken, wrong, unknown] = [
      create({ svc_email: ['HELD@atomic.example'] }),
      create({ nope: 1 }),
      item('nothing', 'svc_contact'),
    ];
    for (const [items, code, reason, pointer] of [
      [[...good, taken], 'conflict', 'unique_value_taken', '/operations/2/properties/svc_email/0'],
      [[...good, wrong, unknown, taken], 'validation_failed', 'unknown_property', '/operations/2/properties/nope'],
      [[...good, unknown, taken, wrong], 'invalid_request', 'invalid_member', '/operations/2/operation'],
      [[...good, update(absentId, {}), unknown], 'not_found', 'record_unknown', '/operations/2/id'],
    ] as const) {
      const answer = await runBatch(client, items, { atomic: true });
      await expectProblem(answer, code, reason);
      expect(faultsOf(answer)).toMatchObject([{ pointer }]);
      if (code === 'conflict') expect(answer.body.conflict?.existing_id).toBe(holder.id);
      expect(await listedIds(client, 'svc_contact')).toEqual(before);
      expect(await read(client, other)).toEqual(other);
    }
    await make(client, 'svc_contact', { svc_email: ['made@atomic.example'] });
  });

  test('answers a taken value of a new record before a link of a later one that leads nowhere', async () => {
    await make(client, 'svc_contact', { svc_email: ['earlier@atomic.example'] });
    const associations = [{ association_type: 'svc_contact_to_company', target_id: absentId }];
    const items = [create({ svc_email: ['earlier@atomic.example'] }), { ...create(), associations }];
    const answer = await runBatch(client, items, { atomic: true });
    await expectProblem(answer, 'conflict', 'unique_value_taken');
    expect(faultsOf(answer)).toMatchObject([{ pointer: '/operations/0/properties/svc_email/0' }]);
  });

  test('names the holder of a taken value if it existed before, even if the batch has changed it', async () => {
    const { id } = await make(client, 'svc_contact', { svc_email: ['holder@atomic.example'] });
    const items = [update(id, { svc_first_name: 'Ada' }), create({ svc_email: ['holder@atomic.example'] })];
    const kept = await runBatch(client, items, { atomic: true });
    expect(kept.body.conflict?.existing_id).toBe(id);
    const own = [create({ svc_email: ['own@atomic.example'] }), create({ svc_email: ['own@atomic.example'] })];
    const undone = await runBatch(client, own, { atomic: true });
    await expectProblem(undone, 'conflict', 'unique_value_taken');
    expect(undone.body.conflict).toEqual({ object_type: 'svc_contact', property: 'svc_email' });
  });

  test('answers a taken value that comes before other failures', async () => {
    const holder = await make(client, 'svc_contact', { svc_email: ['first@atomic.example'] });
    const taken = create({ svc_email: ['FIRST@atomic.example'] });
    for (const later of [create({ nope: 1 }), update(absentId, {}), item('nothing', 'svc_contact')]) {
      const answer = await runBatch(client, [create(), taken, later], { atomic: true });
      await expectProblem(answer, 'conflict', 'unique_value_taken');
      expect(faultsOf(answer)).toMatchObject([{ pointer: '/operations/1/properties/svc_email/0' }]);
      expect(answer.body.conflict?.existing_id).toBe(holder.id);
    }
  });
});

describe('a dry run', () => {
  test('answers as the batch would, with failures or without, and stores nothing', async () => {
    const record = await make(client, 'svc_contact');
    const before = await listedIds(client, 'svc_contact');
    const dry = { 'svc-dry-run': 'true' };
    const items = [create({ svc_email: ['dry@batch.example'] }), item('delete', 'svc_contact', { id: record.id })];
    const answer = await runBatch(client, items, {}, dry);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ dry_run: true, data: { succeeded: 2, failed: 0 } });
    const mixed = await runBatch(client, [...items, update(record.id, {})], {}, dry);
    expect(mixed.status).toBe(207);
    expect(mixed.body).toMatchObject({ dry_run: true, data: { succeeded: 2, failed: 1 } });
    const atomic = await runBatch(client, [...items, update(record.id, {})], { atomic: true }, dry);
    await expectProblem(atomic, 'not_found', 'record_unknown');
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
    expect(await read(client, record)).toEqual(record);
  });
});

describe('grants', () => {
  test('are checked item by item', async () => {
    const orgId = await service.createOrg();
    const full = service.client((await service.createKey(orgId)).key);
    const record = await make(full, 'svc_contact', { svc_email: ['grant@batch.example'] });
    const other = await make(full, 'svc_contact');
    const match = { match: 'svc_email', properties: { svc_email: ['grant@batch.example'] } };
    const id = { id: record.id };
    const items = {
      create: create(),
      update: update(record.id, { svc_first_name: 'A' }),
      upsert: item('upsert', 'svc_contact', match),
      merge: item('merge', 'svc_contact', { ...id, duplicate_id: other.id }),
      link: item('associate', 'svc_contact', { ...id, association_type: 'svc_record_to_org', target_id: `${orgId}` }),
      unlink: item('dissociate', 'svc_contact', { ...id, association_type: 'svc_record_to_user', target_id: absentId }),
      delete: item('delete', 'svc_contact', id),
      restore: item('restore', 'svc_contact', id),
      company: item('create', 'svc_company', { properties: {} }),
    };
    for (const [operations, permitted] of [
      [['read'], []],
      [['create'], ['create']],
      [['update'], ['update']],
      [['delete'], ['delete', 'restore']],
      [['associate'], ['link', 'unlink']],
      [
        ['create', 'update'],
        ['create', 'update', 'upsert'],
      ],
      [
        ['update', 'delete'],
        ['update', 'merge', 'delete', 'restore'],
      ],
    ] as const) {
      const grants = [{ objectTypes: ['svc_contact'], operations }];
      const own = service.client((await service.createKey(orgId, { grants })).key);
      // Nothing is written, so that each key finds the same records.
      const answer = await runBatch(own, Object.values(items), {}, { 'svc-dry-run': 'true' });
      const refused = resultsOf(answer).map(({ problem }) => problem?.reason);
      const named = Object.keys(items).filter((_, index) => refused[index] !== 'operation_not_granted');
      expect(named, operations.join()).toEqual([...permitted, 'company']);
      expect(refused.at(-1)).toBe('object_type_unknown');
    }
    expect(sentValues(await read(full, record))).toEqual({ svc_email: ['grant@batch.example'] });
    expect((await succeed(full, [items.update]))[0]?.version).toBe('2');
  });
});
