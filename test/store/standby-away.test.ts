// A synchronous standby that is away: writes wait for it, and nothing else does.
import { afterEach, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { startService } from '../support/service.ts';
import { openServerPair } from '../support/store/server-pair.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('reads go on in one window of the rate limit after the other, and writes are not acknowledged', async () => {
  const pair = await openServerPair();
  closers.push(() => pair.close());
  const { primary, standby } = pair;
  const service = await startService({ databaseUrl: primary.proxy.url });
  closers.push(() => service.stop());
  const { key } = await service.createKey(await service.createOrg({ quota: 600, windowSeconds: 1 }));
  const client = service.client(key);
  const records = '/objects/svc_company/records/';
  const company = { properties: { svc_name: 'Acme' } };
  expect((await client.post(records, company)).status).toBe(201);
  await standby.kill();
  // Otherwise the service waits for its last writes before it ends.
  closers.push(() => primary.kill());
  for (let window = 0; window < 3; window++) {
    await sleep(1_100);
    const { status, headers } = await client.get(records);
    expect([status, headers.get('ratelimit')]).toEqual([200, '"org";r=599;t=1']);
  }
  // A crash and a recovery change nothing in this.
  const { rows } = await rawQuery(primary.url, "select pid from pg_stat_activity where backend_type = 'walwriter'");
  process.kill(rows[0].pid, 'SIGKILL');
  await sleep(1_100);
  await until(async () => (await client.call('GET', records, { allowFault: true })).status === 200);
  closers.push(lowerBounds({ store: { statementWaitMs: 2_000 } }));
  const { status } = await client.raw('POST', `/rest/v1${records}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(company),
  });
  expect(status).toBe(503);
});
