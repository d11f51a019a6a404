// Filters of contacts that are refused, each with the pointer and the reason of its error (contract 4, 5, 8 and 9).

/** The pointer is below that of the filter; with a star at its end, any place below it. */
export interface Told {
  readonly nearest?: string;
  readonly allowed?: readonly string[];
  readonly expected?: object;
}

export type Row = readonly [what: string, wrong: unknown, pointer: string, reason: string, more?: Told];

const text = (operator: string, value?: unknown) => ({ property: 'svc_last_name', operator, value });
const score = (operator: string, value?: unknown) => ({ property: 'score', operator, value });
const money = (operator: string, value?: unknown) => ({ property: 'svc_potential_deal_total', operator, value });
const phone = (operator: string, value?: unknown) => ({ property: 'svc_phone_number', operator, value });
const id = (operator: string, value?: unknown) => ({ property: 'id', operator, value });
const euro = { amount: '1', unit: 'EUR' };
const to = (association: string, more: object = {}) => ({ association, operator: 'exists', ...more });
const textOperators = 'eq neq in not_in contains not_contains starts_with ends_with is_set is_not_set'.split(' ');
const good = text('eq', 'a');

export function nested(depth: number): object {
  return depth === 0 ? good : { not: nested(depth - 1) };
}

/** A company's contacts' companies' … names, so many steps away from a contact. */
export function hops(count: number): object {
  const name = count % 2 === 0 ? 'svc_last_name' : 'svc_name';
  let filter: object = { property: name, operator: 'is_set' };
  for (let hop = 0; hop < count; hop++) filter = to('svc_contact_to_company', { filter });
  return filter;
}
const expectedSchema = { type: 'string' };

