import { expect, test } from 'vitest';
import { builtinCatalog } from '../custom/build-catalog.ts';
import type { ObjectType } from '../object-type.ts';
import { foldedValues } from './folded-values.ts';

const contact = builtinCatalog.objectTypes.get('svc_contact') as ObjectType;

test('texts that are not lower-cased have a lower-cased form, in the shape that they have in the record', () => {
  const folded = foldedValues(contact, {
    svc_first_name: 'ΟΔΥΣΣΕΥΣ',
    svc_last_name: 'already lower',
    svc_email: ['Ada@Example.com', 'plain@example.com'],
    svc_summary: 'Met İ at ᲗᲑ.',
    svc_lead_score: 'hot',
    svc_phone_number: [{ country_code: 'GB', national_number: '20' }],
  });
  expect({ ...folded }).toEqual({
    svc_first_name: 'οδυσσευς',
    svc_email: ['ada@example.com', 'plain@example.com'],
    svc_summary: 'met i̇ at თბ.',
  });
});

test('a record without such texts has none', () => {
  expect(foldedValues(contact, { svc_first_name: 'ada', svc_email: ['ada@example.com'] })).toBeUndefined();
  expect(foldedValues(contact, {})).toBeUndefined();
});
