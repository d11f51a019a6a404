// A file whose amounts are in the currency of another column: nothing is stored in the wrong currency.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function amounts(): Promise<readonly unknown[]> {
  const { data } = (await client.get(`${recordsPath('svc_deal')}?limit=500`)).body;
  return data.map(({ properties }: { properties: Record<string, unknown> }) => properties['svc_amount']);
}

test('an import and its dry run refuse the file before anything is stored, unless the map ignores the column', async () => {
  const path = await folder.write(`Deal Name,Amount,Currency\n${'X,1000,\n'.repeat(2_000)}Y,1000,GBP\n`);
  const run = (options = {}) => folder.runFile(service.databaseUrl, orgId, 'svc_deal', path, options);
  for (const dryRun of [true, false]) {
    const { failure, result, told } = await run({ dryRun });
    expect([failure?.exitStatus, result]).toEqual([2, undefined]);
    expect(failure?.message).toMatch(
      /^The column "Currency" looks like .+ line 2002 says GBP, but "1000" would be stored/,
    );
    expect(told).toContain('  "Currency": ignored (perhaps the currency of svc_amount, which only the map can say)');
  }
  expect(await amounts()).toEqual([]);
  const { failure, result } = await run({ map: { Currency: null }, dryRun: true });
  expect([failure, result?.created]).toEqual([undefined, 2_001]);
});

test('a currency in the cell of the amount is stored, and a column that says the same does no harm', async () => {
  const text = 'Deal Name,Amount,Currency\nX,1000 GBP,GBP\nY,CHF 5,chf\n';
  const { failure, result } = await folder.run(service, orgId, 'svc_deal', text);
  expect([failure, result?.created]).toEqual([undefined, 2]);
  expect(await amounts()).toEqual([
    { amount: '1000', unit: 'GBP' },
    { amount: '5', unit: 'CHF' },
  ]);
});
