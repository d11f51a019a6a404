import { expect, test } from 'vitest';
import { builtinCatalog } from '../custom/build-catalog.ts';
import { ingestedType } from './ingested-type.ts';

const types = [...builtinCatalog.objectTypes.values()];

function writableOf(name: string): readonly string[] {
  const type = builtinCatalog.objectTypes.get(name);
  const found = type === undefined ? undefined : ingestedType(type);
  const properties = [...(found?.type.properties.values() ?? [])];
  return properties.filter((property) => !property.readOnly).map((property) => property.name);
}

test('ingest writes whole records of synced and generated types, the payments of companies, and nothing else', () => {
  const namedBy = (way: string) => types.filter((type) => ingestedType(type)?.namedBy === way).map(({ name }) => name);
  expect(namedBy('external_id')).toEqual([
    'svc_meeting',
    'svc_meeting_notes',
    'svc_email_thread',
    'svc_booking',
    'svc_booking_type',
    'svc_file',
    'svc_risk',
    'svc_web_visit',
    'svc_web_visitor',
  ]);
  expect(namedBy('record')).toEqual(['svc_company']);
});

test('ingest writes all properties except the dates of the service, and only payments of companies', () => {
  for (const type of types.filter((each) => ingestedType(each)?.namedBy === 'external_id')) {
    const all = [...type.properties.keys()].filter((name) => !/^svc_(created|updated)_at$/.test(name));
    expect(writableOf(type.name), type.name).toEqual(all);
  }
  expect(writableOf('svc_company')).toEqual(['svc_payments_mrr_total', 'svc_payments_subscription_count']);
});

test('the type itself stays as it is for everybody else', () => {
  const company = builtinCatalog.objectTypes.get('svc_company');
  expect(company?.properties.get('svc_payments_mrr_total')?.readOnly).toBe(true);
  expect(company?.properties.get('svc_name')?.readOnly).toBe(false);
});
