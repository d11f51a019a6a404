// Words that are deferred while a large file is imported: searches find every one, and however the import ends, the index
// takes words immediately again afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/process/housekeeping.ts';
import { deferWords, stopDeferringWords } from '../../src/store/import/deferred-words.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { findingsIn } from '../support/integrity.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function isDeferring(): Promise<boolean> {
  const [row] = await service.database.query<{ options: readonly string[] }>(
    sql`select reloptions as options from pg_class where relname = 'search_words'`,
  );
  return row?.options.includes('fastupdate=on') === true;
}

test('a large file leaves the index in its normal state, with every word in it', async () => {
  const folder = await ImportFolder.make();
  try {
    const orgId = await service.createOrg();
    const summary = 'word '.repeat(200);
    const count = Math.ceil(bounds.engine.deferredWordsFileBytes / 1_000);
    const rows = Array.from({ length: count }, (_, index) => `n${index},${summary}`);
    const { result } = await folder.run(service, orgId, 'svc_contact', `Last name,Summary\n${rows.join('\n')}\n`);
    expect(result).toMatchObject({ created: count });
    expect(await isDeferring()).toBe(false);
    expect(await findingsIn(service.database, orgId)).toEqual([]);
  } finally {
    await folder.remove();
  }
});

test('deferred words are found; the last import resets the setting, and housekeeping does after a killed one', async () => {
  const { database } = service;
  const client = await service.newClient();
  const [first, second] = [await database.connect(), await database.connect()];
  await deferWords(first);
  await deferWords(second);
  expect(await isDeferring()).toBe(true);
  const ada = await make(client, 'svc_contact', { svc_last_name: 'Lovelace' });
  const found = await client.post('/objects/svc_contact/records/query/', { search: 'lovel' });
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([ada.id]);
  await stopDeferringWords(database, first);
  expect(await isDeferring()).toBe(true);
  // Killed: its connection ends, and it resets nothing.
  await second.close();
  await first.close();
  await keepHouse(database, { trashSeconds: 1_000, changesSeconds: 1_000 });
  expect(await isDeferring()).toBe(false);
  const again = await client.post('/objects/svc_contact/records/query/', { search: 'lovel' });
  expect(again.body.data).toHaveLength(1);
});
