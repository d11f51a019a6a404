// The exit statuses of failures.
import { expect, test } from 'vitest';
import { exitStatuses, Failure, type FailureKind } from './failure.ts';

const kinds = Object.keys(exitStatuses) as FailureKind[];

test('every kind of failure has its own exit status, which is not 0 and not one that the shell uses', () => {
  const statuses = kinds.map((kind) => exitStatuses[kind]);
  expect(new Set(statuses).size).toBe(kinds.length);
  // Statuses from 126 on mean that the shell could not run the program, or that a signal ended it.
  expect(statuses.every((status) => Number.isInteger(status) && status >= 1 && status < 126)).toBe(true);
});

test('refused rows of an import are status 3, as the contract says', () => {
  expect(new Failure('rows_refused', 'Two rows were refused.', 'Fix them.').exitStatus).toBe(3);
});

test.each(kinds)('a failure of the kind %s has its sentence, its fix and its status', (kind) => {
  const cause = new Error('inner');
  const failure = new Failure(kind, 'It went wrong.', 'Do this.', cause);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ name: 'Failure', message: 'It went wrong.', fix: 'Do this.', kind, cause });
  expect(failure.exitStatus).toBe(exitStatuses[kind]);
  expect('cause' in new Failure(kind, 'It went wrong.', 'Do this.')).toBe(false);
});
