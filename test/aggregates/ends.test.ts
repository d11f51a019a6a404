// Groups by an association (contract 5 and 7): keys with titles, directions, users and orgs, and ends that are hidden.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aggregate, count, countsBy, groups, makeSales, salesSchema } from '../support/aggregates/sales.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientWithSchema, faultsOf, make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('other ends', () => {
  test('are keyed by id, type and title; a record with several links is in each group, one without is in null', async () => {
    const client = await clientWithSchema(service, salesSchema);
    const made = await makeSales(client, { name: 'a' }, { name: 'b' }, { name: 'c' });
    const [a = '', b = '', c = ''] = made.map(({ id }) => id);
    const companies = [await make(client, 'svc_company', { svc_name: 'Zeta' }), await make(client, 'svc_company')];
    const [zeta = '', untitled = ''] = companies.map(({ id }) => id);
    await link(
      client,
      [a, 'sale_to_company', zeta],
      [a, 'sale_to_company', untitled],
      [b, 'sale_to_company', zeta],
      [c, 'sale_to_sale', a],
    );
    const end = (id: string, title: string | null, object_type = 'svc_company') => ({ id, object_type, title });
    const expected = [
      [end(zeta, 'Zeta'), '2'],
      [end(untitled, null), '1'],
      [null, '1'],
    ];
    expect(await countsBy(client, { association: 'sale_to_company' })).toEqual(expected);
    expect(await countsBy(client, { association: 'sale_to_company', direction: 'outgoing' })).toEqual(expected);
    // If a type is at both ends, the default is outgoing.
    expect(await countsBy(client, { association: 'sale_to_sale' })).toEqual([
      [end(a, 'a', 'sale'), '1'],
      [null, '2'],
    ]);
    expect(await countsBy(client, { association: 'sale_to_sale', direction: 'incoming' })).toEqual([
      [end(c, 'c', 'sale'), '1'],
      [null, '2'],
    ]);
    const incoming = await groups(
      client,
      { group_by: [{ association: 'sale_to_company' }], aggregations: count },
      'svc_company',
    );
    expect(incoming.map(({ key, values }) => [...key, values['count']])).toEqual([
      [end(a, 'a', 'sale'), '2'],
      [end(b, 'b', 'sale'), '1'],
    ]);
    // A record in the trash is no longer an end.
    expect((await client.delete(`/objects/svc_company/records/${zeta}/`)).status).toBe(200);
    expect(await countsBy(client, { association: 'sale_to_company' })).toEqual([
      [end(untitled, null), '1'],
      [null, '2'],
    ]);
  });

  test('can be users and orgs, by their names', async () => {
    const orgId = await service.createOrg();
    await service.applySchema(orgId, salesSchema);
    const userId = await service.createUser(orgId);
    const user = service.client((await service.createKey(orgId, { userId })).key);
    const all = service.client((await service.createKey(orgId)).key);
    await makeSales(user, { name: 'a' });
    await makeSales(all, { name: 'b' });
    expect(await countsBy(all, { association: 'svc_record_to_user' })).toEqual([
      [{ id: userId, object_type: 'svc_user', title: 'Ada' }, '1'],
      [null, '1'],
    ]);
    const org = { id: String(orgId), object_type: 'svc_org', title: 'Test' };
    expect(await countsBy(all, { association: 'svc_record_to_org', direction: 'outgoing' })).toEqual([[org, '2']]);
  });

  test('that the caller cannot see make no groups: those out of reach count as null, those not granted are unknown', async () => {
    const orgId = await service.createOrg();
    await service.applySchema(orgId, salesSchema);
    const key = async (more: object) => service.client((await service.createKey(orgId, more)).key);
    const all = await key({});
    const user = await key({ userId: await service.createUser(orgId), reach: 'user' });
    const narrow = await key({ grants: [{ objectTypes: ['sale'], operations: ['read'] }] });
    const [sale] = await makeSales(all, { name: 'a' });
    const company = await make(all, 'svc_company', { svc_name: 'Private' });
    await link(all, [sale?.id ?? '', 'sale_to_company', company.id]);
    const hide = { id: company.id, association_type: 'svc_record_to_org', target_id: String(orgId) };
    await succeed(all, [item('dissociate', 'svc_company', hide)]);
    const by = { association: 'sale_to_company' };
    expect(await countsBy(all, by)).toMatchObject([[{ title: 'Private' }, '1']]);
    expect(await countsBy(user, by)).toEqual([[null, '1']]);
    for (const association of ['sale_to_company', 'sale_to_note', 'sale_to_nothing']) {
      const answer = await aggregate(narrow, { group_by: [{ association }], aggregations: count });
      await expectProblem(answer, 'invalid_request', 'unknown_association');
      expect(faultsOf(answer)).toMatchObject([{ pointer: '/group_by/0/association', reason: 'unknown_association' }]);
      expect(answer.text.replaceAll(association, '')).not.toMatch(/sale_to_(company|note)/);
    }
  });
});

async function link(client: Client, ...links: readonly (readonly [string, string, string])[]): Promise<void> {
  await succeed(
    client,
    links.map(([id, association_type, target_id]) => item('associate', 'sale', { id, association_type, target_id })),
  );
}
