// Grants that hide properties (platform 4), place by place: what a hidden value could leave behind. The feed, a conflict, a
// restore, an answer that is repeated. Each test fails without the one line that closes its place.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyOperation, type Gems, openGems } from '../support/access/gems.ts';
import { item, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { makeKey, makeMember } from '../support/platform/administrator.ts';
import { changesSince, endOfFeed, type FeedEntry } from '../support/read-feed.ts';
import { make, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { requestOf, sendRevert } from '../support/undo/revert.ts';

let service: TestService;
let world: Gems;
beforeAll(async () => {
  service = await startService();
  world = await openGems(service);
});
afterAll(() => service.stop());

test('the feed has no entry about it alone, and no value of it in others', async () => {
  const { admin, narrow, makeGem } = world;
  const cursor = await endOfFeed(narrow);
  const gem = await makeGem({ name: 'Ruby', marking: 'F 1', notes: 'n'.repeat(5_000) });
  const path = pathOfRecord(gem);
  await admin.patch(path, { properties: { notes: 'm'.repeat(5_000) } });
  await admin.patch(path, { properties: { marking: 'F 2', weight: '3' } });
  await admin.patch(path, { properties: { marking: 'F 3', name: 'Rubin' } });
  await admin.delete(path);
  await succeed(admin, [item('restore', 'gem', { id: gem.id })]);
  const told = [
    ['record.created', { name: { new: 'Ruby' } }],
    ['record.updated', { name: { old: 'Ruby', new: 'Rubin' } }],
    ['record.deleted', undefined],
    ['record.restored', { name: { new: 'Rubin' } }],
  ];
  const entries = await changesSince(narrow, cursor);
  expect(entries.map(({ type, changed }) => [type, changed])).toEqual(told);
  const history = await changesSince(narrow, 'earliest', { record_id: gem.id });
  expect(history.map(({ type, changed }) => [type, changed])).toEqual(told);
  // A page is as long as was asked for, whatever is hidden between its entries.
  const page = await narrow.get(`/changes/?cursor=${cursor}&limit=2`);
  expect(page.body.data).toHaveLength(2);
  // A request that waits is not woken by it: it waits until its time is over.
  const end = await endOfFeed(narrow);
  const waiting = narrow.get(`/changes/?cursor=${end}&wait=2`);
  await admin.patch(path, { properties: { weight: '4' } });
  expect((await waiting).body.data).toEqual([]);
});

test('readers who see more and less of a type at the same moment each read their own page', async () => {
  const { admin, keyOf, makeGem } = world;
  const gem = await makeGem({ name: 'Shared' });
  // Both see the same types, and ask for the same.
  const [whole, narrow] = [await keyOf('gem:read'), await keyOf('gem:read;hide=weight')];
  const cursor = await endOfFeed(whole);
  await admin.patch(pathOfRecord(gem), { properties: { weight: '1' } });
  await admin.patch(pathOfRecord(gem), { properties: { name: 'Told' } });
  const ask = (client: typeof whole) => client.get(`/changes/?cursor=${cursor}&wait=5`);
  const pages = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 === 0 ? whole : narrow)));
  const told = pages.map(({ body }) => body.data.map(({ changed }: FeedEntry) => Object.keys(changed ?? {})));
  const both = [[['weight'], ['name']], [['name']]];
  expect(told).toEqual(pages.map((_, index) => both[index % 2]));
});

test('a unique value that is hidden refuses a restore, and says no more', async () => {
  const { admin, narrow, makeGem } = world;
  const gem = await makeGem({ name: 'Agate', marking: 'U 1' });
  await admin.delete(pathOfRecord(gem));
  const holder = await makeGem({ name: 'Holder', marking: 'U 1' });
  const restore = [item('restore', 'gem', { id: gem.id })];
  const [mine] = resultsOf(await runBatch(narrow, restore));
  expect(mine).toMatchObject({ status: 409, problem: { reason: 'unique_value_taken' } });
  expect(mine?.problem).not.toHaveProperty('conflict');
  // Like every refusal of an item that is about the whole item, it names the place of the item and nothing else.
  const detail = expect.any(String);
  expect(mine?.problem?.errors).toEqual([{ pointer: '/operations/0', reason: 'unique_value_taken', detail }]);
  const atomic = await runBatch(narrow, restore, { atomic: true });
  expect(atomic.status).toBe(409);
  for (const text of [JSON.stringify(mine), atomic.text]) {
    expect(text.replaceAll(gem.id, '')).not.toMatch(/marking|U 1|"property"/);
    expect(text).not.toContain(holder.id);
  }
  const [theirs] = resultsOf(await runBatch(admin, restore));
  expect(theirs?.problem?.conflict).toMatchObject({ property: 'marking', existing_id: holder.id });
  // Taking the deletion back is the same restore.
  const other = await makeGem({ name: 'Agate', marking: 'U 2' });
  const deleted = await admin.delete(pathOfRecord(other));
  await makeGem({ name: 'Holder', marking: 'U 2' });
  const undone = await sendRevert(narrow, { request_id: requestOf(deleted) });
  expect(undone.body.data.results).toMatchObject([
    { status: 200, refused: [{ id: other.id, reason: 'unique_value_taken' }] },
  ]);
  expect(undone.text).not.toMatch(/marking|U 2/);
});

