// Grants that hide and lock properties (platform 4), place by place: what the key is shown, and what it can ask. Each test
// fails without the one line that closes its place.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyOperation, type Gems, gems, openGems } from '../support/access/gems.ts';
import type { Answer } from '../support/answer.ts';
import { item, runBatch } from '../support/batch.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { makeKey } from '../support/platform/administrator.ts';
import { query } from '../support/query/ask.ts';
import { make, pathOfRecord, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let world: Gems;
beforeAll(async () => {
  service = await startService();
  world = await openGems(service);
});
afterAll(() => service.stop());

const namesIn = (answer: Answer) =>
  (answer.body.data.properties as readonly { readonly name: string }[]).map(({ name }) => name);

test('the schema does not have it, nor do the key itself, a suggestion or the title', async () => {
  const { narrow, keyOf } = world;
  const schema = await narrow.get('/objects/gem/');
  expect(namesIn(schema)).toEqual(['name', 'svc_created_at', 'svc_updated_at']);
  expect(schema.body.data.unique_properties).toEqual([]);
  expect((await narrow.get('/objects/')).text).not.toMatch(/marking|notes|weight/);
  expect((await narrow.get('/self/')).text).not.toMatch(/marking|notes|weight/);
  const both = (await (await keyOf('gem:read;hide=notes;lock=notes,name')).get('/self/')).body.data.grants;
  expect(both).toEqual([{ object_types: ['gem'], operations: ['read'], locked_properties: ['name'] }]);
  const near = await narrow.post(gems, { properties: { markin: 'x', weigh: '1' } });
  await expectProblem(near, 'validation_failed', 'unknown_property');
  const nearMatch = await narrow.put(`${gems}?match=markin`, { properties: {} });
  await expectProblem(nearMatch, 'invalid_request', 'invalid_parameter');
  for (const { text } of [near, nearMatch]) expect(text).not.toMatch(/marking|weight/);
  const untitled = await keyOf('gem:read;hide=name');
  expect((await untitled.get('/objects/gem/')).body.data.title_property).toBeNull();
});

test('the key of a group has no title that is hidden', async () => {
  const { admin, keyOf, makeGem } = world;
  const company = await make(admin, 'svc_company', { svc_name: 'Unnamed' });
  const gem = await makeGem({ name: 'Moonstone' }, [{ association_type: 'gem_to_company', target_id: company.id }]);
  const untitled = await keyOf('gem:read;hide=name', 'svc_company:read');
  const answer = await untitled.post('/objects/svc_company/records/aggregate/', {
    filter: { property: 'id', operator: 'eq', value: company.id },
    group_by: [{ association: 'gem_to_company' }],
    aggregations: [{ function: 'count' }],
  });
  expect(answer.body.data).toMatchObject([{ key: [{ id: gem.id, object_type: 'gem' }] }]);
  expect(answer.text).not.toContain('Moonstone');
});

test('values of records come without it: one, a list, a query, an include, and the answers to writes', async () => {
  const { admin, narrow, makeGem } = world;
  const company = await make(admin, 'svc_company', { svc_name: 'Vault' });
  const link = { association_type: 'gem_to_company', target_id: company.id };
  const gem = await makeGem({ name: 'Opal', marking: 'V 1', notes: 'kept', weight: '2' }, [link]);
  const path = pathOfRecord(gem);
  const answers = {
    get: await narrow.get(path),
    getSome: await narrow.get(`${path}?properties=name`),
    list: await narrow.get(`${gems}?limit=500`),
    query: await query(narrow, 'gem', { filter: { property: 'id', operator: 'eq', value: gem.id } }),
    large: await query(narrow, 'gem', { sort: [{ property: 'name', direction: 'asc' }], limit: 500 }),
    some: await query(narrow, 'gem', { properties: ['name'] }),
    include: await query(narrow, 'svc_company', { include: ['gem_to_company'] }),
    includeInOne: await narrow.get(`${pathOfRecord(company)}?include=gem_to_company`),
    associated: await narrow.get(`${pathOfRecord(company)}associations/gem_to_company/`),
    associatedSome: await narrow.get(`${pathOfRecord(company)}associations/gem_to_company/?properties=name`),
    update: await narrow.patch(path, { properties: { name: 'Opal again' } }),
    unchanged: await narrow.patch(path, { properties: { name: 'Opal again' } }),
    batch: await runBatch(narrow, [item('update', 'gem', { id: gem.id, properties: { name: 'Opal' } })]),
  };
  for (const [name, { status, text }] of Object.entries(answers)) {
    expect(status, name).toBe(200);
    expect(text, name).not.toMatch(/V 1|kept|weight/);
    if (name !== 'batch') expect(text, name).toContain('Opal');
  }
  expect((await read(admin, gem)).properties).toMatchObject({ marking: 'V 1', notes: 'kept', weight: '2' });
});

test('nothing can be asked by it: the answer is that for a name that nobody has used', async () => {
  const { narrow } = world;
  const asked = (property: string): readonly (() => Promise<Answer>)[] => [
    () => query(narrow, 'gem', { filter: { property, operator: 'is_set' } }),
    () => query(narrow, 'gem', { filter: { property, operator: 'eq', value: 'V 1' } }),
    () => query(narrow, 'gem', { sort: [{ property, direction: 'asc' }] }),
    () => query(narrow, 'gem', { properties: [property] }),
    () =>
      narrow.post('/objects/gem/records/aggregate/', {
        group_by: [{ property }],
        aggregations: [{ function: 'count' }],
      }),
    () => narrow.post('/objects/gem/records/aggregate/', { aggregations: [{ function: 'count_distinct', property }] }),
    () => narrow.put(`${gems}?match=${property}`, { properties: { [property]: 'V 1' } }),
    () => narrow.post(gems, { properties: { [property]: 'V 1' } }),
    () => runBatch(narrow, [item('create', 'gem', { properties: { [property]: 'V 1' } })]),
    () => runBatch(narrow, [item('upsert', 'gem', { match: property, properties: { [property]: 'V 1' } })]),
    () => narrow.get(`${gems}?properties=${property}`),
    () =>
      query(narrow, 'svc_company', {
        filter: { association: 'gem_to_company', operator: 'exists', filter: { property, operator: 'is_set' } },
      }),
  ];
  const told = (answer: Answer | undefined, name: string) =>
    answer?.text.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll(name, 'NAME');
  // As long as the hidden name and much like it, so that it would be suggested.
  const unused = asked('markinq');
  for (const [index, ask] of asked('marking').entries()) {
    const answer = await ask();
    expect(answer.status, answer.text).toBeGreaterThan(200);
    expect(told(answer, 'marking')).toBe(told(await unused[index]?.(), 'markinq'));
  }
});

test('a search does not find its words, and finds the others', async () => {
  const { narrow, makeGem } = world;
  const gem = await makeGem({ name: 'Beryl shared', notes: 'unspoken shared' });
  await makeGem({ name: 'Jade', notes: 'shared unspoken' });
  const found = async (search: string) =>
    (await query(narrow, 'gem', { search })).body.data.map(({ id }: RecordData) => id);
  const counted = async (search: string) => {
    const body = { search, aggregations: [{ function: 'count' }] };
    return (await narrow.post('/objects/gem/records/aggregate/', body)).body.data[0].values.count;
  };
  expect(await found('unspoken')).toEqual([]);
  expect(await counted('unspoken')).toBe('0');
  expect(await found('shared')).toEqual([gem.id]);
  expect(await counted('shared')).toBe('1');
  expect(await found('beryl unspoken')).toEqual([]);
  // A hidden word that is part of a visible one, and words that only the program can fold.
  await makeGem({ name: 'Seashell', notes: 'shell' });
  expect(await found('shell')).toEqual([]);
  await makeGem({ name: 'Écshell', notes: 'cshell' });
  expect(await found('cshell')).toEqual([]);
  const accented = await makeGem({ name: 'Béryllium ünder', notes: 'Épée' });
  await makeGem({ name: 'Zircon', notes: 'ünder' });
  expect(await found('under')).toEqual([accented.id]);
  expect(await found('epee')).toEqual([]);
});

test('pages of a search are full, and are followed by the next ones, as if it were not there', async () => {
  const { narrow, makeGem } = world;
  const visible: string[] = [];
  for (let index = 0; index < 12; index++) {
    if (index % 3 === 0) visible.push((await makeGem({ name: `Garnet ${index}`, notes: 'garnet' })).id);
    else await makeGem({ name: `Other ${index}`, notes: 'garnet' });
  }
  const sort = [{ property: 'name', direction: 'desc' }];
  const first = await query(narrow, 'gem', { search: 'garnet', sort, limit: 3 });
  expect(first.body.data).toHaveLength(3);
  const cursor = first.body.pagination?.next_cursor;
  const second = await query(narrow, 'gem', { search: 'garnet', sort, limit: 3, cursor });
  expect(second.body.data).toHaveLength(1);
  expect(second.body.pagination?.next_cursor).toBeNull();
  const ids = [...first.body.data, ...second.body.data].map(({ id }: RecordData) => id);
  expect(ids.toSorted()).toEqual(visible.toSorted());
});

test('a cursor from before does not lead to it', async () => {
  const { admin, makeGem } = world;
  for (const marking of ['C 1', 'C 2', 'C 3']) await makeGem({ name: 'Spinel', marking, notes: 'seen once' });
  const key = await makeKey(admin, { grants: [`gem:${everyOperation}`] });
  const caller = service.client(key.key);
  const filter = { property: 'name', operator: 'eq', value: 'Spinel' };
  const byMarking = { filter, sort: [{ property: 'marking', direction: 'asc' }], limit: 1 };
  const byName = { filter, sort: [{ property: 'name', direction: 'asc' }], limit: 1 };
  const [marked, named] = [await query(caller, 'gem', byMarking), await query(caller, 'gem', byName)];
  expect(named.body.data[0].properties).toMatchObject({ marking: 'C 1', notes: 'seen once' });
  await admin.patch(pathOfRecord(key), { properties: { svc_grants: [`gem:${everyOperation};hide=marking,notes`] } });
  const next = (body: object, { body: { pagination } }: Answer) =>
    query(caller, 'gem', { ...body, cursor: pagination?.next_cursor });
  await expectProblem(await next(byMarking, marked), 'invalid_request', 'unknown_property');
  await expectProblem(await next(byName, marked), 'invalid_request', 'invalid_cursor');
  const second = await next(byName, named);
  expect(second.body.data).toMatchObject([{ properties: { name: 'Spinel' } }]);
  expect(second.text).not.toMatch(/C 2|seen once/);
});

test('what is computed from it is hidden as well', async () => {
  const computed = ['svc_potential_deal_total', 'svc_weighted_deal_total', 'svc_last_activity_at'];
  const seen = async (...grants: readonly string[]) => {
    const names = namesIn(await (await world.keyOf(...grants)).get('/objects/svc_contact/'));
    return computed.filter((name) => names.includes(name));
  };
  expect(await seen('*:read')).toEqual(computed);
  const others = 'svc_contact,svc_company,svc_deal_pipeline_stage,svc_call:read';
  expect(await seen(others, 'svc_deal:read;hide=svc_amount')).toEqual([]);
  const stage = 'svc_contact,svc_deal:read';
  expect(await seen(stage, 'svc_deal_pipeline_stage:read;hide=svc_probability')).toEqual(['svc_potential_deal_total']);
  expect(await seen(stage, 'svc_deal_pipeline_stage:read;hide=svc_closed')).toEqual([]);
  expect(await seen('*:read;hide=svc_started_at')).toEqual(['svc_potential_deal_total', 'svc_weighted_deal_total']);
});

test('answers have only the totals that the key sees, also those to its own writes', async () => {
  const { admin, keyOf } = world;
  const contact = await make(admin, 'svc_contact', { svc_last_name: 'Payer' });
  const link = { association_type: 'svc_deal_to_contact', target_id: contact.id };
  await make(admin, 'svc_deal', { svc_amount: { amount: '10', unit: 'USD' } }, [link]);
  const [potential, weighted] = ['svc_potential_deal_total', 'svc_weighted_deal_total'];
  const path = pathOfRecord(contact);
  const seenBy = async (...grants: readonly string[]) => {
    const key = await keyOf('svc_contact:read,update', ...grants);
    const filter = { property: 'id', operator: 'eq', value: contact.id };
    const records: readonly RecordData[] = [
      (await key.get(path)).body.data,
      (await query(key, 'svc_contact', { filter })).body.data[0],
      (await key.patch(path, { properties: { svc_job_title: 'Clerk' } })).body.data,
      (await key.patch(path, { properties: { svc_job_title: grants.join() } })).body.data,
      (await key.patch(path, { properties: { svc_job_title: 'Head' } }, { 'svc-dry-run': 'true' })).body.data,
    ];
    return records.map(({ properties }) => [potential, weighted].filter((name) => Object.hasOwn(properties, name)));
  };
  const five = <Seen>(seen: Seen) => Array.from({ length: 5 }, () => seen);
  const stages = 'svc_deal_pipeline_stage:read';
  expect(await seenBy('svc_deal:read', stages)).toEqual(five([potential, weighted]));
  expect(await seenBy('svc_deal:read', `${stages};hide=svc_probability`)).toEqual(five([potential]));
  expect(await seenBy('svc_deal:read;hide=svc_amount', stages)).toEqual(five([]));
});

test('a locked property is read-only for the key, in the schema and in every write', async () => {
  const { keyOf, makeGem } = world;
  const locked = await keyOf(`gem:${everyOperation};lock=name`);
  const gem = await makeGem({ name: 'Quartz', weight: '1' });
  const { body } = await locked.get('/objects/gem/');
  expect(body.data.properties).toContainEqual(expect.objectContaining({ name: 'name', read_only: true }));
  const refused = await locked.patch(pathOfRecord(gem), { properties: { name: 'Kwarts' } });
  await expectProblem(refused, 'validation_failed', 'read_only_property');
  await expectProblem(
    await locked.post(gems, { properties: { name: 'Kwarts' } }),
    'validation_failed',
    'read_only_property',
  );
  expect((await locked.patch(pathOfRecord(gem), { properties: { weight: '2' } })).status).toBe(200);
  expect((await read(locked, gem)).properties).toMatchObject({ name: 'Quartz', weight: '2' });
});
