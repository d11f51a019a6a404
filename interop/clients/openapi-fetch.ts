// A contact and a deal through openapi-fetch, with the types of openapi-typescript.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-typescript.js';
import { Calls } from './calls.js';

export async function run(baseUrl: string, key: string): Promise<ReadonlySet<string>> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const calls = new Calls();
  const { data: self } = calls.ok('getSelf', await client.GET('/self/'));
  assert.ok(self.grants.some(({ operations }) => operations.includes('associate')));
  const { data: types } = calls.ok('listObjectTypes', await client.GET('/objects/'));
  assert.ok(types.some(({ name, category }) => name === 'svc_deal' && category === 'core'));
  const ofDeals = { path: { object_type: 'svc_deal' } };
  const { data: type } = calls.ok('getObjectType', await client.GET('/objects/{object_type}/', { params: ofDeals }));
  assert.ok(type.properties.some(({ name, field_type }) => name === 'svc_amount' && field_type === 'currency'));

  const { data: contact } = calls.ok(
    'upsertRecord',
    await client.PUT('/objects/{object_type}/records/', {
      params: { path: { object_type: 'svc_contact' }, query: { match: 'svc_email' } },
      body: { properties: { svc_email: ['fetch@interop.example'], svc_last_name: 'Fetch' } },
    }),
  );
  const amount = { amount: '17000.00', unit: 'USD' };
  const { data: deal } = calls.ok(
    'createRecord',
    await client.POST('/objects/{object_type}/records/', {
      params: ofDeals,
      body: { properties: { svc_name: 'Fetched deal', svc_amount: amount } },
    }),
  );
  assert.deepEqual(deal.properties['svc_amount'], amount);
  const path = { object_type: 'svc_deal', id: deal.id };
  const { data: updated } = calls.ok(
    'updateRecord',
    await client.PATCH('/objects/{object_type}/records/{id}/', {
      params: { path, header: { 'If-Match': `"${deal.version}"` } },
      body: { properties: { svc_close_date: '2027-03-31' } },
    }),
  );
  assert.equal(updated.version, '2');

  const toContact = { ...path, association_type: 'svc_deal_to_contact' };
  const link = { ...toContact, target_id: contact.id };
  const linkPath = '/objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/';
  const { data: linked } = calls.ok('putAssociation', await client.PUT(linkPath, { params: { path: link } }));
  assert.equal(linked.changed, true);
  const { data: people } = calls.ok(
    'listAssociated',
    await client.GET('/objects/{object_type}/records/{id}/associations/{association_type}/', {
      params: { path: toContact, query: { properties: 'svc_last_name', limit: 5 } },
    }),
  );
  assert.deepEqual(
    people.map(({ id, properties }) => [id, properties]),
    [[contact.id, { svc_last_name: 'Fetch' }]],
  );
  const filter = { association: 'svc_deal_to_contact', operator: 'exists', target_id: contact.id } as const;
  const { data: found, pagination } = calls.ok(
    'queryRecords',
    await client.POST('/objects/{object_type}/records/query/', {
      params: ofDeals,
      body: {
        filter: { and: [filter, { property: 'svc_close_date', operator: 'gte', value: '2027-01-01' }] },
        sort: [{ property: 'svc_amount', direction: 'desc' }],
        include: ['svc_deal_to_contact'],
      },
    }),
  );
  assert.equal(pagination.next_cursor, null);
  assert.equal(found[0]?.associations?.['svc_deal_to_contact']?.items[0]?.id, contact.id);
  const { data: groups } = calls.ok(
    'aggregateRecords',
    await client.POST('/objects/{object_type}/records/aggregate/', {
      params: ofDeals,
      body: { filter, aggregations: [{ function: 'count' }, { function: 'sum', property: 'svc_amount' }] },
    }),
  );
  assert.equal(groups[0]?.values['count'], '1');
  const { data: changes } = calls.ok(
    'listChanges',
    await client.GET('/changes/', { params: { query: { object_type: 'svc_deal', record_id: deal.id } } }),
  );
  assert.deepEqual(changes.map((change) => change.type).slice(0, 2), ['record.created', 'record.updated']);

  calls.ok('deleteAssociation', await client.DELETE(linkPath, { params: { path: link } }));
  const { data: batch } = calls.ok(
    'batch',
    await client.POST('/batch/', {
      body: {
        operations: [
          { operation: 'delete', object_type: 'svc_deal', id: deal.id },
          { operation: 'delete', object_type: 'svc_contact', id: contact.id },
        ],
      },
    }),
  );
  assert.deepEqual([batch.succeeded, batch.failed], [2, 0]);
  const problem = calls.refused(
    'getRecord',
    await client.GET('/objects/{object_type}/records/{id}/', { params: { path } }),
  );
  assert.equal(problem.code, 'not_found');
  return calls.operations;
}
