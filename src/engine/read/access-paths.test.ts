// The access paths of one query after the other. Tests against a real database show that they all lead to the same
// records (test/query).
import { expect, test } from 'vitest';
import { FaultList } from '../../query/fault-list.ts';
import { parseFilter } from '../../query/filter.ts';
import type { QueryPlan } from '../../query/plan.ts';
import { parseSort } from '../../query/sort.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { findAccessPaths } from './access-paths.ts';

const anId = '01890a5d-ac96-774b-bcce-b302099a8057';

function planOf(typeName: string, filter: unknown, sort: readonly (readonly [string, 'asc' | 'desc'])[]): QueryPlan {
  const type = builtinCatalog.objectTypes.get(typeName) as ObjectType;
  const faults = new FaultList();
  const condition = filter === undefined ? undefined : parseFilter(builtinCatalog, type, filter, faults);
  const keys = parseSort(
    type,
    sort.map(([property, direction]) => ({ property, direction })),
    faults,
  );
  expect(faults.list).toEqual([]);
  return { type, condition, words: [], sort: keys };
}

function is(property: string, value: unknown, operator = 'eq'): object {
  return { property, operator, value };
}

const byName = [['svc_last_name', 'desc']] as const;
const potential = 'svc_potential_deal_total';
const byTotal = [[potential, 'desc']] as const;
const linked = { association: 'svc_contact_to_company', operator: 'exists', target_id: anId };

test.each([
  ['nothing', undefined, [], 'created', true, []],
  ['one value of an index, in order of creation', is('svc_last_name', 'x'), [], 'value', true, ['values']],
  ['two values of an index', is('svc_last_name', ['x', 'y'], 'in'), [], 'created', false, ['values']],
  ['the beginning of a text, sorted by it', is('svc_last_name', 'x', 'starts_with'), byName, 'index', true, ['range']],
  ['a unique value', is('svc_email', 'a@b'), byName, 'index', false, ['unique']],
  ['ids', is('id', [anId], 'in'), [], 'created', false, ['ids']],
  ['a text that is not an id', { ...linked, target_id: 'nobody' }, [], 'created', false, ['ids']],
  ['a link', linked, [], 'linked', false, ['linked']],
  ['a negation', { not: is('svc_last_name', 'x') }, byName, 'index', false, []],
  ['one of two', { or: [is('svc_last_name', 'x'), is('svc_email', 'a@b')] }, [], 'created', false, []],
  [
    'the time of the last update',
    is('svc_updated_at', '2026-01-01T00:00:00Z', 'gte'),
    [['svc_updated_at', 'asc']],
    'updated',
    true,
    ['updated'],
  ],
  ['a total', is(potential, { amount: '5', unit: 'USD' }, 'gt'), [], 'created', false, ['totals']],
  ['that there is a total', { property: potential, operator: 'is_set' }, [], 'created', false, ['totals']],
  ['that there is none', { property: potential, operator: 'is_not_set' }, [], 'created', false, []],
  ['another total than one', is(potential, { amount: '5', unit: 'USD' }, 'neq'), [], 'created', false, []],
  [
    'a total and a link',
    { and: [{ property: potential, operator: 'is_set' }, linked] },
    byName,
    'index',
    false,
    ['linked', 'totals'],
  ],
  ['everything by a total', undefined, byTotal, 'totals', false, []],
  ['a total, sorted by it', is(potential, { amount: '5', unit: 'USD' }), byTotal, 'totals', false, []],
  [
    'another total, sorted by one',
    { property: 'svc_weighted_deal_total', operator: 'is_set' },
    byTotal,
    'totals',
    false,
    ['totals'],
  ],
  ['two sort keys', undefined, [...byName, ['svc_created_at', 'asc']], undefined, false, []],
  ['a property without an index', undefined, [['svc_first_name', 'asc']], undefined, false, []],
] as const)('%s', (_, filter, sort, walk, exact, sets) => {
  const access = findAccessPaths(planOf('svc_contact', filter, sort));
  expect(access.walk?.kind).toBe(walk);
  expect(access.exact).toBe(exact);
  expect(access.sets.map(({ kind }) => kind)).toEqual(sets);
});

test('properties without an index are noted if an index would help', () => {
  const filter = {
    and: [
      is('svc_job_title', 'Founder'),
      is('svc_headline', 'x', 'contains'),
      is('svc_phone_number', { country_code: 'GB', national_number: '1' }),
      { or: [is('svc_location', 'x'), is('svc_first_name', 'y')] },
      is('svc_last_activity_at', '2026-01-01T00:00:00Z', 'gt'),
      is('svc_created_at', '2026-01-01T00:00:00Z', 'gt'),
      is(potential, { amount: '5', unit: 'USD' }),
    ],
  };
  const { unindexed } = findAccessPaths(planOf('svc_contact', filter, [['svc_lead_score', 'asc']]));
  expect(unindexed.map(({ name }) => name)).toEqual(['svc_job_title', 'svc_phone_number', 'svc_lead_score']);
  expect(findAccessPaths(planOf('svc_contact', undefined, byTotal)).unindexed).toEqual([]);
});

test('amounts are bounded within their unit', () => {
  const filter = is('svc_amount', { amount: '5', unit: 'EUR' }, 'gt');
  const { walk } = findAccessPaths(planOf('svc_deal', filter, [['svc_amount', 'asc']]));
  expect(walk?.kind === 'index' ? walk.range.high : undefined).toEqual({ key: 'EUS', inclusive: false });
});

const euros = (amount: string) => ({ amount, unit: 'EUR' });
const byAmount = [['svc_amount', 'asc']] as const;

test.each([
  ['one value of an index', 'svc_contact', is('svc_last_name', 'x'), [], 'walk'],
  ['a very long value', 'svc_contact', is('svc_last_name', 'x'.repeat(801)), [], undefined],
  ['the beginning of a text', 'svc_contact', is('svc_last_name', 'x', 'starts_with'), byName, 'walk'],
  ['two conditions', 'svc_contact', { and: [is('svc_last_name', 'x'), is('svc_first_name', 'y')] }, byName, undefined],
  ['a unique value', 'svc_contact', is('svc_email', 'a@b.example'), [], 'set'],
  ['all but a unique value', 'svc_contact', { not: is('svc_email', 'a@b.example') }, [], undefined],
  ['a range of amounts', 'svc_deal', is('svc_amount', [euros('1'), euros('2')], 'between'), byAmount, 'walk'],
  ['a link', 'svc_contact', linked, [], undefined],
] as const)('whether the path alone is certain: %s', (_, type, filter, sort, certain) => {
  expect(findAccessPaths(planOf(type, filter, sort)).certain).toBe(certain);
});
