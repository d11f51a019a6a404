// How grants are written, and what they permit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import {
  adminGrant,
  fullGrant,
  type Grant,
  grantFault,
  grantOperations,
  grantText,
  names,
  parseGrant,
  permission,
  readGrants,
} from './grant.ts';

function permitted(grants: readonly Grant[], name: string, category: 'core' | 'platform' = 'core') {
  return permission(grants.filter((grant) => names(grant, { name, category })))?.operations;
}

test('a grant names types and operations, separated by commas', () => {
  expect(parseGrant('svc_contact:read')).toEqual({ objectTypes: ['svc_contact'], operations: ['read'] });
  expect(parseGrant('svc_contact,svc_deal:read,update')).toEqual({
    objectTypes: ['svc_contact', 'svc_deal'],
    operations: ['read', 'update'],
  });
  expect(parseGrant('*:read,create,update,delete,associate')).toEqual(fullGrant);
  expect(parseGrant('platform:read,create,update,delete,associate')).toEqual(adminGrant);
});

test('a grant can hide properties and lock them, in either order', () => {
  const grant = {
    objectTypes: ['svc_contact'],
    operations: ['read', 'update'],
    hiddenProperties: ['svc_phone_number', 'svc_summary'],
    lockedProperties: ['svc_email'],
  };
  expect(parseGrant('svc_contact:read,update;hide=svc_phone_number,svc_summary;lock=svc_email')).toEqual(grant);
  expect(parseGrant('svc_contact:read,update;lock=svc_email;hide=svc_phone_number,svc_summary')).toEqual(grant);
  expect(readGrants(['svc_contact:read;lock=a', 'of another form'])).toEqual([
    { objectTypes: ['svc_contact'], operations: ['read'], lockedProperties: ['a'] },
  ]);
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
  'a:read;',
  'a:read;hide',
  'a:read;hide=',
  'a:read;hide=b,',
  'a:read;show=b',
  'a:read;hide=b;hide=c',
  'a:write',
  'a:Read',
  'a:__proto__',
])('text of another form is not a grant: %j', (text) => {
  expect(parseGrant(text)).toEqual({ wrong: expect.stringMatching(/[.?]$/) });
});

test('any text is accepted or refused, and a grant never has an empty name', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[ad*,:;=]*$/)), (text) => {
      const grant = parseGrant(text);
      if ('wrong' in grant) return;
      expect(grantText(grant)).toBe(text);
      expect([...grant.objectTypes, ...grant.operations]).not.toContain('');
    }),
  );
});

test('every grant that can be made is read again as it was', () => {
  const named = fc.array(fc.stringMatching(/^[a-z_]{1,8}$/), { minLength: 1, maxLength: 3 });
  const made = fc.record(
    {
      objectTypes: named,
      operations: fc.subarray([...grantOperations], { minLength: 1 }),
      hiddenProperties: named,
      lockedProperties: named,
    },
    { requiredKeys: ['objectTypes', 'operations'] },
  );
  fc.assert(
    fc.property(made, (grant) => {
      expect(parseGrant(grantText(grant))).toEqual(grant);
    }),
  );
});

test('the operations are the five of the contract', () => {
  expect(grantOperations).toEqual(['read', 'create', 'update', 'delete', 'associate']);
});

const faultOf = (text: string) => {
  const [grant] = readGrants([text]);
  return grant && grantFault(grant, builtinCatalog);
};

test.each([
  '*:read',
  'platform:read',
  'svc_contact,svc_stage_timer:read',
  'svc_view:create',
  'svc_contact:create;hide=svc_email',
])('the org has everything that is named: %j', (text) => {
  expect(faultOf(text)).toBeUndefined();
});

test.each<readonly [string, string]>([
  ...['svc_user', 'svc_org', 'invoice', '**', '__proto__', 'constructor'].map((name): readonly [string, string] => [
    `svc_deal,${name}:read`,
    'unknown_object_type',
  ]),
  ['svc_contact:read;hide=svc_fone', 'unknown_property'],
  ['svc_contact,svc_company:read;lock=svc_amount', 'unknown_property'],
  ['*:read;hide=svc_grants', 'unknown_property'],
  ['svc_contact:read;hide=svc_created_at', 'wrong_shape'],
  ['svc_member:create;hide=svc_name', 'required_missing'],
  ['platform:read,create;hide=svc_name', 'required_missing'],
])('what the org does not have, or cannot give, is found: %j', (text, reason) => {
  expect(faultOf(text)).toMatchObject({ reason });
});

test('a misspelt name is reported with the nearest one that exists', () => {
  expect(faultOf('svc_contakt:read')?.nearest).toBe('svc_contact');
  expect(faultOf('svc_contact:read;hide=svc_emial')?.nearest).toBe('svc_email');
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

test('the star names no platform type, and the word for those names no other', () => {
  expect(permitted([fullGrant], 'svc_role', 'platform')).toBeUndefined();
  expect(permitted([adminGrant], 'svc_contact')).toBeUndefined();
  expect(permitted([adminGrant], 'a_platform_type_of_tomorrow', 'platform')?.size).toBe(4);
});

test('a property is hidden or locked only if all grants about its type do it', () => {
  const read = readGrants(['a:read;hide=x,y', 'a:update;hide=x;lock=y', 'b:read']);
  const permissionOf = (name: string) => permission(read.filter((grant) => names(grant, { name, category: 'core' })));
  expect(permissionOf('a')).toEqual({
    operations: new Set(['update']),
    hidden: new Set(['x']),
    locked: new Set(['x', 'y']),
  });
  expect(permissionOf('b')).toEqual({ operations: new Set(), hidden: new Set(), locked: new Set() });
});
