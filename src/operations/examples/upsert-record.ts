// Examples of upsertRecord, all on contacts. The first one is 201 the first time and 200 after that, so it can be tried
// repeatedly.
import type { Examples } from '../operation.ts';
import { contact, contactTotals, exampleIds } from './records.ts';

const path = { object_type: 'svc_contact' };
const query = { match: 'svc_email' };
const { svc_created_at, svc_updated_at, ...values } = contact.properties;
const newcomer = {
  svc_email: ['tomas.berg@halcyon.example'],
  svc_first_name: 'Tomas',
  svc_last_name: 'Berg',
} as const;

export const upsertRecordExamples: Examples = {
  create: {
    summary: 'No contact has this address: a new contact is created',
    path,
    query,
    body: { properties: newcomer },
    answer: {
      data: {
        ...contact,
        id: exampleIds.newRecord,
        properties: { ...newcomer, svc_created_at, svc_updated_at },
      },
    },
  },
  update: {
    summary: 'A contact has this address: it is updated, and linked to a company',
    path,
    query,
    body: {
      properties: { svc_email: values.svc_email, svc_lead_score: 'warm' },
      associations: [{ association_type: 'svc_contact_to_company', target_id: exampleIds.company }],
    },
    answer: {
      status: 200,
      data: {
        ...contact,
        version: '2',
        properties: { ...contact.properties, svc_lead_score: 'warm', ...contactTotals },
      },
    },
  },
  create_only: {
    summary: 'Create, never update, and safe to repeat',
    path,
    query,
    headers: { 'If-None-Match': '*', 'Idempotency-Key': '"b7a2c9e4-61d8-4f3b-8a05-7c9e1d3f5b26"' },
    body: { properties: newcomer },
  },
  dry_run: {
    summary: 'A dry run: whether a record would be created or updated, without storing anything',
    path,
    query,
    headers: { 'Svc-Dry-Run': 'true' },
    body: { properties: newcomer },
  },
};
