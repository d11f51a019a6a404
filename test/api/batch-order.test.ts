// The items of a batch among each other (contract 5): later ones see what earlier ones did, and name their records by
// refs in place of any id.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { item, outcomesOf, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import { faultsOf, listedIds, make, pathOfRecord, read, sentValues, targetsOf } from '../support/records.ts';
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
const remove = (id: unknown) => item('delete', 'svc_contact', { id });
const restore = (id: unknown) => item('restore', 'svc_contact', { id });
const email = (...addresses: readonly string[]) => ({ svc_email: addresses.map((each) => `${each}@order.example`) });
const both = [false, true] as const;

describe.each(both)('later items see earlier ones (atomic: %s)', (atomic) => {
  const unique = atomic ? 'a' : 'b';

  test('one record is created, updated, deleted and restored, with a version for each', async () => {
    const ref = { ref: 'ada' };
    const answer = await runBatch(
      client,
      [
        create({ svc_first_name: 'Ada', ...email(`life-${unique}`) }, ref),
        update(ref, { svc_last_name: 'Byron' }),
        update(ref, { svc_last_name: 'Byron' }),
        update(ref, { svc_last_name: 'Lovelace' }),
        remove(ref),
        restore(ref),
        update(ref, { svc_first_name: null }),
      ],
      { atomic },
    );
    expect(answer.status, answer.text).toBe(200);
    const results = resultsOf(answer);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    const versions = results.map(({ version }) => version);
    expect([...versions.slice(0, 4), ...versions.slice(5)]).toEqual(['1', '2', '2', '3', '5', '6']);
    const record = await read(client, { object_type: 'svc_contact', id: results[0]?.id ?? '' });
    expect(record.version).toBe('6');
    expect(sentValues(record)).toEqual({ svc_last_name: 'Lovelace', ...email(`life-${unique}`) });
  });

  test('a value that one record releases is free for the next', async () => {
    const one = await make(client, 'svc_contact', email(`give-${unique}`));
    const two = await make(client, 'svc_contact', email(`other-${unique}`));
    const answer = await runBatch(
      client,
      [
        update(one.id, email(`new-${unique}`)),
        update(two.id, email(`GIVE-${unique}`)),
        create(email(`other-${unique}`)),
        remove(two.id),
        create(email(`give-${unique}`)),
      ],
      { atomic },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(sentValues(await read(client, one))).toEqual(email(`new-${unique}`));
  });

  test('two records exchange their values by way of a third', async () => {
    const [one, two] = [
      await make(client, 'svc_contact', email(`left-${unique}`)),
      await make(client, 'svc_contact', email(`right-${unique}`)),
    ];
    const answer = await runBatch(
      client,
      [
        update(one.id, { svc_email: null }),
        update(two.id, email(`left-${unique}`)),
        update(one.id, email(`right-${unique}`)),
      ],
      { atomic },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(sentValues(await read(client, one))).toEqual(email(`right-${unique}`));
    expect(sentValues(await read(client, two))).toEqual(email(`left-${unique}`));
    expect((await client.post('/objects/svc_contact/records/', { properties: email(`left-${unique}`) })).status).toBe(
      409,
    );
  });

  test('an upsert finds the record of an earlier item, and two upserts of one value create one record', async () => {
    const upsert = (properties: object) => item('upsert', 'svc_contact', { match: 'svc_email', properties });
    const answer = await runBatch(
      client,
      [
        upsert(email(`up-${unique}`)),
        upsert({ ...email(`UP-${unique}`, `up2-${unique}`), svc_first_name: 'Ada' }),
        upsert(email(`up2-${unique}`)),
        create(email(`up3-${unique}`)),
        upsert(email(`up3-${unique}`)),
      ],
      { atomic },
    );
    expect(outcomesOf(answer)).toEqual(['201 1', '200 2', '200 3', '201 1', '200 1']);
    const ids = resultsOf(answer).map(({ id }) => id);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[4]).toBe(ids[3]);
  });
});

describe('the order of items decides', () => {
  test('a value that is claimed before it is released is a conflict of the claiming item alone', async () => {
    const [one, two] = [await make(client, 'svc_contact', email('early')), await make(client, 'svc_contact')];
    const items = [update(two.id, email('EARLY')), update(one.id, { svc_email: null })];
    const answer = await runBatch(client, items);
    expect(outcomesOf(answer)).toEqual(['409 unique_value_taken', '200 2']);
    expect(resultsOf(answer)[0]?.problem?.conflict).toEqual({
      object_type: 'svc_contact',
      property: 'svc_email',
      existing_id: one.id,
    });
    expect(await read(client, two)).toEqual(two);
    await succeed(client, [update(one.id, email('early'))]);
    const atomic = await runBatch(client, items, { atomic: true });
    await expectProblem(atomic, 'conflict', 'unique_value_taken');
    expect(faultsOf(atomic)).toMatchObject([{ pointer: '/operations/0/properties/svc_email/0' }]);
    expect((await read(client, one)).properties['svc_email']).toEqual(['early@order.example']);
  });

  test('a deleted record does not exist for the next item, and a refused one never existed', async () => {
    const record = await make(client, 'svc_contact', email('gone'));
    const answer = await runBatch(client, [
      remove(record.id),
      update(record.id, {}),
      remove(record.id),
      create(email('gone'), { ref: 'heir' }),
      restore(record.id),
      remove({ ref: 'heir' }),
      restore(record.id),
    ]);
    expect(outcomesOf(answer).map((each) => each.split(' ')[0])).toEqual([
      '200',
      '404',
      '404',
      '201',
      '409',
      '200',
      '200',
    ]);
    expect((await read(client, record)).version).toBe('3');
    expect(await listedIds(client, 'svc_contact')).not.toContain(resultsOf(answer)[3]?.id);
  });

  test('two creates of one value are one record and one conflict with it', async () => {
    const answer = await runBatch(client, [
      create(email('twin')),
      create(email('other', 'TWIN')),
      create(email('other')),
    ]);
    expect(outcomesOf(answer)).toEqual(['201 1', '409 unique_value_taken', '201 1']);
    expect(resultsOf(answer)[1]?.problem?.conflict?.existing_id).toBe(resultsOf(answer)[0]?.id);
  });
});

describe('a ref', () => {
  test('replaces any id, with any operation that made the record', async () => {
    const existing = await make(client, 'svc_contact');
    const trashed = await make(client, 'svc_contact');
    await client.delete(pathOfRecord(trashed));
    const link = (target: string) => ({ association_type: 'svc_contact_to_company', target_id: { ref: target } });
    const results = await succeed(client, [
      item('create', 'svc_company', { properties: {}, ref: 'firm' }),
      item('upsert', 'svc_company', { match: 'svc_domain', properties: { svc_domain: 'ref.example' }, ref: 'shop' }),
      create({}, { ref: 'one', associations: [link('firm'), link('shop')] }),
      item('upsert', 'svc_contact', {
        match: 'svc_email',
        properties: email('ref'),
        associations: [link('shop')],
        ref: 'two',
      }),
      { ...update(existing.id, { svc_first_name: 'E' }), ref: 'three' },
      item('associate', 'svc_contact', { id: { ref: 'three' }, ...link('firm') }),
      item('dissociate', 'svc_contact', { id: { ref: 'one' }, ...link('firm') }),
      { ...restore(trashed.id), ref: 'four' },
      update({ ref: 'four' }, { svc_first_name: 'F' }),
      item('merge', 'svc_contact', { id: { ref: 'one' }, duplicate_id: { ref: 'two' }, ref: 'merged' }),
      update({ ref: 'merged' }, { svc_first_name: 'M' }),
      remove({ ref: 'three' }),
      restore({ ref: 'three' }),
      { ...remove({ ref: 'four' }), ref: 'five' },
      restore({ ref: 'five' }),
    ]);
    const id = (index: number) => results[index]?.id ?? '';
    expect(await targetsOf(service, id(2))).toEqual([id(1)]);
    expect(await targetsOf(service, existing.id)).toEqual([id(0)]);
    const merged = await read(client, { object_type: 'svc_contact', id: id(2) });
    expect(sentValues(merged)).toEqual({ ...email('ref'), svc_first_name: 'M' });
    expect(id(9)).toBe(id(2));
    expect((await client.get(pathOfRecord({ object_type: 'svc_contact', id: id(3) }))).status).toBe(404);
    expect(sentValues(await read(client, trashed))).toEqual({ svc_first_name: 'F' });
    expect(sentValues(await read(client, existing))).toEqual({ svc_first_name: 'E' });
  });

  test('that is unknown is 422, with its own pointer, in every place that takes one', async () => {
    const { id } = await make(client, 'svc_contact');
    const none = { ref: 'none' };
    const link = { association_type: 'svc_contact_to_company' };
    const associations = [{ ...link, target_id: none }];
    for (const [wrong, place] of [
      [update(none, {}), '/id'],
      [remove(none), '/id'],
      [restore(none), '/id'],
      [item('merge', 'svc_contact', { id: none, duplicate_id: id }), '/id'],
      [item('merge', 'svc_contact', { id, duplicate_id: none }), '/duplicate_id'],
      [item('associate', 'svc_contact', { id: none, ...link, target_id: absentId }), '/id'],
      [item('associate', 'svc_contact', { id, ...link, target_id: none }), '/target_id'],
      [item('dissociate', 'svc_contact', { id, ...link, target_id: none }), '/target_id'],
      [create({}, { associations }), '/associations/0/target_id'],
      [
        item('upsert', 'svc_contact', { match: 'svc_email', properties: email('none'), associations }),
        '/associations/0/target_id',
      ],
    ] as const) {
      const [, result] = resultsOf(await runBatch(client, [create(), wrong]));
      expect(result).toMatchObject({ status: 422, problem: { code: 'validation_failed', reason: 'unknown_ref' } });
      expect(result?.problem?.errors).toMatchObject([{ pointer: `/operations/1${place}`, reason: 'unknown_ref' }]);
      const atomic = await runBatch(client, [create(), wrong], { atomic: true });
      await expectProblem(atomic, 'validation_failed', 'unknown_ref');
      expect(faultsOf(atomic)).toMatchObject([{ pointer: `/operations/1${place}` }]);
    }
  });

  test('of an item that failed, comes later, or is the item itself is unknown', async () => {
    const answer = await runBatch(client, [
      create({ nope: 1 }, { ref: 'failed' }),
      update({ ref: 'failed' }, {}),
      update({ ref: 'later' }, {}),
      create({}, { ref: 'later' }),
      { ...update({ ref: 'self' }, {}), ref: 'self' },
      update({ ref: 'self' }, {}),
      update({ ref: 'later' }, {}),
      update({ ref: '__proto__' }, {}),
    ]);
    const unknown = '422 unknown_ref';
    const expected = ['422 unknown_property', unknown, unknown, '201 1', unknown, unknown, '200 1', unknown];
    expect(outcomesOf(answer)).toEqual(expected);
  });

  test('that is unknown is reported with the other errors of its item', async () => {
    const associations = ['one', 'two'].map((ref) => ({
      association_type: 'svc_contact_to_company',
      target_id: { ref },
    }));
    const [result] = resultsOf(await runBatch(client, [create({}, { associations })]));
    expect(result?.problem?.errors).toMatchObject([
      { pointer: '/operations/0/associations/0/target_id', reason: 'unknown_ref' },
      { pointer: '/operations/0/associations/1/target_id', reason: 'unknown_ref' },
    ]);
  });

  test('is given once, and its form is checked', async () => {
    const answer = await runBatch(client, [
      create({ svc_first_name: 'first' }, { ref: 'same' }),
      create({ svc_first_name: 'second' }, { ref: 'same' }),
      update({ ref: 'same' }, { svc_last_name: 'X' }),
      create({}, { ref: '' }),
      create({}, { ref: 5 }),
    ]);
    const refused = '400 invalid_member';
    expect(outcomesOf(answer)).toEqual(['201 1', refused, '200 2', refused, refused]);
    const [first, second, third, ...others] = resultsOf(answer);
    expect(second?.problem?.errors).toMatchObject([{ pointer: '/operations/1/ref' }]);
    expect(others.map(({ problem }) => problem?.errors?.[0]?.pointer)).toEqual([
      '/operations/3/ref',
      '/operations/4/ref',
    ]);
    expect(third?.id).toBe(first?.id);
  });

  test('leads to a record of its own type alone', async () => {
    const answer = await runBatch(client, [
      item('create', 'svc_company', { properties: {}, ref: 'firm' }),
      update({ ref: 'firm' }, {}),
      item('associate', 'svc_company', {
        id: { ref: 'firm' },
        association_type: 'svc_contact_to_company',
        target_id: { ref: 'firm' },
      }),
      create({}, { ref: 'ada' }),
      item('associate', 'svc_contact', {
        id: { ref: 'ada' },
        association_type: 'svc_contact_to_company',
        target_id: { ref: 'ada' },
      }),
    ]);
    expect(outcomesOf(answer)).toEqual([
      '201 1',
      '404 record_unknown',
      '404 association_type_unknown',
      '201 1',
      '404 target_unknown',
    ]);
  });
});