test('of several unique values that are taken, a conflict names those that are seen', async () => {
  const { admin, keyOf } = world;
  const taken = { svc_email: ['ada@example.com'], badge: 'B 1' };
  const contact = await make(admin, 'svc_contact', taken);
  await admin.delete(pathOfRecord(contact));
  for (const [hidden, seen] of [
    ['badge', 'svc_email'],
    ['svc_email', 'badge'],
  ] as const) {
    const holders = [
      await make(admin, 'svc_contact', { svc_email: taken.svc_email }),
      await make(admin, 'svc_contact', { badge: taken.badge }),
    ];
    const narrow = await keyOf(`svc_contact:${everyOperation};hide=${hidden}`);
    const [result] = resultsOf(await runBatch(narrow, [item('restore', 'svc_contact', { id: contact.id })]));
    const existing_id = holders[seen === 'svc_email' ? 0 : 1]?.id;
    expect(result?.problem?.conflict).toEqual({ object_type: 'svc_contact', property: seen, existing_id });
    expect(result?.problem?.errors?.map(({ property }) => property)).toEqual([seen]);
    expect(JSON.stringify(result)).not.toContain(hidden);
    for (const holder of holders) await admin.delete(pathOfRecord(holder));
  }
});

test('what is hidden survives a delete and a restore', async () => {
  const { admin, narrow, makeGem } = world;
  const gem = await makeGem({ name: 'Topaz', marking: 'R 1', notes: 'stays' });
  await narrow.delete(pathOfRecord(gem));
  const answer = await runBatch(narrow, [item('restore', 'gem', { id: gem.id })]);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).not.toMatch(/R 1|stays/);
  expect((await read(admin, gem)).properties).toMatchObject({ marking: 'R 1', notes: 'stays' });
});

test('who does not see or may not write everything of a type can neither merge nor erase', async () => {
  const { admin, narrow, keyOf, makeGem } = world;
  const [one, two] = [await makeGem({ name: 'Twin' }), await makeGem({ name: 'Twin', notes: 'n' })];
  const before = [await read(admin, one), await read(admin, two)];
  for (const caller of [narrow, await keyOf(`gem:${everyOperation};lock=weight`)]) {
    const answer = await runBatch(caller, [
      item('merge', 'gem', { id: one.id, duplicate_id: two.id }),
      item('erase', 'gem', { id: one.id }),
    ]);
    const told = resultsOf(answer).map(({ status, problem }) => `${status} ${problem?.reason}`);
    expect(told).toEqual(['403 operation_not_granted', '403 operation_not_granted']);
  }
  expect([await read(admin, one), await read(admin, two)]).toEqual(before);
  // Hidden is only what every grant of the type hides.
  const both = await keyOf(`gem:${everyOperation};hide=notes`, `gem:read;hide=weight`);
  expect(resultsOf(await runBatch(both, [item('merge', 'gem', { id: one.id, duplicate_id: two.id })]))).toMatchObject([
    { status: 200 },
  ]);
});

