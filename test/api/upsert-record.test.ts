// PUT /objects/{object_type}/records/?match=…: works, refuses, permits (contract 2, 5, 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import {
  clientWithSchema,
  companies,
  contacts,
  faultsOf,
  listedIds,
  make,
  pathOfRecord,
  read,
  recordsPath,
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

function byEmail(properties: object, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
  return client.put(`${contacts}?match=svc_email`, { properties, ...more }, headers);
}

describe('an upsert', () => {
  test('creates a record if none has the value, and updates the one that has it', async () => {
    const first = await byEmail({ svc_email: ['ada@upsert.example'], svc_first_name: 'Ada' });
    expect(first.status).toBe(201);
    expect(first.body.data).toMatchObject({ object_type: 'svc_contact', version: '1' });
    expect(first.headers.get('etag')).toBe('"1"');
    const location = new URL(first.headers.get('location') ?? '', service.url);
    expect(location.pathname).toBe(`/rest/v1${pathOfRecord(first.body.data)}`);

    const second = await byEmail({ svc_email: ['ADA@upsert.example'], svc_last_name: 'Lovelace' });
    expect(second.status).toBe(200);
    expect(second.body.data).toMatchObject({ id: first.body.data.id, version: '2' });
    expect(sentValues(second.body.data)).toEqual({
      svc_first_name: 'Ada',
      svc_last_name: 'Lovelace',
      svc_email: ['ADA@upsert.example'],
    });
    expect(second.headers.get('etag')).toBe('"2"');
    expect(second.headers.get('location')).toBeNull();
    expect(await read(client, first.body.data)).toEqual(second.body.data);
  });

  test('matches by any element of a multi-valued property, and replaces the list whole', async () => {
    const record = await make(client, 'svc_contact', { svc_email: ['a@any.example', 'b@any.example'] });
    const answer = await byEmail({ svc_email: ['new@any.example', 'B@any.example'] });
    expect(answer.status).toBe(200);
    expect(answer.body.data.id).toBe(record.id);
    expect(answer.body.data.properties.svc_email).toEqual(['new@any.example', 'B@any.example']);
    expect((await byEmail({ svc_email: ['a@any.example'] })).status).toBe(201);
  });

  test('matches by a single-valued property', async () => {
    const path = `${companies}?match=svc_domain`;
    const made = await client.put(path, { properties: { svc_domain: 'upsert.example', svc_name: 'One' } });
    expect(made.status).toBe(201);
    const again = await client.put(path, { properties: { svc_domain: 'upsert.example', svc_name: null } });
    expect(again.status).toBe(200);
    expect(again.body.data).toMatchObject({ id: made.body.data.id, version: '2' });
    expect(sentValues(again.body.data)).toEqual({ svc_domain: 'upsert.example' });
  });

  test('that changes nothing makes no version', async () => {
    const properties = { svc_email: ['same@upsert.example'], svc_first_name: 'Ada' };
    const first = await byEmail(properties);
    const second = await byEmail(properties);
    expect(second.status).toBe(200);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers.get('etag')).toBe('"1"');
  });

  test('adds links that do not exist yet, in one version with the values', async () => {
    const [one, two] = [await make(client, 'svc_company'), await make(client, 'svc_company')];
    const link = (target: { id: string }) => ({ association_type: 'svc_contact_to_company', target_id: target.id });
    const properties = { svc_email: ['links@upsert.example'] };
    const made = await byEmail(properties, { associations: [link(one)] });
    expect(made.body.data.version).toBe('1');
    const { id } = made.body.data;
    expect(await targetsOf(service, id)).toEqual([one.id]);
    const more = { ...properties, svc_first_name: 'Ada' };
    const added = await byEmail(more, { associations: [link(one), link(two)] });
    expect(added.status).toBe(200);
    expect(added.body.data.version).toBe('2');
    expect(await targetsOf(service, id)).toEqual([one.id, two.id]);
    const again = await byEmail(more, { associations: [link(two)] });
    expect(again.body.data).toEqual(added.body.data);
    const unlinked = await byEmail({ ...more, svc_first_name: 'B' }, { associations: [link({ id })] });
    await expectProblem(unlinked, 'not_found', 'target_unknown');
    expect(faultsOf(unlinked)).toMatchObject([{ pointer: '/associations/0/target_id' }]);
    expect(await read(client, added.body.data)).toEqual(added.body.data);
  });

  test('ignores a record in the trash', async () => {
    const record = await make(client, 'svc_contact', { svc_email: ['trash@upsert.example'] });
    await client.delete(pathOfRecord(record));
    const answer = await byEmail({ svc_email: ['trash@upsert.example'] });
    expect(answer.status).toBe(201);
    expect(answer.body.data.id).not.toBe(record.id);
  });

  test('matches by the value, not by its spelling, for every field type', async () => {
    const unique = { label: 'Key', unique: true };
    const properties = [
      { name: 'code', field_type: 'number', ...unique },
      { name: 'seen_at', field_type: 'datetime', ...unique },
      { name: 'prices', field_type: 'currency', multi_valued: true, ...unique },
    ];
    const own = await clientWithSchema(service, { object_types: [{ name: 'asset', label: 'Asset', properties }] });
    for (const [name, first, second] of [
      ['code', '12.5', '0012.50'],
      ['seen_at', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000000+01:00'],
      ['prices', [{ amount: '1', unit: 'EUR' }], [{ unit: 'EUR', amount: '1.00' }]],
    ] as const) {
      const path = `${recordsPath('asset')}?match=${name}`;
      const made = await own.put(path, { properties: { [name]: first } });
      expect(made.status, name).toBe(201);
      const again = await own.put(path, { properties: { [name]: second } });
      expect(again.status, name).toBe(200);
      expect(again.body.data.id).toBe(made.body.data.id);
      expect(again.body.data.properties[name]).toEqual(second);
    }
    const other = await own.put(`${recordsPath('asset')}?match=prices`, {
      properties: { prices: [{ amount: '1', unit: 'USD' }] },
    });
    expect(other.status).toBe(201);
  });
});

