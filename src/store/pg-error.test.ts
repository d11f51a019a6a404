// What an error of PostgreSQL says of the connection on which it came.
import pg from 'pg';
import { expect, test } from 'vitest';
import { Problem } from '../base/problem.ts';
import { isUnreachable, notedOfCluster, toProblem } from './pg-error.ts';

function errorOf(code: string, severity: string): pg.DatabaseError {
  const error = new pg.DatabaseError('of a test', 0, 'error');
  return Object.assign(error, { code, severity });
}

test('an error about a connection means ours, which a pooler ends like that, and on a cluster that of its first server', () => {
  expect(isUnreachable(errorOf('08006', 'ERROR'))).toBe(true);
  expect(isUnreachable(notedOfCluster(errorOf('08006', 'ERROR')))).toBe(false);
  expect(isUnreachable(notedOfCluster(errorOf('08006', 'FATAL')))).toBe(true);
  for (const error of [errorOf('08006', 'ERROR'), notedOfCluster(errorOf('08006', 'ERROR'))]) {
    const problem = toProblem(error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ reason: 'storage_unavailable' });
  }
});
