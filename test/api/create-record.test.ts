// POST /objects/{object_type}/records/: works, refuses, permits (contract 2, 5, 6 and 8).
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

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('a record that is created', () => {
  test('is answered whole, with its address and its tag, and read back the same', async () => {
    const sent = {
      svc_first_name: 'Ada',
      svc_email: ['Ada@Example.com', 'ada@work.example'],
      svc_phone_number: [{ country_code: 'GB', national_number: '2079460958' }],
      svc_lead_score: 'hot',
    };
    const before = Date.now();
    const answer = await client.post(contacts, { properties: sent });
    const after = Date.now();
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(Object.keys(data).sort()).toEqual(['id', 'object_type', 'properties', 'version']);
    expect(data).toMatchObject({ object_type: 'svc_contact', version: '1' });
    expect(sentValues(data)).toEqual(sent);
    const { svc_created_at, svc_updated_at } = data.properties;
    expect(svc_created_at).toMatch(moment);
    expect(svc_updated_at).toBe(svc_created_at);
    expect(Date.parse(svc_created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(svc_created_at)).toBeLessThanOrEqual(after);
    expect(answer.headers.get('etag')).toBe('"1"');
    const location = new URL(answer.headers.get('location') ?? '', service.url);
    expect(location.href).toBe(`${service.url}/rest/v1${pathOfRecord(data)}`);
    expect((await client.raw('GET', location.pathname)).body.data).toEqual(data);
    expect('dry_run' in answer.body).toBe(false);
  });

  test('may be empty, and null and [] are as if nothing had been sent', async () => {
    for (const properties of [{}, { svc_first_name: null, svc_email: [], svc_phone_number: null }]) {
      const record = await make(client, 'svc_contact', properties);
      expect(Object.keys(record.properties).sort()).toEqual(['svc_created_at', 'svc_updated_at']);
      expect(await read(client, record)).toEqual(record);
    }
  });

  test('may hold one address in two spellings: it does not conflict with itself', async () => {
    const properties = { svc_email: ['twice@example.com', 'TWICE@example.com', 'twice@example.com'] };
    expect(sentValues(await make(client, 'svc_contact', properties))).toEqual(properties);
  });

  test.each(['svc_deal', 'svc_note', 'svc_deal_pipeline', 'svc_contact_lifecycle_stage', 'svc_call'])(
    'can be a %s, with the same shape of URL',
    async (type) => {
      const record = await make(client, type);
      expect(record.object_type).toBe(type);
      expect(await read(client, record)).toEqual(record);
    },
  );
});

describe('links that are made with a record', () => {
  test('are made in the same write, which is the first version, each once', async () => {
    const [one, two] = [await make(client, 'svc_contact'), await make(client, 'svc_contact')];
    const company = await make(client, 'svc_company');
    const deal = await make(client, 'svc_deal', { svc_name: 'Engine' }, [
      { association_type: 'svc_deal_to_contact', target_id: one.id },
      { association_type: 'svc_deal_to_company', target_id: company.id },
      { association_type: 'svc_deal_to_contact', target_id: two.id },
      { association_type: 'svc_deal_to_contact', target_id: one.id },
    ]);
    expect(deal.version).toBe('1');
    expect(deal.properties['svc_updated_at']).toBe(deal.properties['svc_created_at']);
    expect(await targetsOf(service, deal.id)).toEqual([one.id, two.id, company.id]);
    for (const target of [one, two, company]) expect(await read(client, target)).toEqual(target);
  });

  test('are up to 100', async () => {
    const company = await make(client, 'svc_company');
    const link = { association_type: 'svc_contact_to_company', target_id: company.id };
    const contact = await make(client, 'svc_contact', {}, Array(100).fill(link));
    expect(await targetsOf(service, contact.id)).toEqual([company.id]);
    const answer = await client.post(contacts, { properties: {}, associations: Array(101).fill(link) });
    await expectProblem(answer, 'invalid_request', 'invalid_member');
    expect(faultsOf(answer)).toEqual([{ pointer: '/associations', reason: 'invalid_member' }]);
  });

  test('are refused with the pointer of the unknown one, and no record is made', async () => {
    const [contact, deal] = [await make(client, 'svc_contact'), await make(client, 'svc_deal')];
    const deleted = await make(client, 'svc_contact');
    await client.delete(pathOfRecord(deleted));
    const before = await listedIds(client, 'svc_deal');
    for (const [association_type, target_id, reason] of [
      ['svc_deal_to_nothing', contact.id, 'association_type_unknown'],
      ['svc_contact_to_company', contact.id, 'association_type_unknown'],
      ['svc_note_to_deal', deal.id, 'association_type_unknown'],
      ['svc_deal_to_contact', deal.id, 'target_unknown'],
      ['svc_deal_to_contact', deleted.id, 'target_unknown'],
      ['svc_deal_to_contact', contact.id.toUpperCase(), 'target_unknown'],
      ['svc_deal_to_contact', '', 'target_unknown'],
      ['svc_deal_to_contact', '\0\ud800', 'target_unknown'],
      ['svc_deal_to_\0\ud800', contact.id, 'association_type_unknown'],
    ] as const) {
      const associations = [
        { association_type: 'svc_deal_to_contact', target_id: contact.id },
        { association_type, target_id },
      ];
      const answer = await client.post(recordsPath('svc_deal'), { properties: {}, associations });
      await expectProblem(answer, 'not_found', reason);
      const member = reason === 'target_unknown' ? 'target_id' : 'association_type';
      expect(faultsOf(answer)).toEqual([{ pointer: `/associations/1/${member}`, reason }]);
    }
    expect(await listedIds(client, 'svc_deal')).toEqual(before);
  });
});

test('all links that are refused are reported together', async () => {
  const [contact, deal] = [await make(client, 'svc_contact'), await make(client, 'svc_deal')];
  const associations = [
    { association_type: 'svc_deal_to_contact', target_id: deal.id },
    { association_type: 'svc_deal_to_contact', target_id: contact.id },
    { association_type: 'svc_deal_to_company', target_id: contact.id },
  ];
  const answer = await client.post(recordsPath('svc_deal'), { properties: {}, associations });
  await expectProblem(answer, 'not_found', 'target_unknown');
  expect(faultsOf(answer).map(({ pointer }) => pointer)).toEqual([
    '/associations/0/target_id',
    '/associations/2/target_id',
  ]);
});

describe('a body', () => {
  test.each<[what: string, body: unknown, faults: readonly unknown[]]>([
    ['without properties', {}, [{ pointer: '/properties', reason: 'invalid_member' }]],
    ['with properties of null', { properties: null }, [{ pointer: '/properties', reason: 'invalid_member' }]],
    ['with properties in a list', { properties: [] }, [{ pointer: '/properties', reason: 'invalid_member' }]],
    ['with properties as text', { properties: '{}' }, [{ pointer: '/properties', reason: 'invalid_member' }]],
    [
      'with a member that is misspelt',
      { propertys: {} },
      [
        { pointer: '/properties', reason: 'invalid_member' },
        { pointer: '/propertys', reason: 'unknown_member', nearest: 'properties' },
      ],
    ],
    [
      'with members of our own answers',
      { id: 'a', version: '1', properties: {} },
      [
        { pointer: '/id', reason: 'unknown_member' },
        { pointer: '/version', reason: 'unknown_member' },
      ],
    ],
    [
      'with a link that is malformed',
      { properties: {}, associations: [{ association_type: 1, target_di: 'x' }, null] },
      [
        { pointer: '/associations/0/association_type', reason: 'invalid_member' },
        { pointer: '/associations/0/target_di', reason: 'unknown_member', nearest: 'target_id' },
        { pointer: '/associations/0/target_id', reason: 'invalid_member' },
        { pointer: '/associations/1', reason: 'invalid_member' },
      ],
    ],
    [
      'with links that are not a list',
      { properties: {}, associations: {} },
      [{ pointer: '/associations', reason: 'invalid_member' }],
    ],
    ['that is a list', [], [{ pointer: '', reason: 'invalid_member' }]],
    ['that is null', null, [{ pointer: '', reason: 'invalid_member' }]],
    ['that is a number', 1, [{ pointer: '', reason: 'invalid_member' }]],
  ])('%s is a 400 that reports every error', async (_, body, faults) => {
    const answer = await client.post(contacts, JSON.stringify(body));
    await expectProblem(answer, 'invalid_request');
    const byPlace = [...faultsOf(answer)].sort((one, two) => ((one.pointer ?? '') < (two.pointer ?? '') ? -1 : 1));
    expect(byPlace).toEqual(faults);
  });

  test('with errors of both kinds reports only those of 400, including parameters and headers', async () => {
    const values = { svc_email: 'no list', nope: 1 };
    for (const [path, body, headers, place] of [
      [contacts, { properties: values, more: 1 }, {}, { pointer: '/more', reason: 'unknown_member' }],
      [`${contacts}?dry=1`, { properties: values }, {}, { parameter: 'dry', reason: 'unknown_parameter' }],
      [
        contacts,
        { properties: values },
        { 'svc-dry-run': 'yes' },
        { parameter: 'Svc-Dry-Run', reason: 'invalid_header' },
      ],
    ] as const) {
      const answer = await client.post(path, body, headers);
      await expectProblem(answer, 'invalid_request');
      expect(faultsOf(answer)).toMatchObject([place]);
    }
  });

  test('with errors in members, parameters and headers reports all of them together', async () => {
    const answer = await client.post(`${contacts}?nope=1`, { more: 1 }, { 'svc-dry-run': 'yes', 'if-match': '"1"' });
    await expectProblem(answer, 'invalid_request');
    const places = faultsOf(answer).map(({ pointer, parameter, reason }) => `${pointer ?? parameter} ${reason}`);
    expect(places.sort()).toEqual([
      '/more unknown_member',
      '/properties invalid_member',
      'If-Match invalid_header',
      'Svc-Dry-Run invalid_header',
      'nope unknown_parameter',
    ]);
  });
});

describe('required properties', () => {
  const required = { label: 'Code', field_type: 'text', required: true };
  const schema = {
    object_types: [{ name: 'asset', label: 'Asset', properties: [{ name: 'code', ...required }] }],
    properties: { svc_company: [{ name: 'region_codes', ...required, multi_valued: true }] },
  };

  test('must have a value, and are reported with all other errors', async () => {
    const own = await clientWithSchema(service, schema);
    for (const properties of [{}, { code: null }]) {
      const answer = await own.post(recordsPath('asset'), { properties: { ...properties, coed: 'x' } });
      await expectProblem(answer, 'validation_failed');
      const missing = { pointer: '/properties/code', property: 'code', reason: 'required_missing' };
      const unknown = { pointer: '/properties/coed', property: 'coed', reason: 'unknown_property', nearest: 'code' };
      expect(faultsOf(answer)).toEqual(expect.arrayContaining([missing, unknown]));
      expect(faultsOf(answer)).toHaveLength(2);
    }
    expect(sentValues(await make(own, 'asset', { code: 'A' }))).toEqual({ code: 'A' });
    const empty = await own.post(companies, { properties: { region_codes: [] } });
    await expectProblem(empty, 'validation_failed', 'required_missing');
  });
});

describe('a unique value', () => {
  test('belongs to one record, in any case, and the conflict names its holder', async () => {
    const holder = await make(client, 'svc_contact', { svc_email: ['first@taken.example', 'Straße@TAKEN.example'] });
    const taken = ['FIRST@taken.EXAMPLE', 'sTRAßE@taken.example'];
    for (const email of taken) {
      const answer = await client.post(contacts, { properties: { svc_email: ['free@taken.example', email] } });
      await expectProblem(answer, 'conflict', 'unique_value_taken');
      expect(answer.body.conflict).toEqual({
        object_type: 'svc_contact',
        property: 'svc_email',
        existing_id: holder.id,
      });
      const place = { pointer: '/properties/svc_email/1', property: 'svc_email' };
      expect(faultsOf(answer)).toEqual([{ ...place, reason: 'unique_value_taken' }]);
    }
    // A refused request has claimed nothing.
    await make(client, 'svc_contact', { svc_email: ['free@taken.example'] });
  });

  test('is unique within its own type and property alone', async () => {
    const company = await make(client, 'svc_company', { svc_domain: 'unique.example' });
    const answer = await client.post(companies, { properties: { svc_domain: 'unique.example' } });
    await expectProblem(answer, 'conflict', 'unique_value_taken');
    expect(answer.body.conflict?.existing_id).toBe(company.id);
    expect(faultsOf(answer)).toMatchObject([{ pointer: '/properties/svc_domain' }]);
    await make(client, 'svc_company', { svc_name: 'unique.example', svc_website: 'https://unique.example' });
  });
});

describe('a dry run', () => {
  test('answers as the create would, and stores nothing', async () => {
    const properties = { svc_email: ['dry@example.com'] };
    const company = await make(client, 'svc_company');
    const associations = [{ association_type: 'svc_contact_to_company', target_id: company.id }];
    const before = await listedIds(client, 'svc_contact');
    const answer = await client.post(contacts, { properties, associations }, { 'svc-dry-run': 'true' });
    expect(answer.status).toBe(201);
    expect(answer.body.dry_run).toBe(true);
    expect(sentValues(answer.body.data)).toEqual(properties);
    expect((await client.get(pathOfRecord(answer.body.data))).status).toBe(404);
    expect(await listedIds(client, 'svc_contact')).toEqual(before);
    const real = await client.post(contacts, { properties, associations }, { 'svc-dry-run': 'false' });
    expect(real.status).toBe(201);
    expect('dry_run' in real.body).toBe(false);
    const refused = await client.post(contacts, { properties }, { 'svc-dry-run': 'true' });
    await expectProblem(refused, 'conflict', 'unique_value_taken');
    const missing = [{ association_type: 'svc_contact_to_company', target_id: real.body.data.id }];
    const unlinked = await client.post(contacts, { properties: {}, associations: missing }, { 'svc-dry-run': 'true' });
    await expectProblem(unlinked, 'not_found', 'target_unknown');
  });
});

describe('grants', () => {
  const asked = async (operations: readonly ('read' | 'create' | 'update' | 'associate')[], link: boolean) => {
    const orgId = await service.createOrg();
    const full = service.client((await service.createKey(orgId)).key);
    const company = await make(full, 'svc_company');
    const grants = [
      { objectTypes: ['svc_contact'], operations },
      { objectTypes: ['svc_company'], operations: ['read' as const] },
    ];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    const associations = [{ association_type: 'svc_contact_to_company', target_id: company.id }];
    return own.post(contacts, { properties: {}, ...(link ? { associations } : {}) });
  };
  const expectStatus = async (answer: Promise<Answer>, status: number) => {
    expect((await answer).status).toBe(status);
    if (status === 403) await expectProblem(await answer, 'forbidden', 'operation_not_granted');
  };

  test('for a record: create; for its links: associate as well', async () => {
    await expectStatus(asked(['create'], false), 201);
    await expectStatus(asked(['read', 'update', 'associate'], false), 403);
    await expectStatus(asked(['create', 'associate'], true), 201);
    await expectStatus(asked(['create'], true), 403);
    await expectStatus(asked(['associate'], true), 403);
  });

  test('a target type that the key cannot read does not exist for its links', async () => {
    const orgId = await service.createOrg();
    const company = await make(service.client((await service.createKey(orgId)).key), 'svc_company');
    const grants = [{ objectTypes: ['svc_contact'], operations: ['create', 'associate'] as const }];
    const own = service.client((await service.createKey(orgId, { grants })).key);
    const associations = [{ association_type: 'svc_contact_to_company', target_id: company.id }];
    const answer = await own.post(contacts, { properties: {}, associations });
    await expectProblem(answer, 'not_found', 'association_type_unknown');
  });
});
