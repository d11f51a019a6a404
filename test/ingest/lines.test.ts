// The content of a line: links to other records, payments of companies, and everything that is refused. A refused line leaves
// no trace and does not stop the others.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import type { Client } from '../support/client.ts';
import { countRows, ingest } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { make, type RecordData, read, recordsPath, targetsOf } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});

const send = (type: string, ...lines: readonly (object | string)[]) => ingest(service.database, orgId, type, lines);
const nobody = '01890a5d-ac96-774b-bcce-b302099a8057';

function meeting(targets: Readonly<Record<string, string>>, id = 'm'): object {
  const associations = Object.entries(targets).map(([target_id, association_type]) => ({
    association_type,
    target_id,
  }));
  return { external_id: id, properties: { svc_subject: 'Review' }, associations };
}

async function only(type: string): Promise<RecordData> {
  const { body } = await client.get(recordsPath(type));
  expect(body.data).toHaveLength(1);
  return body.data[0];
}

test('links are created with the record, added to it, and not created twice', async () => {
  const ada = await make(client, 'svc_contact', { svc_last_name: 'Ada' });
  const acme = await make(client, 'svc_company', { svc_name: 'Acme' });
  const first = meeting({ [ada.id]: 'svc_activity_to_contact' });
  expect(await send('svc_meeting', first)).toMatchObject({ created: 1, refused: [] });
  const made = await only('svc_meeting');
  expect([made.version, await targetsOf(service, made.id)]).toEqual(['1', [ada.id]]);
  const second = meeting({ [acme.id]: 'svc_activity_to_company' });
  expect(await send('svc_meeting', second)).toMatchObject({ updated: 1 });
  expect(await targetsOf(service, made.id)).toEqual([ada.id, acme.id]);
  const before = await countRows(service.database, orgId, 'change');
  expect(await send('svc_meeting', first, second)).toMatchObject({ updated: 0, unchanged: 2 });
  expect((await only('svc_meeting')).version).toBe('2');
  expect(await countRows(service.database, orgId, 'change')).toBe(before);
  // The meeting is an activity of the person it is linked to.
  const started = '2026-03-02T09:00:00+01:00';
  await send('svc_meeting', { external_id: 'm', properties: { svc_started_at: started } });
  expect((await read(client, ada)).properties['svc_last_activity_at']).toBe(started);
  const entries = await service.database.query<{ kind: number; principal: string }>(sql`
    select kind, principal_id as principal from orrery.change
    where org_id = ${orgId} and record_id = ${made.id} order by seq`);
  expect(entries).toEqual([1, 5, 5, 2].map((kind) => ({ kind, principal: 'svc_system' })));
});

test('a link to a single target replaces the old one; records of the same file can be targets once they exist', async () => {
  await send('svc_web_visitor', { external_id: 'v1', properties: { svc_name: 'One' } });
  const one = await only('svc_web_visitor');
  const visit = (target: string) => ({
    external_id: 'visit',
    properties: {},
    associations: [{ association_type: 'svc_web_visit_to_web_visitor', target_id: target }],
  });
  await send('svc_web_visit', visit(one.id));
  await send('svc_web_visitor', { external_id: 'v2', properties: { svc_name: 'Two' } });
  const two = (await client.get(recordsPath('svc_web_visitor'))).body.data[1] as RecordData;
  expect(await send('svc_web_visit', visit(two.id))).toMatchObject({ updated: 1 });
  expect(await targetsOf(service, (await only('svc_web_visit')).id)).toEqual([two.id]);
});

test('a target is named by a unique value as well, and a value that nobody has refuses its line', async () => {
  const ada = await make(client, 'svc_contact', { svc_email: ['ada@match.example'] });
  const line = (external_id: string, match: object) => ({
    external_id,
    properties: {},
    associations: [{ association_type: 'svc_activity_to_contact', target_id: { match } }],
  });
  const outcome = await send(
    'svc_meeting',
    line('m1', { svc_email: 'Ada@match.example' }),
    line('m2', { svc_email: 'bob@match.example' }),
    line('m3', { svc_last_name: 'Lovelace' }),
    line('m4', { nope: 'x' }),
  );
  expect(outcome.refused).toEqual([
    [2, 'target_unknown', ['/associations/0/target_id']],
    [3, 'invalid_parameter', ['/associations/0/target_id/match/svc_last_name']],
    [4, 'unknown_property', ['/associations/0/target_id/match/nope']],
  ]);
  expect(await targetsOf(service, (await only('svc_meeting')).id)).toEqual([ada.id]);
});

