// A full disk of the database: writes are told so, reads go on, and the operator learns the reason.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { startService, type TestService } from '../support/service.ts';

const contacts = '/objects/svc_contact/records/';
const ada = { properties: { svc_first_name: 'Ada' } };

let restoreBounds: () => void;
let service: TestService;
beforeAll(async () => {
  restoreBounds = lowerBounds({ store: { diskFullKnownMs: 2_000 }, http: { readinessKeptMs: 0 } });
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

/** New records meet the error that PostgreSQL gives when a table cannot grow. */
const fillDisk = `create function orrery.fill() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file "base/5/16384": No space left on device' using errcode = '53100';
  end $$;
  create trigger full_disk before insert on orrery.record for each statement execute function orrery.fill()`;

async function readiness(): Promise<string> {
  const { status, body } = await service.client().raw('GET', '/readyz');
  return `${status} ${body.status}`;
}

test('writes are refused with the reason, reads go on, and readiness says that nothing can be written', async () => {
  const client = await service.newClient();
  const { id } = (await client.post(contacts, ada)).body.data;
  const create = () =>
    client.call('POST', contacts, {
      allowFault: true,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ada),
    });
  await rawQuery(service.databaseUrl, fillDisk);
  const answer = await create();
  await expectProblem(answer, 'unavailable', 'storage_unavailable');
  expect(answer.body.detail).toMatch(/disk of the database is full/);
  expect(answer.text).not.toMatch(/base\/5/);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(1);
  expect((await client.get(`${contacts}${id}/`)).status).toBe(200);
  expect((await client.get(contacts)).body.data).toHaveLength(1);
  // As long as writes meet it.
  await until(async () => {
    await create();
    return (await readiness()) === '200 read_only';
  });
  expect(service.logLines.join('')).toContain('the disk of the database is full: nothing can be written');
  await rawQuery(service.databaseUrl, 'drop function orrery.fill() cascade');
  expect((await client.post(contacts, ada)).status).toBe(201);
  await until(async () => (await readiness()) === '200 ready');
});
