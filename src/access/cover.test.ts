// Whether what a caller may do covers what somebody else holds.
import { expect, test } from 'vitest';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import { covers } from './cover.ts';
import { readGrants } from './grant.ts';

const all = 'read,create,update,delete,associate';

function covered(caller: readonly string[], held: readonly string[]): boolean {
  const power = (texts: readonly string[]) => ({ reach: 'org', grants: readGrants(texts) }) as const;
  return covers(power(caller), power(held), builtinCatalog);
}

test.each([
  [['svc_contact:read'], ['svc_contact:read']],
  [['svc_contact:update'], ['svc_contact:read']],
  [[`svc_contact,svc_deal:${all}`], ['svc_contact:read', 'svc_deal:delete']],
  [['svc_contact:create', 'svc_contact:delete'], ['svc_contact:create,delete']],
  [[`*:${all}`], ['svc_contact:update']],
  [[`*:${all}`], [`*:${all}`]],
  [[`platform:${all}`], ['svc_role:update', `platform:${all}`]],
  [['svc_contact:read;hide=svc_email'], ['svc_contact:read;hide=svc_email,svc_summary']],
  [['svc_contact:update;lock=svc_email'], ['svc_contact:update;hide=svc_email']],
  [['*:read;hide=svc_email', 'svc_contact:read'], ['svc_contact:read']],
  [['svc_contact:read'], []],
  [['*:read'], ['a_type_that_is_gone:read']],
  [['*:read;hide=svc_phone_number'], ['svc_deal:read']],
])('%j covers %j', (caller, held) => {
  expect(covered(caller, held)).toBe(true);
});

test.each([
  [['svc_contact:read'], ['svc_contact:update']],
  [['svc_contact:read'], ['svc_deal:read']],
  [[], ['svc_contact:read']],
  [[`svc_contact:${all}`], ['*:read']],
  [[`*:${all}`], ['svc_role:read']],
  [[`*:${all}`], ['platform:read']],
  [[`platform:${all}`], ['svc_contact:read']],
  [[`svc_member,svc_role,svc_access_key,svc_view,svc_audit_entry,svc_job:${all}`], ['platform:read']],
  [['svc_contact:read;hide=svc_email'], ['svc_contact:read']],
  [['svc_contact:update;lock=svc_email'], ['svc_contact:update']],
  [['svc_contact:update;lock=svc_email'], ['svc_contact:update;lock=svc_summary']],
  [['*:read;hide=svc_email'], ['*:read']],
  [['*:read;hide=svc_email', 'svc_contact:read'], ['*:read']],
  [['svc_contact:read'], ['a_type_that_is_gone:read']],
])('%j does not cover %j', (caller, held) => {
  expect(covered(caller, held)).toBe(false);
});

test('the reach of a user does not cover the whole org, unless nothing is held', () => {
  const grants = readGrants(['svc_contact:read']);
  expect(covers({ reach: 'user', grants }, { reach: 'org', grants }, builtinCatalog)).toBe(false);
  expect(covers({ reach: 'org', grants }, { reach: 'user', grants }, builtinCatalog)).toBe(true);
  expect(covers({ reach: 'user', grants }, { reach: 'org', grants: [] }, builtinCatalog)).toBe(true);
});
