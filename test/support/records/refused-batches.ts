// Batches that are refused, whole or in their only item.
import { newId } from '../../../src/base/id.ts';
import { atomicItems, free, item, type Send } from './refusal-world.ts';

/** The error, its status and reason (of the only item, if the batch is not refused as a whole), and the request. */
export const refusedBatches: readonly (readonly [string, string, Send])[] = [
  ['batch: no operations', '400 invalid_member', ({ client }) => client.post('/batch/', { operations: [] })],
  [
    'batch: too many',
    '413 too_many_operations',
    ({ client }) => {
      const one = { operation: 'create', object_type: 'svc_contact', properties: {} };
      return client.post('/batch/', { operations: Array.from({ length: 1_001 }, () => one) });
    },
  ],
  [
    'atomic batch: broken item',
    '400 invalid_member',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'destroy' })),
  ],
  [
    'atomic batch: item without a type',
    '404 object_type_unknown',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'delete', object_type: 'svc_org', id: newId() })),
  ],
  [
    'atomic batch: absent record',
    '404 record_unknown',
    (w) =>
      w.client.post('/batch/', atomicItems(w, { operation: 'delete', object_type: 'svc_contact', id: w.stranger })),
  ],
  [
    'atomic batch: restore collides',
    '409 unique_value_taken',
    (w) => w.client.post('/batch/', atomicItems(w, undefined)),
  ],
  [
    'atomic batch: unknown ref',
    '422 unknown_ref',
    (w) =>
      w.client.post(
        '/batch/',
        atomicItems(w, { operation: 'delete', object_type: 'svc_contact', id: { ref: 'nobody' } }),
      ),
  ],
  [
    'atomic batch: forbidden item',
    '403 type_is_synced',
    (w) => w.client.post('/batch/', atomicItems(w, { operation: 'create', object_type: 'svc_file', properties: {} })),
  ],
  [
    'atomic batch: merged into itself',
    '400 invalid_member',
    (w) =>
      w.client.post(
        '/batch/',
        atomicItems(w, { operation: 'merge', object_type: 'svc_contact', id: w.ada, duplicate_id: w.ada }),
      ),
  ],
  [
    'item: create, value taken',
    '409 unique_value_taken',
    ({ client }) =>
      client.post('/batch/', item('create', { properties: { svc_email: [...free, 'bob@other.example'] } })),
  ],
  [
    'item: create, last of two targets unknown',
    '404 target_unknown',
    ({ client, company }) => {
      const associations = [company, newId()].map((target_id) => ({
        association_type: 'svc_contact_to_company',
        target_id,
      }));
      return client.post('/batch/', item('create', { properties: { svc_email: free }, associations }));
    },
  ],
  [
    'item: update, value taken',
    '409 unique_value_taken',
    ({ client, ada }) =>
      client.post('/batch/', item('update', { id: ada, properties: { svc_email: [...free, 'bob@example.com'] } })),
  ],
  [
    'item: upsert, two match',
    '409 multiple_matches',
    ({ client }) =>
      client.post(
        '/batch/',
        item('upsert', {
          match: 'svc_email',
          properties: { svc_email: ['ada@example.com', 'bob@example.com', ...free] },
        }),
      ),
  ],
  [
    'item: delete, hidden',
    '404 record_unknown',
    ({ user, hidden }) => user.post('/batch/', item('delete', { id: hidden })),
  ],
  [
    'item: restore, collides',
    '409 unique_value_taken',
    ({ client, trashed }) => client.post('/batch/', item('restore', { id: trashed })),
  ],
  [
    'item: restore, absent',
    '404 record_unknown',
    ({ client }) => client.post('/batch/', item('restore', { id: newId() })),
  ],
  [
    'item: merge, duplicate absent',
    '404 record_unknown',
    ({ client, ada, trashed }) => client.post('/batch/', item('merge', { id: ada, duplicate_id: trashed })),
  ],
  [
    'item: merge, duplicate hidden',
    '404 record_unknown',
    ({ user, ada, hidden }) => user.post('/batch/', item('merge', { id: ada, duplicate_id: hidden })),
  ],
  [
    'item: associate, wrong type of target',
    '404 target_unknown',
    ({ client, ada, bob }) =>
      client.post(
        '/batch/',
        item('associate', { id: ada, association_type: 'svc_contact_to_company', target_id: bob }),
      ),
  ],
  [
    'item: dissociate, unknown association type',
    '404 association_type_unknown',
    ({ client, ada, company }) =>
      client.post(
        '/batch/',
        item('dissociate', { id: ada, association_type: 'svc_deal_to_company', target_id: company }),
      ),
  ],
];
