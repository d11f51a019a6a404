import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { Pulse } from './pulse.ts';

const { connectMs, poolWaitMs, quietMs, silentMs, statementWaitMs, sweepMs } = bounds.store;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that answers questions as the test wants; each unanswered one takes its time. */
function openPulse() {
  const server = { answers: true, name: 'first', takesWrites: true, asked: 0, underWay: 0, mostUnderWay: 0 };
  const pulse = new Pulse(
    async () => {
      server.asked++;
      server.mostUnderWay = Math.max(server.mostUnderWay, ++server.underWay);
      if (!server.answers) await new Promise((resolve) => setTimeout(resolve, bounds.store.askMs));
      server.underWay--;
      return server.answers ? { server: server.name, takesWrites: server.takesWrites } : 'silence';
    },
    { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  );
  const givenUp: string[] = [];
  const wait = (name: string, maxMs: number = statementWaitMs) => pulse.begin(maxMs, () => givenUp.push(name));
  return { pulse, server, givenUp, wait };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a server that is asked nothing, or answers in time, is not asked whether it is there', async () => {
  const { pulse, server, wait } = openPulse();
  for (let count = 0; count < 20; count++) {
    const each = wait('short');
    await pass(quietMs / 2);
    pulse.heard();
    pulse.end(each);
  }
  await pass(60_000);
  expect(server.asked).toBe(0);
  expect(pulse.isSilent).toBe(false);
});

test('a long statement is waited for while the server answers others', async () => {
  const { pulse, server, givenUp, wait } = openPulse();
  wait('long');
  await pass(statementWaitMs - sweepMs);
  expect(givenUp).toEqual([]);
  expect(pulse.isSilent).toBe(false);
  expect(server.asked).toBeGreaterThan(5);
  await pass(2 * sweepMs);
  expect(givenUp).toEqual(['long']);
  expect(pulse.isSilent).toBe(false);
});

test('everything that waits for a silent server is given up together, sooner than any wait in line ends', async () => {
  const { pulse, server, givenUp, wait } = openPulse();
  server.answers = false;
  const beganMs = performance.now();
  wait('statement');
  await pass(200);
  wait('connection', connectMs);
  while (givenUp.length === 0) await pass(sweepMs);
  expect(givenUp).toEqual(['statement', 'connection']);
  expect(performance.now() - beganMs).toBeLessThan(Math.min(poolWaitMs, bounds.shares.keyLookupWaitMs));
  expect(pulse.isSilent).toBe(true);
  // It is asked on, one question at a time, until it answers.
  await pass(60_000);
  expect(pulse.isSilent).toBe(true);
  expect(server.mostUnderWay).toBe(1);
  expect(server.asked).toBeLessThan(40);
  server.answers = true;
  await pass(bounds.store.askMs + sweepMs);
  expect(pulse.isSilent).toBe(false);
  const asked = server.asked;
  await pass(60_000);
  expect(server.asked).toBe(asked);
});

test('any answer ends the silence', async () => {
  const { pulse, server, givenUp, wait } = openPulse();
  server.answers = false;
  wait('statement', Number.POSITIVE_INFINITY);
  for (let count = 0; count < 20; count++) {
    await pass(quietMs + silentMs / 2);
    pulse.heard();
  }
  expect(givenUp).toEqual([]);
  expect(pulse.isSilent).toBe(false);
});

test('connections that were last heard from before one that did not answer are suspect', async () => {
  const { pulse, givenUp, wait } = openPulse();
  const before = pulse.heard();
  await pass(1);
  wait('dead');
  expect(pulse.isSuspect(before, undefined)).toBe(false);
  while (givenUp.length === 0) await pass(sweepMs);
  expect(pulse.isSuspect(before, undefined)).toBe(true);
  expect(pulse.isSuspect(pulse.heard(), undefined)).toBe(false);
});

test('where another server answers, whatever waits for the former one is given up, and its connections are suspect', async () => {
  const { pulse, server, givenUp } = openPulse();
  pulse.met({ server: 'first', takesWrites: true });
  const heard = pulse.heard();
  pulse.begin(statementWaitMs, () => givenUp.push('to the first'), 'first');
  pulse.begin(statementWaitMs, () => givenUp.push('a connection'));
  await pass(quietMs + 2 * sweepMs);
  expect(givenUp).toEqual([]);
  expect(pulse.isSuspect(heard, 'first')).toBe(false);
  server.name = 'second';
  await pass(quietMs + 2 * sweepMs);
  expect(givenUp).toEqual(['to the first']);
  expect(pulse.isSilent).toBe(false);
  expect(pulse.isSuspect(pulse.heard(), 'first')).toBe(true);
  expect(pulse.isSuspect(pulse.heard(), 'second')).toBe(false);
});

test('a connection without a time limit is left once another server takes writes instead of its own', async () => {
  const { pulse, server, givenUp, wait } = openPulse();
  const last = (name: string, takesWrites: boolean, state = { server: 'first', takesWrites }) =>
    pulse.last(state, () => givenUp.push(name));
  last('to the primary', true);
  last('to the standby', false);
  last('closed', true)();
  wait('statement');
  const asked = async () => {
    givenUp.length = 0;
    await pass(quietMs + 2 * sweepMs);
    return givenUp;
  };
  expect(await asked()).toEqual([]);
  Object.assign(server, { name: 'second', takesWrites: false });
  expect(await asked()).toEqual([]);
  server.takesWrites = true;
  expect(await asked()).toEqual(['to the primary']);
});

test('time in which this process did not run is not silence of the server', () => {
  let nowMs = 0;
  const pulse = new Pulse(() => new Promise(() => {}), { nowMs: () => nowMs, monotonicMs: () => nowMs });
  const givenUp: string[] = [];
  pulse.begin(Number.POSITIVE_INFINITY, () => givenUp.push('statement'));
  const sweepAt = (ms: number) => {
    nowMs = ms;
    pulse.sweep();
  };
  for (let ms = sweepMs; ms <= quietMs; ms += sweepMs) sweepAt(ms);
  sweepAt(quietMs + 60_000);
  expect(givenUp).toEqual([]);
  for (let passed = 0; passed <= silentMs; passed += sweepMs) sweepAt(nowMs + sweepMs);
  expect(givenUp).toEqual(['statement']);
});

test('closing waits for the question that is under way, and asks no other', async () => {
  const { pulse, server, wait } = openPulse();
  server.answers = false;
  wait('statement');
  await pass(quietMs + 2 * sweepMs);
  expect(server.underWay).toBe(1);
  const closed = pulse.close();
  await pass(bounds.store.askMs + sweepMs);
  await closed;
  expect([server.underWay, server.asked]).toEqual([0, 1]);
});
