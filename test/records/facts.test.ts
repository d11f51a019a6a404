// The facts about records follow everything that can happen to records and their links.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

async function step(...operations: readonly object[]): Promise<readonly string[]> {
  const results = await succeed(client, operations);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  return results.map(({ id }) => id ?? '');
}

/** The company and the stage that facts know of a deal. */
async function endsOf(deal: string | undefined): Promise<unknown> {
  const [row] = await service.database.query(sql`
    select u1 as company, u2 as stage from orrery.fact where org_id = ${orgId} and type_id = 3 and id = ${deal}`);
  return row;
}

const toCompany = 'svc_deal_to_company';
const toStage = 'svc_deal_to_deal_pipeline_stage';

test('a deal of companies that are merged, in stages that it leaves, in the trash and back', async () => {
  const stages = await client.get('/objects/svc_deal_pipeline_stage/records/');
  const [open, won] = stages.body.data.map(({ id }: { id: string }) => id);
  const [kept, duplicate, deal] = await step(
    item('create', 'svc_company', { properties: { svc_name: 'Kept' } }),
    item('create', 'svc_company', { ref: 'duplicate', properties: { svc_name: 'Duplicate' } }),
    item('create', 'svc_deal', {
      properties: { svc_amount: { amount: '5', unit: 'USD' } },
      associations: [{ association_type: toCompany, target_id: { ref: 'duplicate' } }],
    }),
  );
  expect(await endsOf(deal)).toEqual({ company: duplicate, stage: null });
  await step(item('associate', 'svc_deal', { id: deal, association_type: toStage, target_id: open }));
  await step(
    item('associate', 'svc_deal', { id: deal, association_type: toStage, target_id: won }),
    item('update', 'svc_deal', { id: deal, properties: { svc_amount: null, svc_close_date: '2026-03-31' } }),
  );
  expect(await endsOf(deal)).toEqual({ company: duplicate, stage: won });
  await step(item('merge', 'svc_company', { id: kept, duplicate_id: duplicate }));
  expect(await endsOf(deal)).toEqual({ company: kept, stage: won });
  await step(item('restore', 'svc_company', { id: duplicate }));
  await step(item('delete', 'svc_deal', { id: deal }));
  expect(await endsOf(deal)).toBeUndefined();
  await step(item('restore', 'svc_deal', { id: deal }));
  expect(await endsOf(deal)).toMatchObject({ company: kept });
  await step(item('dissociate', 'svc_deal', { id: deal, association_type: toCompany, target_id: kept }));
  expect(await endsOf(deal)).toMatchObject({ company: null });
});

test('a record whose own links move to the one that stays', async () => {
  const [kept, duplicate, company] = await step(
    item('create', 'svc_deal', { properties: {} }),
    item('create', 'svc_deal', { ref: 'duplicate', properties: {} }),
    item('create', 'svc_company', { ref: 'company', properties: {} }),
    item('associate', 'svc_deal', {
      id: { ref: 'duplicate' },
      association_type: toCompany,
      target_id: { ref: 'company' },
    }),
  );
  await step(item('merge', 'svc_deal', { id: kept, duplicate_id: duplicate }));
  expect(await endsOf(kept)).toMatchObject({ company });
});

test('a record that is shared with the org, and no longer', async () => {
  const [note] = await step(item('create', 'svc_note', { properties: {} }));
  const org = { id: note, association_type: 'svc_record_to_org', target_id: String(orgId) };
  const visible = async () => {
    const [row] = await service.database.query<{ visible: boolean }>(sql`
      select org_visible as visible from orrery.fact where org_id = ${orgId} and id = ${note}`);
    return row?.visible;
  };
  expect(await visible()).toBe(true);
  await step(item('dissociate', 'svc_note', org));
  expect(await visible()).toBe(false);
  await step(item('associate', 'svc_note', org));
  expect(await visible()).toBe(true);
});