test('a user of the org can become an owner, and the link to the org exists already', async () => {
  const userId = await service.createUser(orgId);
  const line = meeting({ [userId]: 'svc_record_to_user', [String(orgId)]: 'svc_record_to_org' });
  expect(await send('svc_meeting', line, line)).toMatchObject({ created: 1, unchanged: 1, refused: [] });
  expect(await countRows(service.database, orgId, 'record_user')).toBe(1);
});

test('a link that cannot be created refuses its whole line', async () => {
  const ada = await make(client, 'svc_contact', {});
  const gone = await make(client, 'svc_contact', {});
  await client.delete(`${recordsPath('svc_contact')}${gone.id}/`);
  const other = await service.newClient();
  const foreign = await make(other, 'svc_contact', {});
  const before = await countRows(service.database, orgId, 'change');
  const lines = [
    meeting({ [nobody]: 'svc_activity_to_contact' }, 'a'),
    meeting({ [gone.id]: 'svc_activity_to_contact' }, 'b'),
    meeting({ [foreign.id]: 'svc_activity_to_contact' }, 'c'),
    meeting({ [ada.id]: 'svc_activity_to_company', x: 'svc_activity_to_deal' }, 'd'),
    meeting({ [ada.id]: 'svc_deal_to_contact' }, 'e'),
    meeting({ [ada.id]: 'no_such_type' }, 'f'),
  ];
  expect(await send('svc_meeting', ...lines)).toEqual({
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: [
      [1, 'target_unknown', ['/associations/0/target_id']],
      [2, 'target_unknown', ['/associations/0/target_id']],
      [3, 'target_unknown', ['/associations/0/target_id']],
      [4, 'target_unknown', ['/associations/0/target_id', '/associations/1/target_id']],
      [5, 'association_type_unknown', ['/associations/0/association_type']],
      [6, 'association_type_unknown', ['/associations/0/association_type']],
    ],
  });
  expect(await countRows(service.database, orgId, 'change')).toBe(before);
  const visitors = [1, 2].map((number) => ({ external_id: `v${number}`, properties: {} }));
  await send('svc_web_visitor', ...visitors);
  const { body } = await client.get(recordsPath('svc_web_visitor'));
  const associations = body.data.map(({ id }: RecordData) => ({
    association_type: 'svc_web_visit_to_web_visitor',
    target_id: id,
  }));
  expect((await send('svc_web_visit', { external_id: 'v', properties: {}, associations })).refused).toEqual([
    [1, 'invalid_member', ['/associations/1']],
  ]);
});

