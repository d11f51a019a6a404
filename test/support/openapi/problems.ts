// For each example of a problem the request that provokes it, by code and reason.
import { sql } from '../../../src/base/sql.ts';
import { keepHouse } from '../../../src/engine/admin/housekeeping.ts';
import { revokeKey } from '../../../src/engine/admin/keys.ts';
import { exampleIds } from '../../../src/operations/examples/records.ts';
import type { Transaction } from '../../../src/store/database.ts';
import { isLockMissed } from '../../../src/store/pg-error.ts';
import type { Answer } from '../answer.ts';
import type { World } from './examples.ts';

type Provoke = (world: World) => Promise<Answer>;

const contacts = '/objects/svc_contact/records/';
const deals = '/objects/svc_deal/records/';
const json = { 'content-type': 'application/json' };

function idOf({ ids }: World, name: keyof typeof exampleIds): string {
  return ids.get(exampleIds[name]) ?? '';
}

/** A contact that is changed, so that the others stay as they are for everybody. */
async function newContact({ client }: World): Promise<string> {
  return (await client.post(contacts, { properties: {} })).body.data.id;
}

export const provocations: Readonly<Record<string, Provoke>> = {
  'invalid_request/unknown_property': ({ client }) =>
    client.post(`${deals}query/`, { filter: { property: 'svc_nmae', operator: 'eq', value: 'Pilot' } }),
  'invalid_request/operator_not_supported': ({ client }) =>
    client.post(`${deals}query/`, { filter: { property: 'svc_close_date', operator: 'contains', value: '2027' } }),
  'invalid_request/malformed_json': ({ client }) => client.post(contacts, '{"properties": {'),
  'invalid_request/unknown_parameter': ({ client }) => client.get(`${contacts}?page=2&limit=1000`),
  'invalid_request/invalid_cursor': ({ client }) => client.get(`${contacts}?cursor=abc`),
  'unauthenticated/key_missing': ({ service }) => service.client().get('/self/'),
  'unauthenticated/key_revoked': async ({ service, orgId }) => {
    const { key, credentialId } = await service.createKey(orgId);
    await revokeKey(service.database, credentialId);
    return service.client(key).get('/self/');
  },
  'forbidden/operation_not_granted': async ({ service, orgId }) => {
    const { key } = await service.createKey(orgId, { grants: [{ objectTypes: ['*'], operations: ['read'] }] });
    return service.client(key).post(contacts, { properties: {} });
  },
  'forbidden/type_is_synced': ({ client }) => client.post('/objects/svc_meeting/records/', { properties: {} }),
  'not_found/record_unknown': ({ client }) => client.get(`${contacts}${exampleIds.absent}/`),
  'not_found/object_type_unknown': ({ client }) => client.get('/objects/svc_person/'),
  'method_not_allowed/method_not_allowed': ({ client }) => client.call('PUT', '/self/'),
  'not_acceptable/not_acceptable': ({ client }) => client.get('/self/', { headers: { accept: 'text/html' } }),
  'conflict/unique_value_taken': ({ client }) =>
    client.post(contacts, { properties: { svc_email: ['ines.carvalho@brightwater.example'] } }),
  'conflict/stage_in_use': (world) =>
    world.client.delete(`/objects/svc_deal_pipeline_stage/records/${idOf(world, 'discovery')}/`),
  'gone/cursor_expired': async ({ service, client }) => {
    const { body } = await client.get('/changes/?limit=1');
    await keepHouse(service.database, { trashSeconds: 1_000_000, changesSeconds: 0 });
    return client.get(`/changes/?cursor=${body.pagination?.next_cursor}`);
  },
  'precondition_failed/version_mismatch': async (world) => {
    const path = `${contacts}${await newContact(world)}/`;
    await world.client.patch(path, { properties: { svc_lead_score: 'hot' } });
    return world.client.patch(path, { properties: { svc_lead_score: 'cold' } }, { 'if-match': '"1"' });
  },
  'precondition_failed/already_exists': ({ client }) => {
    const properties = { svc_email: ['ines.carvalho@brightwater.example'] };
    return client.put(`${contacts}?match=svc_email`, { properties }, { 'if-none-match': '*' });
  },
  'payload_too_large/body_too_large': ({ client }) =>
    client.post(contacts, { properties: { svc_summary: 'x'.repeat(1_100_000) } }),
  'payload_too_large/too_many_operations': ({ client }) => {
    const item = { operation: 'create', object_type: 'svc_contact', properties: {} };
    return client.post('/batch/', { operations: Array.from({ length: 1_200 }, () => item) });
  },
  'unsupported_media_type/unsupported_media_type': ({ client }) =>
    client.post(contacts, 'svc_first_name=Tomas', { 'content-type': 'application/x-www-form-urlencoded' }),
  'validation_failed/wrong_shape': ({ client }) =>
    client.post('/objects/svc_company/records/', { properties: { svc_employee_count: 240 } }),
  'validation_failed/unknown_option': ({ client }) => client.post(contacts, { properties: { svc_lead_score: 'Warm' } }),
  'validation_failed/read_only_property': ({ client }) =>
    client.post(contacts, { properties: { svc_created_at: '2026-11-16T09:30:00Z' } }),
  'validation_failed/idempotency_key_reused': async ({ client }) => {
    const key = { 'idempotency-key': 'order-4711' };
    await client.post(contacts, { properties: { svc_last_name: 'Berg' } }, key);
    return client.post(contacts, { properties: { svc_last_name: 'Carvalho' } }, key);
  },
  'rate_limited/org_limit': async ({ service }) => {
    const orgId = await service.createOrg();
    const { key } = await service.createKey(orgId);
    // A window that has just begun and has nothing left.
    await service.database.query(sql`
      update orrery.rate_window set started_at = now() + interval '1 second', leased = 6000 where org_id = ${orgId}`);
    return service.client(key).get('/self/');
  },
  'internal_error/internal_error': async ({ service, client }) => {
    await service.database.script('alter table orrery.record rename to record_away');
    try {
      return await client.call('GET', contacts, { allowFault: true });
    } finally {
      await service.database.script('alter table orrery.record_away rename to record');
    }
  },
  'unavailable/overloaded': async (world) => {
    const { service, orgId, client } = world;
    const id = await newContact(world);
    // Another process has just given the type a property that this one does not know yet.
    await service.database.query(sql`
      update orrery.record set properties = properties || '{"not_known_yet": "x"}'
      where org_id = ${orgId} and id = ${id}`);
    return client.call('DELETE', `${contacts}${id}/`, { allowFault: true });
  },
  'timeout/statement_timeout': async ({ service, client }) => {
    const refused = async (transaction: Transaction) => {
      // No request can read the records, and waiting statements end as the database ends one that takes too long.
      await transaction.script("set local lock_timeout = '500ms'; lock table orrery.record in access exclusive mode");
      const options = { headers: json, body: '{}', allowFault: true } as const;
      const answer = client.call('POST', `${contacts}query/`, options);
      let isOver = false;
      const over = answer.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await transaction.query(sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`);
        await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 20))]);
      }
      return over;
    };
    for (;;) {
      try {
        return await service.database.transaction(refused);
      } catch (error) {
        // What the service does in the background may read the records by two connections: it goes first.
        if (!isLockMissed(error)) throw error;
      }
    }
  },
};
