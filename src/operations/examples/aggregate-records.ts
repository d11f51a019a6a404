// Examples of aggregateRecords, all on deals: groups by link, by month and by week, no groups, and the largest groups.
import type { Examples } from '../operation.ts';
import { company, exampleCursor, exampleIds } from './records.ts';

const path = { object_type: 'svc_deal' };
const stage = { object_type: 'svc_deal_pipeline_stage' };
const lastPage = { next_cursor: null };

export const aggregateRecordsExamples: Examples = {
  by_stage: {
    summary: 'How many deals are in each stage, and what they are worth',
    path,
    body: {
      group_by: [{ association: 'svc_deal_to_deal_pipeline_stage' }],
      aggregations: [{ function: 'count' }, { function: 'sum', property: 'svc_amount', as: 'total' }],
    },
    answer: {
      data: [
        {
          key: [{ ...stage, id: exampleIds.discovery, title: 'Discovery' }],
          values: { count: '1', total: [{ amount: '48000.00', unit: 'USD' }] },
        },
        {
          key: [{ ...stage, id: exampleIds.proposal, title: 'Proposal' }],
          values: { count: '1', total: [{ amount: '9500.00', unit: 'USD' }] },
        },
      ],
      pagination: lastPage,
    },
  },
  by_month: {
    summary: 'What should close in each month from January 2027',
    path,
    body: {
      filter: { property: 'svc_close_date', operator: 'gte', value: '2027-01-01' },
      group_by: [{ property: 'svc_close_date', granularity: 'month' }],
      aggregations: [{ function: 'count' }, { function: 'max', property: 'svc_amount' }],
    },
    answer: {
      data: [
        { key: ['2027-03-01'], values: { count: '1', max_svc_amount: [{ amount: '48000.00', unit: 'USD' }] } },
        { key: ['2027-05-01'], values: { count: '1', max_svc_amount: [{ amount: '9500.00', unit: 'USD' }] } },
      ],
      pagination: lastPage,
    },
  },
  overall: {
    summary: 'One entry for all deals with a word that begins with "brightwater"',
    path,
    body: {
      search: 'brightwater',
      aggregations: [
        { function: 'count' },
        { function: 'avg', property: 'svc_amount' },
        { function: 'min', property: 'svc_close_date', as: 'first' },
      ],
    },
    answer: {
      data: [
        {
          key: [],
          values: { count: '2', avg_svc_amount: [{ amount: '28750', unit: 'USD' }], first: '2027-03-31' },
        },
      ],
      pagination: lastPage,
    },
  },
  busiest_companies: {
    summary: 'The companies with two or more deals, those with the most deals first',
    path,
    body: {
      group_by: [{ association: 'svc_deal_to_company' }],
      aggregations: [{ function: 'count', as: 'deals' }],
      having: [{ as: 'deals', operator: 'gte', value: '2' }],
      sort: [{ as: 'deals', direction: 'desc' }],
      limit: 5,
    },
    answer: {
      data: [
        {
          key: [{ id: company.id, object_type: 'svc_company', title: company.properties.svc_name }],
          values: { deals: '2' },
        },
      ],
      pagination: lastPage,
    },
  },
  by_week: {
    summary: 'New deals by week in the time zone of Lisbon, and by stage; the next page',
    path,
    body: {
      group_by: [
        { property: 'svc_created_at', granularity: 'week', timezone: 'Europe/Lisbon' },
        { association: 'svc_deal_to_deal_pipeline_stage' },
      ],
      aggregations: [{ function: 'count' }, { function: 'count_distinct', property: 'svc_amount' }],
      limit: 1,
      cursor: exampleCursor,
    },
  },
};
