// New words wait until there are enough of them to be indexed together: searches find every one meanwhile, and the list of
// those that wait stays short.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import type { Sql } from '../../src/base/sql.ts';
import { indexWaitingWords } from '../../src/store/records/waiting-words.ts';
import { item, succeed } from '../support/batch.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { findingsIn } from '../support/integrity.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The kilobytes of the words that waited until now, in pages of eight. */
async function indexWaiting(): Promise<number> {
  const { rows } = await rawQuery(
    service.databaseUrl,
    "select gin_clean_pending_list('orrery.search_words')::int as pages",
  );
  return rows[0].pages * 8;
}

const sentence = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');

test('a word that waits is found', async () => {
  const client = await service.newClient();
  await indexWaiting();
  const ada = await make(client, 'svc_contact', { svc_last_name: 'Lovelace' });
  const find = () => client.post('/objects/svc_contact/records/query/', { search: 'lovel' });
  expect((await find()).body.data).toMatchObject([{ id: ada.id }]);
  expect(await indexWaiting()).toBeGreaterThan(0);
  expect((await find()).body.data).toMatchObject([{ id: ada.id }]);
});

test('the words of many requests are indexed in the background', async () => {
  const client = await service.newClient();
  const written = 40 * 200 * 24;
  // Nobody's write indexes these: they are less than what may wait.
  expect(written).toBeLessThan(1_024 * bounds.store.waitingWordsKilobytes);
  // To count what waits is to index it, so each try writes again. On a busy machine the background takes longer.
  const isIndexed = async () => {
    await indexWaiting();
    for (let count = 0; count < 4; count++) {
      const properties = { svc_last_name: `n${count}`, svc_summary: sentence };
      await succeed(
        client,
        Array.from({ length: 10 }, () => item('create', 'svc_contact', { properties })),
      );
    }
    // One pass may be under way, and another follows.
    await setTimeout(30 * bounds.engine.wordsRestMs);
    return 1_024 * (await indexWaiting()) < written / 2;
  };
  await until(isIndexed);
});

test('a user of the database who does not own the index leaves the words to the writers, and gets no error', async () => {
  const client = await service.newClient();
  const role = `orrery_plain_${process.pid}`;
  const asPlain = async (statement: Sql) => {
    const { rows } = await rawQuery(service.databaseUrl, `set role ${role}; ${statement.text}`);
    return rows;
  };
  await rawQuery(service.databaseUrl, `create role ${role}; grant usage on schema orrery to ${role}`);
  try {
    await indexWaiting();
    await make(client, 'svc_contact', { svc_last_name: 'Lovelace' });
    await indexWaitingWords({ query: asPlain });
    expect(await indexWaiting()).toBeGreaterThan(0);
  } finally {
    await rawQuery(service.databaseUrl, `revoke usage on schema orrery from ${role}; drop role ${role}`);
  }
});

test('without a service that indexes them, no more words wait than the bound, beside those of one write', async () => {
  const orgId = await service.createOrg();
  const insert = (from: number) => `insert into orrery.search (org_id, type_id, record_id, words)
    select ${orgId}, 1, gen_random_uuid(), to_tsvector('simple', string_agg('w' || n, ' '))
    from generate_series(${from}, ${from} + 199999) as n group by n / 200`;
  const limit = `set gin_pending_list_limit = ${bounds.store.waitingWordsKilobytes}`;
  // A write does not wait while another session, such as that of autovacuum, indexes them: then the list is longer for a moment.
  const isBound = async () => {
    await indexWaiting();
    await rawQuery(service.databaseUrl, `${limit}; ${insert(0)}; ${limit}; ${insert(200_000)}`);
    return (await indexWaiting()) < 2 * bounds.store.waitingWordsKilobytes;
  };
  await until(isBound);
});

test('a large file leaves few words that wait, and every word is found', async () => {
  const folder = await ImportFolder.make();
  try {
    const orgId = await service.createOrg();
    const rows = Array.from({ length: 2_000 }, (_, index) => `n${index},${sentence}`);
    const { result } = await folder.run(service, orgId, 'svc_contact', `Last name,Summary\n${rows.join('\n')}\n`);
    expect(result).toMatchObject({ created: 2_000 });
    expect(await indexWaiting()).toBeLessThan(2 * bounds.store.importedWordsKilobytes);
    expect(await findingsIn(service.database, orgId)).toEqual([]);
  } finally {
    await folder.remove();
  }
});