export const filterRefusals: readonly Row[] = [
  [
    'an unknown property',
    { property: 'svc_last_nam', operator: 'is_set' },
    '/property',
    'unknown_property',
    { nearest: 'svc_last_name' },
  ],
  ['a property of another type', { property: 'svc_domain', operator: 'is_set' }, '/property', 'unknown_property'],
  ['a name of every object', { property: 'constructor', operator: 'is_set' }, '/property', 'unknown_property'],
  ['a property that is not a string', { property: 5, operator: 'is_set' }, '/property', 'invalid_member'],
  ['an unknown operator', text('equals', 'a'), '/operator', 'operator_not_supported', { allowed: textOperators }],
  ['an operator that is a name of every object', text('toString', 'a'), '/operator', 'operator_not_supported'],
  ['gt on a text', text('gt', 'a'), '/operator', 'operator_not_supported', { allowed: textOperators }],
  [
    'eq on a long text',
    { property: 'svc_summary', operator: 'eq', value: 'a' },
    '/operator',
    'operator_not_supported',
    { allowed: ['contains', 'not_contains', 'is_set', 'is_not_set'] },
  ],
  ['in on a currency', money('in', [euro]), '/operator', 'operator_not_supported'],
  ['not_contains on a phone', phone('not_contains', '1'), '/operator', 'operator_not_supported'],
  ['exists on a property', text('exists'), '/operator', 'operator_not_supported'],
  ['no value', text('eq'), '/value', 'invalid_member'],
  ['no values', text('in'), '/value', 'invalid_member'],
  ['a value beside is_set', text('is_set', 'a'), '/value', 'invalid_member'],
  ['a value beside is_not_set', text('is_not_set', null), '/value', 'invalid_member'],
  ['a null value', text('eq', null), '/value', 'invalid_value', { expected: expectedSchema }],
  ['a number for a text', text('eq', 5), '/value', 'invalid_value', { expected: expectedSchema }],
  ['an empty text', text('contains', ''), '/value', 'invalid_value'],
  ['a text of 1,025 characters', text('eq', '😀'.repeat(1_025)), '/value', 'invalid_value'],
  ['a text with U+0000', text('eq', 'a\u0000'), '/value', 'invalid_value'],
  ['a lone surrogate', text('eq', '\ud800'), '/value', 'invalid_value'],
  ['a list for eq', text('eq', ['a']), '/value', 'invalid_value'],
  [
    'a list for eq on a multi-valued property',
    { property: 'svc_email', operator: 'eq', value: ['a@b'] },
    '/value',
    'invalid_value',
  ],
  ['a JSON number for a number', score('gt', 5), '/value', 'invalid_value', { expected: expectedSchema }],
  ['a number with an exponent', score('gt', '1e3'), '/value', 'invalid_value'],
  ['one value for in', score('in', '1'), '/value', 'invalid_value'],
  ['an empty in', score('in', []), '/value', 'invalid_value'],
  ['an empty not_in', score('not_in', []), '/value', 'invalid_value'],
  [
    'a wrong element of in',
    score('in', ['1', '2', 'x', '4']),
    '/value/2',
    'invalid_value',
    { expected: expectedSchema },
  ],
  [
    '1,001 values of in',
    score(
      'in',
      Array.from({ length: 1_001 }, (_, index) => String(index)),
    ),
    '/value',
    'filter_too_large',
  ],
  ['one bound of between', score('between', ['1']), '/value', 'invalid_value'],
  ['three bounds of between', score('between', ['1', '2', '3']), '/value', 'invalid_value'],
  ['no list of bounds', score('between', { low: '1', high: '2' }), '/value', 'invalid_value'],
  ['a wrong bound of between', score('between', ['1', 'x']), '/value/1', 'invalid_value'],
  ['bounds of two units', money('between', [euro, { ...euro, unit: 'USD' }]), '/value*', 'invalid_value'],
  ['an amount without a unit', money('eq', { amount: '1' }), '/value*', 'invalid_value'],
  [
    'a day for a moment',
    { property: 'svc_created_at', operator: 'gt', value: '2026-01-01' },
    '/value',
    'invalid_value',
  ],
  ['no real day', { property: 'svc_job_start_date', operator: 'gt', value: '2026-02-29' }, '/value', 'invalid_value'],
  [
    'an unknown option',
    { property: 'svc_lead_score', operator: 'eq', value: 'Hot' },
    '/value',
    'invalid_value',
    { allowed: ['cold', 'warm', 'hot'] },
  ],
  [
    'an unknown option in in',
    { property: 'svc_lead_score', operator: 'in', value: ['hot', 'x'] },
    '/value/1',
    'invalid_value',
    { allowed: ['cold', 'warm', 'hot'] },
  ],
  ['a text for a boolean', { property: 'vip', operator: 'eq', value: 'true' }, '/value', 'invalid_value'],
  ['half a phone', phone('eq', { country_code: 'GB' }), '/value*', 'invalid_value'],
  ['letters in the digits of a phone', phone('contains', '+44'), '/value', 'invalid_value'],
  ['16 digits of a phone', phone('contains', '1'.repeat(16)), '/value', 'invalid_value'],
  [
    'an unknown time zone',
    { property: 'svc_timezone', operator: 'eq', value: 'Mars/Olympus' },
    '/value',
    'invalid_value',
  ],
  ['neq on id', id('neq', 'x'), '/operator', 'operator_not_supported', { allowed: ['eq', 'in'] }],
  ['is_set on id', { property: 'id', operator: 'is_set' }, '/operator', 'operator_not_supported'],
  ['an id that is not a string', id('eq', 5), '/value', 'invalid_value'],
  ['an empty in of ids', id('in', []), '/value', 'invalid_value'],
  [
    '1,001 ids',
    id(
      'in',
      Array.from({ length: 1_001 }, (_, index) => String(index)),
    ),
    '/value',
    'filter_too_large',
  ],
  ['an unknown member', { ...good, vlaue: 1 }, '/vlaue', 'unknown_member'],
  ['an empty object', {}, '', 'invalid_member'],
  ['null', null, '', 'invalid_member'],
  ['a list', [good], '', 'invalid_member'],
  ['an empty and', { and: [] }, '/and', 'invalid_member'],
  ['an or that is not a list', { or: good }, '/or', 'invalid_member'],
  ['and beside or', { and: [good], or: [good] }, '*', 'invalid_member'],
  ['a not that is a list', { not: [good] }, '/not', 'invalid_member'],
  ['six levels', nested(6), '*', 'filter_too_deep'],
  ['three association hops', hops(3), '*', 'filter_too_deep'],
  ['51 conditions', { or: Array.from({ length: 51 }, () => good) }, '*', 'filter_too_large'],
  [
    '50 conditions behind an association',
    to('svc_deal_to_contact', {
      filter: { and: Array.from({ length: 50 }, () => ({ property: 'svc_name', operator: 'is_set' })) },
    }),
    '*',
    'filter_too_large',
  ],
  [
    'an unknown association',
    to('svc_contact_to_compan'),
    '/association',
    'unknown_association',
    { nearest: 'svc_contact_to_company' },
  ],
  ['an association of other types', to('svc_deal_to_company'), '/association', 'unknown_association'],
  [
    'a direction that the type does not have',
    to('svc_contact_to_company', { direction: 'incoming' }),
    '*',
    'unknown_association',
  ],
  ['an unknown direction', to('svc_contact_to_company', { direction: 'sideways' }), '/direction', 'invalid_member'],
  [
    'another operator on an association',
    to('svc_contact_to_company', { operator: 'eq' }),
    '/operator',
    'operator_not_supported',
    { allowed: ['exists', 'not_exists'] },
  ],
  ['a target that is not a string', to('svc_contact_to_company', { target_id: 5 }), '/target_id', 'invalid_member'],
  ['a value beside exists', to('svc_contact_to_company', { value: 'a' }), '/value', 'unknown_member'],
  [
    'a filter on users',
    to('svc_record_to_user', { filter: { property: 'name', operator: 'is_set' } }),
    '/filter',
    'invalid_member',
  ],
  ['a filter on orgs', to('svc_record_to_org', { filter: id('eq', '1') }), '/filter', 'invalid_member'],
  [
    'an unknown property behind an association',
    to('svc_contact_to_company', { filter: text('is_set') }),
    '/filter/property',
    'unknown_property',
  ],
  [
    'an error deep inside',
    { and: [good, { or: [good, { not: score('eq', 'x') }] }] },
    '/and/1/or/1/not/value',
    'invalid_value',
  ],
];
