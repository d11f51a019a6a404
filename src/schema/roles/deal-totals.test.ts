// The totals of open deals are computed from types and association types that are named by number: these numbers must
// be those of the vocabulary.
import { expect, test } from 'vitest';
import { builtinCatalog } from '../custom/build-catalog.ts';
import type { ObjectType } from '../object-type.ts';
import { dealFeeds, dealSlots, stageSlots } from './deal-totals.ts';

const typeNamed = (name: string) => builtinCatalog.objectTypes.get(name) as ObjectType;
const pairIds = (source: string, target: string) =>
  builtinCatalog.pairs
    .filter(({ sourceType, targetType }) => sourceType === source && targetType === target)
    .map(({ id, name }) => [id, name]);

test('the numbers of types and association types are those of the vocabulary', () => {
  expect(typeNamed('svc_deal').id).toBe(dealFeeds.dealType);
  expect(typeNamed('svc_deal_pipeline_stage').id).toBe(dealFeeds.stageType);
  expect(pairIds('svc_deal', 'svc_contact')).toEqual([[dealFeeds.dealToPerson, 'svc_deal_to_contact']]);
  expect(pairIds('svc_deal', 'svc_deal_pipeline_stage')).toEqual([
    [dealFeeds.dealToStage, 'svc_deal_to_deal_pipeline_stage'],
  ]);
});

test('the slots are those of the values', () => {
  const slotsOf = (type: string, ...names: readonly string[]) =>
    names.map((name) => {
      const { properties, slots } = typeNamed(type);
      return slots.properties.get(properties.get(name)?.id ?? 0);
    });
  expect(slotsOf('svc_deal', 'svc_amount')).toMatchObject([{ column: dealSlots.amount, unit: dealSlots.unit }]);
  expect(typeNamed('svc_deal').slots.links.get(dealFeeds.dealToStage)).toBe(dealSlots.stage);
  expect(slotsOf('svc_deal_pipeline_stage', 'svc_probability', 'svc_closed')).toMatchObject([
    { column: stageSlots.probability },
    { column: stageSlots.closed },
  ]);
});

test('contacts have both totals, and no other type has any', () => {
  const found = [...builtinCatalog.objectTypes.values()].flatMap((type) =>
    type.groups.totals.map(({ name, computed }) => [type.name, name, computed]),
  );
  expect(found).toEqual([
    ['svc_contact', 'svc_potential_deal_total', 'potential'],
    ['svc_contact', 'svc_weighted_deal_total', 'weighted'],
  ]);
});

test('a total is computed at read and so has no index', () => {
  for (const total of typeNamed('svc_contact').groups.totals) {
    expect(total.index).toBe('none');
    expect(total.readOnly).toBe(true);
    expect(total.computedFrom.length).toBeGreaterThan(0);
  }
});
