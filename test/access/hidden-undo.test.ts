// Taking back requests that have changed hidden properties (platform 4): what the caller does not see stays as it is, and
// neither the answer nor its price tells of it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyOperation, type Gems, openGems } from '../support/access/gems.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import { limitOf } from '../support/expect-problem.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { make, pathOfRecord, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { requestOf, revert, sendRevert } from '../support/undo/revert.ts';

let service: TestService;
let world: Gems;
beforeAll(async () => {
  service = await startService();
  world = await openGems(service);
});
afterAll(() => service.stop());

test('taking a request back takes back what the caller sees, and nothing else', async () => {
  const { admin, narrow, makeGem } = world;
  const gem = await makeGem({ name: 'Onyx', notes: 'before', weight: '1' });
  const done = await admin.patch(pathOfRecord(gem), { properties: { name: 'Onix', notes: 'after', weight: '2' } });
  expect((await revert(narrow, requestOf(done))).reverted).toEqual([gem.id]);
  expect((await read(admin, gem)).properties).toMatchObject({ name: 'Onyx', notes: 'after', weight: '2' });
  // A request that changed only what is hidden is one that never was.
  const unseen = await admin.patch(pathOfRecord(gem), { properties: { weight: '3' } });
  const asked = (request_id: string) => runBatch(narrow, [{ operation: 'revert', request_id }]);
  const told = async (requestId: string) =>
    JSON.stringify(resultsOf(await asked(requestId))[0])
      .replaceAll(requestId, 'REQUEST')
      .replaceAll(/"request_id":"[^"]*"/g, '');
  expect(resultsOf(await asked(requestOf(unseen)))).toMatchObject([{ status: 404 }]);
  const never = await told('01890a5d-ac96-774b-bcce-b302099a8057');
  expect(await told(requestOf(unseen))).toBe(never);
  // Nor is one that also made a link to something that the caller does not see.
  const note = await make(admin, 'svc_note', { svc_title: 'Unseen' });
  const both = await runBatch(admin, [
    item('update', 'gem', { id: gem.id, properties: { weight: '4' } }),
    item('associate', 'gem', { id: gem.id, association_type: 'gem_to_note', target_id: note.id }),
  ]);
  expect(both.status, both.text).toBe(200);
  expect(await told(requestOf(both))).toBe(never);
});

test('what goes back goes back in the same order, whatever the request has changed that is hidden', async () => {
  const { admin, narrow, makeGem } = world;
  const order = async (...hidden: readonly object[]) => {
    const [one, two] = [await makeGem({ name: 'First' }), await makeGem({ name: 'Second' })];
    const done = await runBatch(admin, [
      item('update', 'gem', { id: one.id, properties: { name: 'Changed' } }),
      item('update', 'gem', { id: two.id, properties: { name: 'Changed' } }),
      ...hidden.map((properties) => item('update', 'gem', { id: one.id, properties })),
    ]);
    const cursor = await endOfFeed(narrow);
    expect((await revert(narrow, requestOf(done))).reverted).toHaveLength(2);
    return (await changesSince(narrow, cursor)).map(({ changed }) => changed?.['name']?.new);
  };
  expect(await order({ weight: '1' })).toEqual(await order());
});

test('a request is taken back as if it had changed nothing that is hidden, however much that was', async () => {
  const { admin, narrow, keyOf, makeGem } = world;
  const gem = await makeGem({ name: 'Lapis' });
  const others = await Promise.all(Array.from({ length: 4 }, () => makeGem({ name: 'Lazuli' })));
  const update = (id: string, properties: object) => item('update', 'gem', { id, properties });
  const done = await runBatch(admin, [
    update(gem.id, { name: 'Lapis lazuli', notes: 'long '.repeat(4_000) }),
    ...others.map(({ id }, index) => update(id, { weight: String(index) })),
  ]);
  const restoreBounds = lowerBounds({
    engine: { revertedRecords: 2, revertedBytes: 15_000 },
    operations: { batchOperationsPerUnit: 1 },
  });
  const quotaLeft = async () => limitOf(await narrow.get('/self/'), 'ratelimit').r ?? 0;
  try {
    const tooMuch = resultsOf(await sendRevert(admin, { request_id: requestOf(done) }));
    expect(tooMuch).toMatchObject([{ status: 413 }]);
    const before = await quotaLeft();
    expect((await revert(narrow, requestOf(done))).reverted).toEqual([gem.id]);
    // One for the record, and one for the question that follows.
    expect(before - (await quotaLeft())).toBe(2);
  } finally {
    restoreBounds();
  }
  // What the caller may not write does not go back.
  const locked = await keyOf(`gem:${everyOperation};lock=name`);
  const named = await admin.patch(pathOfRecord(gem), { properties: { name: 'Azure' } });
  expect(await revert(locked, requestOf(named))).toMatchObject({ refused: [`${gem.id} read_only_property`] });
});
