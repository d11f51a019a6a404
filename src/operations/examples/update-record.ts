// Examples of updateRecord, all on one contact: set, clear, replace a list, and write safely beside others.
import type { Examples } from '../operation.ts';
import { contact, contactTotals, exampleIds } from './records.ts';

const path = { object_type: 'svc_contact', id: exampleIds.contact };
const { svc_phone_number, svc_job_title, ...rest } = contact.properties;

export const updateRecordExamples: Examples = {
  set: {
    summary: 'Set values; all others stay as they are',
    path,
    body: { properties: { svc_job_title: 'Chief Operating Officer', svc_lead_score: 'hot' } },
    answer: {
      data: {
        ...contact,
        version: '2',
        properties: {
          ...rest,
          svc_phone_number,
          svc_job_title: 'Chief Operating Officer',
          svc_lead_score: 'hot',
          ...contactTotals,
        },
      },
    },
  },
  clear: {
    summary: 'Clear values: null clears a property, [] a multi-valued one',
    path,
    body: { properties: { svc_job_title: null, svc_phone_number: [] } },
    answer: {
      data: { ...contact, version: '2', properties: { ...rest, ...contactTotals } },
    },
  },
  list: {
    summary: 'Replace a whole list: also send the values that stay',
    path,
    body: {
      properties: { svc_email: ['ines.carvalho@brightwater.example', 'ines@mail.example'] },
    },
  },
  guarded: {
    summary: 'Only if the record is still at version 1, and safe to repeat',
    path,
    headers: { 'If-Match': '"1"', 'Idempotency-Key': '"5d1f4c0a-3b7e-4a62-9c18-e2f6a8d0b413"' },
    body: { properties: { svc_location: 'Lisbon' } },
  },
  dry_run: {
    summary: 'A dry run: the answer, without storing anything',
    path,
    headers: { 'Svc-Dry-Run': 'true' },
    body: { properties: { svc_timezone: 'Europe/Lisbon' } },
  },
};
