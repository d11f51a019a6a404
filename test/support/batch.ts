// Short ways to write a batch and to read its results, for tests of items.
import assert from 'node:assert/strict';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';

interface ItemResult {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly version?: string;
  readonly problem?: {
    readonly code: string;
    readonly reason?: string;
    readonly status: number;
    readonly request_id: string;
    readonly errors?: readonly {
      readonly pointer?: string;
      readonly property?: string;
      readonly reason: string;
      readonly nearest?: string;
    }[];
    readonly conflict?: { readonly existing_id?: string };
  };
}

/** An item on a record of the type. */
export function item(operation: string, object_type: string, more: object = {}): object {
  return { operation, object_type, ...more };
}

export function runBatch(client: Client, operations: readonly unknown[], more: object = {}, headers = {}) {
  return client.post('/batch/', { operations, ...more }, headers);
}

export function resultsOf({ body, text }: Answer): readonly ItemResult[] {
  assert.ok(body.data !== undefined, text);
  return body.data.results;
}

/** Runs a batch of which every item must succeed. */
export async function succeed(client: Client, operations: readonly unknown[]): Promise<readonly ItemResult[]> {
  const answer = await runBatch(client, operations);
  assert.equal(answer.status, 200, answer.text);
  return resultsOf(answer);
}

/** `201 1`, `200 2`, `409 unique_value_taken`: the outcome of each item. */
export function outcomesOf(answer: Answer): readonly string[] {
  return resultsOf(answer).map(({ status, version, problem }) =>
    `${status} ${version ?? problem?.reason ?? ''}`.trim(),
  );
}
