// Bodies of a query of contacts that are refused, each with the pointer and the reason of its error (contract 4, 5, 8, 9).
import { filterRefusals, type Row, type Told } from './refused-filters.ts';

interface Refusal {
  readonly what: string;
  readonly body: unknown;
  /** The pointer; with a star at its end, any place below it. */
  readonly pointer: string;
  readonly reason: string;
  /** Other members that the error must have. */
  readonly more?: Told;
}

const byName = { property: 'svc_last_name', direction: 'asc' };
const words = (count: number, digits: number) =>
  Array.from({ length: count }, (_, index) => `w${String(index).padStart(digits, '0')}`).join(' ');
const others: readonly Row[] = [
  ['an unknown member', { sorting: [] }, '/sorting', 'unknown_member'],
  [
    'sort: an unknown property',
    { sort: [{ ...byName, property: 'svc_lst_name' }] },
    '/sort/0/property',
    'unknown_property',
    { nearest: 'svc_last_name' },
  ],
  ['sort: id', { sort: [{ ...byName, property: 'id' }] }, '/sort/0/property', 'unknown_property'],
  ['sort: a long text', { sort: [byName, { ...byName, property: 'svc_summary' }] }, '/sort/1/property', 'not_sortable'],
  [
    'sort: a multi-valued property',
    { sort: [{ ...byName, property: 'svc_email' }] },
    '/sort/0/property',
    'not_sortable',
  ],
  ['sort: a phone', { sort: [{ ...byName, property: 'svc_phone_number' }] }, '/sort/0/property', 'not_sortable'],
  ['sort: a property twice', { sort: [byName, { ...byName, direction: 'desc' }] }, '/sort/1*', 'invalid_member'],
  ['sort: no direction', { sort: [{ property: 'svc_last_name' }] }, '/sort/0/direction', 'invalid_member'],
  ['sort: an unknown direction', { sort: [{ ...byName, direction: 'ASC' }] }, '/sort/0/direction', 'invalid_member'],
  ['sort: no property', { sort: [{ direction: 'asc' }] }, '/sort/0/property', 'invalid_member'],
  ['sort: a name', { sort: ['svc_last_name'] }, '/sort/0', 'invalid_member'],
  ['sort: an object', { sort: byName }, '/sort', 'invalid_member'],
  [
    'sort: four keys',
    { sort: ['svc_last_name', 'svc_first_name', 'svc_location', 'score'].map((property) => ({ ...byName, property })) },
    '/sort*',
    'invalid_member',
  ],
  ['sort: an unknown member', { sort: [{ ...byName, nulls: 'first' }] }, '/sort/0/nulls', 'unknown_member'],
  ['search: nothing', { search: '' }, '/search', 'invalid_member'],
  ['search: 1,025 characters', { search: 'a'.repeat(1_025) }, '/search', 'invalid_member'],
  ['search: a number', { search: 5 }, '/search', 'invalid_member'],
  ['search: 51 words', { search: words(51, 2) }, '/search', 'filter_too_large'],
  ['search: 51 words, some of which begin others', { search: words(51, 1) }, '/search', 'filter_too_large'],
  ['properties: an unknown one', { properties: ['svc_email', 'svc_domain'] }, '/properties/1', 'unknown_property'],
  ['properties: a string', { properties: 'svc_email' }, '/properties', 'invalid_member'],
  ['properties: a number', { properties: [5] }, '/properties/0', 'invalid_member'],
  [
    'include: an unknown one',
    { include: ['svc_contact_to_compan'] },
    '/include/0',
    'unknown_association',
    { nearest: 'svc_contact_to_company' },
  ],
  [
    'include: one of other types',
    { include: ['svc_contact_to_company', 'svc_deal_to_company'] },
    '/include/1',
    'unknown_association',
  ],
  [
    'include: one twice',
    { include: ['svc_contact_to_company', 'svc_contact_to_company'] },
    '/include*',
    'invalid_member',
  ],
  [
    'include: six',
    {
      include: [
        'svc_contact_to_company',
        'svc_deal_to_contact',
        'svc_record_to_user',
        'svc_record_to_org',
        'svc_note_to_contact',
        'svc_contact_to_lifecycle_stage',
      ],
    },
    '/include*',
    'invalid_member',
  ],
  ['include: a string', { include: 'svc_contact_to_company' }, '/include', 'invalid_member'],
  ['limit: 0', { limit: 0 }, '/limit', 'limit_out_of_range'],
  ['limit: -1', { limit: -1 }, '/limit', 'limit_out_of_range'],
  ['limit: 501', { limit: 501 }, '/limit', 'limit_out_of_range'],
  ['limit: 1.5', { limit: 1.5 }, '/limit', 'limit_out_of_range'],
  ['cursor: made up', { cursor: 'abc' }, '/cursor', 'invalid_cursor'],
];

export const refusals: readonly Refusal[] = [
  ...filterRefusals.map(([what, filter, pointer, reason, more]) => ({
    ...{ what: `filter: ${what}`, body: { filter }, pointer: `/filter${pointer}`, reason },
    ...(more && { more }),
  })),
  ...others.map(([what, body, pointer, reason, more]) => ({ what, body, pointer, reason, ...(more && { more }) })),
];
