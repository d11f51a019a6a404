// Examples of batch: with refs, with an item that fails, and every operation. The first one upserts the records that
// have a unique value, so that it can be tried repeatedly.
import { Problem } from '../../base/problem.ts';
import type { Examples } from '../operation.ts';
import { problemBody } from '../shared/problem-body.ts';
import { company, contact, exampleIds, exampleOrigin, exampleRequestId } from './records.ts';

const taken = contact.properties.svc_email[0];
const conflict = { objectType: 'svc_contact', property: 'svc_email', existingId: exampleIds.contact };
const detail = 'Another record of svc_contact has this svc_email already; no two records can share one.';
const problem = new Problem('conflict', 'unique_value_taken', detail, {
  conflict,
  errors: [
    {
      pointer: '/operations/1/properties/svc_email/0',
      property: 'svc_email',
      reason: 'unique_value_taken',
      detail,
    },
  ],
});

export const batchExamples: Examples = {
  with_refs: {
    summary: 'A company, a person who works there and a deal with both, all or nothing',
    body: {
      atomic: true,
      operations: [
        {
          operation: 'upsert',
          object_type: 'svc_company',
          match: 'svc_domain',
          properties: { svc_domain: 'halcyon.example', svc_name: 'Halcyon Freight' },
          ref: 'halcyon',
        },
        {
          operation: 'upsert',
          object_type: 'svc_contact',
          match: 'svc_email',
          properties: { svc_email: ['tomas.berg@halcyon.example'], svc_last_name: 'Berg' },
          associations: [{ association_type: 'svc_contact_to_company', target_id: { ref: 'halcyon' } }],
          ref: 'tomas',
        },
        {
          operation: 'create',
          object_type: 'svc_deal',
          properties: { svc_name: 'Halcyon: pilot', svc_amount: { amount: '4200', unit: 'USD' } },
          associations: [
            { association_type: 'svc_deal_to_company', target_id: { ref: 'halcyon' } },
            { association_type: 'svc_deal_to_contact', target_id: { ref: 'tomas' } },
          ],
        },
      ],
    },
    answer: {
      data: {
        results: [
          { index: 0, status: 201, id: '019a8c33-07c6-7be3-85f9-1d3f5a7c9e91', version: '1' },
          { index: 1, status: 201, id: '019a8c33-07c6-7be3-85f9-1d3f5a7c9e92', version: '1' },
          { index: 2, status: 201, id: '019a8c33-07c6-7be3-85f9-1d3f5a7c9e93', version: '1' },
        ],
        succeeded: 3,
        failed: 0,
      },
    },
  },
  by_value: {
    summary: 'A contact of the company with this domain, and a change of that company, without looking its id up',
    body: {
      operations: [
        {
          operation: 'upsert',
          object_type: 'svc_contact',
          match: 'svc_email',
          properties: { svc_email: ['tomas.berg@halcyon.example'] },
          associations: [
            {
              association_type: 'svc_contact_to_company',
              target_id: { match: { svc_domain: company.properties.svc_domain } },
            },
          ],
        },
        {
          operation: 'update',
          object_type: 'svc_company',
          id: { match: { svc_domain: company.properties.svc_domain } },
          properties: { svc_city: 'Bergen' },
        },
      ],
    },
    answer: {
      data: {
        results: [
          { index: 0, status: 201, id: '019a8c33-07c6-7be3-85f9-1d3f5a7c9e94', version: '1' },
          { index: 1, status: 200, id: exampleIds.company, version: '2' },
        ],
        succeeded: 2,
        failed: 0,
      },
    },
  },
  external_ids: {
    summary: 'Note the ids that records have in another system: the version stays',
    body: {
      operations: [
        {
          operation: 'update',
          object_type: 'svc_deal',
          id: exampleIds.deal,
          properties: {},
          external_ids: [{ source: 'hubspot', id: '9021' }],
        },
      ],
    },
    answer: {
      data: { results: [{ index: 0, status: 200, id: exampleIds.deal, version: '1' }], succeeded: 1, failed: 0 },
    },
  },
  each_for_itself: {
    summary: 'Items that succeed or fail on their own: here another contact has the address of the second item',
    body: {
      operations: [
        {
          operation: 'update',
          object_type: 'svc_deal',
          id: exampleIds.deal,
          properties: { svc_close_date: '2027-04-30' },
        },
        { operation: 'create', object_type: 'svc_contact', properties: { svc_email: [taken] } },
      ],
    },
    answer: {
      status: 207,
      data: {
        results: [
          { index: 0, status: 200, id: exampleIds.deal, version: '2' },
          { index: 1, status: 409, problem: problemBody(problem, exampleOrigin, exampleRequestId) },
        ],
        succeeded: 1,
        failed: 1,
      },
    },
  },
  tidy_up: {
    summary: 'Merge a duplicate, move a deal to another stage, unlink, delete, and restore',
    body: {
      operations: [
        {
          operation: 'merge',
          object_type: 'svc_contact',
          id: exampleIds.contact,
          duplicate_id: exampleIds.duplicate,
        },
        {
          operation: 'associate',
          object_type: 'svc_deal',
          id: exampleIds.deal,
          association_type: 'svc_deal_to_deal_pipeline_stage',
          target_id: exampleIds.proposal,
        },
        {
          operation: 'dissociate',
          object_type: 'svc_deal',
          id: exampleIds.smallDeal,
          association_type: 'svc_deal_to_contact',
          target_id: exampleIds.contact,
        },
        { operation: 'delete', object_type: 'svc_deal', id: exampleIds.smallDeal },
        { operation: 'restore', object_type: 'svc_contact', id: exampleIds.deletedContact },
      ],
    },
    answer: {
      data: {
        results: [
          { index: 0, status: 200, id: exampleIds.contact, version: '2' },
          { index: 1, status: 200, id: exampleIds.deal, version: '2' },
          { index: 2, status: 200, id: exampleIds.smallDeal, version: '2' },
          { index: 3, status: 200, id: exampleIds.smallDeal },
          { index: 4, status: 200, id: exampleIds.deletedContact, version: '3' },
        ],
        succeeded: 5,
        failed: 0,
      },
    },
  },
  erase: {
    summary: 'Erase a person for good, live or in the trash, with the duplicates that were merged into it',
    body: { operations: [{ operation: 'erase', object_type: 'svc_contact', id: exampleIds.deletedContact }] },
    answer: {
      data: {
        results: [
          {
            index: 0,
            status: 200,
            id: exampleIds.deletedContact,
            note:
              'No notes or activities were linked to it. Backups made before still hold the values; restoring one into ' +
              'this database repeats the erasure.',
          },
        ],
        succeeded: 1,
        failed: 0,
      },
    },
  },
  safe_to_repeat: {
    summary: 'With an Idempotency-Key: repeated after a broken connection, it creates no second record',
    headers: { 'Idempotency-Key': '"1f0e6b8c-92a4-4d57-b3e1-c5a7f9d2e048"' },
    body: {
      operations: [
        {
          operation: 'create',
          object_type: 'svc_call',
          properties: { svc_subject: 'First call', svc_started_at: '2026-11-16T14:05:00Z', svc_direction: 'outbound' },
          associations: [{ association_type: 'svc_activity_to_contact', target_id: exampleIds.contact }],
        },
      ],
    },
  },
  dry_run: {
    summary: 'A dry run: what would happen, without storing anything',
    headers: { 'Svc-Dry-Run': 'true' },
    body: { operations: [{ operation: 'delete', object_type: 'svc_company', id: exampleIds.company }] },
    answer: {
      data: { results: [{ index: 0, status: 200, id: exampleIds.company }], succeeded: 1, failed: 0 },
      dryRun: true,
    },
  },
};
