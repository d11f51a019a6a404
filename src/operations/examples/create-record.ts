// Examples of createRecord: one of each core type, with links, safe to repeat, and as a dry run. The first one has no unique
// value, so that it can be tried repeatedly.
import type { Examples } from '../operation.ts';
import { contact, deal, exampleIds } from './records.ts';

const path = { object_type: 'svc_deal' };
const { svc_name, svc_amount, svc_close_date } = deal.properties;
const { svc_created_at, svc_updated_at, ...contactValues } = contact.properties;

export const createRecordExamples: Examples = {
  deal: {
    summary: 'A deal',
    path,
    body: { properties: { svc_name, svc_amount, svc_close_date } },
    answer: { data: { ...deal, id: exampleIds.newRecord } },
  },
  deal_with_links: {
    summary: 'A deal with links to its company, a person and its stage, all or nothing',
    path,
    body: {
      properties: { svc_name, svc_amount, svc_close_date },
      associations: [
        { association_type: 'svc_deal_to_company', target_id: exampleIds.company },
        { association_type: 'svc_deal_to_contact', target_id: exampleIds.contact },
        { association_type: 'svc_deal_to_deal_pipeline_stage', target_id: exampleIds.discovery },
      ],
    },
  },
  contact: {
    summary: 'A contact (`svc_contact`): a multi-valued property takes an array, even for one value',
    path: { object_type: 'svc_contact' },
    body: { properties: { ...contactValues, svc_email: ['i.carvalho@mail.example'], svc_lead_score: 'warm' } },
  },
  company: {
    summary: 'A company (`svc_company`): numbers are strings',
    path: { object_type: 'svc_company' },
    body: {
      properties: {
        svc_name: 'Halcyon Freight',
        svc_domain: 'halcyon.example',
        svc_employee_count: '85',
        svc_annual_revenue: '12400000.50',
        svc_company_type: 'private',
        svc_country_code: 'IE',
        svc_website: 'https://www.halcyon.example/',
      },
    },
  },
  task: {
    summary: 'A task (`svc_note`): a note with a due date, linked to a deal; its first stage is To Do',
    path: { object_type: 'svc_note' },
    body: {
      properties: {
        svc_title: 'Send the revised offer',
        svc_due_at: '2027-01-15T17:00:00+01:00',
        svc_priority: 'high',
      },
      associations: [{ association_type: 'svc_note_to_deal', target_id: exampleIds.deal }],
    },
  },
  safe_to_repeat: {
    summary: 'With an Idempotency-Key: repeated after a broken connection, it creates no second record',
    path,
    headers: { 'Idempotency-Key': '"8e03978e-40d5-43e8-bc93-6894a57f9324"' },
    body: { properties: { svc_name, svc_amount } },
  },
  dry_run: {
    summary: 'A dry run: the answer, without storing anything',
    path,
    headers: { 'Svc-Dry-Run': 'true' },
    body: { properties: { svc_name, svc_amount } },
    answer: {
      data: {
        ...deal,
        id: exampleIds.newRecord,
        properties: { svc_name, svc_amount, svc_created_at, svc_updated_at },
      },
      dryRun: true,
    },
  },
};
