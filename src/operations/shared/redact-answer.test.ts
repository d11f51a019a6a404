// Kept answers after an erasure: what they lose, and what they keep.
import { expect, test } from 'vitest';
import { redactAnswer } from './redact-answer.ts';

const id = '019a8c2e-52b4-7c06-8e1d-3f5a7b9d4c12';
const dates = { svc_created_at: '2026-11-16T09:30:00.000Z', svc_updated_at: '2026-11-16T09:30:00.000Z' };
const recordOf = (properties: object) => ({ id, object_type: 'svc_contact', version: '1', properties });

function kept(data: object, more: object = {}): string {
  return JSON.stringify({ status: 201, headers: { ETag: '"1"' }, data: JSON.stringify(data), ...more });
}

test('an answer about an erased record keeps its id, type, version and dates, and names no long values', () => {
  const long = { at: { typeId: 1, id, version: '1' }, properties: ['svc_summary'] };
  const text = kept(recordOf({ svc_first_name: 'Ada', svc_summary: null, ...dates }), { long });
  expect(redactAnswer(text, new Set([id]))).toBe(kept(recordOf(dates)));
});

test('an answer about another record stays as it is, even if it mentions the erased one', () => {
  const text = kept(recordOf({ svc_first_name: 'like 019a8c2e-0000-7000-8000-000000000000', ...dates }));
  expect(redactAnswer(text, new Set(['019a8c2e-0000-7000-8000-000000000000']))).toBe(text);
});

test('problems of a batch lose their texts, and keep what a client decides by', () => {
  const problem = (detail: string) => ({
    type: 'http://127.0.0.1:4610/docs/errors/#validation_failed',
    title: 'Validation failed',
    status: 422,
    detail,
    code: 'validation_failed',
    reason: 'wrong_shape',
    errors: [{ pointer: '/operations/1/properties/svc_email/0', property: 'svc_email', reason: 'wrong_shape', detail }],
  });
  const batch = (detail: string) => ({
    results: [
      { index: 0, status: 200, id, version: '2' },
      { index: 1, status: 422, problem: problem(detail) },
    ],
    succeeded: 1,
    failed: 1,
  });
  const redacted = batch('This text was removed when a record was erased.');
  expect(redactAnswer(kept(batch('Expected an address; got "ada".')), new Set())).toBe(kept(redacted));
  // Once more changes nothing.
  expect(redactAnswer(kept(redacted), new Set([id]))).toBe(kept(redacted));
});
