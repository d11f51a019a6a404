// The calls that a client makes: their operations, and what must be true of the answers.
import assert from 'node:assert/strict';

export class Calls {
  readonly operations = new Set<string>();

  /** The data of an answer, which must be a success. */
  ok<T>(operation: string, { data, error }: { readonly data?: T; readonly error?: unknown }): T {
    assert.equal(error, undefined, `${operation}: ${JSON.stringify(error)}`);
    assert.notEqual(data, undefined, `${operation} answered nothing.`);
    this.operations.add(operation);
    return data as T;
  }

  /** The problem of an answer, which must be a refusal. */
  refused<T>(operation: string, { data, error }: { readonly data?: unknown; readonly error?: T }): T {
    assert.equal(data, undefined, `${operation} succeeded.`);
    assert.notEqual(error, undefined, `${operation} answered no problem.`);
    this.operations.add(operation);
    return error as T;
  }
}
