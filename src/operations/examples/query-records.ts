// Examples of queryRecords, all on deals: each kind of condition once, search, order, include and pages. The first one finds
// something in every org that has deals.
import type { Examples } from '../operation.ts';
import {
  company,
  deal,
  exampleChangesCursor,
  exampleCursor,
  exampleExternalId,
  exampleIds,
  smallDeal,
} from './records.ts';

const path = { object_type: 'svc_deal' };
const linkedAt = '2026-11-16T09:30:00.000Z';
const lastPage = { next_cursor: null, changes_cursor: exampleChangesCursor };

/** The values without the dates that the service sets. */
function shown({ svc_name, svc_amount, svc_close_date }: typeof deal.properties | typeof smallDeal.properties) {
  return { svc_name, svc_amount, svc_close_date };
}

const ofCompany = {
  svc_deal_to_company: { items: [{ ...company, associated_at: linkedAt }], next_cursor: null },
};

export const queryRecordsExamples: Examples = {
  open_deals: {
    summary: 'Open deals with their companies, the next one to close first',
    path,
    body: {
      filter: {
        association: 'svc_deal_to_deal_pipeline_stage',
        operator: 'exists',
        filter: { property: 'svc_closed', operator: 'eq', value: false },
      },
      sort: [{ property: 'svc_close_date', direction: 'asc' }],
      properties: ['svc_name', 'svc_amount', 'svc_close_date'],
      include: ['svc_deal_to_company'],
      limit: 10,
    },
    answer: {
      data: [
        { ...deal, properties: shown(deal.properties), associations: ofCompany },
        { ...smallDeal, properties: shown(smallDeal.properties), associations: ofCompany },
      ],
      pagination: lastPage,
    },
  },
  text: {
    summary: 'Text: names that contain a word, ignoring case',
    path,
    body: { filter: { property: 'svc_name', operator: 'contains', value: 'lenses' } },
    answer: { data: [deal], pagination: lastPage },
  },
  external_id: {
    summary: 'An id in another system: deals with the contact that has it',
    path,
    body: {
      filter: {
        association: 'svc_deal_to_contact',
        operator: 'exists',
        filter: { external_id: exampleExternalId.id, source: exampleExternalId.source },
      },
    },
  },
  amount: {
    summary: 'Money: amounts of one currency within a range, the largest first',
    path,
    body: {
      filter: {
        property: 'svc_amount',
        operator: 'between',
        value: [
          { amount: '5000', unit: 'USD' },
          { amount: '50000', unit: 'USD' },
        ],
      },
      sort: [{ property: 'svc_amount', direction: 'desc' }],
    },
  },
  dates: {
    summary: 'Dates: deals that close in the first quarter and were updated since a moment',
    path,
    body: {
      filter: {
        and: [
          { property: 'svc_close_date', operator: 'between', value: ['2027-01-01', '2027-03-31'] },
          { property: 'svc_updated_at', operator: 'gte', value: '2026-01-01T00:00:00+01:00' },
        ],
      },
    },
  },
  number: {
    summary: 'Numbers, at the other end of a link: deals of companies with 200 or more employees',
    path,
    body: {
      filter: {
        association: 'svc_deal_to_company',
        operator: 'exists',
        filter: { property: 'svc_employee_count', operator: 'gte', value: '200' },
      },
    },
  },
  linked: {
    summary: 'Links: deals of one company that are linked to a contact with this address',
    path,
    body: {
      filter: {
        and: [
          { association: 'svc_deal_to_company', operator: 'exists', target_id: exampleIds.company },
          {
            association: 'svc_deal_to_contact',
            operator: 'exists',
            filter: { property: 'svc_email', operator: 'eq', value: 'ines.carvalho@brightwater.example' },
          },
        ],
      },
    },
  },
  missing: {
    summary: 'Missing data: deals without a close date, or without a contact, or not in a stage called Proposal',
    path,
    body: {
      filter: {
        or: [
          { property: 'svc_close_date', operator: 'is_not_set' },
          { association: 'svc_deal_to_contact', operator: 'not_exists' },
          {
            not: {
              association: 'svc_deal_to_deal_pipeline_stage',
              operator: 'exists',
              filter: { property: 'svc_name', operator: 'eq', value: 'Proposal' },
            },
          },
        ],
      },
    },
  },
  search: {
    summary: 'Search: every word is the beginning of a word in the deal',
    path,
    body: { search: 'bright lens' },
  },
  by_ids: {
    summary: 'Records by their ids',
    path,
    body: { filter: { property: 'id', operator: 'in', value: [exampleIds.deal, exampleIds.smallDeal] } },
  },
  next_page: {
    summary: 'The next page: the same query, with `next_cursor` of the previous page',
    path,
    body: { sort: [{ property: 'svc_name', direction: 'asc' }], limit: 1, cursor: exampleCursor },
    answer: { data: [smallDeal], pagination: { next_cursor: null } },
  },
};
