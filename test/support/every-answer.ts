// The rules for every answer that the document cannot state: a request id that never comes twice and is in the body too,
// and no key.
import assert from 'node:assert/strict';
import type { Answer } from './answer.ts';

const requestIds = new Set<string>();

export function checkEveryAnswer(method: string, answer: Answer, key: string | undefined): void {
  const requestId = answer.headers.get('svc-request-id') ?? '';
  assert.notEqual(requestId, '', 'there is no request id');
  assert.ok(!requestIds.has(requestId), `the request id ${requestId} came twice`);
  requestIds.add(requestId);
  if (method !== 'HEAD' && answer.status !== 304) {
    const named = answer.body as unknown as Record<string, unknown>;
    assert.equal(named['request_id'] ?? named['x-request-id'], requestId);
  }
  if (key !== undefined) assert.ok(!answer.text.includes(key), 'the answer has the key');
}
