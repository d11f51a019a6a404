// Passwords (platform 7): wrong ones are answered alike, slowed down, and never lock anybody out of a link.
import { scryptSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { openPasswordDigests } from '../../src/engine/sign-in/digests.ts';
import type { Client } from '../support/client.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { administeredOrg, auditOf } from '../support/platform/administrator.ts';
import { pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person, tokenFor, withPassword } from '../support/sign-in/person.ts';

let service: TestService;
let orgId: number;
let admin: Client;
let usual: () => void;
beforeAll(async () => {
  usual = cheapDigests();
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await memberWith(admin, 'Administrator');
});
afterAll(async () => {
  usual();
  await service.stop();
});

/** Digests that take no time, for tests of everything else. */
const cheapDigests = () => lowerBounds({ signIn: { scryptCost: 1_024 } });

const password = 'correct horse battery';
const waitingForOrg = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%orrery.org%for share%'`;
const typing = (email: string, typed: string) =>
  new Person(service.url).post('password', { org_id: orgId, email, password: typed });
/** All tests come from one address. */
const forgive = () => rawQuery(service.databaseUrl, 'delete from orrery.sign_in_try');

describe('a password', () => {
  test('signs in, however the address is written and in whichever form the letters come', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, 'crème brûlée pour tous'.normalize('NFC'));
    const answer = await typing(member.email.toUpperCase(), 'crème brûlée pour tous'.normalize('NFD'));
    expect(answer).toMatchObject({ status: 200, body: { data: { member: { id: member.id } } } });
  });

  test('without the number of the org, where there is one org', async () => {
    const alone = await startService();
    try {
      const only = await administeredOrg(alone);
      const member = await memberWith(only.admin, 'Viewer');
      await withPassword(alone, only.orgId, member, password);
      const person = new Person(alone.url);
      expect((await person.post('ways')).body.data).toEqual({ org_id: only.orgId, org_name: 'Test', oidc: null });
      expect((await person.post('password', { email: member.email, password })).status).toBe(200);
      await administeredOrg(alone);
      expect((await person.post('ways')).body.data).toEqual({ org_id: null, oidc: null });
      await expectProblem(await person.post('password', { email: member.email, password }), 'invalid_request');
    } finally {
      await alone.stop();
    }
  });

  test('that is wrong is answered like an address, a member and an org that do not exist', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, password);
    const gone = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, gone, password);
    await admin.patch(pathOfRecord(gone), { properties: { svc_active: false } });
    const without = await memberWith(admin, 'Viewer');
    const answers = [
      await typing(member.email, 'wrong horse battery'),
      await typing('nobody@example.com', password),
      await typing(gone.email, password),
      await typing(without.email, password),
      await new Person(service.url).post('password', { org_id: 999_999, email: member.email, password }),
    ];
    for (const answer of answers) await expectProblem(answer, 'unauthenticated', 'sign_in_refused');
    const bodies = answers.map(({ body: { request_id: _, ...rest } }) => rest);
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  test('takes the same time for an address that exists and one that does not', async () => {
    usual();
    onTestFinished(() => {
      usual = cheapDigests();
    });
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, password);
    const took = async (email: string) => {
      await forgive();
      const from = performance.now();
      await typing(email, 'wrong horse battery');
      return performance.now() - from;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 3; round++) {
      known.push(await took(member.email));
      unknown.push(await took(`nobody${round}@example.com`));
    }
    const median = (times: readonly number[]) => times.toSorted((one, other) => one - other)[1] ?? 0;
    // Most of it is the digest, which is computed in either case: without that, the ratio would be fifty.
    expect(median(known) / median(unknown)).toBeLessThan(3);
    expect(median(unknown) / median(known)).toBeLessThan(3);
  });

  test('that fails ten times has to wait, whether the account exists or not; a link still works', async () => {
    for (const isKnown of [true, false]) {
      await forgive();
      const member = await memberWith(admin, 'Viewer');
      await withPassword(service, orgId, member, password);
      const email = isKnown ? member.email : 'invented@example.com';
      for (let failed = 0; failed < 10; failed++) expect((await typing(email, 'wrong horse battery')).status).toBe(401);
      const slowed = await typing(email, password);
      await expectProblem(slowed, 'rate_limited', 'too_many_failures');
      const seconds = Number(slowed.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(15);
      expect((await new Person(service.url).open(await tokenFor(service, orgId, member.email))).status).toBe(200);
      // The address has failed as often, so another account has to wait as well.
      expect((await typing('other@example.com', password)).status).toBe(429);
    }
    await rawQuery(service.databaseUrl, `update orrery.sign_in_try set last_at = last_at - interval '15 seconds'`);
    expect((await typing('third@example.com', password)).status).toBe(401);
    // The next wait is longer.
    const longer = await typing('third@example.com', password);
    expect(Number(longer.headers.get('retry-after'))).toBeGreaterThan(15);
  });

  test('that fails behind a proxy counts for the account, not for the address that all people share', async () => {
    await forgive();
    const publicUrl = 'https://crm.example.com';
    const proxied = await startService({ databaseUrl: service.databaseUrl, settings: { publicUrl } });
    try {
      const typed = (email: string) =>
        new Person(proxied.url).post(
          'password',
          { org_id: orgId, email, password: 'wrong horse battery' },
          { headers: { origin: publicUrl } },
        );
      for (let guess = 0; guess < 12; guess++) expect((await typed(`proxied${guess}@example.com`)).status).toBe(401);
      for (let guess = 1; guess < 10; guess++) expect((await typed('proxied0@example.com')).status).toBe(401);
      expect((await typed('proxied0@example.com')).status).toBe(429);
    } finally {
      await proxied.stop();
    }
  });

  test('for an org that does not exist has to wait just the same, whatever number is invented next', async () => {
    const apart = await startService({ databaseUrl: service.databaseUrl });
    try {
      const typed = (org: number, email: string) =>
        new Person(apart.url).post('password', { org_id: org, email, password: 'wrong horse battery' });
      for (let guess = 0; guess < 10; guess++) {
        const refused = await typed(1_000_000 + guess, `guess${guess}@example.com`);
        await expectProblem(refused, 'unauthenticated', 'sign_in_refused');
      }
      const slowed = await typed(2_000_000, 'another@example.com');
      await expectProblem(slowed, 'rate_limited', 'too_many_failures');
      expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await apart.stop();
    }
  });

  test('of an account that strangers call by its id is changed all the same', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    const person = await withPassword(service, orgId, member, password);
    for (let failed = 0; failed < 10; failed++) await typing(member.id, 'wrong horse battery');
    const change = { current_password: password, password: 'another long password' };
    expect((await person.post('password/change', change)).status).toBe(200);
  });

  test('of many tries at once no more than ten are compared', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, password);
    const compared: number[] = [];
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => typing(member.email, 'wrong horse battery')));
      compared.push(...answers.map(({ status }) => status));
    }
    expect(compared.filter((status) => status === 401)).toHaveLength(10);
    expect(compared.filter((status) => status === 429)).toHaveLength(22);
  });

  test('that is right forgives the failures of the account, but not those of the address', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, password);
    for (let failed = 0; failed < 5; failed++) await typing(member.email, 'wrong horse battery');
    expect((await typing(member.email, password)).status).toBe(200);
    const { rows } = await rawQuery(service.databaseUrl, 'select failures from orrery.sign_in_try');
    expect(rows).toEqual([{ failures: 5 }]);
  });

  test('is changed only with the old one, and ends the other sessions', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    const person = await withPassword(service, orgId, member, password);
    const other = new Person(service.url);
    await other.post('password', { org_id: orgId, email: member.email, password });
    const change = (body: object) => person.post('password/change', body);
    const next = 'a password that is new';
    await expectProblem(await change({ password: next }), 'validation_failed', 'wrong_shape');
    const wrong = { current_password: 'wrong horse battery', password: next };
    await expectProblem(await change(wrong), 'validation_failed', 'wrong_shape');
    await expectProblem(await change({ current_password: password, password: 'short' }), 'validation_failed');
    expect((await change({ current_password: password, password: next })).status).toBe(200);
    expect((await other.refresh()).body.data).toBeNull();
    expect((await person.refresh()).body.data).toMatchObject({ member: { id: member.id } });
    expect((await typing(member.email, password)).status).toBe(401);
    expect((await typing(member.email, next)).status).toBe(200);
  });

  test('that fails now and then over hours is not slowed down', async () => {
    await forgive();
    const { email } = await memberWith(admin, 'Viewer');
    for (let failed = 0; failed < 12; failed++) {
      expect((await typing(email, 'wrong horse battery')).status).toBe(401);
      await rawQuery(service.databaseUrl, `update orrery.sign_in_try set since = since - interval '2 minutes'`);
    }
  });

  test('that was replaced while it was compared signs nobody in', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    await withPassword(service, orgId, member, password);
    const release = await holdRow(
      service.databaseUrl,
      `select 1 from orrery.org where org_id = ${orgId} for no key update`,
    );
    const late = typing(member.email, password);
    await until(async () => (await rawQuery(service.databaseUrl, waitingForOrg)).rows.length > 0);
    await rawQuery(service.databaseUrl, `update orrery.password set digest = '\\x00' where member_id = '${member.id}'`);
    await release();
    await expectProblem(await late, 'unauthenticated', 'sign_in_refused');
  });

  test('that was refused is in the audit, once a minute, without what was typed', async () => {
    await forgive();
    const member = await memberWith(admin, 'Viewer');
    for (let failed = 0; failed < 3; failed++) await typing(member.email, 'typed by mistake');
    const entries = async () =>
      (await auditOf(admin)).filter(
        ({ properties }) => properties['svc_action'] === 'session.refused' && properties['svc_record_id'] === member.id,
      );
    await until(async () => (await entries()).length > 0);
    expect(await entries()).toHaveLength(1);
    expect(JSON.stringify(await auditOf(admin))).not.toContain('typed by mistake');
  });
});

