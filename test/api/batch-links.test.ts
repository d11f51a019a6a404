// The batch operations that write links: associate, dissociate and merge (contract 2, 5, 6 and 7). Links are read
// in the database, past the service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { item, outcomesOf, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import {
  clientWithSchema,
  companies,
  faultsOf,
  make,
  pathOfRecord,
  type RecordData,
  read,
  sentValues,
  targetsOf,
} from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

type Source = Pick<RecordData, 'object_type' | 'id'>;
const linkItem = (operation: string, { object_type, id }: Source, association_type: string, target_id: string) =>
  item(operation, object_type, { id, association_type, target_id });
const associate = (source: Source, type: string, target: string) => linkItem('associate', source, type, target);
const dissociate = (source: Source, type: string, target: string) => linkItem('dissociate', source, type, target);
const merge = ({ object_type, id }: Source, duplicate: Source) =>
  item('merge', object_type, { id, duplicate_id: duplicate.id });
const targets = (source: Source) => targetsOf(service, source.id);
const versionOf = async (record: Source) => (await read(client, record)).version;

describe('associate and dissociate', () => {
  test('give the source a version and a date when they change something, and never the target', async () => {
    const [contact, company] = [await make(client, 'svc_contact'), await make(client, 'svc_company')];
    const [put, take] = [associate, dissociate].map((each) => each(contact, 'svc_contact_to_company', company.id));
    await sleep(5);
    for (const [step, version, linked] of [
      [put, '2', [company.id]],
      [put, '2', [company.id]],
      [take, '3', []],
      [take, '3', []],
      [put, '4', [company.id]],
    ] as const) {
      expect(await succeed(client, [step])).toEqual([{ index: 0, status: 200, id: contact.id, version }]);
      expect(await targets(contact)).toEqual(linked);
      const { version: stored, properties } = await read(client, contact);
      expect(stored).toBe(version);
      expect(Date.parse(String(properties['svc_updated_at']))).toBeGreaterThan(
        Date.parse(String(properties['svc_created_at'])),
      );
    }
    expect(await read(client, company)).toEqual(company);
    const again = await runBatch(client, [put, take, put, put]);
    expect(outcomesOf(again)).toEqual(['200 4', '200 5', '200 6', '200 6']);
    expect(await targets(contact)).toEqual([company.id]);
  });

  test('a type with one target replaces the old one in one write, even one that is in the trash', async () => {
    const deal = await make(client, 'svc_deal');
    const [one, two, three] = [
      await make(client, 'svc_company'),
      await make(client, 'svc_company'),
      await make(client, 'svc_company'),
    ];
    const to = (target: RecordData) => associate(deal, 'svc_deal_to_company', target.id);
    const results = await succeed(client, [to(one), to(two), to(two), to(one)]);
    expect(results.map(({ version }) => version)).toEqual(['2', '3', '3', '4']);
    expect(await targets(deal)).toEqual([one.id]);
    await client.delete(pathOfRecord(one));
    expect(await targets(deal)).toEqual([]);
    await succeed(client, [to(three)]);
    expect(await targets(deal)).toEqual([three.id]);
    await succeed(client, [item('restore', 'svc_company', { id: one.id })]);
    expect(await targets(deal)).toEqual([three.id]);
    // Removing a link that does not exist does not remove the one that does.
    await succeed(client, [dissociate(deal, 'svc_deal_to_company', one.id)]);
    expect(await targets(deal)).toEqual([three.id]);
    expect(await versionOf(deal)).toBe('5');
    for (const company of [two, three]) expect(await read(client, company)).toEqual(company);
  });

  test('a type with many targets keeps them side by side', async () => {
    const deal = await make(client, 'svc_deal');
    const people = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
    await succeed(
      client,
      people.map(({ id }) => associate(deal, 'svc_deal_to_contact', id)),
    );
    expect(await targets(deal)).toEqual(people.map(({ id }) => id));
    await succeed(client, [dissociate(deal, 'svc_deal_to_contact', people[0]?.id ?? '')]);
    expect(await targets(deal)).toEqual([people[1]?.id]);
  });

  test.each(['associate', 'dissociate'])('%s says what is unknown: type, source or target', async (operation) => {
    const [contact, company] = [await make(client, 'svc_contact'), await make(client, 'svc_company')];
    const deleted = await make(client, 'svc_company');
    await client.delete(pathOfRecord(deleted));
    const foreign = await make(await service.newClient(), 'svc_company');
    const name = 'svc_contact_to_company';
    const answer = await runBatch(client, [
      linkItem(operation, company, name, contact.id),
      linkItem(operation, contact, 'svc_contact_to_companies', company.id),
      linkItem(operation, contact, name, contact.id),
      linkItem(operation, contact, name, absentId),
      linkItem(operation, contact, name, foreign.id),
      linkItem(operation, contact, name, deleted.id),
      linkItem(operation, contact, name, '\0'),
      linkItem(operation, { ...contact, id: absentId }, name, company.id),
      linkItem(operation, contact, 'svc_record_to_org', '999999'),
      linkItem(operation, contact, 'svc_record_to_user', absentId),
    ]);
    const [type, target] = ['404 association_type_unknown', '404 target_unknown'];
    const expected = [type, type, ...Array(5).fill(target), '404 record_unknown', target, target];
    expect(outcomesOf(answer)).toEqual(expected);
    const pointers = resultsOf(answer).map(({ problem }) => problem?.errors?.[0]?.pointer);
    expect(pointers.slice(1, 4)).toEqual([
      '/operations/1/association_type',
      '/operations/2/target_id',
      '/operations/3/target_id',
    ]);
    expect(await read(client, contact)).toEqual(contact);
  });

  test('follow the nature of the type: of synced types only a meeting is linked', async () => {
    const company = await make(client, 'svc_company');
    const from = (object_type: string, name: string) => associate({ object_type, id: absentId }, name, company.id);
    const answer = await runBatch(client, [
      from('svc_meeting', 'svc_activity_to_company'),
      from('svc_email_thread', 'svc_activity_to_company'),
      from('svc_risk', 'svc_risk_to_company'),
      from('svc_stage_timer', 'svc_record_to_org'),
    ]);
    expect(outcomesOf(answer)).toEqual([
      '404 record_unknown',
      '403 type_is_synced',
      '403 type_is_generated',
      '403 type_is_read_only',
    ]);
  });

  test('need associate on the source and read on the target', async () => {
    const orgId = await service.createOrg();
    const full = service.client((await service.createKey(orgId)).key);
    const [contact, company] = [await make(full, 'svc_contact'), await make(full, 'svc_company')];
    const link = associate(contact, 'svc_contact_to_company', company.id);
    for (const [source, target, outcome] of [
      ['associate', 'read', '200 2'],
      ['update', 'associate', '403 operation_not_granted'],
      ['associate', undefined, '404 association_type_unknown'],
    ] as const) {
      const grants = [
        { objectTypes: ['svc_contact'], operations: [source] },
        ...(target === undefined ? [] : [{ objectTypes: ['svc_company'], operations: [target] }]),
      ];
      const own = service.client((await service.createKey(orgId, { grants })).key);
      expect(outcomesOf(await runBatch(own, [link]))).toEqual([outcome]);
    }
  });
});

