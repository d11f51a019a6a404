// How an org works, as records: what people have saved to look at, what was done, and what is under way.
import { datetime } from '../fields/datetime.ts';
import { longText } from '../fields/long-text.ts';
import { number } from '../fields/number.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import type { ObjectType } from '../object-type.ts';
import { objectType, options, property } from './declare.ts';

const kept = { readOnly: true } as const;

const view = objectType({
  id: 37,
  name: 'svc_view',
  label: 'View',
  pluralLabel: 'Views',
  description: 'A saved table, board or report of the console.',
  category: 'platform',
  nature: 'open',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { required: true }),
    property(4, 'svc_view_kind', 'Kind', select, { required: true, options: options('table', 'board', 'report') }),
    property(5, 'svc_object_type', 'Object type', text, { required: true }),
    property(6, 'svc_definition', 'Definition', longText, { description: 'JSON that the console reads.' }),
  ],
});

const auditEntry = objectType({
  id: 38,
  name: 'svc_audit_entry',
  label: 'Audit Entry',
  pluralLabel: 'Audit Entries',
  description: 'Something that was done in the administration of the org.',
  category: 'platform',
  nature: 'automatic',
  titleProperty: 'svc_action',
  properties: [
    property(3, 'svc_at', 'At', datetime, { ...kept, indexed: true }),
    property(4, 'svc_action', 'Action', text, { ...kept, description: 'What was done, as `access_key.created`.' }),
    property(5, 'svc_principal_id', 'Principal', text, {
      ...kept,
      description: 'The id of the member or key; svc_system for the service itself.',
    }),
    property(6, 'svc_credential_id', 'Credential', text, kept),
    property(7, 'svc_request_id', 'Request', text, kept),
    property(8, 'svc_address', 'Address', text, { ...kept, description: 'The network address of the client.' }),
    property(9, 'svc_object_type', 'Object type', text, kept),
    property(10, 'svc_record_id', 'Record', text, kept),
    property(11, 'svc_detail', 'Detail', longText, {
      ...kept,
      description: 'Names of properties, never their values.',
    }),
  ],
});

const job = objectType({
  id: 39,
  name: 'svc_job',
  label: 'Job',
  pluralLabel: 'Jobs',
  description: 'Work that takes long, seen while it runs.',
  category: 'platform',
  nature: 'automatic',
  titleProperty: null,
  properties: [
    property(3, 'svc_kind', 'Kind', select, {
      ...kept,
      options: options('import', 'export', 'backup', 'restore', 'index', 'purge', 'erase', 'revert', 'sync'),
    }),
    property(4, 'svc_state', 'State', select, {
      ...kept,
      options: options('running', 'done', 'failed', 'interrupted'),
    }),
    property(5, 'svc_started_at', 'Started at', datetime, { ...kept, indexed: true }),
    property(6, 'svc_ended_at', 'Ended at', datetime, kept),
    property(7, 'svc_total', 'Total', number, kept),
    property(8, 'svc_done', 'Done', number, kept),
    property(9, 'svc_failed', 'Failed', number, kept),
    property(10, 'svc_message', 'Message', longText, kept),
  ],
});

export const operationalTypes: readonly ObjectType[] = [view, auditEntry, job];