describe('a refusal', () => {
  test('comes when two records match, and neither changes', async () => {
    const [one, two] = [
      await make(client, 'svc_contact', { svc_email: ['one@both.example'] }),
      await make(client, 'svc_contact', { svc_email: ['two@both.example'] }),
    ];
    const answer = await byEmail({ svc_email: ['TWO@both.example', 'new@both.example', 'one@both.example'] });
    await expectProblem(answer, 'conflict', 'multiple_matches');
    expect(answer.body.conflict).toMatchObject({ object_type: 'svc_contact', property: 'svc_email' });
    expect(await read(client, one)).toEqual(one);
    expect(await read(client, two)).toEqual(two);
  });

  test('comes when another unique value is taken, with the holder', async () => {
    const unique = { label: 'Code', field_type: 'text', unique: true };
    const own = await clientWithSchema(service, { properties: { svc_company: [{ name: 'code', ...unique }] } });
    const holder = await make(own, 'svc_company', { code: 'Straße' });
    const record = await make(own, 'svc_company', { svc_domain: 'code.example' });
    const path = `${companies}?match=svc_domain`;
    for (const svc_domain of ['code.example', 'nobody.example']) {
      const answer = await own.put(path, { properties: { svc_domain, code: 'STRAßE' } });
      await expectProblem(answer, 'conflict', 'unique_value_taken');
      expect(answer.body.conflict).toEqual({
        object_type: 'svc_company',
        property: 'code',
        existing_id: holder.id,
      });
    }
    expect(await listedIds(own, 'svc_company')).toEqual([holder.id, record.id]);
  });

  test.each([
    ['nothing', ''],
    ['an empty name', '?match='],
    ['a property that is not unique', '?match=svc_first_name'],
    ['a property that does not exist', '?match=svc_emails'],
    ['a name that every object has', '?match=constructor'],
    ['two properties', '?match=svc_email,svc_domain'],
    ['a NUL', '?match=%00'],
  ])('comes when match names %s', async (_, query) => {
    const answer = await client.put(`${contacts}${query}`, { properties: { svc_email: ['a@match.example'] } });
    await expectProblem(answer, 'invalid_request', 'invalid_parameter');
    expect(faultsOf(answer)).toMatchObject([{ parameter: 'match', reason: 'invalid_parameter' }]);
  });

  test('comes when match is repeated or sent with unknown parameters, together with the errors of the body', async () => {
    const answer = await client.put(`${contacts}?match=svc_email&match=svc_email&on=1`, { properties: {}, more: 1 });
    await expectProblem(answer, 'invalid_request');
    const places = faultsOf(answer).map(({ pointer, parameter, reason }) => `${pointer ?? parameter} ${reason}`);
    expect(places.sort()).toEqual(['/more unknown_member', 'match repeated_parameter', 'on unknown_parameter']);
  });

  test('comes when the body lacks the match property, with all other errors', async () => {
    for (const value of [{}, { svc_email: null }, { svc_email: [] }]) {
      const answer = await byEmail({ ...value, svc_frist_name: 'Ada' });
      await expectProblem(answer, 'validation_failed');
      expect(faultsOf(answer)).toEqual(
        expect.arrayContaining([
          { pointer: '/properties/svc_email', property: 'svc_email', reason: 'required_missing' },
          expect.objectContaining({ property: 'svc_frist_name', nearest: 'svc_first_name' }),
        ]),
      );
      expect(faultsOf(answer)).toHaveLength(2);
      const absent = answer.body.errors?.find(({ reason }) => reason === 'required_missing');
      expect(absent).toMatchObject({ expected: { type: 'array', items: { type: 'string' }, minItems: 1 } });
    }
    const wrong = await byEmail({ svc_email: ['no address'] });
    await expectProblem(wrong, 'validation_failed', 'wrong_shape');
    expect(faultsOf(wrong)).toMatchObject([{ pointer: '/properties/svc_email/0' }]);
  });

  test('comes when a new record would lack a required value; an existing one has it', async () => {
    const unique = { label: 'Code', field_type: 'text', unique: true };
    const name = { name: 'name', label: 'Name', field_type: 'text', required: true };
    const object_types = [{ name: 'asset', label: 'Asset', properties: [{ name: 'code', ...unique }, name] }];
    const own = await clientWithSchema(service, { object_types });
    const path = `${recordsPath('asset')}?match=code`;
    const refused = await own.put(path, { properties: { code: 'A' } });
    await expectProblem(refused, 'validation_failed', 'required_missing');
    expect(faultsOf(refused)).toEqual([{ pointer: '/properties/name', property: 'name', reason: 'required_missing' }]);
    const record = await make(own, 'asset', { code: 'A', name: 'Engine' });
    const updated = await own.put(path, { properties: { code: 'a' } });
    expect(updated.status).toBe(200);
    expect(updated.body.data).toMatchObject({ id: record.id, properties: { code: 'a', name: 'Engine' } });
    const cleared = await own.put(path, { properties: { code: 'a', name: null } });
    await expectProblem(cleared, 'validation_failed', 'required_missing');
  });
});

