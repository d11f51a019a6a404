// A statement that takes too long is ended by the database and answered as 504, and the next request is served.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { timeZoneNames } from '../../src/schema/codes/time-zones.ts';
import type { Client } from '../support/client.ts';
import { contacts, make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
  await make(client, 'svc_contact', { svc_first_name: 'Ada' });
});
afterAll(() => service.stop());

const questions: readonly (readonly [string, object])[] = [
  ['query', { filter: { property: 'svc_first_name', operator: 'contains', value: 'd' } }],
  ['aggregate', { aggregations: [{ function: 'count' }] }],
];

test('statements that pass ten seconds end as 504 timeout, and the pool stays healthy', async () => {
  const began = performance.now();
  const answers = await service.database.transaction(async (transaction) => {
    // No request can read the records until this ends.
    await transaction.script('set local statement_timeout = 0; lock table orrery.record in access exclusive mode');
    // More than there are connections. Each statement that meets the lock moves to the lane, where one runs at a time and
    // the others wait as long as it does.
    return Promise.all(
      Array.from({ length: 14 }, async (_, index) => {
        const [path, body] = questions[index % 2] ?? ['', {}];
        return client.call('POST', `${contacts}${path}/`, {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          allowFault: true,
        });
      }),
    );
  });
  const tookMs = performance.now() - began;
  expect(tookMs).toBeGreaterThan(limits.statementSeconds * 1_000 - 500);
  const timeouts = answers.filter(({ status }) => status === 504);
  expect(timeouts.length).toBeGreaterThan(0);
  for (const { body } of timeouts) {
    expect(body).toMatchObject({ code: 'timeout', reason: 'statement_timeout', status: 504 });
    expect(body.detail).not.toMatch(/select|orrery\.|statement timeout/);
  }
  const others = answers.filter(({ status }) => status !== 504);
  expect(others.map(({ body }) => [body.code, body.reason])).toEqual(others.map(() => ['unavailable', 'overloaded']));
  for (const [path, body] of questions) {
    const again = await Promise.all(Array.from({ length: 20 }, () => client.post(`${contacts}${path}/`, body)));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

test('PostgreSQL knows every time zone that a group key accepts', async () => {
  const rows = await service.database.query<{ name: string }>(sql`
    select n as name from unnest(${timeZoneNames}::text[]) as n
    where not exists (select 1 from pg_timezone_names as z where z.name = n)`);
  expect(rows.map(({ name }) => name)).toEqual([]);
});
