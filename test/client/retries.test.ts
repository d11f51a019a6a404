// Lost, late and temporarily refused answers: the client repeats what is safe to repeat, the work is done once, and no
// call takes longer than allowed.
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClientOptions,
  createClient,
  OrreryAnswerError,
  OrreryNetworkError,
  OrreryProblem,
  OrreryTimeoutError,
} from '../../client/main.ts';
import { operations } from '../../client/operations.ts';
import { mayRepeat, parseRetryAfter, pauseMs } from '../../client/retry.ts';
import { sleep } from '../../src/base/clock.ts';
import { checkedFetch, type Fetch } from '../support/client/harness.ts';
import { holdRow } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let key: string;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  ({ key } = await service.createKey(orgId));
});
afterAll(() => service.stop());

/** A client whose first requests get the given answers, and all others those of the service. */
function faultyClient(
  faults: readonly ((send: () => Promise<Response>) => Promise<Response>)[],
  more: Partial<ClientOptions> = {},
) {
  const checked = checkedFetch(service, key);
  const sent: RequestInit[] = [];
  const fetch: Fetch = (address, init) => {
    const fault = faults[sent.push(init) - 1];
    const send = () => checked(address, init);
    return fault === undefined ? send() : fault(send);
  };
  return { client: createClient({ url: service.url, key, fetch, ...more }), sent };
}

/** The service does the work, but its answer never arrives. */
const lose = async (send: () => Promise<Response>): Promise<Response> => {
  await send();
  throw new TypeError('fetch failed');
};
const unreachable = async (): Promise<Response> => {
  throw new TypeError('fetch failed');
};
const page =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response('<html>Something else</html>', { status, headers });

describe('an answer that is lost', () => {
  test('makes a create, an update, an upsert and a batch be sent again, and each is done once', async () => {
    const { client, sent } = faultyClient([lose, lose]);
    const contacts = client.records('svc_contact');
    const made = await contacts.create({ svc_last_name: 'Lovelace' });
    expect(made).toMatchObject({ replayed: true, attempts: 3, status: 201 });
    const keys = sent.map(({ headers }) => (headers as Record<string, string>)['Idempotency-Key']);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^"[0-9a-f]{32}"$/)]));
    const again = faultyClient([lose]).client.records('svc_contact');
    const { data } = await again.update(made.data.id, { svc_last_name: 'Byron' }, { ifMatch: made.data.version });
    expect(data.version).toBe('2');
    const batch = await faultyClient([lose]).client.batch([
      { operation: 'create', object_type: 'svc_contact', properties: { svc_last_name: 'King' } },
    ]);
    expect(batch).toMatchObject({ replayed: true, data: { succeeded: 1 } });
    const ada = { svc_email: ['ada@example.com'] };
    const upserted = await faultyClient([lose])
      .client.records('svc_contact')
      .upsert('svc_email', ada, { ifNoneMatch: '*' });
    expect(upserted).toMatchObject({ replayed: true, status: 201 });
    expect(await contacts.list().toArray(10)).toHaveLength(3);
  });

  test('of a delete is recovered: a record that is gone was deleted', async () => {
    const { client } = faultyClient([]);
    const { id } = (await client.records('svc_contact').create({})).data;
    const gone = await faultyClient([lose]).client.records('svc_contact').delete(id);
    expect(gone).toMatchObject({
      data: { id, object_type: 'svc_contact', deleted: true },
      replayed: true,
      attempts: 2,
    });
    expect(gone.requestId).not.toBe('');
    const never = client.records('svc_contact').delete(id);
    await expect(never).rejects.toMatchObject({ reason: 'record_unknown', attempts: 1 });
  });

  test('of a dry run of a delete is not taken for a deletion', async () => {
    const { client, sent } = faultyClient([lose]);
    const tried = client.records('svc_contact').delete('nobody', { dryRun: true });
    await expect(tried).rejects.toMatchObject({ reason: 'record_unknown', attempts: 2 });
    expect(sent).toHaveLength(2);
  });

  test('is asked for with the same key, because another credential could do the work again', async () => {
    const other = (await service.createKey(orgId)).key;
    const keys = [key, other];
    const { client, sent } = faultyClient([lose], { key: () => keys.shift() ?? '' });
    const made = await client.records('svc_company').create({ svc_name: 'Analytical Engines' });
    expect(made).toMatchObject({ replayed: true, attempts: 2 });
    expect(new Set(sent.map(({ headers }) => (headers as Record<string, string>)['Authorization'])).size).toBe(1);
  });

  test('of a delete or link that is tied to one version is reported as an error', async () => {
    const { client } = faultyClient([]);
    const { id, version } = (await client.records('svc_contact').create({})).data;
    const company = (await client.records('svc_company').create({})).data.id;
    const link = faultyClient([lose]).client.records('svc_contact');
    const linked = link.putAssociation(id, 'svc_contact_to_company', company, { ifMatch: version });
    await expect(linked).rejects.toMatchObject({ name: 'OrreryNetworkError', attempts: 1 });
    const repeated = await faultyClient([lose])
      .client.records('svc_contact')
      .putAssociation(id, 'svc_contact_to_company', company);
    expect(repeated).toMatchObject({ attempts: 2, data: { changed: false } });
    const unlinked = await faultyClient([lose])
      .client.records('svc_contact')
      .deleteAssociation(id, 'svc_contact_to_company', company);
    expect(unlinked).toMatchObject({ attempts: 2, data: { changed: false } });
    const removed = faultyClient([lose]).client.records('svc_contact').delete(id, { ifMatch: '3' });
    await expect(removed).rejects.toBeInstanceOf(OrreryNetworkError);
    await expect(client.records('svc_contact').get(id)).rejects.toMatchObject({ reason: 'record_unknown' });
  });

  test('is not asked for again if only one attempt is allowed', async () => {
    const { client, sent } = faultyClient([lose], { attempts: 1 });
    await expect(client.records('svc_company').create({})).rejects.toMatchObject({ attempts: 1 });
    expect(sent[0]?.headers).not.toHaveProperty('Idempotency-Key');
    expect(sent).toHaveLength(1);
  });
});

