// A deal in its stages through the client that openapi-zod-client generates, which checks every body by its zod schema.
import assert from 'node:assert/strict';
import { createApiClient } from '../generated/zod-client.js';
import { Calls } from './calls.js';

export async function run(baseUrl: string, key: string): Promise<ReadonlySet<string>> {
  const api = createApiClient(baseUrl, { axiosConfig: { headers: { authorization: `Bearer ${key}` } } });
  const calls = new Calls();
  const ok = async <T>(operation: string, answer: Promise<T>): Promise<T> =>
    calls.ok(operation, { data: await answer });

  const { data: self } = await ok('getSelf', api.getSelf());
  assert.equal(self.reach, 'org');
  const { data: type } = await ok('getObjectType', api.getObjectType({ params: { object_type: 'svc_deal' } }));
  assert.ok(type.properties.some(({ name }) => name === 'svc_name'));
  const params = { object_type: 'svc_deal' };
  const { data: stages } = await ok(
    'queryRecords',
    api.queryRecords(
      { sort: [{ property: 'svc_position', direction: 'asc' }], limit: 2 },
      { params: { object_type: 'svc_deal_pipeline_stage' } },
    ),
  );
  const [first, second] = stages;
  assert.ok(first !== undefined && second !== undefined);

  const stage = 'svc_deal_to_deal_pipeline_stage';
  const { data: deal } = await ok(
    'createRecord',
    api.createRecord(
      { properties: { svc_name: 'Checked deal' }, associations: [{ association_type: stage, target_id: first.id }] },
      { params },
    ),
  );
  const { data: moved } = await ok(
    'putAssociation',
    api.putAssociation(undefined, {
      params: { ...params, id: deal.id, association_type: stage, target_id: second.id },
    }),
  );
  assert.equal(moved.replaced_target_id, first.id);
  const { data: updated } = await ok(
    'updateRecord',
    api.updateRecord(
      { properties: { svc_amount: { amount: '5', unit: 'USD' } } },
      { params: { ...params, id: deal.id } },
    ),
  );
  assert.equal(updated.id, deal.id);
  const { data: read } = await ok('getRecord', api.getRecord({ params: { ...params, id: deal.id } }));
  assert.equal(read.version, updated.version);
  const { data: groups } = await ok(
    'aggregateRecords',
    api.aggregateRecords(
      { group_by: [{ association: stage }], aggregations: [{ function: 'count', as: 'deals' }] },
      { params },
    ),
  );
  assert.ok(groups.length >= 2);
  const { data: listed } = await ok('listRecords', api.listRecords({ params, queries: { limit: 1 } }));
  assert.equal(listed.length, 1);
  const { data: changes } = await ok(
    'listChanges',
    api.listChanges({ queries: { record_id: deal.id, object_type: 'svc_deal' } }),
  );
  assert.ok(changes.some(({ type: kind }) => kind === 'association.deleted'));
  const { data: deleted } = await ok(
    'deleteRecord',
    api.deleteRecord(undefined, { params: { ...params, id: deal.id } }),
  );
  assert.equal(deleted.deleted, true);
  const wrong = await api.createRecord({ properties: { svc_amount: 5 } }, { params }).catch((error: unknown) => error);
  assert.equal((wrong as { response?: { status?: number } }).response?.status, 422);
  return calls.operations;
}
