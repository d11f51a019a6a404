// Taking a request back: what a merge, a swap or a move did, who is refused and why, and what it costs.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/main.ts';
import { item, runBatch, succeed } from '../support/batch.ts';
import { createFolder } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { movableClock } from '../support/movable-clock.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { requestOf, revert, sendRevert, toldBy } from '../support/undo/revert.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 3_600 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  await service.stop();
});
let resetBounds = () => {};
afterEach(() => resetBounds());

let count = 0;
const word = () => `word${++count}`;
const unknown = '01890a5d-ac96-774b-bcce-b302099a8057';

async function update(record: RecordData, properties: object): Promise<string> {
  return requestOf(await client.patch(pathOfRecord(record), { properties }));
}

async function linkedIds(record: RecordData, association: string): Promise<readonly string[]> {
  const { body } = await client.get(`${pathOfRecord(record)}associations/${association}/`);
  return body.data.map(({ id }: { id: string }) => id).sort();
}

test('a merge is undone: the duplicate is back with its values, links and stage, and the other has its own again', async () => {
  const [stage] = (await client.get(`${recordsPath('svc_deal_pipeline_stage')}?limit=1`)).body.data as RecordData[];
  const company = await make(client, 'svc_company', { svc_name: 'Merged' });
  const worksAt = [{ association_type: 'svc_contact_to_company', target_id: company.id }];
  const [mail, other] = [`${word()}@merge.example`, `${word()}@merge.example`];
  const kept = await make(client, 'svc_contact', { svc_email: [mail] });
  const duplicate = await make(client, 'svc_contact', { svc_email: [other], svc_first_name: 'Ada' }, worksAt);
  const deal = await make(client, 'svc_deal', {}, [
    { association_type: 'svc_deal_to_contact', target_id: duplicate.id },
    { association_type: 'svc_deal_to_deal_pipeline_stage', target_id: stage?.id ?? '' },
  ]);
  const answer = await runBatch(client, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
  expect((await read(client, kept)).properties).toMatchObject({ svc_email: [mail, other], svc_first_name: 'Ada' });
  expect(await linkedIds(deal, 'svc_deal_to_contact')).toEqual([kept.id]);

  const told = await revert(client, requestOf(answer));
  expect([...told.reverted].sort()).toEqual([kept.id, duplicate.id, deal.id].sort());
  expect([told.kept, told.refused]).toEqual([[], []]);
  const { svc_updated_at: _, ...values } = (await read(client, kept)).properties;
  expect(values).toEqual({ svc_email: [mail], svc_created_at: kept.properties['svc_created_at'] });
  expect((await read(client, duplicate)).properties).toMatchObject({ svc_email: [other], svc_first_name: 'Ada' });
  expect(await linkedIds(duplicate, 'svc_contact_to_company')).toEqual([company.id]);
  expect(await linkedIds(kept, 'svc_contact_to_company')).toEqual([]);
  expect(await linkedIds(deal, 'svc_deal_to_contact')).toEqual([duplicate.id]);
});

test('a record returns to its stage, and its timers stay', async () => {
  const stages = (await client.get(`${recordsPath('svc_deal_pipeline_stage')}?limit=2`)).body.data as RecordData[];
  const [first, second] = stages.map(({ id }) => id);
  const inStage = 'svc_deal_to_deal_pipeline_stage';
  const deal = await make(client, 'svc_deal', {}, [{ association_type: inStage, target_id: first ?? '' }]);
  const moved = await client.put(`${pathOfRecord(deal)}associations/${inStage}/${second}/`, undefined);
  expect(await revert(client, requestOf(moved))).toEqual({ reverted: [deal.id], kept: [], refused: [] });
  expect(await linkedIds(deal, inStage)).toEqual([first]);
  const timers = await client.get(`${pathOfRecord(deal)}associations/svc_stage_timer_to_deal/`);
  expect(timers.body.data).toHaveLength(2);
});

test('unique values that records have exchanged go back, also round in a circle', async () => {
  const names = ['a', 'b', 'c'].map((name) => `${name}-${word()}@swap.example`);
  const people = await Promise.all(names.map((name) => make(client, 'svc_contact', { svc_email: [name] })));
  const [one, two, three] = people as [RecordData, RecordData, RecordData];
  const set = (record: RecordData, name: string | undefined) =>
    item('update', 'svc_contact', { id: record.id, properties: { svc_email: name === undefined ? null : [name] } });
  const [a, b, c] = names;
  const swapped = await runBatch(client, [set(one, undefined), set(two, a), set(three, b), set(one, c)]);
  expect(swapped.status, swapped.text).toBe(200);
  const told = await revert(client, requestOf(swapped));
  expect([told.reverted.length, told.kept, told.refused]).toEqual([3, [], []]);
  for (const [index, person] of people.entries()) {
    expect((await read(client, person)).properties['svc_email']).toEqual([names[index]]);
  }
});

test('a value that another record has taken meanwhile is refused, and the rest goes back', async () => {
  const mail = `${word()}@taken.example`;
  const person = await make(client, 'svc_contact', { svc_email: [mail], svc_first_name: 'Ada' });
  const request = await update(person, { svc_email: null, svc_first_name: 'Eve' });
  const thief = await make(client, 'svc_contact', { svc_email: [mail] });
  expect(await revert(client, request)).toEqual({
    reverted: [person.id],
    kept: [],
    refused: [`${person.id} unique_value_taken`],
  });
  expect((await read(client, person)).properties).toMatchObject({ svc_first_name: 'Ada' });
  expect((await read(client, person)).properties['svc_email']).toBeUndefined();

  const gone = await client.delete(pathOfRecord(thief));
  await update(person, { svc_email: [mail] });
  expect(await revert(client, requestOf(gone))).toEqual({
    reverted: [],
    kept: [],
    refused: [`${thief.id} unique_value_taken`],
  });
});

test('values that could not be written today stay as they are', async () => {
  const own = await service.createOrg();
  await service.applySchema(own, {
    properties: { svc_company: [{ name: 'plan', label: 'Plan', field_type: 'text' }] },
  });
  const { key } = await service.createKey(own);
  const owner = service.client(key);
  const company = await make(owner, 'svc_company', { svc_name: 'Required' });
  const set = await owner.patch(pathOfRecord(company), { properties: { plan: 'gold', svc_name: 'Other' } });
  await service.applySchema(own, {
    properties: { svc_company: [{ name: 'plan', label: 'Plan', field_type: 'text', required: true }] },
  });
  const isRequired = async () => {
    const { body } = await owner.get('/objects/svc_company/');
    return body.data.properties.some(({ name, required }: Record<string, unknown>) => name === 'plan' && required);
  };
  await expect.poll(isRequired).toBe(true);
  expect(await revert(owner, requestOf(set))).toEqual({
    reverted: [company.id],
    kept: [],
    refused: [`${company.id} required_missing`],
  });
  expect((await read(owner, company)).properties).toMatchObject({ plan: 'gold', svc_name: 'Required' });
});

test('a link whose other end is in the trash is refused', async () => {
  const company = await make(client, 'svc_company');
  const deal = await make(client, 'svc_deal', {}, [{ association_type: 'svc_deal_to_company', target_id: company.id }]);
  const unlinked = await client.delete(`${pathOfRecord(deal)}associations/svc_deal_to_company/${company.id}/`);
  await client.delete(pathOfRecord(company));
  expect(await revert(client, requestOf(unlinked))).toEqual({
    reverted: [],
    kept: [],
    refused: [`${deal.id} target_unknown`],
  });
});

test('what an earlier item of the same batch changes counts as changed since', async () => {
  const deal = await make(client, 'svc_deal', { svc_name: 'Before' });
  const request = await update(deal, { svc_name: 'During', svc_close_date: '2027-01-01' });
  const answer = await runBatch(client, [
    item('update', 'svc_deal', { id: deal.id, properties: { svc_name: 'After' } }),
    { operation: 'revert', request_id: request },
    { operation: 'revert', request_id: request },
  ]);
  const [, first, second] = answer.body.data.results;
  expect(first).toMatchObject({ status: 200, counts: { reverted: 1, kept: 1, refused: 0 } });
  expect(second).toMatchObject({ status: 200, counts: { reverted: 0, kept: 1, refused: 0 } });
  const { properties } = await read(client, deal);
  expect([properties['svc_name'], properties['svc_close_date']]).toEqual(['After', undefined]);
});

test('a revert is answered once under an idempotency key, and can be taken back', async () => {
  const deal = await make(client, 'svc_deal', { svc_name: 'One' });
  const request = await update(deal, { svc_name: 'Two' });
  const headers = { 'idempotency-key': word() };
  const first = await sendRevert(client, { request_id: request }, headers);
  const again = await sendRevert(client, { request_id: request }, headers);
  expect(again.headers.get('svc-idempotent-replay')).toBe('true');
  expect(again.body.data).toEqual(first.body.data);
  expect((await read(client, deal)).properties['svc_name']).toBe('One');
  expect(toldBy(await sendRevert(client, { request_id: requestOf(first) })).reverted).toEqual([deal.id]);
  expect((await read(client, deal)).properties['svc_name']).toBe('Two');
});

test.each<readonly [string, object, number, string]>([
  ['no id', {}, 400, 'invalid_member'],
  ['two ids', { request_id: unknown, job_id: unknown }, 400, 'invalid_member'],
  ['a ref, because it names no record', { request_id: unknown, ref: 'me' }, 400, 'unknown_member'],
  ['an id of another form', { request_id: 'yesterday' }, 404, 'record_unknown'],
  ['an id that no version has', { request_id: '01890a5d-ac96-474b-bcce-b302099a8057' }, 404, 'record_unknown'],
  ['a request that does not exist', { request_id: unknown }, 404, 'record_unknown'],
  ['a job that does not exist', { job_id: unknown }, 404, 'record_unknown'],
])('refused, and nothing changes: %s', async (_, name, status, reason) => {
  const end = await endOfFeed(client);
  const answer = await sendRevert(client, name);
  expect(answer.body.data.results[0]).toMatchObject({ status, problem: { reason } });
  const whole = await client.post('/batch/', { atomic: true, operations: [{ operation: 'revert', ...name }] });
  expect([whole.status, whole.body.reason]).toEqual([status, reason]);
  expect(await changesSince(client, end)).toEqual([]);
});

test('a request of another org, one that changed nothing and one that is no job answer like an unknown one', async () => {
  const stranger = await service.newClient();
  const deal = await make(client, 'svc_deal', { svc_name: 'Mine' });
  const request = await update(deal, { svc_name: 'Ours' });
  const reading = requestOf(await client.get(pathOfRecord(deal)));
  const texts = await Promise.all([
    sendRevert(stranger, { request_id: request }),
    sendRevert(client, { request_id: reading }),
    sendRevert(client, { job_id: request }),
  ]);
  for (const answer of texts) {
    expect(answer.body.data.results[0]).toMatchObject({ status: 404, problem: { reason: 'record_unknown' } });
  }
  expect((await read(client, deal)).properties['svc_name']).toBe('Ours');
});

test('entries that the feed no longer has are 410, even before they are purged', async () => {
  const clock = movableClock();
  const own = await startService({ clock, changesSeconds: 3_600 });
  try {
    const owner = await own.newClient();
    const deal = await make(owner, 'svc_deal', { svc_name: 'Old' });
    const changed = await owner.patch(pathOfRecord(deal), { properties: { svc_name: 'New' } });
    clock.advance(3_601_000);
    for (const name of [{ request_id: requestOf(changed) }, { job_id: requestOf(changed) }]) {
      const answer = await sendRevert(owner, name);
      expect(answer.body.data.results[0]).toMatchObject({ status: 410, problem: { reason: 'cursor_expired' } });
    }
  } finally {
    await own.stop();
  }
});

test('more records than one request can take back are for the operator, in one item and in all of a batch', async () => {
  const creates = (many: number) => Array.from({ length: many }, () => item('create', 'svc_deal', { properties: {} }));
  const [three, two] = [await runBatch(client, creates(3)), await runBatch(client, creates(2))];
  resetBounds = lowerBounds({ engine: { revertedRecords: 3 } });
  const answer = await runBatch(client, [
    { operation: 'revert', request_id: requestOf(two) },
    { operation: 'revert', request_id: requestOf(three) },
  ]);
  const [first, second] = answer.body.data.results;
  expect(first).toMatchObject({ status: 200, counts: { reverted: 2 } });
  expect(second).toMatchObject({ status: 413, problem: { reason: 'too_many_operations' } });
  resetBounds();
  resetBounds = lowerBounds({ engine: { revertedRecords: 2 } });
  const alone = await sendRevert(client, { request_id: requestOf(three) });
  expect(alone.body.data.results[0].problem.detail).toContain(
    `orrery revert --org ${orgId} --request ${requestOf(three)}`,
  );
});

test('fifty records cost one unit of the rate limit, whatever else is in the batch', async () => {
  const creates = Array.from({ length: 120 }, () => item('create', 'svc_deal', { properties: {} }));
  const answer = await runBatch(client, creates);
  const left = (headers: Headers) => Number(/r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  const dry = await sendRevert(client, { request_id: requestOf(answer) }, { 'svc-dry-run': 'true' });
  const before = left(dry.headers);
  const done = await sendRevert(client, { request_id: requestOf(answer) });
  expect(done.body.data.results[0].counts.reverted).toBe(120);
  expect(before - left(done.headers)).toBe(3);
  const poor = await service.createOrg({ quota: 5, windowSeconds: 3_600 });
  const { key } = await service.createKey(poor);
  const spender = service.client(key);
  const made = await runBatch(spender, creates);
  const refused = await sendRevert(spender, { request_id: requestOf(made) });
  expect([refused.status, refused.body.reason]).toEqual([429, 'org_limit']);
});

test('what a connected system or the service wrote cannot be taken back by a key', async () => {
  const note = await make(client, 'svc_note', { svc_title: 'Begins in a stage' });
  const stage = (await client.get(`${recordsPath('svc_note_pipeline_stage')}?limit=3`)).body.data as RecordData[];
  const path = `${pathOfRecord(note)}associations/svc_note_to_note_pipeline_stage/${stage.at(-1)?.id}/`;
  const moved = await client.put(path, undefined);
  const told = await revert(client, requestOf(moved));
  // The timer that the move wrote is neither listed nor gone.
  expect(told).toEqual({ reverted: [note.id], kept: [], refused: [] });
  const again = await revert(client, requestOf(moved));
  expect(again).toEqual({ reverted: [], kept: [note.id], refused: [] });

  const end = await endOfFeed(client);
  const folder = await createFolder();
  const file = join(folder, 'calls.ndjson');
  await writeFile(file, `${JSON.stringify({ external_id: 'call-1', properties: { svc_subject: 'Synced' } })}\n`);
  const ran = await runCommand(service.databaseUrl, 'ingest', file, { org: String(orgId), type: 'svc_email_thread' });
  await rm(folder, { recursive: true });
  expect(ran.failure).toBeUndefined();
  const [entry] = await changesSince(client, end);
  expect(await revert(client, entry?.request_id ?? '')).toEqual({
    reverted: [],
    kept: [],
    refused: [`${entry?.record_id} type_is_synced`],
  });
});

test('the client takes a request back, tries it first, and throws what is refused', async () => {
  const user = createClient({ url: service.url, key: client.key ?? '' });
  const { data: deal } = await user.records('svc_deal').create({ svc_name: 'Client' });
  const { requestId } = await user.records('svc_deal').update(deal.id, { svc_name: 'Changed' });
  const tried = await user.revert({ requestId }, { dryRun: true });
  expect([tried.dryRun, tried.data.counts]).toEqual([true, { reverted: 1, kept: 0, refused: 0 }]);
  const done = await user.revert({ requestId });
  expect(done.data.reverted).toEqual([{ object_type: 'svc_deal', id: deal.id }]);
  expect((await user.records('svc_deal').get(deal.id)).data.properties['svc_name']).toBe('Client');
  await expect(user.revert({ jobId: unknown })).rejects.toMatchObject({ code: 'not_found', reason: 'record_unknown' });
});

test('an erased record is not undone, and the undoing of a merge parts its records for good', async () => {
  const erase = ({ id }: RecordData) => runBatch(client, [item('erase', 'svc_contact', { id })]);
  const person = await make(client, 'svc_contact', { svc_first_name: 'Ada' });
  const request = await update(person, { svc_first_name: 'Eve' });
  const erased = await erase(person);
  expect(erased.status, erased.text).toBe(200);
  for (const id of [request, requestOf(erased)]) {
    const answer = await sendRevert(client, { request_id: id });
    expect(answer.body.data.results[0]).toMatchObject({ status: 404, problem: { reason: 'record_unknown' } });
  }

  const [kept, duplicate] = [
    await make(client, 'svc_contact'),
    await make(client, 'svc_contact', { svc_last_name: 'Own' }),
  ];
  const merge = item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id });
  await revert(client, requestOf(await runBatch(client, [merge])));
  await erase(kept);
  expect((await read(client, duplicate)).properties['svc_last_name']).toBe('Own');

  const both = [await make(client, 'svc_contact'), await make(client, 'svc_contact')] as const;
  const merged = await runBatch(client, [item('merge', 'svc_contact', { id: both[0].id, duplicate_id: both[1].id })]);
  await erase(both[0]);
  const answer = await sendRevert(client, { request_id: requestOf(merged) });
  expect(answer.body.data.results[0]).toMatchObject({ status: 404 });
});

test('a batch that only takes back is written whole or not at all', async () => {
  const deal = await make(client, 'svc_deal', { svc_name: 'Whole' });
  const request = await update(deal, { svc_name: 'Half' });
  const operations = [
    { operation: 'revert', request_id: request },
    { operation: 'update', object_type: 'svc_deal', id: unknown, properties: {} },
  ];
  const answer = await client.post('/batch/', { atomic: true, operations });
  expect(answer.status).toBe(404);
  expect((await read(client, deal)).properties['svc_name']).toBe('Half');
  expect(await succeed(client, operations.slice(0, 1))).toMatchObject([{ counts: { reverted: 1 } }]);
});