describe('many passwords at once', () => {
  test('are computed one at a time while eleven wait, and the others are refused at once', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const digests = openPasswordDigests({
      compute: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
        return Buffer.alloc(32);
      },
      close: () => {},
    });
    const compute = () =>
      digests.withPlace(undefined, (digestOf) => digestOf(password, { salt: Buffer.from('salt'), cost: 2 }));
    const all = Array.from({ length: 12 }, compute);
    await expect(compute()).rejects.toMatchObject({ code: 'unavailable', reason: 'overloaded' });
    for (let ended = 0; ended < 12; ended++) {
      await until(async () => ends.length > 0);
      ends.shift()?.();
    }
    await Promise.all(all);
    expect(most).toBe(1);
  });

  test('of one network leave places for the others', async () => {
    const ends: (() => void)[] = [];
    const compute = async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return Buffer.alloc(32);
    };
    const digests = openPasswordDigests({ compute, close: () => {} });
    const how = { salt: Buffer.from('salt'), cost: 2 };
    const from = (network: string) => digests.withPlace(network, (digestOf) => digestOf(password, how));
    const all = Array.from({ length: 8 }, () => from('192.0.2.1'));
    await expect(from('192.0.2.1')).rejects.toMatchObject({ reason: 'overloaded' });
    all.push(from('192.0.2.2'));
    for (let ended = 0; ended < 9; ended++) {
      await until(async () => ends.length > 0);
      ends.shift()?.();
    }
    await Promise.all(all);
    const next = from('192.0.2.1');
    await until(async () => ends.length > 0);
    ends.shift()?.();
    await next;
  });

  test('are those of scrypt with N = 2^17 and r = 8', async () => {
    const digests = openPasswordDigests();
    try {
      usual();
      const how = { salt: Buffer.from('salt'), cost: bounds.signIn.scryptCost };
      usual = cheapDigests();
      const found = await digests.withPlace(undefined, (digestOf) => digestOf(password, how));
      const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
      expect(found.toString('hex')).toBe(scryptSync(password, 'salt', 32, options).toString('hex'));
    } finally {
      digests.close();
    }
  });

  test('are refused when the program that computes them dies, and the next one starts it again', async () => {
    const digests = openPasswordDigests();
    try {
      const slow = { salt: Buffer.from('salt'), cost: 2 ** 17 };
      const waiting = digests.withPlace(undefined, (digestOf) => digestOf(password, slow));
      digests.close();
      await expect(waiting).rejects.toMatchObject({ reason: 'overloaded' });
      const quick = { salt: Buffer.from('salt'), cost: 1_024 };
      expect(await digests.withPlace(undefined, (digestOf) => digestOf(password, quick))).toHaveLength(32);
    } finally {
      digests.close();
    }
  });
});
