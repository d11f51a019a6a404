// Records that are older than the tables for queries: their texts get lower-cased forms, and their long keys are
// complete, as if they had been written today.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { boundedKey } from '../../src/schema/indexing/record-keys.ts';
import type { Database } from '../../src/store/database.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { migrate, readMigrations } from '../../src/store/migrate.ts';
import { createDatabase, rawQuery, type TestDatabase } from '../support/database.ts';

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createDatabase();
  database = await openUnmigrated({ engine: 'server', url: own.url });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const names = ['short', 'ä'.repeat(300), 'Long name '.repeat(60), '字'.repeat(1_000)];

test('texts are lower-cased, and long keys are those of today', async () => {
  await rawQuery(
    own.url,
    `create schema orrery; create table orrery.migration (number integer primary key,
    name text not null, checksum text not null, applied_at timestamptz not null default now())`,
  );
  for (const { number, name, text, checksum } of (await readMigrations()).slice(0, 2)) {
    await rawQuery(own.url, text);
    await rawQuery(own.url, `insert into orrery.migration values (${number}, '${name}', '${checksum}')`);
  }
  for (const name of names) {
    const [id, lower] = [newId(), name.toLowerCase()];
    const digest = createHash('sha256').update(lower).digest('hex');
    const key = Array.from(lower).length > 256 ? Array.from(lower).slice(0, 256).join('') + digest : lower;
    const properties = JSON.stringify({ svc_name: name, list: [name, 'B'], amount: { unit: 'EUR' }, on: true });
    await rawQuery(
      own.url,
      `
      insert into orrery.record values (1, 2, '${id}', 1, now(), true, '${properties}');
      insert into orrery.index_text values (1, 2, 3, false, '${key}', '${id}');
      insert into orrery.unique_value values (1, 2, 4, '${key}', '${id}')`,
    );
  }
  await migrate(database);
  const { rows } = await rawQuery(
    own.url,
    `
    select r.properties ->> 'svc_name' as name, r.folded, i.value as indexed, u.value as taken from orrery.record as r
    join orrery.index_text as i on i.record_id = r.id join orrery.unique_value as u on u.record_id = r.id order by r.id`,
  );
  expect(rows).toEqual(
    names.map((name) => {
      const lower = name.toLowerCase();
      const folded = { ...(lower === name ? {} : { svc_name: lower }), list: [lower, 'b'] };
      return { name, folded, indexed: boundedKey(lower), taken: boundedKey(lower) };
    }),
  );
});
