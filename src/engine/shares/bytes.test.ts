// The account of bytes in flight: who is refused when there are too many, and that nothing is left of what is gone.
import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { openBytes } from './bytes.ts';

const { bytesOfOrg: ofOrg, bytes: ofAll } = bounds.shares;
const refusal = { code: 'unavailable', reason: 'overloaded', headers: { 'Retry-After': '1' } };

function refused(work: () => void): Problem | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('an org may have its bound of bytes in flight, and not one more', () => {
  const bytes = openBytes();
  bytes.take(1, ofOrg);
  const problem = refused(() => bytes.take(1, 1));
  expect(problem).toMatchObject(refusal);
  expect(problem?.message).toContain(`${ofOrg / 1_048_576} MiB`);
  expect(bytes.inFlight()).toBe(ofOrg);
  expect(refused(() => bytes.take(2, 1))).toBeUndefined();
  bytes.remove(1, 1);
  expect(refused(() => bytes.take(1, 1))).toBeUndefined();
});

test('answers that exist already are counted in any case, and keep out what comes next', () => {
  const bytes = openBytes();
  bytes.add(1, ofOrg + 1);
  expect(refused(() => bytes.admit(1))).toMatchObject(refusal);
  expect(refused(() => bytes.admit(2))).toBeUndefined();
  bytes.remove(1, 1);
  expect(refused(() => bytes.admit(1))).toBeUndefined();
});

test('when all orgs together have too many, only those with more than an equal part are refused', () => {
  const bytes = openBytes();
  const orgs = Array.from({ length: Math.ceil(ofAll / ofOrg) + 1 }, (_, index) => index + 1);
  for (const org of orgs) bytes.add(org, ofOrg);
  expect(bytes.inFlight()).toBeGreaterThan(ofAll);
  for (const org of orgs) expect(refused(() => bytes.admit(org))).toMatchObject(refusal);
  const other = orgs.length + 1;
  expect(refused(() => bytes.admit(other))).toBeUndefined();
  expect(refused(() => bytes.take(other, 1_048_576))).toBeUndefined();
  expect(refused(() => bytes.take(other, ofOrg - 1_048_576))).toMatchObject(refusal);
});

test('an account ends with its last byte', () => {
  const bytes = openBytes();
  for (let org = 1; org <= 1_000; org++) bytes.take(org, 10);
  for (let org = 1; org <= 1_000; org++) bytes.remove(org, 10);
  expect(bytes.inFlight()).toBe(0);
  // An equal part is a part of those that have bytes in flight, so the ones that are gone do not count.
  bytes.add(1, ofOrg);
  bytes.add(2, ofAll);
  expect(refused(() => bytes.admit(1))).toBeUndefined();
});
