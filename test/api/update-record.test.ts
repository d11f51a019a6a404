// PATCH /objects/{object_type}/records/{id}/: works, refuses, permits (contract 2, 5 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { absentId } from '../support/operation-examples.ts';
import { exchange } from '../support/raw-exchange.ts';
import {
  clientWithSchema,
  contacts,
  faultsOf,
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

function patch(record: RecordData, properties: unknown, headers?: Record<string, string>): Promise<Answer> {
  return client.patch(pathOfRecord(record), { properties }, headers);
}

describe('an update', () => {
  test('sets and clears the named values as a whole, leaves the others unchanged, and gives the next version', async () => {
    const record = await make(client, 'svc_contact', {
      svc_first_name: 'Ada',
      svc_last_name: 'Byron',
      svc_email: ['one@update.example', 'two@update.example'],
      svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
      svc_summary: 'Gone soon',
    });
    await sleep(5);
    const answer = await patch(record, {
      svc_last_name: 'Lovelace',
      svc_email: ['two@update.example', 'three@update.example'],
      svc_phone_number: [],
      svc_summary: null,
      svc_headline: 'Countess',
    });
    expect(answer.status).toBe(200);
    expect(sentValues(answer.body.data)).toEqual({
      svc_first_name: 'Ada',
      svc_last_name: 'Lovelace',
      svc_email: ['two@update.example', 'three@update.example'],
      svc_headline: 'Countess',
    });
    expect(answer.body.data).toMatchObject({ id: record.id, object_type: 'svc_contact', version: '2' });
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(answer.headers.get('location')).toBeNull();
    const { svc_created_at, svc_updated_at } = answer.body.data.properties;
    expect(svc_created_at).toBe(record.properties['svc_created_at']);
    expect(Date.parse(svc_updated_at)).toBeGreaterThan(Date.parse(svc_created_at));
    expect(await read(client, record)).toEqual(answer.body.data);
    // A released value is free again.
    await make(client, 'svc_contact', { svc_email: ['one@update.example'] });
  });

  test('never merges an object: a currency must be sent whole and is replaced whole', async () => {
    const deal = await make(client, 'svc_deal', { svc_amount: { amount: '100', unit: 'USD' } });
    const answer = await patch(deal, { svc_amount: { amount: '200' } });
    await expectProblem(answer, 'validation_failed', 'wrong_shape');
    const replaced = await patch(deal, { svc_amount: { unit: 'EUR', amount: '0.50' } });
    expect(replaced.body.data.properties.svc_amount).toEqual({ amount: '0.50', unit: 'EUR' });
    expect((await patch(deal, { svc_amount: null })).body.data.properties).not.toHaveProperty('svc_amount');
  });

  test('that changes nothing makes no version and leaves the date', async () => {
    const sent = {
      svc_email: ['same@update.example'],
      svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
    };
    const record = await make(client, 'svc_contact', sent);
    await sleep(5);
    for (const properties of [
      {},
      sent,
      { svc_phone_number: [{ national_number: '1', country_code: 'GB' }] },
      { svc_first_name: null, svc_summary: null },
    ]) {
      const answer = await patch(record, properties);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual(record);
      expect(answer.headers.get('etag')).toBe('"1"');
    }
    expect(await read(client, record)).toEqual(record);
  });

  test('that writes the same value in another form is a change: values come back as they were sent', async () => {
    const company = await make(client, 'svc_company', { svc_employee_count: '12.5' });
    const answer = await patch(company, { svc_employee_count: '12.50' });
    expect(answer.body.data).toMatchObject({ version: '2', properties: { svc_employee_count: '12.50' } });
    const contact = await make(client, 'svc_contact', { svc_email: ['form@update.example'] });
    const spelt = await patch(contact, { svc_email: ['FORM@update.example'] });
    expect(spelt.body.data).toMatchObject({ version: '2', properties: { svc_email: ['FORM@update.example'] } });
    const swapped = await patch(contact, { svc_email: ['b@update.example', 'form@update.example'] });
    expect(swapped.body.data.version).toBe('3');
    const turned = await patch(contact, { svc_email: ['form@update.example', 'b@update.example'] });
    expect(turned.body.data.version).toBe('4');
  });

  test('counts versions past nine, and so does the ETag', async () => {
    const record = await make(client, 'svc_contact');
    for (let version = 2; version <= 12; version++) {
      const answer = await patch(record, { svc_first_name: `Ada ${version}` });
      expect(answer.body.data.version).toBe(String(version));
      expect(answer.headers.get('etag')).toBe(`"${version}"`);
    }
  });
});

describe('a refusal', () => {
  test('reports all errors of the values together, and changes nothing', async () => {
    const record = await make(client, 'svc_contact', { svc_first_name: 'Ada' });
    const answer = await patch(record, {
      svc_first_name: '',
      svc_emial: ['a@update.example'],
      svc_email: ['good@update.example', 'bad', 7],
      svc_phone_number: [{ country_code: 'XX', national_number: '1' }],
      svc_lead_score: 'tepid',
      svc_created_at: '2020-01-01T00:00:00Z',
      svc_last_activity_at: null,
      svc_last_name: 'x'.repeat(1_025),
      'a/b~c': 1,
    });
    await expectProblem(answer, 'validation_failed');
    const expected = [
      { pointer: '/properties/svc_first_name', property: 'svc_first_name', reason: 'wrong_shape' },
      {
        pointer: '/properties/svc_emial',
        property: 'svc_emial',
        reason: 'unknown_property',
        nearest: 'svc_email',
      },
      { pointer: '/properties/svc_email/1', property: 'svc_email', reason: 'wrong_shape' },
      { pointer: '/properties/svc_email/2', property: 'svc_email', reason: 'wrong_shape' },
      {
        pointer: '/properties/svc_phone_number/0/country_code',
        property: 'svc_phone_number',
        reason: 'wrong_shape',
      },
      { pointer: '/properties/svc_lead_score', property: 'svc_lead_score', reason: 'unknown_option' },
      { pointer: '/properties/svc_created_at', property: 'svc_created_at', reason: 'read_only_property' },
      { pointer: '/properties/svc_last_activity_at', property: 'svc_last_activity_at', reason: 'read_only_property' },
      { pointer: '/properties/svc_last_name', property: 'svc_last_name', reason: 'too_long' },
      { pointer: '/properties/a~1b~0c', property: 'a/b~c', reason: 'unknown_property' },
    ];
    expect(faultsOf(answer)).toEqual(expect.arrayContaining(expected));
    expect(faultsOf(answer)).toHaveLength(expected.length);
    const option = answer.body.errors?.find(({ reason }) => reason === 'unknown_option');
    expect(option?.allowed).toEqual(['cold', 'warm', 'hot']);
    // The error of a value says what was expected, as a JSON Schema, and what was received.
    for (const fault of answer.body.errors ?? []) {
      if (['wrong_shape', 'unknown_option', 'too_long'].includes(fault.reason)) {
        expect(fault.expected, fault.pointer).toMatchObject({ type: expect.any(String) });
      }
    }
    expect(option?.detail).toContain('tepid');
    expect(await read(client, record)).toEqual(record);
  });

  test('comes for members that only a create has, and for a missing properties', async () => {
    const record = await make(client, 'svc_contact');
    const path = pathOfRecord(record);
    const linked = await client.patch(path, { properties: {}, associations: [] });
    await expectProblem(linked, 'invalid_request', 'unknown_member');
    expect(faultsOf(linked)).toMatchObject([{ pointer: '/associations' }]);
    const bare = await client.patch(path, { svc_first_name: 'Ada' });
    expect(bare.status).toBe(400);
    expect(
      faultsOf(bare)
        .map((fault) => `${fault.pointer} ${fault.reason}`)
        .sort(),
    ).toEqual(['/properties invalid_member', '/svc_first_name unknown_member']);
  });

  test('comes for clearing a required property, but not for leaving it out', async () => {
    const properties = [{ name: 'code', label: 'Code', field_type: 'text', required: true }];
    const own = await clientWithSchema(service, { object_types: [{ name: 'asset', label: 'Asset', properties }] });
    const asset = await make(own, 'asset', { code: 'A' });
    const answer = await own.patch(pathOfRecord(asset), { properties: { code: null } });
    await expectProblem(answer, 'validation_failed', 'required_missing');
    expect(faultsOf(answer)).toEqual([{ pointer: '/properties/code', property: 'code', reason: 'required_missing' }]);
    expect((await own.patch(pathOfRecord(asset), { properties: {} })).status).toBe(200);
    expect((await own.patch(pathOfRecord(asset), { properties: { code: 'B' } })).body.data.version).toBe('2');
  });

  test('comes for a unique value of another record, never for its own', async () => {
    const holder = await make(client, 'svc_contact', { svc_email: ['held@update.example'] });
    const record = await make(client, 'svc_contact', { svc_email: ['own@update.example'], svc_first_name: 'Ada' });
    const answer = await patch(record, {
      svc_first_name: 'Grace',
      svc_email: ['OWN@update.example', 'new@update.example', 'Held@Update.example'],
    });
    await expectProblem(answer, 'conflict', 'unique_value_taken');
    const conflict = { object_type: 'svc_contact', property: 'svc_email', existing_id: holder.id };
    expect(answer.body.conflict).toEqual(conflict);
    expect(faultsOf(answer)).toMatchObject([{ pointer: '/properties/svc_email/2' }]);
    expect(await read(client, record)).toEqual(record);
    await make(client, 'svc_contact', { svc_email: ['new@update.example'] });
  });

  test('comes for a record that does not exist, of any type or form', async () => {
    const company = await make(client, 'svc_company');
    for (const id of [absentId, company.id, 'abc', '%00']) {
      const answer = await client.patch(`${contacts}${id}/`, { properties: {} });
      await expectProblem(answer, 'not_found', 'record_unknown');
    }
  });
});

describe('If-Match', () => {
  test('lets an update through that names the version, and no other', async () => {
    const record = await make(client, 'svc_contact');
    let version = 1;
    for (const [header, status] of [
      ['"1"', 200],
      ['"1"', 412],
      ['"1", "2"', 200],
      ['"9","3"', 200],
      ['*', 200],
      ['"55"', 412],
      ['"1", "2"', 412],
      ['W/"5"', 412],
      ['W/"5", "5"', 200],
      ['"06"', 412],
      ['"abc"', 412],
    ] as const) {
      const answer = await patch(record, { svc_first_name: `Ada ${version}` }, { 'if-match': header });
      expect(answer.status, header).toBe(status);
      if (status === 200) version++;
      else await expectProblem(answer, 'precondition_failed', 'version_mismatch');
      expect((await read(client, record)).version, header).toBe(String(version));
    }
  });

  test.each(['5', '"5', 'W/5', '"5" "6"', '', '"1", *', "'5'"])('is refused if it is not a tag: %s', async (header) => {
    const record = await make(client, 'svc_contact');
    const path = pathOfRecord(record);
    const body = '{"properties":{"svc_first_name":"Ada"}}';
    const headers = [
      ['Authorization', `Bearer ${client.key}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['If-Match', header],
    ] as const;
    const answer = await exchange(service.port, { method: 'PATCH', target: `/rest/v1${path}`, headers, body });
    await client.verify('PATCH', path, answer);
    await expectProblem(answer, 'invalid_request', 'invalid_header');
    expect(faultsOf(answer)).toEqual([{ parameter: 'If-Match', reason: 'invalid_header' }]);
    expect(await read(client, record)).toEqual(record);
  });

  test('does not hold for a record that does not exist, and holds for an update that changes nothing', async () => {
    const answer = await client.patch(`${contacts}${absentId}/`, { properties: {} }, { 'if-match': '*' });
    expect([404, 412]).toContain(answer.status);
    const record = await make(client, 'svc_contact');
    expect((await patch(record, {}, { 'if-match': '"1"' })).status).toBe(200);
    expect((await patch(record, {}, { 'if-match': '"2"' })).status).toBe(412);
  });

  test('is the only condition: If-None-Match is refused, because it would be ignored', async () => {
    const record = await make(client, 'svc_contact');
    const answer = await patch(record, { svc_first_name: 'Ada' }, { 'if-none-match': '*' });
    await expectProblem(answer, 'invalid_request', 'invalid_header');
    expect(await read(client, record)).toEqual(record);
  });
});

test('a dry run answers as the update would, and stores nothing', async () => {
  const record = await make(client, 'svc_contact', { svc_email: ['dry@update.example'] });
  const dry = { 'svc-dry-run': 'true' };
  const answer = await patch(record, { svc_first_name: 'Ada', svc_email: ['else@update.example'] }, dry);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ dry_run: true, data: { version: '2', properties: { svc_first_name: 'Ada' } } });
  expect(answer.headers.get('etag')).toBe('"2"');
  expect(await read(client, record)).toEqual(record);
  await make(client, 'svc_contact', { svc_email: ['else@update.example'] });
  const taken = await patch(record, { svc_email: ['else@update.example'] }, dry);
  await expectProblem(taken, 'conflict', 'unique_value_taken');
  const stale = await patch(record, {}, { ...dry, 'if-match': '"7"' });
  await expectProblem(stale, 'precondition_failed', 'version_mismatch');
  for (const wrong of ['TRUE', '1', 'yes', '']) {
    const refused = await patch(record, { svc_first_name: 'X' }, { 'svc-dry-run': wrong });
    await expectProblem(refused, 'invalid_request', 'invalid_header');
  }
  expect(await read(client, record)).toEqual(record);
});

test('a property that the key cannot see is unknown, and is never suggested as the nearest', async () => {
  const orgId = await service.createOrg();
  const record = await make(service.client((await service.createKey(orgId)).key), 'svc_contact');
  const grants = [{ objectTypes: ['svc_contact'], operations: ['update'] as const }];
  const own = service.client((await service.createKey(orgId, { grants })).key);
  const hidden = 'svc_potential_deal_total';
  const answer = await own.patch(pathOfRecord(record), { properties: { [hidden]: null, svc_potential_deal_totla: 1 } });
  expect(faultsOf(answer).map(({ reason, nearest }) => [reason, nearest])).toEqual(
    Array(2).fill(['unknown_property', undefined]),
  );
  for (const path of [contacts, pathOfRecord(record)]) {
    const read = await own.get(`${path}?properties=${hidden},svc_potential_deal_totla`);
    expect(faultsOf(read).map(({ reason, nearest }) => [reason, nearest])).toEqual(
      Array(2).fill(['unknown_property', undefined]),
    );
  }
});

test('needs update on the type, and nothing else', async () => {
  const orgId = await service.createOrg();
  const record = await make(service.client((await service.createKey(orgId)).key), 'svc_contact');
  for (const operation of ['read', 'create', 'update', 'delete', 'associate'] as const) {
    const grants = [{ objectTypes: ['svc_contact'], operations: [operation] }];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    const answer = await own.patch(pathOfRecord(record), { properties: { svc_first_name: operation } });
    if (operation === 'update') expect(answer.status).toBe(200);
    else await expectProblem(answer, 'forbidden', 'operation_not_granted');
  }
});
