import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('a key learns its org, principal, reach, grants and limits', async () => {
  const orgId = await service.createOrg();
  const { credentialId, key } = await service.createKey(orgId, { name: 'sync' });
  const { status, body } = await service.client(key).get('/self/');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    org_id: orgId,
    principal_id: credentialId,
    reach: 'org',
    credential: { id: credentialId, name: 'sync' },
    grants: [{ object_types: ['*'], operations: ['read', 'create', 'update', 'delete', 'associate'] }],
  });
  expect(body.data.credential).not.toHaveProperty('expires_at');
  expect(body.data.limits).toEqual({
    body_bytes: 1_048_576,
    batch_body_bytes: 8_388_608,
    batch_operations: 1_000,
    page_size_default: 50,
    page_size: 500,
    changes_page_size: 1_000,
    filter_conditions: 50,
    filter_depth: 5,
    in_values: 1_000,
    sort_keys: 3,
    group_keys: 3,
    aggregations: 10,
    groups: 1_000,
    values_per_property: 100,
    properties_per_type: 500,
    statement_seconds: 10,
    rate_limit: { quota: 6_000, window_seconds: 60 },
  });
});

test('a key of a user names the user as its principal, and its end when it has one', async () => {
  const orgId = await service.createOrg({ quota: 500, windowSeconds: 10 });
  const userId = await service.createUser(orgId);
  const expiresAt = new Date('2999-01-01T00:00:00.000Z');
  const { key } = await service.createKey(orgId, { userId, reach: 'user', expiresAt });
  const { body } = await service.client(key).get('/self/');
  expect(body.data).toMatchObject({ principal_id: userId, reach: 'user' });
  expect(body.data.credential.expires_at).toBe('2999-01-01T00:00:00.000Z');
  expect(body.data.limits.rate_limit).toEqual({ quota: 500, window_seconds: 10 });
});