test('a repeated answer is narrowed by the grants of today', async () => {
  const { admin, makeGem } = world;
  const key = await makeKey(admin, { grants: [`gem:${everyOperation}`] });
  const caller = service.client(key.key);
  const gem = await makeGem({ name: 'Coral', marking: 'I 1', notes: 'brief', weight: '1' });
  const long = await makeGem({ name: 'Coral', marking: 'I 2', notes: 'lengthy '.repeat(1_000) });
  const deleted = await makeGem({ name: 'Coral', marking: 'I 3' });
  await admin.delete(pathOfRecord(deleted));
  await makeGem({ name: 'Holder', marking: 'I 3' });
  const send = {
    update: () => caller.patch(pathOfRecord(gem), { properties: { name: 'Red' } }, { 'idempotency-key': 'update' }),
    long: () => caller.patch(pathOfRecord(long), { properties: { name: 'Red' } }, { 'idempotency-key': 'long' }),
    batch: () =>
      runBatch(
        caller,
        [
          item('update', 'gem', { id: gem.id, properties: { name: 'Pink' } }),
          item('create', 'gem', { properties: { marking: 'I 2' } }),
          item('create', 'gem', { properties: { weight: 'heavy' } }),
          item('create', 'gem', { properties: { weigth: '1' } }),
          item('upsert', 'gem', { match: 'name', properties: { name: 'Pink' } }),
          item('create', 'gem', { properties: { name: 7 } }),
          item('restore', 'gem', { id: deleted.id }),
          item('upsert', 'gem', { match: 'markin', properties: { name: 'Pink' } }),
        ],
        {},
        { 'idempotency-key': 'batch' },
      ),
  };
  const first = { update: await send.update(), long: await send.long(), batch: await send.batch() };
  expect(first.update.body.data.properties).toMatchObject({ marking: 'I 1', notes: 'brief' });
  expect(first.long.text).toContain('lengthy');
  const before = resultsOf(first.batch);
  expect(before.map(({ status }) => status)).toEqual([200, 409, 422, 422, 400, 422, 409, 400]);
  expect(first.batch.text).toMatch(/"nearest":"weight"/);
  expect(first.batch.text).toMatch(/"allowed":\["marking"\]/);
  expect(first.batch.text).toMatch(/"nearest":"marking"/);
  // As long as the grants are the same, so is the answer.
  expect((await send.batch()).body.data).toEqual(first.batch.body.data);
  await admin.patch(pathOfRecord(key), {
    properties: { svc_grants: [`gem:${everyOperation};hide=marking,notes,weight`] },
  });
  const again = { update: await send.update(), long: await send.long(), batch: await send.batch() };
  for (const { headers } of Object.values(again)) expect(headers.get('svc-idempotent-replay')).toBe('true');
  for (const { body } of [again.update, again.long]) {
    expect(Object.keys(body.data.properties).toSorted()).toEqual(['name', 'svc_created_at', 'svc_updated_at']);
    expect(body.data.properties.name).toBe('Red');
  }
  const after = resultsOf(again.batch);
  expect(again.batch.text).not.toMatch(/marking|notes|weight|I 2|heavy/);
  // The place is the item: what was at fault in it need not be something that the request itself had.
  expect(after[6]?.problem?.errors).toMatchObject([{ pointer: '/operations/6', reason: 'unique_value_taken' }]);
  const inShort = (results: typeof after) => results.map(({ status, problem }) => `${status} ${problem?.reason}`);
  expect(inShort(after)).toEqual(inShort(before));
  expect(after[1]?.problem).not.toHaveProperty('conflict');
  // One is about a property that is still seen.
  expect([after[0], after[5]]).toEqual([before[0], before[5]]);
});

test('a member whose name is hidden has no title as an owner, in a list or as a group', async () => {
  const { admin, keyOf } = world;
  const owner = await makeMember(admin, { svc_name: 'Mina' });
  const company = await make(admin, 'svc_company', {}, [
    { association_type: 'svc_record_to_user', target_id: owner.id },
  ]);
  const included = async (client: Client) =>
    (await client.get(`${pathOfRecord(company)}?include=svc_record_to_user`)).body.data.associations.svc_record_to_user;
  const groups = async (client: Client) => {
    const filter = { association: 'svc_record_to_user', operator: 'exists', target_id: owner.id };
    const body = { filter, group_by: [{ association: 'svc_record_to_user' }], aggregations: [{ function: 'count' }] };
    return (await client.post('/objects/svc_company/records/aggregate/', body)).body.data;
  };
  const whole = await keyOf('svc_company:read', 'svc_member:read');
  expect((await included(whole)).items).toMatchObject([{ id: owner.id, title: 'Mina' }]);
  expect(await groups(whole)).toMatchObject([{ key: [{ id: owner.id, title: 'Mina' }] }]);
  const narrowed = await keyOf('svc_company:read', 'svc_member:read;hide=svc_name');
  const [item, ...others] = (await included(narrowed)).items;
  expect(others).toEqual([]);
  expect(item).toEqual({ id: owner.id, object_type: 'svc_user', title: '', associated_at: expect.anything() });
  expect(await groups(narrowed)).toMatchObject([{ key: [{ id: owner.id, title: null }] }]);
});
