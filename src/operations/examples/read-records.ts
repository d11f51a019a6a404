// Examples of getRecord, listRecords and deleteRecord, all on contacts: with all values, with some values, with linked
// records, and in pages.
import type { Examples } from '../operation.ts';
import {
  company,
  contact,
  contactTotals,
  exampleChangesCursor,
  exampleCursor,
  exampleExternalId,
  exampleIds,
} from './records.ts';

const path = { object_type: 'svc_contact' };
const { svc_first_name, svc_last_name, svc_email } = contact.properties;
const shown = { ...contact, properties: { svc_last_name, svc_email } };
const duplicate = {
  ...contact,
  id: exampleIds.duplicate,
  properties: { svc_last_name, svc_email: ['i.carvalho@brightwater.example'] },
};

export const getRecordExamples: Examples = {
  whole: {
    summary: 'All values of a contact',
    path: { ...path, id: exampleIds.contact },
    answer: {
      data: { ...contact, properties: { ...contact.properties, ...contactTotals } },
    },
  },
  with_company: {
    summary: 'Two values of a contact, and its company',
    path: { ...path, id: exampleIds.contact },
    query: { properties: 'svc_first_name,svc_last_name', include: 'svc_contact_to_company' },
    answer: {
      data: {
        ...contact,
        properties: { svc_first_name, svc_last_name },
        associations: {
          svc_contact_to_company: {
            items: [{ ...company, associated_at: '2026-11-16T09:30:00.000Z' }],
            next_cursor: null,
          },
        },
      },
    },
  },
  with_external_ids: {
    summary: 'The name of a contact, and its ids in other systems',
    path: { ...path, id: exampleIds.contact },
    query: { properties: 'svc_last_name', include_external_ids: 'true' },
    answer: { data: { ...contact, properties: { svc_last_name }, external_ids: [exampleExternalId] } },
  },
};

export const listRecordsExamples: Examples = {
  contacts: {
    summary: 'Contacts, with two of their values',
    path,
    query: { properties: 'svc_last_name,svc_email' },
    answer: {
      data: [shown, duplicate],
      pagination: { next_cursor: null, changes_cursor: exampleChangesCursor },
    },
  },
  first_page: {
    summary: 'The first page, with one record',
    path,
    query: { properties: 'svc_last_name,svc_email', limit: '1' },
    answer: {
      data: [shown],
      pagination: { next_cursor: exampleCursor, changes_cursor: exampleChangesCursor },
    },
  },
  next_page: {
    summary: 'The next page, each record with its linked companies',
    path,
    query: {
      properties: 'svc_last_name,svc_email',
      include: 'svc_contact_to_company',
      limit: '1',
      cursor: exampleCursor,
    },
    answer: {
      data: [{ ...duplicate, associations: { svc_contact_to_company: { items: [], next_cursor: null } } }],
      pagination: { next_cursor: null },
    },
  },
};

export const deleteRecordExamples: Examples = {
  contact: {
    summary: 'Move a duplicate to the trash',
    path: { ...path, id: exampleIds.duplicate },
    answer: { data: { id: exampleIds.duplicate, object_type: 'svc_contact', deleted: true } },
  },
  guarded: {
    summary: 'Only if the record is still at version 1; first as a dry run',
    path: { ...path, id: exampleIds.duplicate },
    headers: { 'If-Match': '"1"', 'Svc-Dry-Run': 'true' },
    answer: { data: { id: exampleIds.duplicate, object_type: 'svc_contact', deleted: true }, dryRun: true },
  },
};