describe('If-None-Match: *', () => {
  test('creates only', async () => {
    const only = { 'if-none-match': '*' };
    const first = await byEmail({ svc_email: ['only@upsert.example'] }, {}, only);
    expect(first.status).toBe(201);
    const second = await byEmail({ svc_email: ['Only@upsert.example'], svc_first_name: 'X' }, {}, only);
    await expectProblem(second, 'precondition_failed', 'already_exists');
    expect(await read(client, first.body.data)).toEqual(first.body.data);
  });

  test('is the only form, and If-Match is refused here', async () => {
    for (const headers of [{ 'if-none-match': '"1"' }, { 'if-none-match': '' }, { 'if-match': '"1"' }]) {
      const answer = await byEmail({ svc_email: ['form@upsert.example'] }, {}, headers);
      await expectProblem(answer, 'invalid_request', 'invalid_header');
    }
  });
});

test('a dry run answers as the upsert would, created or updated, and stores nothing', async () => {
  const dry = { 'svc-dry-run': 'true' };
  const properties = { svc_email: ['dry@upsert.example'] };
  const before = await listedIds(client, 'svc_contact');
  const created = await byEmail(properties, {}, dry);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ dry_run: true, data: { version: '1' } });
  expect(await listedIds(client, 'svc_contact')).toEqual(before);
  const record = await make(client, 'svc_contact', properties);
  const updated = await byEmail({ ...properties, svc_first_name: 'Ada' }, {}, dry);
  expect(updated.status).toBe(200);
  expect(updated.body).toMatchObject({ dry_run: true, data: { id: record.id, version: '2' } });
  expect(await read(client, record)).toEqual(record);
  const refused = await byEmail(properties, {}, { ...dry, 'if-none-match': '*' });
  await expectProblem(refused, 'precondition_failed', 'already_exists');
});

test('needs create and update, whether a record is created or updated, and associate for links', async () => {
  const orgId = await service.createOrg();
  const full = service.client((await service.createKey(orgId)).key);
  const company = await make(full, 'svc_company');
  const properties = { svc_email: ['grant@upsert.example'] };
  await make(full, 'svc_contact', properties);
  const associations = [{ association_type: 'svc_contact_to_company', target_id: company.id }];
  for (const [operations, plain, linked] of [
    [['create'], 403, 403],
    [['update'], 403, 403],
    [['create', 'update'], 200, 403],
    [['create', 'update', 'associate'], 200, 200],
    [['read', 'delete', 'associate'], 403, 403],
  ] as const) {
    const grants = [
      { objectTypes: ['svc_contact'], operations },
      { objectTypes: ['svc_company'], operations: ['read' as const] },
    ];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    const path = `${contacts}?match=svc_email`;
    expect((await own.put(path, { properties })).status, operations.join()).toBe(plain);
    expect((await own.put(path, { properties, associations })).status, operations.join()).toBe(linked);
    const fresh = await own.put(path, { properties: { svc_email: [`${operations.length}@fresh.example`] } });
    if (plain === 403) await expectProblem(fresh, 'forbidden', 'operation_not_granted');
  }
});
