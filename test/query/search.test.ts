// Search finds records by the beginnings of their words (contract 5), in every script, as the model does; it sees and
// forgets each write at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { askAll, manyAtOnce } from '../support/query/ask.ts';
import { createQueryOrg, type QueryOrg } from '../support/query/data.ts';
import { wordsOf } from '../support/query/model.ts';
import { texts } from '../support/query/pools.ts';
import { Searches } from '../support/query/searches.ts';
import { Trees } from '../support/query/trees.ts';
import { Random, seedFrom } from '../support/random.ts';
import { make, pathOfRecord, type RecordData } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('QUERY_SEED');
const random = new Random(seed);

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

const found = (search: string, type = 'svc_contact') => askAll(client, type, { search });

test('generated searches, with and without a filter, find what the model finds', async () => {
  const sizes = { specimen: 150, svc_contact: 60, freelancer: 20, svc_company: 40, svc_deal: 40 };
  const org: QueryOrg = await createQueryOrg(service, random, sizes);
  const trials = random.times(300, () => {
    const caller = random.pick(org.callers);
    const type = random.pick(['specimen', 'specimen', 'svc_contact', 'svc_company', 'svc_deal']);
    const search = new Searches(random, caller.model).search(type);
    const filter = random.chance(0.2) ? { filter: new Trees(random, caller.model).tree(type) } : {};
    return { caller, type, question: { search, ...filter } };
  });
  let some = 0;
  await manyAtOnce(trials, 4, async ({ caller, type, question }) => {
    const expected = caller.model.answer(type, question);
    if (expected.length > 0) some++;
    const what = `QUERY_SEED=${seed} caller ${caller.name} ${type} ${JSON.stringify(question)}`;
    expect(await askAll(caller.client, type, question), what).toEqual(expected);
  });
  expect(some).toBeGreaterThan(trials.length / 3);
});

/** One contact of each text, on a client of its own, found by it and by what it folds to. */
test('each text is found by its own words, by their folded forms and by the beginning of each of them', async () => {
  const own = await service.newClient();
  const results = await succeed(
    own,
    texts.map((text) => item('create', 'svc_contact', { properties: { svc_summary: text } })),
  );
  const words = texts.map((text) => wordsOf(text));
  const expected = (search: string) => {
    const wanted = wordsOf(search);
    return results
      .filter((_, index) => wanted.every((each) => words[index]?.some((word) => word.startsWith(each))))
      .map(({ id }) => id);
  };
  const firsts = words.flat().map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0));
  const searches = [...new Set([...texts, ...texts.map((text) => text.toUpperCase()), ...words.flat(), ...firsts])];
  await manyAtOnce(searches, 4, async (search) => {
    expect(await askAll(own, 'svc_contact', { search }), JSON.stringify(search)).toEqual(expected(search));
  });
});

describe('a search', () => {
  const kept: readonly (readonly [string, Record<string, unknown>])[] = [
    ['a text', { svc_last_name: 'Quokka-Berg' }],
    ['a long text', { svc_summary: `${'lorem ipsum '.repeat(5_000)} quokka` }],
    ['an element of a multi-valued email', { svc_email: ['one@example.com', 'me@quokka.example'] }],
  ];

  test.each(kept)('reads %s', async (_, properties) => {
    const { id } = await make(client, 'svc_contact', properties);
    for (const search of ['quokka', 'QUOK', 'quo', 'Quókka']) expect(await found(search)).toContain(id);
    for (const search of ['uokka', 'quokkas', 'quokka nobody']) expect(await found(search)).not.toContain(id);
    await client.delete(pathOfRecord({ object_type: 'svc_contact', id }));
  });

  test('reads domains, and neither urls nor selects nor numbers nor countries', async () => {
    const { id } = await make(client, 'svc_company', {
      svc_domain: 'numbat.example',
      svc_website: 'https://bilby.example',
      svc_employee_count: '4711',
      svc_country_code: 'AX',
    });
    expect(await found('numbat', 'svc_company')).toEqual([id]);
    expect(await found('exam num', 'svc_company')).toEqual([id]);
    for (const search of ['bilby', 'https', '4711', 'AX']) expect(await found(search, 'svc_company')).toEqual([]);
  });

  test('finds its words in several properties together, in any order and any number of times', async () => {
    const properties = { svc_first_name: 'Wallaby', svc_job_title: 'Night watch', svc_email: ['w@potoroo.example'] };
    const { id } = await make(client, 'svc_contact', properties);
    for (const search of ['watch wallaby', 'poto nig wal', 'wal wal w W', 'wallaby, WATCH! night?', 'n w p e']) {
      expect(await found(search)).toContain(id);
    }
    expect(await found('wallaby watchman')).not.toContain(id);
  });

  test('without any letter or digit finds every record', async () => {
    const own = await service.newClient();
    const ids = [await make(own, 'svc_contact', { svc_last_name: 'Ada' }), await make(own, 'svc_contact')].map(
      ({ id }) => id,
    );
    for (const search of [' ', '%', '_', '-- ;', '😀', '\u0301', "'", '\\', ':*', '\u{10ffff}']) {
      expect(await askAll(own, 'svc_contact', { search }), search).toEqual(ids);
    }
  });

  test('finds words of a thousand characters, and distinguishes them by their first 256', async () => {
    const start = 'ж'.repeat(255);
    const one = await make(client, 'svc_contact', { svc_last_name: `${start}я${'ж'.repeat(768)}` });
    const two = await make(client, 'svc_contact', { svc_last_name: `${start}ю${'ж'.repeat(768)}` });
    expect(await found(`${start}Я`)).toEqual([one.id]);
    expect(await found(`${start}ю${'Ж'.repeat(768)}`)).toEqual([two.id]);
    expect(await found(start)).toEqual([one.id, two.id]);
    expect(await found('жжж')).toEqual([one.id, two.id]);
  });

  test('finds texts that grow a great deal when they are folded', async () => {
    const { id } = await make(client, 'svc_contact', {
      svc_last_name: 'ﷺ'.repeat(1_024),
      svc_headline: '㌀'.repeat(1_024),
    });
    for (const search of ['ﷺ', 'عليه', 'アパート', '㌀']) expect(await found(search), search).toContain(id);
  });
});