test('every bad line is refused with its number and reason, and the others are ingested', async () => {
  const link = { association_type: 'svc_activity_to_contact', target_id: nobody };
  const good = (id: string) => ({ external_id: id, properties: { svc_subject: id } });
  const outcome = await send(
    'svc_meeting',
    `\ufeff${JSON.stringify(good('one'))}\r`,
    '',
    '{"external_id": "x"',
    '"x"',
    '[]',
    { properties: {} },
    { external_id: '', properties: {} },
    { external_id: 'y'.repeat(bounds.engine.externalIdCharacters + 1), properties: {} },
    '{"external_id": "\\u0000", "properties": {}}',
    '{"external_id": "\\ud800", "properties": {}}',
    { external_id: 5, properties: {} },
    { external_id: 'x' },
    { external_id: 'x', properties: [] },
    { external_id: 'x', properties: {}, colour: 1 },
    { external_id: 'x', properties: {}, associations: Array(bounds.operations.linksPerCreate + 1).fill(link) },
    { external_id: 'x', properties: {}, associations: [{ target_id: nobody }] },
    { external_id: 'x', properties: { svc_subjet: 'a', svc_status: 'lost', svc_ended_at: 'noon' } },
    '{"external_id": "x", "properties": {"svc_subject": "a", "svc_subject": "b"}}',
    '{"external_id": "x", "properties": {"__proto__": {"svc_subject": "a"}}}',
    `${JSON.stringify(good('x'))} ${JSON.stringify(good('y'))}`,
    `\ufeff${JSON.stringify(good('x'))}`,
    Buffer.from('{"external_id": "x", "properties": {"svc_subject": "\xff"}}', 'latin1'),
    { external_id: 'x', properties: { svc_subject: 'z'.repeat(bounds.engine.ingestLineBytes) } },
    good('two'),
    good('one'),
  );
  expect(outcome.refused).toEqual([
    [3, 'malformed_json', ['']],
    [4, 'invalid_member', ['']],
    [5, 'invalid_member', ['']],
    [6, 'invalid_member', ['/external_id']],
    [7, 'invalid_member', ['/external_id']],
    [8, 'invalid_member', ['/external_id']],
    [9, 'invalid_member', ['/external_id']],
    [10, 'invalid_member', ['/external_id']],
    [11, 'invalid_member', ['/external_id']],
    [12, 'invalid_member', ['/properties']],
    [13, 'invalid_member', ['/properties']],
    [14, 'unknown_member', ['/colour']],
    [15, 'invalid_member', ['/associations']],
    [16, 'invalid_member', ['/associations/0/association_type']],
    [17, 'unknown_property', ['/properties/svc_subjet', '/properties/svc_status', '/properties/svc_ended_at']],
    [18, 'malformed_json', ['']],
    [19, 'unknown_property', ['/properties/__proto__']],
    [20, 'malformed_json', ['']],
    [21, 'malformed_json', ['']],
    [22, 'malformed_json', ['']],
    [23, 'body_too_large', []],
  ]);
  expect(outcome).toMatchObject({ created: 2, updated: 0, unchanged: 1 });
  const { body } = await client.get(recordsPath('svc_meeting'));
  expect(body.data.map(({ properties }: RecordData) => properties['svc_subject'])).toEqual(['one', 'two']);
  expect(await countRows(service.database, orgId, 'external_id')).toBe(2);
});

