// A company and a task through the functions that @hey-api/openapi-ts generates.
import assert from 'node:assert/strict';
import { createClient } from '../generated/hey-api/client/index.js';
import * as api from '../generated/hey-api/index.js';
import { Calls } from './calls.js';

export async function run(baseUrl: string, key: string): Promise<ReadonlySet<string>> {
  const client = createClient({ baseUrl, auth: key });
  const calls = new Calls();
  const { data: service } = calls.ok('getRoot', await api.getRoot({ client }));
  assert.equal(service.name, 'orrery');
  const { data: fields } = calls.ok('listFieldTypes', await api.listFieldTypes({ client }));
  assert.ok(fields.some(({ name, filter_operators }) => name === 'currency' && filter_operators.includes('between')));
  const ofNotes = { object_type: 'svc_note' };
  const { data: links } = calls.ok('listAssociationTypes', await api.listAssociationTypes({ client, path: ofNotes }));
  assert.ok(links.some(({ name, direction }) => name === 'svc_note_to_company' && direction === 'outgoing'));

  const { data: company } = calls.ok(
    'upsertRecord',
    await api.upsertRecord({
      client,
      path: { object_type: 'svc_company' },
      query: { match: 'svc_domain' },
      headers: { 'Idempotency-Key': `hey-${Date.now()}` },
      body: { properties: { svc_domain: 'hey.interop.example', svc_name: 'Hey' } },
    }),
  );
  const { data: task } = calls.ok(
    'createRecord',
    await api.createRecord({
      client,
      path: ofNotes,
      body: {
        properties: { svc_title: 'Try another client', svc_priority: 'high' },
        associations: [{ association_type: 'svc_note_to_company', target_id: company.id }],
      },
    }),
  );
  const path = { ...ofNotes, id: task.id };
  const { data: read } = calls.ok(
    'getRecord',
    await api.getRecord({ client, path, query: { properties: 'svc_title', include: 'svc_note_to_company' } }),
  );
  assert.deepEqual(read.properties, { svc_title: 'Try another client' });
  assert.equal(read.associations?.['svc_note_to_company']?.items[0]?.id, company.id);
  const { data: page, pagination } = calls.ok(
    'listRecords',
    await api.listRecords({ client, path: { object_type: 'svc_company' }, query: { limit: 2 } }),
  );
  assert.equal(page.length, 2);
  assert.ok(pagination.next_cursor !== null && pagination.changes_cursor !== undefined);
  const { data: found } = calls.ok(
    'queryRecords',
    await api.queryRecords({
      client,
      path: ofNotes,
      body: {
        filter: {
          association: 'svc_note_to_company',
          operator: 'exists',
          filter: { not: { property: 'svc_domain', operator: 'neq', value: 'hey.interop.example' } },
        },
      },
    }),
  );
  assert.deepEqual(
    found.map(({ id }) => id),
    [task.id],
  );
  const { data: linked } = calls.ok(
    'listAssociated',
    await api.listAssociated({
      client,
      path: { object_type: 'svc_company', id: company.id, association_type: 'svc_note_to_company' },
      query: { direction: 'incoming' },
    }),
  );
  assert.equal(linked[0]?.id, task.id);

  const { data: dry } = calls.ok(
    'batch',
    await api.batch({
      client,
      headers: { 'Svc-Dry-Run': 'true' },
      body: { atomic: true, operations: [{ operation: 'delete', object_type: 'svc_company', id: company.id }] },
    }),
  );
  assert.equal(dry.results[0]?.status, 200);
  calls.ok('deleteRecord', await api.deleteRecord({ client, path }));
  const ofCompany = { object_type: 'svc_company', id: company.id };
  const stale = await api.deleteRecord({ client, path: ofCompany, headers: { 'If-Match': '"999"' } });
  const problem = calls.refused('deleteRecord', stale);
  assert.deepEqual([problem.code, problem.reason], ['precondition_failed', 'version_mismatch']);
  calls.ok('deleteRecord', await api.deleteRecord({ client, path: ofCompany }));
  return calls.operations;
}
