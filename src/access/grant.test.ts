// How grants are written, and what they permit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import { fullGrant, grantOperations, isGrantOperation, parseGrant, permitted, unknownTypes } from './grant.ts';

test('a grant names types and operations, separated by commas', () => {
  expect(parseGrant('svc_contact:read')).toEqual({ objectTypes: ['svc_contact'], operations: ['read'] });
  expect(parseGrant('svc_contact,svc_deal:read,update')).toEqual({
    objectTypes: ['svc_contact', 'svc_deal'],
    operations: ['read', 'update'],
  });
  expect(parseGrant('*:read,create,update,delete,associate')).toEqual(fullGrant);
});

test.each([
  '',
  ':',
  'svc_contact',
  'svc_contact:',
  ':read',
  'a,:read',
  ',a:read',
  'a,,b:read',
  'a:read,',
  'a:b:c',
  'a:b:',
])('text of another form is not a grant: %j', (text) => {
  expect(parseGrant(text)).toBeUndefined();
});

test('any text is accepted or refused, and a grant never has an empty name', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a*,:]*$/)), (text) => {
      const grant = parseGrant(text);
      if (grant === undefined) return;
      expect(`${grant.objectTypes.join(',')}:${grant.operations.join(',')}`).toBe(text);
      expect([...grant.objectTypes, ...grant.operations]).not.toContain('');
    }),
  );
});

test('the operations are the five of the contract', () => {
  expect(grantOperations).toEqual(['read', 'create', 'update', 'delete', 'associate']);
  for (const operation of grantOperations) expect(isGrantOperation(operation)).toBe(true);
  for (const name of ['', 'write', 'Read', 'restore', '*', '__proto__', 'constructor']) {
    expect(isGrantOperation(name), name).toBe(false);
  }
});

test('unknown names are found, including hidden types, and the star is not one of them', () => {
  expect(unknownTypes({ objectTypes: ['*'] }, builtinCatalog)).toEqual([]);
  expect(unknownTypes({ objectTypes: ['svc_contact', 'svc_stage_timer'] }, builtinCatalog)).toEqual([]);
  expect(
    unknownTypes({ objectTypes: ['svc_user', 'svc_deal', 'svc_org', 'invoice', '', '**'] }, builtinCatalog),
  ).toEqual(['svc_user', 'svc_org', 'invoice', '', '**']);
  expect(unknownTypes({ objectTypes: ['__proto__', 'constructor'] }, builtinCatalog)).toEqual([
    '__proto__',
    'constructor',
  ]);
});

test('nothing is permitted unless a grant names the type', () => {
  expect(permitted([], 'svc_contact')).toBeUndefined();
  expect(permitted([{ objectTypes: [], operations: ['read'] }], 'svc_contact')).toBeUndefined();
  expect(permitted([{ objectTypes: ['svc_deal'], operations: ['read', 'create'] }], 'svc_contact')).toBeUndefined();
  expect(
    permitted([{ objectTypes: ['svc_contact2', 'svc_contac'], operations: ['read'] }], 'svc_contact'),
  ).toBeUndefined();
});

test('a grant without operations permits nothing, whatever it names', () => {
  expect(permitted([{ objectTypes: ['svc_contact'], operations: [] }], 'svc_contact')).toBeUndefined();
  expect(permitted([{ objectTypes: ['*'], operations: [] }], 'svc_contact')).toBeUndefined();
});

test('read alone permits reading and no writing', () => {
  expect(permitted([{ objectTypes: ['svc_contact'], operations: ['read'] }], 'svc_contact')).toEqual(new Set());
});

test.each(['create', 'update', 'delete', 'associate'] as const)('%s makes a type visible without read', (operation) => {
  expect(permitted([{ objectTypes: ['svc_contact'], operations: [operation] }], 'svc_contact')).toEqual(
    new Set([operation]),
  );
});

test('several grants add up, and the star covers types that no grant names', () => {
  const grants = [
    { objectTypes: ['*'], operations: ['read'] as const },
    { objectTypes: ['svc_contact', 'svc_deal'], operations: ['create'] as const },
    { objectTypes: ['svc_contact'], operations: ['delete', 'create'] as const },
  ];
  expect(permitted(grants, 'svc_contact')).toEqual(new Set(['create', 'delete']));
  expect(permitted(grants, 'svc_deal')).toEqual(new Set(['create']));
  expect(permitted(grants, 'a_type_of_tomorrow')).toEqual(new Set());
});
