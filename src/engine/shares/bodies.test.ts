// Turns at working on bodies: how many bytes at once, for an org and for all, and in which order the others follow.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { openBodies } from './bodies.ts';
import { openBytes } from './bytes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const {
  workedBytesOfOrg: ofOrg,
  workedBytes: ofAll,
  workedBytesAlways: always,
  workedBytesBeyond: beyond,
} = bounds.shares;

/** Opens bodies and notes the order in which they are worked on. */
function workshop() {
  const bytes = openBytes();
  const bodies = openBodies(bytes);
  const started: string[] = [];
  const refused: unknown[] = [];
  const open = (name: string, orgId: number, size: number) => {
    const body = bodies.open(orgId);
    body.reserve(size);
    const turn = body.turn();
    if (turn === undefined) started.push(name);
    else
      turn.then(
        () => started.push(name),
        (error: unknown) => refused.push(error),
      );
    return { end: () => body.end() };
  };
  return { bytes, started, refused, open };
}

test('an org works on one body of the largest size at a time, and others do not wait for it', async () => {
  const { bytes, started, open } = workshop();
  const first = open('a1', 1, ofOrg);
  const second = open('a2', 1, ofOrg);
  const other = open('b1', 2, ofOrg);
  expect(started).toEqual(['a1', 'b1']);
  first.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a1', 'b1', 'a2']);
  second.end();
  other.end();
  expect(bytes.inFlight()).toBe(0);
});

test('all orgs together work on a bounded number of bytes, and the org that waits longest is next', async () => {
  const { started, open } = workshop();
  const running = Array.from({ length: ofAll / ofOrg }, (_, index) => open(`r${index}`, 10 + index, ofOrg));
  const names = [...started];
  open('a1', 1, ofOrg);
  open('a2', 1, 10_000);
  open('b1', 2, ofOrg);
  open('c1', 3, ofAll / 2);
  expect(started).toEqual(names);
  // So little that nobody can wait for it.
  open('d1', 4, always);
  expect(started).toEqual([...names, 'd1']);
  running[0]?.end();
  await vi.advanceTimersByTimeAsync(0);
  // What is left is too short for the next one, which is nevertheless not overtaken.
  expect(started).toEqual([...names, 'd1']);
});

test('an org with less than an equal part is served beside orgs that take all, within a bound, and delays nobody', async () => {
  const { started, refused, open } = workshop();
  const running = Array.from({ length: ofAll / ofOrg }, (_, index) => open(`r${index}`, 10 + index, ofOrg));
  started.length = 0;
  open('long', 1, ofOrg);
  const part = Math.floor(ofAll / (running.length + 1));
  const small = open('small', 2, part);
  expect(started).toEqual(['small']);
  // There is no more room for the next one.
  open('next', 3, beyond - part + 1);
  expect(started).toEqual(['small']);
  running[0]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['small', 'long']);
  small.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['small', 'long', 'next']);
  expect(refused).toEqual([]);
});

test('short bodies of an org do not wait for each other', () => {
  const { started, open } = workshop();
  for (let index = 0; index < ofOrg / 65_536; index++) open(String(index), 1, 65_536);
  expect(started).toHaveLength(ofOrg / 65_536);
  open('late', 1, 65_536);
  expect(started).not.toContain('late');
});

test('a body that waits too long is refused, and makes room for those behind it', async () => {
  const { bytes, started, refused, open } = workshop();
  const first = open('a1', 1, ofOrg);
  const late = open('a2', 1, ofOrg);
  await vi.advanceTimersByTimeAsync(bounds.shares.bodyWaitMs);
  expect(refused).toMatchObject([{ code: 'unavailable', reason: 'overloaded', headers: { 'Retry-After': '1' } }]);
  late.end();
  first.end();
  open('a3', 1, ofOrg);
  expect(started).toEqual(['a1', 'a3']);
  expect(bytes.inFlight()).toBe(ofOrg);
});
