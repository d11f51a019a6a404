// The checker that other tests end with must be able to fail: every kind of damage is done once, and found. Each is
// done in a transaction that is rolled back, so that the next one begins with a consistent database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  const userId = await service.createUser(orgId);
  const client = service.client((await service.createKey(orgId, { userId })).key);
  const company = { operation: 'create', object_type: 'svc_company', properties: { svc_name: 'Engines' }, ref: 'c' };
  const deal = {
    operation: 'create',
    object_type: 'svc_deal',
    properties: { svc_name: 'Deal', svc_amount: { unit: 'EUR', amount: '1.50' }, svc_close_date: '2026-03-31' },
    associations: [{ association_type: 'svc_deal_to_company', target_id: { ref: 'c' } }],
    ref: 'd',
  };
  const contact = {
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_last_name: 'Ada', svc_email: ['a@example.com', 'b@example.com'] },
    ref: 'a',
  };
  const update = {
    operation: 'update',
    object_type: 'svc_contact',
    id: { ref: 'a' },
    properties: { svc_last_name: 'B' },
  };
  const gone = {
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_email: ['x@example.com'] },
    ref: 'x',
  };
  const remove = { operation: 'delete', object_type: 'svc_contact', id: { ref: 'x' } };
  const operations = [company, deal, contact, update, gone, remove];
  const { status, text } = await client.post('/batch/', { operations });
  expect(status, text).toBe(200);
});
afterAll(() => service.stop());

test('a consistent database has no findings', async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test.each([
  [
    'a value that changed past its index',
    `update orrery.record set properties = properties || '{"svc_last_name":"Z"}'`,
    /index_text/,
  ],
  ['a lost index row of text', 'delete from orrery.index_text', /index_text lacks/],
  ['a lost index row of a time', 'delete from orrery.index_time', /index_time lacks/],
  [
    'an index row of a record in the trash',
    "insert into orrery.index_text select org_id, type_id, 4, true, '', id from orrery.trash",
    /index_text has in excess/,
  ],
  [
    'an index row with another value',
    `update orrery.index_time set value = value + interval '1 microsecond' where not unset`,
    /index_time/,
  ],
  ['lost facts', 'delete from orrery.fact', /fact lacks/],
  [
    'facts about a record in the trash',
    'insert into orrery.fact select org_id, type_id, id, true from orrery.trash',
    /fact has/,
  ],
  ['a fact with another value', 'update orrery.fact set n1 = n1 + 1', /fact has/],
  ['a fact about a link to another record', 'update orrery.fact set u1 = id where u1 is not null', /fact has/],
  ['a fact that hides its record', 'update orrery.fact set org_visible = false', /fact has/],
  ['a lost unique value', `delete from orrery.unique_value where value like 'a@%'`, /unique_value lacks/],
  ['a unique value that nobody has', `update orrery.unique_value set value = 'z' || value`, /unique_value has/],
  ['lost words', 'delete from orrery.search', /search lacks/],
  ['words too many', `update orrery.search set words = words || 'more'::tsvector`, /search has/],
  ['a link to nothing', 'update orrery.association set target_id = gen_random_uuid()', /which is nowhere/],
  [
    'a second target where there can be one',
    `insert into orrery.association select org_id, source_id, association_type_id, source_id, source_type_id, source_type_id, created_at from orrery.association`,
    /two targets/,
  ],
  [
    'a user of a record that does not exist',
    'update orrery.record_user set record_id = gen_random_uuid()',
    /a user is linked/,
  ],
  [
    'a record in two places',
    'insert into orrery.record select org_id, type_id, id, version, updated_at, org_visible, properties from orrery.trash',
    /is stored twice/,
  ],
  ['a version without an entry', 'update orrery.record set version = version + 1', /and the feed has/],
  ['a lost entry', 'delete from orrery.change where kind = 2', /and the feed has/],
  [
    'an entry twice',
    'insert into orrery.change (org_id, kind, type_id, record_id, version, changed, at, principal_id, request_id) select org_id, kind, type_id, record_id, version, changed, at, principal_id, request_id from orrery.change where kind = 2',
    /has a version twice/,
  ],
  [
    'an entry of a record that does not exist',
    'update orrery.change set record_id = gen_random_uuid() where kind = 1',
    /the feed has .*, which is nowhere/,
  ],
  [
    'an entry with another value',
    `update orrery.change set changed = replace(changed, '"B"', '"C"')`,
    /the feed leads to/,
  ],
  ['a record that left the trash without an entry', 'delete from orrery.change where kind = 3', /for no reason/],
  [
    'null as a value',
    `update orrery.record set properties = properties || '{"svc_description":null}' where type_id = 2`,
    /has null/,
  ],
  ['an unknown property', `update orrery.record set properties = properties || '{"nothing":"1"}'`, /unknown property/],
  ['two times of one update', `update orrery.record set updated_at = updated_at + interval '1 second'`, /two times/],
])('%s is found', async (_, damage, finding) => {
  const findings = await service.database.dryRun(async (transaction) => {
    await transaction.query(raw(damage));
    return findingsIn(transaction, orgId);
  });
  expect(findings.join('\n')).toMatch(finding);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
