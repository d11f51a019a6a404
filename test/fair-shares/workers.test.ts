// Scans have workers of PostgreSQL beside them only while nobody else could be delayed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts, make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let restoreBounds: () => void;
let wide = 0;
let narrow = 0;
beforeAll(async () => {
  // A type with two records is large, and so is read in the lane.
  restoreBounds = lowerBounds({ store: { largeType: 1 }, engine: { typeSizeKnownMs: 0 } });
  service = await startService({ adapt: counting });
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

function counting(database: Database): Database {
  return {
    ...database,
    transaction: (run) =>
      database.transaction((transaction) =>
        run({
          ...transaction,
          script: (text) => {
            if (text.includes('max_parallel_workers_per_gather = 2')) wide++;
            else if (text.includes('force_custom_plan')) narrow++;
            return transaction.script(text);
          },
        }),
      ),
  };
}

test('an org that is alone scans with workers, and beside others without', async () => {
  const [alone, other] = [await service.newClient(), await service.newClient()];
  for (const name of ['Ada', 'Grace', 'Alan']) await make(alone, 'svc_contact', { svc_last_name: name });
  const count = async () => {
    [wide, narrow] = [0, 0];
    const { body } = await alone.post(`${contacts}aggregate/`, { aggregations: [{ function: 'count' }] });
    expect(body.data).toEqual([{ key: [], values: { count: '3' } }]);
    return { wide, narrow };
  };
  expect(await count()).toEqual({ wide: 1, narrow: 0 });
  await other.get(contacts);
  expect(await count()).toEqual({ wide: 0, narrow: 1 });
});
