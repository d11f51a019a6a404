// Who asks for a hidden property builds no index of it (platform 4): an index that comes would tell that there is one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gems, openGems } from '../support/access/gems.ts';
import { item, succeed } from '../support/batch.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { query } from '../support/query/ask.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let world: Gems;
let restoreBounds: () => void;
beforeAll(async () => {
  restoreBounds = lowerBounds({ store: { largeType: 30 }, shares: { wishRepeatedMs: 0 } });
  service = await startService({ indexGraceMs: 100 });
  world = await openGems(service);
  const one = (index: number) => item('create', 'gem', { properties: { name: `Gem ${index}`, weight: String(index) } });
  await succeed(
    world.admin,
    Array.from({ length: 60 }, (_, index) => one(index)),
  );
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
});

/** How many properties have got an index. */
async function indexes(): Promise<number> {
  const text = 'select 1 from orrery.property_index where org_id = $1';
  return (await rawQuery(service.databaseUrl, text, [world.orgId])).rows.length;
}

test('a filter, a sort or a group by it builds no index, and one by another property does', async () => {
  const { admin, narrow } = world;
  const ask = async (client: typeof narrow, property: string, value: string) => {
    for (let times = 0; times < 3; times++) {
      await query(client, 'gem', { filter: { property, operator: 'eq', value } });
      await query(client, 'gem', { sort: [{ property, direction: 'asc' }] });
      await client.post('/objects/gem/records/aggregate/', {
        filter: { property, operator: 'eq', value },
        aggregations: [{ function: 'count' }],
      });
    }
  };
  await ask(narrow, 'weight', '7');
  // An index that the same key may ask for comes, so that of the hidden property would be there by now.
  await ask(narrow, 'name', 'Gem 7');
  await until(async () => (await indexes()) > 0);
  expect(await indexes()).toBe(1);
  await ask(admin, 'weight', '7');
  await until(async () => (await indexes()) === 2);
});