test('a company gets its payments by id or by a unique value, and keeps everything else', async () => {
  const acme = await make(client, 'svc_company', { svc_name: 'Acme', svc_domain: 'acme.example' });
  const byId = { id: acme.id, properties: { svc_payments_mrr_total: { amount: '120.50', unit: 'EUR' } } };
  const byMatch = {
    match: { svc_domain: 'acme.example' },
    properties: { svc_payments_subscription_count: '3' },
  };
  expect(await send('svc_company', byId, byMatch, byMatch)).toEqual({
    created: 0,
    updated: 2,
    unchanged: 1,
    refused: [],
  });
  const paid = await read(client, acme);
  expect(paid.version).toBe('3');
  expect(paid.properties).toMatchObject({
    svc_name: 'Acme',
    svc_payments_mrr_total: { amount: '120.50', unit: 'EUR' },
    svc_payments_subscription_count: '3',
  });
  // No key can write what ingest feeds.
  const answer = await client.patch(`${recordsPath('svc_company')}${acme.id}/`, { properties: byMatch.properties });
  expect(answer.body.reason).toBe('read_only_property');
  const cleared = { id: acme.id, properties: { svc_payments_mrr_total: null } };
  expect(await send('svc_company', cleared, byMatch)).toMatchObject({ updated: 1, unchanged: 1 });
  expect((await read(client, acme)).properties).not.toHaveProperty('svc_payments_mrr_total');
  expect(await countRows(service.database, orgId, 'external_id')).toBe(0);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('only payments are accepted for a company, and no company is created', async () => {
  const acme = await make(client, 'svc_company', { svc_name: 'Acme', svc_domain: 'acme.example' });
  const gone = await make(client, 'svc_company', { svc_domain: 'gone.example' });
  await client.delete(`${recordsPath('svc_company')}${gone.id}/`);
  const foreign = await make(await service.newClient(), 'svc_company', { svc_domain: 'foreign.example' });
  const before = await countRows(service.database, orgId, 'change');
  const properties = { svc_payments_subscription_count: '3' };
  const outcome = await send(
    'svc_company',
    { id: acme.id, properties: { svc_name: 'B', svc_payments_subscription_count: '3' } },
    { id: acme.id, properties: { svc_created_at: null } },
    { id: acme.id, properties: { svc_payments_mrr: '3' } },
    { id: acme.id, properties: { svc_payments_subscription_count: 3 } },
    { id: nobody, properties },
    { id: gone.id, properties },
    { id: foreign.id, properties },
    { id: 'acme', properties },
    { match: { svc_domain: 'gone.example' }, properties },
    { match: { svc_domain: 'foreign.example' }, properties },
    { match: { svc_name: 'Acme' }, properties },
    { match: { svc_domian: 'acme.example' }, properties },
    { match: { svc_domain: 'no domain' }, properties },
    { match: { svc_domain: null }, properties },
    { match: {}, properties },
    { match: { svc_domain: 'acme.example', svc_name: 'Acme' }, properties },
    { id: acme.id, match: { svc_domain: 'acme.example' }, properties },
    { properties },
    { external_id: 'x', properties },
    { id: acme.id },
  );
  expect(outcome).toEqual({
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: [
      [1, 'read_only_property', ['/properties/svc_name']],
      [2, 'read_only_property', ['/properties/svc_created_at']],
      [3, 'unknown_property', ['/properties/svc_payments_mrr']],
      [4, 'wrong_shape', ['/properties/svc_payments_subscription_count']],
      [5, 'record_unknown', []],
      [6, 'record_unknown', []],
      [7, 'record_unknown', []],
      [8, 'record_unknown', []],
      [9, 'record_unknown', []],
      [10, 'record_unknown', []],
      [11, 'invalid_member', ['/match/svc_name']],
      [12, 'unknown_property', ['/match/svc_domian']],
      [13, 'wrong_shape', ['/match/svc_domain']],
      [14, 'invalid_member', ['/match/svc_domain']],
      [15, 'invalid_member', ['/match']],
      [16, 'invalid_member', ['/match']],
      [17, 'invalid_member', ['']],
      [18, 'invalid_member', ['']],
      [19, 'unknown_member', ['/external_id']],
      [20, 'invalid_member', ['/properties']],
    ],
  });
  expect(await countRows(service.database, orgId, 'change')).toBe(before);
});

test('a company is found by any of several unique values, unless they belong to two companies', async () => {
  await service.applySchema(orgId, {
    properties: {
      svc_company: [{ name: 'tax_id', label: 'Tax id', field_type: 'text', multi_valued: true, unique: true }],
    },
  });
  const fresh = service.client((await service.createKey(orgId)).key);
  await make(fresh, 'svc_company', { tax_id: ['1', '2'] });
  await make(fresh, 'svc_company', { tax_id: ['3'] });
  const line = (...tax_id: readonly string[]) => ({
    match: { tax_id },
    properties: { svc_payments_subscription_count: '1' },
  });
  expect(await send('svc_company', line('2', '9'), line('2', '3'))).toMatchObject({
    updated: 1,
    refused: [[2, 'multiple_matches', []]],
  });
});

test('types that ingest does not take, and unknown types, are refused immediately', async () => {
  const failing = async (type: string, org = orgId) => ingest(service.database, org, type, []).catch((error) => error);
  expect(await failing('svc_contact')).toMatchObject({ kind: 'usage' });
  expect(await failing('svc_stage_timer')).toMatchObject({ kind: 'usage' });
  expect(await failing('svc_meetings')).toMatchObject({ kind: 'not_found', fix: 'Did you mean "svc_meeting"?' });
  expect(await failing('svc_user')).toMatchObject({ kind: 'not_found' });
  expect(await failing('svc_meeting', 999_999)).toMatchObject({ kind: 'not_found' });
});
