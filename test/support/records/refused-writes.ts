// Requests to write one record that are refused: create, update, delete and upsert.
import { newId } from '../../../src/base/id.ts';
import { contacts, create, free, json, patch, type Send, upsert } from './refusal-world.ts';

/** The error, its status and reason, and the request. */
export const refusedWrites: readonly (readonly [string, string, Send])[] = [
  ['create: broken JSON', '400 malformed_json', (w) => create(w, '{"properties": {')],
  ['create: no body', '400 body_required', ({ client }) => client.call('POST', contacts, { headers: json })],
  ['create: unknown member', '400 unknown_member', (w) => create(w, { properties: {}, id: newId() })],
  ['create: properties missing', '400 invalid_member', (w) => create(w, {})],
  [
    'create: unknown parameter',
    '400 unknown_parameter',
    ({ client }) => client.post(`${contacts}?x=1`, { properties: {} }),
  ],
  [
    'create: precondition',
    '400 invalid_header',
    (w) => create(w, { properties: {} }, 'svc_contact', { 'if-match': '"1"' }),
  ],
  [
    'create: dry run of a sort',
    '400 invalid_header',
    (w) => create(w, { properties: {} }, 'svc_contact', { 'svc-dry-run': '1' }),
  ],
  [
    'create: two targets where one can be',
    '400 invalid_member',
    (w) => {
      const other = 'svc_deal_to_company';
      const links = [w.company, w.otherCompany].map((target_id) => ({ association_type: other, target_id }));
      return create(w, { properties: {}, associations: links }, 'svc_deal');
    },
  ],
  ['create: not granted', '403 operation_not_granted', ({ reader }) => reader.post(contacts, { properties: {} })],
  ['create: synced type', '403 type_is_synced', (w) => create(w, { properties: {} }, 'svc_meeting')],
  ['create: generated type', '403 type_is_generated', (w) => create(w, { properties: {} }, 'svc_risk')],
  ['create: stage timer', '403 type_is_read_only', (w) => create(w, { properties: {} }, 'svc_stage_timer')],
  ['create: unknown type', '404 object_type_unknown', (w) => create(w, { properties: {} }, 'svc_user')],
  [
    'create: unknown target after good ones',
    '404 target_unknown',
    (w) => {
      const targets = [w.company, newId()];
      const links = targets.map((target_id) => ({ association_type: 'svc_contact_to_company', target_id }));
      return create(w, { properties: { svc_email: free }, associations: links });
    },
  ],
  [
    'create: unknown association type',
    '404 association_type_unknown',
    (w) =>
      create(w, { properties: { svc_email: free }, associations: [{ association_type: 'no', target_id: w.company }] }),
  ],
  [
    'create: value taken after free ones',
    '409 unique_value_taken',
    (w) => create(w, { properties: { svc_email: [...free, 'BOB@example.com'] } }),
  ],
  [
    'create: value taken, with links',
    '409 unique_value_taken',
    (w) => {
      const associations = [{ association_type: 'svc_contact_to_company', target_id: w.company }];
      return create(w, { properties: { svc_email: [...free, 'bob@example.com'] }, associations });
    },
  ],
  [
    'create: body too large',
    '413 body_too_large',
    (w) => create(w, { properties: { svc_summary: 'x'.repeat(1_100_000) } }),
  ],
  [
    'create: media type',
    '415 undefined',
    (w) => create(w, 'properties=', 'svc_contact', { 'content-type': 'text/plain' }),
  ],
  [
    'create: wrong shape',
    '422 wrong_shape',
    (w) => create(w, { properties: { svc_last_name: 'Good', svc_email: 'bad' } }),
  ],
  ['create: required missing', '422 required_missing', (w) => create(w, { properties: { code: 'B' } }, 'seat')],
  [
    'create: key used with another body',
    '422 idempotency_key_reused',
    (w) => create(w, { properties: { svc_last_name: 'Other' } }, 'svc_contact', { 'idempotency-key': 'used' }),
  ],

  [
    'update: not granted',
    '403 operation_not_granted',
    ({ reader, ada }) => reader.patch(`${contacts}${ada}/`, { properties: {} }),
  ],
  ['update: absent', '404 record_unknown', ({ client }) => client.patch(`${contacts}${newId()}/`, { properties: {} })],
  [
    'update: in the trash',
    '404 record_unknown',
    ({ client, trashed }) => client.patch(`${contacts}${trashed}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: of another org',
    '404 record_unknown',
    ({ client, stranger }) => client.patch(`${contacts}${stranger}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: hidden',
    '404 record_unknown',
    ({ user, hidden }) => user.patch(`${contacts}${hidden}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: of another type',
    '404 record_unknown',
    ({ client, company }) => client.patch(`${contacts}${company}/`, { properties: { svc_email: free } }),
  ],
  [
    'update: value taken after free ones',
    '409 unique_value_taken',
    (w) => patch(w, { svc_email: [...free, 'bob@example.com'] }),
  ],
  ['update: other version', '412 version_mismatch', (w) => patch(w, { svc_email: free }, { 'if-match': '"2", W/"1"' })],
  [
    'update: read-only',
    '422 read_only_property',
    (w) => patch(w, { svc_last_name: 'X', svc_created_at: '2026-01-01T00:00:00Z' }),
  ],
  ['update: unknown property', '422 unknown_property', (w) => patch(w, { svc_last_name: 'X', nothing: '1' })],
  ['update: unknown option', '422 unknown_option', (w) => patch(w, { svc_last_name: 'X', svc_lead_score: 'Warm' })],
  [
    'update: too many values',
    '422 too_many_values',
    (w) => patch(w, { svc_email: Array.from({ length: 101 }, (_, index) => `n${index}@example.com`) }),
  ],

  ['delete: not granted', '403 operation_not_granted', ({ reader, ada }) => reader.delete(`${contacts}${ada}/`)],
  ['delete: absent', '404 record_unknown', ({ client }) => client.delete(`${contacts}${newId()}/`)],
  ['delete: of another org', '404 record_unknown', ({ client, stranger }) => client.delete(`${contacts}${stranger}/`)],
  ['delete: hidden', '404 record_unknown', ({ user, hidden }) => user.delete(`${contacts}${hidden}/`)],
  [
    'delete: other version',
    '412 version_mismatch',
    ({ client, ada }) => client.delete(`${contacts}${ada}/`, { 'if-match': '"7"' }),
  ],
  ['delete: with a body', '400 body_not_taken', ({ client, ada }) => client.send('DELETE', `${contacts}${ada}/`, {})],

  ['upsert: no match', '400 invalid_parameter', (w) => upsert(w, '', { svc_email: free })],
  ['upsert: match is not unique', '400 invalid_parameter', (w) => upsert(w, 'svc_last_name', { svc_last_name: 'ada' })],
  [
    'upsert: not granted',
    '403 operation_not_granted',
    ({ reader }) => reader.put(`${contacts}?match=svc_email`, { properties: { svc_email: free } }),
  ],
  [
    'upsert: two match',
    '409 multiple_matches',
    (w) => upsert(w, 'svc_email', { svc_email: ['ada@example.com', 'bob@example.com'] }),
  ],
  [
    'upsert: hidden holder',
    '409 unique_value_taken',
    ({ user }) => user.put(`${contacts}?match=svc_email`, { properties: { svc_email: [...free, 'eve@example.com'] } }),
  ],
  [
    'upsert: creates only',
    '412 already_exists',
    ({ client }) =>
      client.put(
        `${contacts}?match=svc_email`,
        { properties: { svc_email: ['ada@example.com'] } },
        { 'if-none-match': '*' },
      ),
  ],
  ['upsert: match missing', '422 required_missing', (w) => upsert(w, 'svc_email', { svc_last_name: 'X' })],
  [
    'upsert: update with an unknown target',
    '404 target_unknown',
    (w) => {
      const links = [w.company, w.stranger].map((target_id) => ({
        association_type: 'svc_contact_to_company',
        target_id,
      }));
      return upsert(w, 'svc_email', { svc_email: ['ada@example.com'], svc_last_name: 'X' }, { associations: links });
    },
  ],
  [
    'upsert: required missing for a new one',
    '422 required_missing',
    ({ client }) => client.put('/objects/seat/records/?match=code', { properties: { code: 'NEW' } }),
  ],
];
