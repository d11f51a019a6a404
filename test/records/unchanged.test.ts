// A write that is refused too late would leave traces: after every refused request, and after every dry run, each row
// of each table is as it was before; and the values of a failed item are free for the next item of its batch.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { findingsIn } from '../support/integrity.ts';
import { dry, dryRuns } from '../support/records/dry-runs.ts';
import {
  atomicItems,
  contacts,
  create,
  createWorld,
  free,
  patch,
  type World,
} from '../support/records/refusal-world.ts';
import { refusedBatches } from '../support/records/refused-batches.ts';
import { refusedWrites } from '../support/records/refused-writes.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
});
afterAll(() => service.stop());

test.each([...refusedWrites, ...refusedBatches])(
  'a request that is refused changes nothing: %s, %s',
  async (_, told, send) => {
    const before = await snapshotOf(service);
    const { status, body, text } = await send(world);
    const problem = status === 207 ? body.data.results[0].problem : body;
    expect(`${problem.status} ${problem.reason}`, text).toBe(told);
    expect(await snapshotOf(service)).toEqual(before);
  },
);

test.each(dryRuns)(
  'a dry run of %s answers %i as the write would, and nothing has changed',
  async (_, status, send) => {
    const before = await snapshotOf(service);
    const answer = await send(world);
    expect([answer.status, answer.body.dry_run], answer.text).toEqual([status, true]);
    expect(await snapshotOf(service)).toEqual(before);
  },
);

test('a dry run that would be refused is refused as the write would be, and nothing has changed', async () => {
  const before = await snapshotOf(service);
  const answers = [
    await create(world, { properties: { svc_email: [...free, 'bob@example.com'] } }, 'svc_contact', dry),
    await patch(world, { svc_email: ['bob@example.com'] }, dry),
    await patch(world, { svc_last_name: 'X' }, { ...dry, 'if-match': '"9"' }),
    await world.client.delete(`${contacts}${newId()}/`, dry),
    await world.client.post('/batch/', atomicItems(world, undefined), dry),
  ];
  expect(answers.map(({ status, body }) => [status, body.dry_run])).toEqual(
    [409, 409, 412, 404, 409].map((status) => [status, undefined]),
  );
  expect(await snapshotOf(service)).toEqual(before);
});

test('items that fail leave no trace: values that they wanted are free for later items', async () => {
  const { client, ada, bob, company, deal, trashed } = world;
  const mark = newId();
  const email = (name: string) => `${name}-${mark}@example.com`;
  const works = { association_type: 'svc_contact_to_company', target_id: company };
  const lost = { association_type: 'svc_contact_to_company', target_id: newId() };
  const failing = [
    {
      operation: 'create',
      properties: { svc_email: [email('a'), email('b'), 'bob@example.com'] },
      associations: [works],
    },
    { operation: 'create', properties: { svc_email: [email('a')] }, associations: [works, lost], ref: 'x' },
    { operation: 'update', id: ada, properties: { svc_email: [email('b'), 'bob@example.com'], svc_last_name: 'Lost' } },
    {
      operation: 'upsert',
      match: 'svc_email',
      properties: { svc_email: ['ada@example.com', email('b'), 'bob@other.example'] },
    },
    {
      operation: 'upsert',
      match: 'svc_email',
      properties: { svc_email: ['ada@example.com', email('c')], svc_last_name: 'Lost' },
      associations: [lost],
    },
    { operation: 'restore', id: trashed },
    { operation: 'merge', id: ada, duplicate_id: trashed },
    { operation: 'associate', id: ada, ...lost },
    { operation: 'delete', id: { ref: 'x' } },
  ].map((each) => ({ object_type: 'svc_contact', ...each }));
  const before = await snapshotOf(service);
  const onlyFailing = await client.post('/batch/', { operations: failing });
  expect(onlyFailing.body.data).toMatchObject({ succeeded: 0, failed: failing.length });
  expect(await snapshotOf(service)).toEqual(before);

  const taking = {
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_email: [email('a'), email('b'), email('c')] },
  };
  const naming = { operation: 'update', object_type: 'svc_deal', id: deal, properties: { svc_name: mark } };
  const { status, body } = await client.post('/batch/', { operations: [...failing, taking, naming] });
  expect(status).toBe(207);
  expect(body.data.results.map((each: { status: number }) => each.status)).toEqual([
    ...[409, 404, 409, 409, 404, 409, 404, 404, 422],
    ...[201, 200],
  ]);
  const after = await snapshotOf(service);
  for (const [table, rows] of Object.entries(before)) {
    const added = (after[table] ?? []).filter((row) => !rows.includes(row));
    const touched = added.every((row) => row.includes(body.data.results[9].id) || row.includes(deal));
    expect(touched, `${table}: ${added.join('\n')}`).toBe(true);
  }
  const [one, two] = await Promise.all([client.get(`${contacts}${ada}/`), client.get(`${contacts}${bob}/`)]);
  expect([one.body.data.version, two.body.data.version]).toEqual(['1', '1']);
});

test.each([
  ['deleted', { operation: 'delete', object_type: 'svc_contact', id: { ref: 'x' } }],
  [
    'given another value',
    { operation: 'update', object_type: 'svc_contact', id: { ref: 'x' }, properties: { svc_email: free } },
  ],
])('a create with a taken value is refused, although its record would be %s later in the batch', async (_, later) => {
  const create = {
    operation: 'create',
    object_type: 'svc_contact',
    ref: 'x',
    properties: { svc_email: ['bob@example.com'] },
  };
  const before = await snapshotOf(service);
  const atomic = await world.client.post('/batch/', { atomic: true, operations: [create, later] }, dry);
  expect([atomic.status, atomic.body.reason]).toEqual([409, 'unique_value_taken']);
  const { body } = await world.client.post('/batch/', { operations: [create, later] });
  expect(body.data.results.map((each: { status: number }) => each.status)).toEqual([409, 422]);
  expect(await snapshotOf(service)).toEqual(before);
});

test('an update to a taken value is refused, although the record would be changed back later in the batch', async () => {
  const update = (email: string) => ({
    operation: 'update',
    object_type: 'svc_contact',
    id: world.ada,
    properties: { svc_email: [email, 'ada@other.example'] },
  });
  const before = await snapshotOf(service);
  const operations = [update('bob@example.com'), update('ada@example.com')];
  const { body } = await world.client.post('/batch/', { operations });
  expect(body.data.results.map((each: { status: number }) => each.status)).toEqual([409, 200]);
  expect(await snapshotOf(service)).toEqual(before);
});

test('after all these refusals records, indexes, unique values, search words, links and the feed agree', async () => {
  expect(await findingsIn(service.database, world.orgId)).toEqual([]);
});