describe('a write is seen by the search that follows it', () => {
  const update = (record: RecordData, properties: object) => client.patch(pathOfRecord(record), { properties });

  test('create, update, clear, delete and restore', async () => {
    const record = await make(client, 'svc_contact', {
      svc_last_name: 'Echidna',
      svc_email: ['first@echidna.example'],
    });
    expect(await found('echid')).toEqual([record.id]);
    await update(record, { svc_last_name: 'Platypus' });
    expect(await found('platy')).toEqual([record.id]);
    // The address has the word as well.
    expect(await found('echid')).toEqual([record.id]);
    await update(record, { svc_email: null });
    expect(await found('echid')).toEqual([]);
    await client.delete(pathOfRecord(record));
    expect(await found('platy')).toEqual([]);
    await succeed(client, [item('restore', 'svc_contact', { id: record.id })]);
    expect(await found('platy')).toEqual([record.id]);
    expect(await found('echid')).toEqual([]);
    await update(record, { svc_last_name: null });
    expect(await found('platy')).toEqual([]);
  });

  test('merge: the record that stays is found by the values it took over, and the duplicate is not found', async () => {
    const one = await make(client, 'svc_contact', { svc_last_name: 'Kowari', svc_email: ['a@kowari.example'] });
    const two = await make(client, 'svc_contact', {
      ...{ svc_last_name: 'Mulgara', svc_headline: 'Quoll', svc_email: ['b@mulgara.example'] },
    });
    expect(await found('mulg')).toEqual([two.id]);
    await succeed(client, [item('merge', 'svc_contact', { id: one.id, duplicate_id: two.id })]);
    expect(await found('quoll')).toEqual([one.id]);
    expect(await found('kowari')).toEqual([one.id]);
    // The addresses are combined; the last name of the record that stays is kept.
    expect(await found('mulg')).toEqual([one.id]);
    await update(one, { svc_email: ['a@kowari.example'] });
    expect(await found('mulg')).toEqual([]);
  });

  test('upsert, and a batch of many', async () => {
    const body = { properties: { svc_email: ['tamar@dunnart.example'], svc_first_name: 'Tamar' } };
    const { body: answer } = await client.put('/objects/svc_contact/records/?match=svc_email', body);
    expect(await found('dunn tam')).toEqual([answer.data.id]);
    const creates = random.times(200, (index) =>
      item('create', 'svc_contact', { properties: { svc_last_name: `Bandicoot ${index}` } }),
    );
    const results = await succeed(client, creates);
    expect(await found('bandic')).toEqual(results.map(({ id }) => id));
    expect(await found('bandicoot 199')).toEqual([results[199]?.id]);
    await succeed(
      client,
      results.slice(0, 150).map(({ id }) => item('delete', 'svc_contact', { id })),
    );
    expect(await found('bandic')).toEqual(results.slice(150).map(({ id }) => id));
  });

  test('a dry run and a refused write are not', async () => {
    const refused = { svc_last_name: 'Pademelon', svc_email: ['no address'] };
    expect((await client.post('/objects/svc_contact/records/', { properties: refused })).status).toBe(422);
    const dry = { properties: { svc_last_name: 'Pademelon' } };
    await client.post('/objects/svc_contact/records/', dry, { 'svc-dry-run': 'true' });
    expect(await found('pademelon')).toEqual([]);
  });
});