test('a repeated request waits while the first one is still running, and gets its answer', async () => {
  const told: string[] = [];
  const { client } = faultyClient([], {
    timeoutMs: 700,
    onRetry: (error) => told.push(error instanceof OrreryProblem ? String(error.reason) : error.name),
  });
  const { id } = (await faultyClient([]).client.records('svc_deal').create({ svc_name: 'Engine' })).data;
  const letGo = await holdRow(service.databaseUrl, `select 1 from orrery.record where id = '${id}' for update`);
  const updating = client.records('svc_deal').update(id, { svc_name: 'Difference Engine' });
  for (let looks = 0; looks < 2_000 && !told.includes('idempotency_in_progress'); looks++) await sleep(50);
  await letGo();
  expect(await updating).toMatchObject({ replayed: true, data: { version: '2' } });
  expect(told[0]).toBe('OrreryTimeoutError');
  expect(told.slice(1)).toContain('idempotency_in_progress');
});

test('a request over the rate limit is sent again when the window has ended', async () => {
  const poor = await service.createOrg({ quota: 1, windowSeconds: 1 });
  const poorKey = (await service.createKey(poor)).key;
  const told: unknown[] = [];
  const onRetry: ClientOptions['onRetry'] = (error) => told.push(error);
  const client = createClient({ url: service.url, key: poorKey, fetch: checkedFetch(service, poorKey), onRetry });
  const answers = await Promise.all(Array.from({ length: 3 }, () => client.getSelf()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(told).toContainEqual(
    expect.objectContaining({ code: 'rate_limited', reason: 'org_limit', retryAfterSeconds: 1 }),
  );
  const hurried = createClient({ url: service.url, key: poorKey, deadlineMs: 900 });
  // It does not wait for an answer that cannot arrive in time.
  const refused = Promise.all(Array.from({ length: 3 }, () => hurried.getSelf()));
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', attempts: 1 });
});

describe('an answer that is not from the service', () => {
  test('is retried if it may come from a proxy, and reported in the end', async () => {
    expect((await faultyClient([page(502), page(503)]).client.getSelf()).attempts).toBe(3);
    const { client, sent } = faultyClient([page(504), page(504)], { attempts: 2 });
    const error = await client.getSelf().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(OrreryAnswerError);
    expect(error).toMatchObject({ status: 504, attempts: 2, operation: 'getSelf' });
    expect(sent).toHaveLength(2);
  });

  test.each([200, 404, 500])('is reported at once with the status %i', async (status) => {
    const { client, sent } = faultyClient([page(status)]);
    await expect(client.getSelf()).rejects.toMatchObject({ name: 'OrreryAnswerError', status });
    expect(sent).toHaveLength(1);
  });

  test('is reported if it is a redirect, and the key is not sent there', async () => {
    const { client, sent } = faultyClient([page(302, { location: 'http://elsewhere.example' })]);
    await expect(client.getSelf()).rejects.toMatchObject({ name: 'OrreryAnswerError', status: 302 });
    expect(sent.map(({ redirect }) => redirect)).toEqual(['manual']);
  });
});

describe('a service that does not answer', () => {
  test('is tried as often as allowed, and the error names neither key nor path', async () => {
    const pauses: number[] = [];
    const { client, sent } = faultyClient([unreachable, unreachable, unreachable], {
      attempts: 3,
      onRetry: (_, ms) => pauses.push(ms),
    });
    const error = (await client
      .records('svc_contact')
      .get('x')
      .catch((each: unknown) => each)) as Error;
    expect(error).toBeInstanceOf(OrreryNetworkError);
    expect(error).toMatchObject({ attempts: 3, operation: 'getRecord', cause: new TypeError('fetch failed') });
    expect(error.message).toBe(`127.0.0.1:${service.port} cannot be reached, or the connection broke.`);
    expect(sent).toHaveLength(3);
    expect(pauses.map((ms) => ms > 100 && ms <= 500)).toEqual([true, true]);
  });

  test('is given up after the time of an attempt, and after the time of all of them', async () => {
    const silent = createServer();
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    try {
      const { port } = silent.address() as { port: number };
      const url = `http://127.0.0.1:${port}`;
      const begunMs = performance.now();
      const patient = createClient({ url, key, timeoutMs: 200, deadlineMs: 1_500, attempts: 50 }).getSelf();
      const error = await patient.catch((each: unknown) => each);
      expect(error).toBeInstanceOf(OrreryTimeoutError);
      expect((error as OrreryTimeoutError).attempts).toBeGreaterThan(1);
      expect(performance.now() - begunMs).toBeLessThan(30_000);
      const controller = new AbortController();
      const aborted = createClient({ url, key }).getSelf({ signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 50);
      await expect(aborted).rejects.toThrow('enough');
    } finally {
      silent.close();
    }
  });

  test('is not waited for even if neither the key function nor fetch respects the signal', async () => {
    const never = () => new Promise<never>(() => {});
    const { url } = service;
    const asking = createClient({ url, key: never }).getSelf({ signal: AbortSignal.timeout(50) });
    await expect(asking).rejects.toMatchObject({ name: 'TimeoutError' });
    const late = createClient({ url, key, fetch: never, attempts: 1, timeoutMs: 50 }).getSelf();
    await expect(late).rejects.toBeInstanceOf(OrreryTimeoutError);
    const keyless = createClient({ url, key: never, deadlineMs: 50 }).getSelf();
    await expect(keyless).rejects.toMatchObject({ name: 'OrreryTimeoutError', attempts: 0 });
  });

  test('is no longer waited for once the caller aborts', async () => {
    const controller = new AbortController();
    const { client, sent } = faultyClient([page(503, { 'retry-after': '30' })]);
    const begunMs = performance.now();
    const waiting = client.getSelf({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(waiting).rejects.toThrow('enough');
    expect(performance.now() - begunMs).toBeLessThan(25_000);
    await expect(client.getSelf({ signal: controller.signal })).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});

describe('the rules', () => {
  const circumstances = { operation: 'getSelf', attempts: 1 } as const;
  const problem = (status: number, code: string, reason?: string, retryAfter?: number) =>
    new OrreryProblem(
      { type: '', title: '', detail: '', request_id: '', status, code, reason } as never,
      retryAfter,
      circumstances,
    );
  const network = new OrreryNetworkError('', circumstances);

  test('Retry-After is a number of seconds, or a date relative to that of the answer', () => {
    const nowMs = Date.parse('2026-11-15T12:00:00Z');
    const date = 'Sun, 15 Nov 2026 11:00:00 GMT';
    expect(parseRetryAfter('7', date, nowMs)).toBe(7);
    expect(parseRetryAfter('Sun, 15 Nov 2026 11:00:05 GMT', date, nowMs)).toBe(5);
    expect(parseRetryAfter('Sun, 15 Nov 2026 12:00:05 GMT', null, nowMs)).toBe(5);
    expect(parseRetryAfter('Sun, 15 Nov 2026 10:00:00 GMT', date, nowMs)).toBe(0);
    // However long it is: a wait that is too long is reported, and the request is not sent sooner.
    expect(parseRetryAfter('99999999999', date, nowMs)).toBe(99_999_999_999);
    for (const text of [null, '', 'soon', '-1', '1e9']) expect(parseRetryAfter(text, date, nowMs)).toBeUndefined();
  });

  test('pauses double up to eight seconds, are never shorter than asked for, and differ', () => {
    const at = (attempts: number, random: number) => pauseMs(network, attempts, () => random);
    expect([1, 2, 3, 6, 7, 100].map((attempts) => at(attempts, 1))).toEqual([250, 500, 1_000, 8_000, 8_000, 8_000]);
    expect(at(3, 0)).toBe(500);
    expect(pauseMs(problem(429, 'rate_limited', 'org_limit', 3), 1, () => 0)).toBe(3_125);
  });

  test('whether a request is repeated depends on the error, and on what would be done twice', () => {
    const cases = {
      network,
      'rate limit': problem(429, 'rate_limited', 'org_limit'),
      overloaded: problem(503, 'unavailable', 'overloaded'),
      storage: problem(503, 'unavailable', 'storage_unavailable'),
      late: problem(504, 'timeout', 'statement_timeout'),
      'out of space': problem(504, 'timeout', 'temporary_space_exceeded'),
      'in progress': problem(409, 'conflict', 'idempotency_in_progress'),
      taken: problem(409, 'conflict', 'unique_value_taken'),
      fault: problem(500, 'internal_error'),
    };
    const repeated = (repetition: 'harmless' | 'same' | 'keyed' | 'never', isConditional: boolean) =>
      Object.entries(cases)
        .filter(([, error]) => mayRepeat(error, { repetition, isConditional }))
        .map(([name]) => name);
    const passing = ['network', 'rate limit', 'overloaded', 'storage', 'late'];
    expect(repeated('harmless', false)).toEqual(passing);
    expect(repeated('same', false)).toEqual(passing);
    expect(repeated('same', true)).toEqual(['rate limit', 'overloaded']);
    expect(repeated('keyed', true)).toEqual([...passing, 'in progress']);
    expect(repeated('never', false)).toEqual([]);
    expect(
      Object.values(operations).every(({ method, repetition }) => method !== 'GET' || repetition === 'harmless'),
    ).toBe(true);
  });

  test('an invalid request is refused before it is sent', async () => {
    expect(() => createClient({ url: service.url, attempts: 0 })).toThrow(
      'attempts must be a whole number from 1 to 100.',
    );
    for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3e9]) {
      expect(() => createClient({ url: service.url, timeoutMs: ms })).toThrow('timeoutMs must be a number from 1');
      expect(() => createClient({ url: service.url, deadlineMs: ms })).toThrow('deadlineMs must be a number from 1');
    }
    const { client, sent } = faultyClient([]);
    for (const idempotencyKey of ['', 'a\nb', 'é', 'x'.repeat(256)]) {
      await expect(client.records('svc_deal').create({}, { idempotencyKey })).rejects.toThrow(
        'idempotencyKey must have',
      );
    }
    expect(sent).toHaveLength(0);
  });
});
