// Which property has which slot, now and after the vocabulary has grown.
import { expect, test } from 'vitest';
import { buildCatalog, builtinCatalog } from '../custom/build-catalog.ts';
import { type CustomSchema, emptyCustomSchema } from '../custom/custom-schema.ts';
import type { ObjectType } from '../object-type.ts';
import { factValues } from './fact-slots.ts';

type Properties = CustomSchema['properties'][string];

function dealWith(properties: Properties, associations: CustomSchema['association_types'] = []): ObjectType {
  const catalog = buildCatalog({
    ...emptyCustomSchema,
    properties: { svc_deal: properties },
    association_types: associations,
  });
  return catalog.objectTypes.get('svc_deal') as ObjectType;
}

const slotsByName = ({ slots }: ObjectType) =>
  Object.fromEntries(
    [...slots.properties.values()].map(({ key, column, unit }) => [key, unit ? [column, unit] : column]),
  );

function numbers(count: number): Properties {
  return Array.from({ length: count }, (_, index) => ({
    id: 1_000 + index,
    name: `number_${index}`,
    label: 'Number',
    field_type: 'number',
  }));
}

test('single values that are counted or added up have a slot, and texts, lists and what changes with every version have none', () => {
  expect(slotsByName(dealWith([]))).toEqual({
    svc_created_at: 'd1',
    svc_amount: ['n1', 's1'],
    svc_close_date: 'e1',
    svc_last_activity_at: 'd2',
  });
  expect(slotsByName(builtinCatalog.objectTypes.get('svc_contact') as ObjectType)).toEqual({
    svc_created_at: 'd1',
    svc_job_start_date: 'e1',
    svc_lead_score: 's1',
    svc_last_activity_at: 'd2',
  });
});

test('properties of an org take the last slots, so that neither they nor built-in ones ever move', () => {
  const one = slotsByName(dealWith(numbers(1)));
  const three = slotsByName(dealWith(numbers(3)));
  expect(one).toMatchObject({ number_0: 'n8', svc_amount: ['n1', 's1'] });
  expect(three).toMatchObject({ ...one, number_1: 'n7', number_2: 'n6' });
  // There are seven slots left, and none for the eighth.
  expect(slotsByName(dealWith(numbers(8)))).toEqual(slotsByName(dealWith(numbers(7))));
});

test('an amount needs a slot for its unit as well', () => {
  const options = [{ value: 'a', label: 'A' }];
  const selects = Array.from({ length: 7 }, (_, index) => ({
    id: 1_000 + index,
    name: `choice_${index}`,
    label: 'Choice',
    field_type: 'select',
    options,
  }));
  const price = { id: 1_010, name: 'price', label: 'Price', field_type: 'currency' };
  expect(slotsByName(dealWith([price]))).toMatchObject({ price: ['n8', 's8'] });
  expect(slotsByName(dealWith([...selects, price]))).not.toHaveProperty('price');
});

test('links of which a record has one have slots, those of an org the last ones', () => {
  const broker = {
    id: 1_000,
    name: 'broker',
    label: 'Broker',
    source: 'svc_deal',
    target: 'svc_company',
    cardinality: 'many_to_one',
  } as const;
  expect([...dealWith([]).slots.links]).toEqual([
    [2, 'u1'],
    [4, 'u2'],
  ]);
  expect(dealWith([], [broker]).slots.links.get(1_000)).toBe('u6');
});

test('there is room for every value and link of the vocabulary', () => {
  const kept = ['select', 'boolean', 'number', 'currency', 'date', 'datetime'];
  for (const { name, slots, properties } of builtinCatalog.objectTypes.values()) {
    const values = [...properties.values()].filter(
      ({ fieldType, multiValued, computed }) => kept.includes(fieldType.name) && !multiValued && computed === undefined,
    );
    const wanted = values.map((property) => property.name).filter((each) => each !== 'svc_updated_at');
    expect([...slots.properties.values()].map((slot) => slot.key).sort()).toEqual(wanted.sort());
    const toOne = builtinCatalog.pairs.filter(
      (pair) => pair.sourceType === name && pair.cardinality === 'many_to_one' && pair.targetType !== 'svc_org',
    );
    expect(slots.links.size).toBe(new Set(toOne.map(({ id }) => id)).size);
  }
});

test('values are written as their columns read them', () => {
  const deal = dealWith([{ id: 1_000, name: 'won', label: 'Won', field_type: 'boolean' }]);
  const amount = { amount: '12.50', unit: 'EUR' };
  expect(
    factValues(deal.slots, { svc_amount: amount, svc_close_date: '2026-03-31', won: false, svc_name: 'A deal' }),
  ).toEqual({ n1: '12.50', s1: 'EUR', e1: '2026-03-31', s8: 'false' });
  expect(factValues(deal.slots, {})).toEqual({});
});
