// Examples of listChanges: from the beginning, for one record, and from a cursor. Only the history of a record is shown
// with its answer, because everything else depends on the org.
import type { Examples } from '../operation.ts';
import { deal, exampleCursor, exampleIds } from './records.ts';

const { svc_name, svc_amount, svc_close_date } = deal.properties;
const entry = {
  object_type: 'svc_deal',
  record_id: exampleIds.deal,
  version: '1',
  at: '2026-11-16T09:30:00.000Z',
  principal_id: '0000000Xk7Qp',
  request_id: '019a8c2e-4f0f-7e21-8c73-b5d7f9a1c3c4',
};

function linked(id: string, association_type: string, target_type: string, target_id: string) {
  return { ...entry, id, type: 'association.created', association_type, target_type, target_id };
}

export const listChangesExamples: Examples = {
  everything: {
    summary: 'Everything that is kept, from the beginning',
    query: { cursor: 'earliest', limit: '100' },
  },
  history: {
    summary: 'The history of one record',
    query: { object_type: 'svc_deal', record_id: exampleIds.deal },
    answer: {
      data: [
        {
          ...entry,
          id: 'q83vEjRWeJo',
          type: 'record.created',
          changed: {
            svc_name: { new: svc_name },
            svc_amount: { new: svc_amount },
            svc_close_date: { new: svc_close_date },
          },
        },
        linked('R7nCw2LxT5s', 'svc_deal_to_company', 'svc_company', exampleIds.company),
        linked('w4JpMd8QaUg', 'svc_deal_to_contact', 'svc_contact', exampleIds.contact),
        linked('Xc6SeV1oHyk', 'svc_deal_to_deal_pipeline_stage', 'svc_deal_pipeline_stage', exampleIds.discovery),
        {
          ...entry,
          id: 'b0Zt9YhKf3E',
          type: 'record.updated',
          version: '2',
          request_id: '019a8c35-11d4-7c58-8b02-9e1f3a5c7db3',
          changed: { svc_close_date: { old: svc_close_date, new: '2027-04-30' } },
        },
      ],
      pagination: { next_cursor: exampleCursor },
    },
  },
  follow: {
    summary: 'The next changes; if there are none yet, wait for up to 20 seconds',
    query: { cursor: exampleCursor, wait: '20' },
  },
};
