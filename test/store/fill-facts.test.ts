// Facts about records that are older than the table of facts: the migration finds the same that writers would have written.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { fillFacts } from '../../src/store/fill-facts.ts';
import { makeSales, salesSchema } from '../support/aggregates/sales.ts';
import { item, succeed } from '../support/batch.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { untilUseIsNoted } from '../support/noted-use.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let restoreBounds: () => void;
beforeAll(async () => {
  // A few records are several portions.
  restoreBounds = lowerBounds({ store: { filledFacts: 2 } });
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

async function newOrg(): Promise<number> {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, salesSchema);
  const client = service.client((await service.createKey(orgId)).key);
  const made = await makeSales(
    client,
    { name: 'a', size: '1.50', price: { amount: '10.00', unit: 'EUR' }, day: '2026-01-31', done: true, state: 'Won' },
    { name: 'b', moment: '2026-02-01T10:00:00+02:00', sizes: ['1', '2'], done: false },
    { name: 'c' },
  );
  const [a, b, c] = made.map(({ id }) => id);
  await succeed(client, [
    item('associate', 'sale', { id: b, association_type: 'sale_to_sale', target_id: a }),
    item('create', 'svc_company', { ref: 'company', properties: { svc_name: 'Acme' } }),
    item('create', 'svc_deal', {
      properties: { svc_amount: { amount: '5', unit: 'USD' }, svc_close_date: '2026-03-31' },
      associations: [{ association_type: 'svc_deal_to_company', target_id: { ref: 'company' } }],
    }),
    item('delete', 'sale', { id: c }),
  ]);
  // Nothing is written in the background any more.
  await untilUseIsNoted(service, client);
  return orgId;
}

test('it fills all orgs and types, their own ones too', async () => {
  const orgs = [await newOrg(), await newOrg()];
  const facts = () => service.database.query(sql`select f.* from orrery.fact as f order by f.org_id, f.type_id, f.id`);
  const written = await facts();
  expect(written.length).toBeGreaterThan(8);
  await service.database.transaction(async (transaction) => {
    await transaction.query(raw('delete from orrery.fact'));
    await fillFacts(transaction);
  });
  expect(await facts()).toEqual(written);
  for (const orgId of orgs) expect(await findingsIn(service.database, orgId)).toEqual([]);
});
