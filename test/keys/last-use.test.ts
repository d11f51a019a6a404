// When a key was last used: noted in the background, and written at most once a minute by each process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clock, sleep, systemClock } from '../../src/base/clock.ts';
import { rawQuery } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

let offsetMs = 0;
const clock: Clock = {
  nowMs: () => systemClock.nowMs() + offsetMs,
  monotonicMs: () => systemClock.monotonicMs() + offsetMs,
};
let service: TestService;
beforeAll(async () => {
  service = await startService({ clock });
  await rawQuery(
    service.databaseUrl,
    `create table use (credential_id text, used_at timestamptz);
     create function note_use() returns trigger language plpgsql as $$ begin
       insert into use values (new.properties ->> 'svc_key_id', (new.properties ->> 'svc_last_used_at')::timestamptz);
       return null; end $$;
     create trigger note_use after update on orrery.record
       for each row when (new.properties ? 'svc_last_used_at') execute function note_use();`,
  );
});
afterAll(() => service.stop());

async function usesOf(credentialId: string): Promise<readonly { used_at: Date }[]> {
  const text = 'select used_at from use where credential_id = $1 order by 1';
  return (await rawQuery(service.databaseUrl, text, [credentialId])).rows;
}

test('a key in constant use is written once a minute', async () => {
  const { key, credentialId } = await service.createKey(await service.createOrg());
  const client = service.client(key);
  const useForAWhile = async () => {
    for (let index = 0; index < 12; index++) {
      expect((await client.raw('GET', '/rest/v1/self/')).status).toBe(200);
      await sleep(100);
    }
  };
  await useForAWhile();
  expect(await usesOf(credentialId)).toHaveLength(1);
  offsetMs += 50_000;
  await useForAWhile();
  expect(await usesOf(credentialId)).toHaveLength(1);
  offsetMs += 10_000;
  await useForAWhile();
  const uses = await usesOf(credentialId);
  expect(uses).toHaveLength(2);
  const [one, two] = uses.map(({ used_at }) => used_at.getTime());
  expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(60_000);
});

test('a refused key does not count as used, whatever the reason', async () => {
  const { key, credentialId } = await service.createKey(await service.createOrg(), {
    expiresAt: new Date(clock.nowMs() - 1_000),
  });
  const otherSecret = await service.createKey(await service.createOrg());
  expect((await service.client(key).raw('GET', '/rest/v1/self/')).status).toBe(401);
  await service.client(otherSecret.key.slice(0, -1)).raw('GET', '/rest/v1/self/');
  await sleep(700);
  expect(await usesOf(credentialId)).toEqual([]);
  expect(await usesOf(otherSecret.credentialId)).toEqual([]);
});

test('a use shortly before the service stops is still recorded', async () => {
  const other = await startService({ databaseUrl: service.databaseUrl });
  const { key, credentialId } = await service.createKey(await service.createOrg());
  await other.client(key).raw('GET', '/rest/v1/self/');
  await other.stop();
  expect(await usesOf(credentialId)).toHaveLength(1);
});

test('an earlier use that is written late does not set the time back', async () => {
  const { key, credentialId } = await service.createKey(await service.createOrg());
  const later = new Date(clock.nowMs() + 3_600_000);
  const text = `update orrery.record set properties = properties || jsonb_build_object('svc_last_used_at', $2::text)
    where properties ->> 'svc_key_id' = $1`;
  await rawQuery(service.databaseUrl, text, [credentialId, later.toISOString()]);
  await service.client(key).raw('GET', '/rest/v1/self/');
  // Another key is used later, so that its use is written after that of the first.
  const marker = await service.createKey(await service.createOrg());
  await service.client(marker.key).raw('GET', '/rest/v1/self/');
  await expect.poll(async () => (await usesOf(marker.credentialId)).length).toBe(1);
  expect((await usesOf(credentialId)).map(({ used_at }) => used_at)).toEqual([later]);
});