describe('a merge', () => {
  test('keeps values, fills unset ones and combines lists, in one version; the duplicate goes to the trash', async () => {
    const kept = await make(client, 'svc_contact', {
      svc_first_name: 'Ada',
      svc_email: ['b@merge.example', 'a@merge.example'],
    });
    const duplicate = await make(client, 'svc_contact', {
      svc_first_name: 'Augusta',
      svc_last_name: 'Lovelace',
      svc_email: ['d@merge.example', 'c@merge.example'],
      svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
    });
    const results = await succeed(client, [merge(kept, duplicate)]);
    expect(results).toEqual([{ index: 0, status: 200, id: kept.id, version: '2' }]);
    const merged = await read(client, kept);
    expect(merged.version).toBe('2');
    expect(merged.properties['svc_created_at']).toBe(kept.properties['svc_created_at']);
    expect(sentValues(merged)).toEqual({
      svc_first_name: 'Ada',
      svc_last_name: 'Lovelace',
      svc_email: ['b@merge.example', 'a@merge.example', 'd@merge.example', 'c@merge.example'],
      svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
    });
    expect((await client.get(pathOfRecord(duplicate))).status).toBe(404);
    // The values of the duplicate belong to the record that stays, so it cannot be restored as it was.
    const back = await runBatch(client, [item('restore', 'svc_contact', { id: duplicate.id })]);
    expect(outcomesOf(back)).toEqual(['409 unique_value_taken']);
    expect(resultsOf(back)[0]?.problem?.conflict?.existing_id).toBe(kept.id);
  });

  test('hands over a unique value that the record lacks', async () => {
    const [kept, duplicate] = [
      await make(client, 'svc_company'),
      await make(client, 'svc_company', { svc_domain: 'handed.example' }),
    ];
    await succeed(client, [merge(kept, duplicate)]);
    const taken = await client.post(companies, { properties: { svc_domain: 'handed.example' } });
    await expectProblem(taken, 'conflict', 'unique_value_taken');
    expect(taken.body.conflict?.existing_id).toBe(kept.id);
  });

  test('combines lists by value up to 100, and frees the unique values that do not fit', async () => {
    const list = { label: 'List', field_type: 'text', multi_valued: true };
    const properties = [
      { name: 'tags', ...list },
      { name: 'codes', ...list, unique: true },
    ];
    const own = await clientWithSchema(service, { object_types: [{ name: 'asset', label: 'Asset', properties }] });
    const texts = (name: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `${name}${from + index}`);
    const kept = await make(own, 'asset', { tags: texts('Tag', 0, 60), codes: texts('kept', 0, 99) });
    const duplicate = await make(own, 'asset', { tags: texts('TAG', 50, 120), codes: texts('other', 0, 3) });
    await succeed(own, [merge(kept, duplicate)]);
    expect(sentValues(await read(own, kept))).toEqual({
      tags: [...texts('Tag', 0, 60), ...texts('TAG', 60, 100)],
      codes: [...texts('kept', 0, 99), 'other0'],
    });
    await make(own, 'asset', { codes: ['other1', 'other2'] });
    expect((await own.post('/objects/asset/records/', { properties: { codes: ['OTHER0'] } })).status).toBe(409);
  });

  test('moves links from both ends, once each, and gives their sources a version', async () => {
    const [kept, duplicate] = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
    const [shared, moved] = [await make(client, 'svc_company'), await make(client, 'svc_company')];
    const works = 'svc_contact_to_company';
    await succeed(client, [
      associate(kept, works, shared.id),
      associate(duplicate, works, shared.id),
      associate(duplicate, works, moved.id),
    ]);
    const on = (target: Source) => [{ association_type: 'svc_deal_to_contact', target_id: target.id }];
    const onDuplicate = await make(client, 'svc_deal', {}, on(duplicate));
    const onBoth = await make(client, 'svc_deal', {}, [...on(kept), ...on(duplicate)]);
    const onKept = await make(client, 'svc_deal', {}, on(kept));
    const note = await make(client, 'svc_note', {}, [
      { association_type: 'svc_note_to_contact', target_id: duplicate.id },
    ]);
    await sleep(5);
    await succeed(client, [merge(kept, duplicate)]);
    expect(await targets(kept)).toEqual([shared.id, moved.id]);
    for (const source of [onDuplicate, onBoth, onKept]) expect(await targets(source)).toEqual([kept.id]);
    expect(await targets(note)).toContain(kept.id);
    expect(await versionOf(kept)).toBe('3');
    const changed = await read(client, onDuplicate);
    expect(changed.version).toBe('2');
    const { svc_created_at, svc_updated_at } = changed.properties as Record<string, string>;
    expect(svc_updated_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(Date.parse(svc_updated_at ?? '')).toBeGreaterThan(Date.parse(svc_created_at ?? ''));
    expect(Number(await versionOf(note))).toBe(Number(note.version) + 1);
    // Those that had the link already, and the targets, are as they were.
    for (const each of [onBoth, onKept, shared, moved]) expect(await read(client, each)).toEqual(each);
  });

  test('keeps the one target of a type that takes one, and moves it where there is none', async () => {
    const [one, two] = [await make(client, 'svc_company'), await make(client, 'svc_company')];
    const at = (target: Source) => [{ association_type: 'svc_deal_to_company', target_id: target.id }];
    const [kept, duplicate] = [
      await make(client, 'svc_deal', {}, at(one)),
      await make(client, 'svc_deal', {}, at(two)),
    ];
    await succeed(client, [merge(kept, duplicate)]);
    expect(await targets(kept)).toEqual([one.id]);
    const [bare, linked] = [await make(client, 'svc_deal'), await make(client, 'svc_deal', {}, at(two))];
    await succeed(client, [merge(bare, linked)]);
    expect(await targets(bare)).toEqual([two.id]);
    expect(await versionOf(bare)).toBe('2');
    // From the other end: each deal has one company, and it is the one that stays.
    await succeed(client, [merge(one, two)]);
    expect(await targets(bare)).toEqual([one.id]);
    expect(await targets(kept)).toEqual([one.id]);
    expect([await versionOf(bare), await versionOf(kept)]).toEqual(['3', kept.version]);
  });

  test('leaves the links of records in the trash as they are, without versions or entries', async () => {
    const works = 'svc_contact_to_company';
    const [kept, duplicate] = [await make(client, 'svc_company'), await make(client, 'svc_company')];
    const source = await make(client, 'svc_contact', {}, [{ association_type: works, target_id: duplicate.id }]);
    const [first, second] = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
    const target = await make(client, 'svc_company');
    await succeed(client, [associate(second, works, target.id)]);
    for (const gone of [source, target]) await client.delete(pathOfRecord(gone));
    const cursor = await endOfFeed(client);
    await succeed(client, [merge(kept, duplicate), merge(first, second)]);
    expect((await changesSince(client, cursor)).map(({ type, record_id }) => [type, record_id])).toEqual([
      ['record.deleted', duplicate.id],
      ['record.deleted', second.id],
    ]);
    expect([await versionOf(kept), await versionOf(first)]).toEqual(['1', '1']);
    const restore = ({ object_type, id }: Source) => item('restore', object_type, { id });
    await succeed(client, [restore(source), restore(target)]);
    expect([await targets(source), await targets(first)]).toEqual([[], []]);
    // What they were linked to comes back with its links.
    await succeed(client, [restore(duplicate), restore(second)]);
    expect([await targets(source), await targets(second)]).toEqual([[duplicate.id], [target.id]]);
    expect((await changesSince(client, cursor)).filter(({ type }) => type.startsWith('association.'))).toEqual([]);
  });

  test('is seen by later items, and one merge can follow another', async () => {
    const [a, b, c] = [
      await make(client, 'svc_contact', { svc_email: ['a@chain.example'] }),
      await make(client, 'svc_contact', { svc_email: ['b@chain.example'] }),
      await make(client, 'svc_contact', { svc_email: ['c@chain.example'] }),
    ];
    const deal = await make(client, 'svc_deal', {}, [{ association_type: 'svc_deal_to_contact', target_id: c.id }]);
    const answer = await runBatch(client, [
      item('update', 'svc_contact', { id: c.id, properties: { svc_first_name: 'C' } }),
      merge(b, c),
      item('update', 'svc_contact', { id: c.id, properties: {} }),
      item('update', 'svc_deal', { id: deal.id, properties: { svc_name: 'Engine' } }),
      merge(a, b),
      item('create', 'svc_contact', { properties: { svc_email: ['C@chain.example'] } }),
      item('update', 'svc_contact', { id: a.id, properties: { svc_email: ['a@chain.example'] } }),
      item('create', 'svc_contact', { properties: { svc_email: ['C@chain.example'] } }),
    ]);
    expect(outcomesOf(answer)).toEqual([
      '200 2',
      '200 2',
      '404 record_unknown',
      '200 3',
      '200 2',
      '409 unique_value_taken',
      '200 3',
      '201 1',
    ]);
    expect(await targets(deal)).toEqual([a.id]);
    expect(await read(client, deal)).toMatchObject({ version: '4', properties: { svc_name: 'Engine' } });
    expect(sentValues(await read(client, a))).toEqual({ svc_email: ['a@chain.example'], svc_first_name: 'C' });
  });

  test('that fails, or whose batch fails, changes nothing', async () => {
    const [kept, duplicate] = [
      await make(client, 'svc_contact'),
      await make(client, 'svc_contact', { svc_headline: 'H' }),
    ];
    const deal = await make(client, 'svc_deal', {}, [
      { association_type: 'svc_deal_to_contact', target_id: duplicate.id },
    ]);
    const company = await make(client, 'svc_company');
    const answer = await runBatch(client, [
      merge(kept, kept),
      merge(kept, company),
      merge(kept, { ...kept, id: absentId }),
      item('merge', 'svc_contact', { id: kept.id }),
    ]);
    const [itself, otherType, absent, nothing] = resultsOf(answer);
    expect(itself).toMatchObject({ status: 400, problem: { errors: [{ pointer: '/operations/0/duplicate_id' }] } });
    expect([otherType?.problem?.reason, absent?.problem?.reason]).toEqual(['record_unknown', 'record_unknown']);
    expect(nothing?.problem?.errors).toMatchObject([{ pointer: '/operations/3/duplicate_id' }]);
    const failing = item('update', 'svc_contact', { id: duplicate.id, properties: {} });
    const atomic = await runBatch(client, [merge(kept, duplicate), failing], { atomic: true });
    await expectProblem(atomic, 'not_found', 'record_unknown');
    expect(faultsOf(atomic)).toMatchObject([{ pointer: '/operations/1/id' }]);
    const dry = await runBatch(client, [merge(kept, duplicate)], {}, { 'svc-dry-run': 'true' });
    expect(dry.body).toMatchObject({ dry_run: true, data: { succeeded: 1 } });
    for (const each of [kept, duplicate, deal]) expect(await read(client, each)).toEqual(each);
    expect(await targets(deal)).toEqual([duplicate.id]);
  });
});
