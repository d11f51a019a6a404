// Several services on one database: a change through one is seen by all of them within a second, and they share their
// counts.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clock, sleep, systemClock } from '../../src/base/clock.ts';
import { revokeKey, rotateKey } from '../../src/engine/admin/keys.ts';
import { aroundStatements } from '../support/around-statements.ts';
import { rawQuery } from '../support/database.ts';
import { withinASecond } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';

/** Between tests time is put forward, so that the refusals of one do not count against the address in the next. */
let offsetMs = 0;
const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + offsetMs };
beforeEach(() => {
  offsetMs += 60_000;
});

let first: TestService;
let second: TestService;
let both: readonly TestService[];
beforeAll(async () => {
  first = await startService({ clock });
  second = await startService({ databaseUrl: first.databaseUrl, clock });
  both = [first, second];
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const self = '/rest/v1/self/';

interface Seen {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly status: number;
  readonly reason: string | undefined;
}

/** Requests one path from both services, several times at once, until it is stopped. */
function keepAsking(key: string, path: string, lanes = 2) {
  const seen: Seen[] = [];
  let asking = true;
  const lane = async (service: TestService) => {
    while (asking) {
      const sentAtMs = performance.now();
      const { status, body } = await service.client(key).raw('GET', path);
      seen.push({ sentAtMs, answeredAtMs: performance.now(), status, reason: body.reason });
      await sleep(15);
    }
  };
  const done = Promise.all(both.flatMap((service) => Array.from({ length: lanes }, () => lane(service))));
  const sentAfter = (ms: number) => seen.filter(({ sentAtMs }) => sentAtMs > ms);
  return {
    /** Waits until more than so many requests that were sent after this moment are answered. */
    answersAfter: (ms: number, count: number) => expect.poll(() => sentAfter(ms).length).toBeGreaterThan(count),
    stop: async () => {
      asking = false;
      await done;
      return seen;
    },
  };
}

async function statusesOf(key: string, path = self): Promise<readonly (string | number)[]> {
  const answers = await Promise.all(both.map((service) => service.client(key).raw('GET', path)));
  return answers.map(({ status, body }) => (status === 401 ? (body.reason ?? '') : status));
}

test('a new org and its key work at once on every service', async () => {
  for (let round = 0; round < 5; round++) {
    const orgId = await first.createOrg();
    expect(await statusesOf((await first.createKey(orgId)).key)).toEqual([200, 200]);
    // By now both have the org in their cache.
    expect(await statusesOf((await second.createKey(orgId)).key)).toEqual([200, 200]);
  }
});

test('a key that is revoked after a pause is refused by the very next request', async () => {
  const { key, credentialId } = await first.createKey(await first.createOrg());
  expect(await statusesOf(key)).toEqual([200, 200]);
  // That the key was used is noted in the background, once a minute, and that refreshes the caches as well.
  await sleep(2_000);
  expect(await statusesOf(key)).toEqual([200, 200]);
  await sleep(950);
  await revokeKey(first.database, credentialId);
  expect(await statusesOf(key)).toEqual(['key_revoked', 'key_revoked']);
});

test.each([0, 350, 700])(
  'a key that is revoked %i ms into a constant load is refused within a second',
  async (pauseMs) => {
    const { key, credentialId } = await first.createKey(await first.createOrg());
    expect(await statusesOf(key)).toEqual([200, 200]);
    const asking = keepAsking(key, self);
    await sleep(pauseMs);
    await revokeKey(second.database, credentialId);
    const committedAtMs = performance.now();
    await asking.answersAfter(committedAtMs + 1_000, 10);
    const seen = await asking.stop();
    const late = seen.filter(({ sentAtMs }) => sentAtMs > committedAtMs + 1_000);
    expect(late.filter(({ status }) => status !== 401)).toEqual([]);
    expect(new Set(seen.map(({ status, reason }) => reason ?? status))).toEqual(new Set([200, 'key_revoked']));
  },
);

test('a revocation is seen within a second even while the answer of the database to an earlier question hangs', async () => {
  let hangMs = 0;
  const slow = await startService({
    databaseUrl: first.databaseUrl,
    adapt: (database) =>
      aroundStatements(database, async (text, run) => {
        const waitMs = text.includes('orrery.epoch') ? hangMs : 0;
        hangMs -= waitMs;
        const rows = await run();
        await sleep(waitMs);
        return rows;
      }),
  });
  const { key, credentialId } = await first.createKey(await first.createOrg());
  const client = slow.client(key);
  expect((await client.raw('GET', self)).status).toBe(200);
  await sleep(950);
  hangMs = 2_500;
  const early = client.raw('GET', self);
  await sleep(100);
  await revokeKey(first.database, credentialId);
  await sleep(1_050);
  const { status, body } = await client.raw('GET', self);
  expect([status, body.reason]).toEqual([401, 'key_revoked']);
  // The earlier question was indeed asked, and hangs.
  expect(hangMs).toBe(0);
  await early;
  await slow.stop();
});

test('a rotated key keeps its id; its old secret works beside the new one until the grace period is over', async () => {
  const orgId = await first.createOrg();
  const old = await first.createKey(orgId, { name: 'sync' });
  expect(await statusesOf(old.key)).toEqual([200, 200]);
  const graceSeconds = 2;
  const began = performance.now();
  const fresh = await rotateKey(first.database, old.credentialId, graceSeconds);
  const rotated = performance.now();
  expect(fresh.credentialId).toBe(old.credentialId);
  expect(fresh.key).not.toBe(old.key);
  const asking = keepAsking(old.key, self, 1);
  for (const service of both) {
    const status = async () => (await service.client(fresh.key).raw('GET', self)).status;
    expect(await withinASecond(status, (found) => found === 200)).toBe(200);
    const { body } = await service.client(fresh.key).get('/self/');
    expect(body.data.credential).toEqual({ id: old.credentialId, name: 'sync' });
  }
  const endMs = began + graceSeconds * 1_000;
  const overMs = rotated + graceSeconds * 1_000;
  await asking.answersAfter(overMs + 500, 0);
  const seen = await asking.stop();
  expect(seen.filter(({ answeredAtMs, status }) => answeredAtMs < endMs && status !== 200)).toEqual([]);
  const late = seen.filter(({ sentAtMs }) => sentAtMs > overMs + 500);
  expect(late.filter(({ reason }) => reason !== 'key_expired')).toEqual([]);
  expect(await statusesOf(fresh.key)).toEqual([200, 200]);
});

test('a rotation without grace ends the old secret within a second, and a revocation ends all secrets', async () => {
  const old = await first.createKey(await first.createOrg());
  await statusesOf(old.key);
  const fresh = await rotateKey(first.database, old.credentialId, 0);
  await sleep(1_000);
  expect(await statusesOf(old.key)).toEqual(['key_expired', 'key_expired']);
  expect(await statusesOf(fresh.key)).toEqual([200, 200]);
  const third = await rotateKey(first.database, old.credentialId, 600);
  await revokeKey(first.database, old.credentialId);
  await sleep(1_000);
  for (const { key } of [old, fresh, third]) expect(await statusesOf(key)).toEqual(['key_revoked', 'key_revoked']);
});

test('a key expires on every service at its time, without a query', async () => {
  const expiresAt = new Date(Date.now() + 6_000);
  const { key } = await first.createKey(await first.createOrg(), { expiresAt });
  expect(await statusesOf(key)).toEqual([200, 200]);
  await sleep(expiresAt.getTime() - Date.now() + 20);
  expect(await statusesOf(key)).toEqual(['key_expired', 'key_expired']);
});

test('a schema that is applied through one service is served by both within a second, under load, to keys with the grant', async () => {
  const orgId = await first.createOrg();
  const wide = await first.createKey(orgId);
  const narrow = await first.createKey(orgId, { grants: [{ objectTypes: ['svc_contact'], operations: ['read'] }] });
  const path = '/rest/v1/objects/ticket/';
  expect(await statusesOf(wide.key, path)).toEqual([404, 404]);
  const asking = keepAsking(wide.key, path);
  await sleep(300);
  const title = { name: 'title', label: 'Title', field_type: 'text' };
  await first.applySchema(orgId, { object_types: [{ name: 'ticket', label: 'Ticket', properties: [title] }] });
  const committedAtMs = performance.now();
  await asking.answersAfter(committedAtMs + 1_000, 10);
  const seen = await asking.stop();
  const late = seen.filter(({ sentAtMs }) => sentAtMs > committedAtMs + 1_000);
  expect(new Set(late.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await statusesOf(narrow.key, path)).toEqual([404, 404]);
  expect(await statusesOf(narrow.key, '/rest/v1/objects/svc_contact/')).toEqual([200, 200]);
  expect(await statusesOf(narrow.key, '/rest/v1/objects/svc_company/')).toEqual([404, 404]);
});

test('concurrent changes of the keys and of the schema of one org do not deadlock', async () => {
  const orgId = await first.createOrg();
  const { credentialId } = await first.createKey(orgId);
  for (let round = 0; round < 8; round++) {
    const properties = [{ name: `p${round}`, label: 'P', field_type: 'text' }];
    await Promise.all([
      first.applySchema(orgId, { properties: { svc_contact: properties } }),
      rotateKey(second.database, credentialId, 60),
      second.createKey(orgId),
      first.createUser(orgId),
      revokeKey(second.database, (await first.createKey(orgId)).credentialId),
    ]);
  }
});

test('three services that are asked over HTTP at once grant the quota of an org exactly, window after window', async () => {
  const third = await startService({ databaseUrl: first.databaseUrl });
  const quota = 40;
  const { key } = await first.createKey(await first.createOrg({ quota, windowSeconds: 10 }));
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(
      [first, second, third].flatMap((service) =>
        Array.from({ length: 30 }, () => service.client(key).raw('GET', self)),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(quota);
    if (round === 0) await sleep(Math.max(...refused.map(({ headers }) => Number(headers.get('retry-after')))) * 1_000);
  }
  await third.stop();
});

test('the last use of a key is soon recorded, with its time', async () => {
  const { key, credentialId } = await first.createKey(await first.createOrg());
  const lastUse = async () => {
    const text = `select (properties ->> 'svc_last_used_at')::timestamptz as used_at from orrery.record
      where properties ->> 'svc_key_id' = $1`;
    return (await rawQuery(first.databaseUrl, text, [credentialId])).rows[0].used_at as Date | null;
  };
  expect(await lastUse()).toBeNull();
  const before = Date.now();
  await second.client(key).raw('GET', self);
  const after = Date.now();
  await expect.poll(lastUse).not.toBeNull();
  const noted = (await lastUse())?.getTime() ?? 0;
  expect(noted).toBeGreaterThan(before - 1_000);
  expect(noted).toBeLessThan(after + 1_000);
});
