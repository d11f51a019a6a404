import { expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { toProblem } from '../pg-error.ts';
import { Disk } from './disk.ts';

const coded = (code: string, message = 'said by the system') => Object.assign(new Error(message), { code });

test.each([
  coded('53100', 'could not extend file "base/5/16384"'),
  coded('58030', 'could not write to file "pg_wal/xlogtemp.9": No space left on device'),
  coded('ENOSPC'),
  coded('EDQUOT'),
  new Error('PostgreSQL could not start: could not write lock file: No space left on device.'),
])('a full disk is recognized: %s', (error) => {
  const problem = toProblem(error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: 'unavailable', reason: 'storage_unavailable', cause: error });
  const { message, headers } = problem as Problem;
  expect(message).toContain('disk of the database is full');
  expect(message).not.toMatch(/base\/|pg_wal|cannot be reached/);
  expect(Number(headers['Retry-After'])).toBeGreaterThan(0);
});

test.each([coded('53300'), coded('53200'), coded('ECONNREFUSED'), new Error('Connection terminated')])(
  'another failure is not a full disk: %s',
  (error) => {
    expect((toProblem(error) as Problem).message).not.toContain('full');
  },
);

test('a disk counts as full for a while after each error that says so', () => {
  let nowMs = 0;
  const disk = new Disk({ nowMs: () => nowMs, monotonicMs: () => nowMs });
  disk.note(coded('ECONNREFUSED'));
  expect(disk.isFull).toBe(false);
  // A request reports the same error as a Problem.
  disk.note(toProblem(coded('53100')));
  expect(disk.isFull).toBe(true);
  nowMs += bounds.store.diskFullKnownMs - 1;
  disk.note(coded('53100'));
  nowMs += bounds.store.diskFullKnownMs - 1;
  expect(disk.isFull).toBe(true);
  nowMs += 1;
  expect(disk.isFull).toBe(false);
});
