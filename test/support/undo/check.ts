// Compares answers and states of generated histories with what the oracle predicts, and prints them so that a difference can
// be read.
import assert from 'node:assert/strict';
import type { Answer } from '../answer.ts';
import type { Expected } from './oracle.ts';
import type { Snapshot } from './snapshot.ts';

export function outcomes(answer: Answer): string {
  const results = answer.body?.data?.results as
    | readonly { status: number; problem?: { reason?: string } }[]
    | undefined;
  return results?.map(({ status, problem }) => `${status} ${problem?.reason ?? ''}`.trim()).join(', ') ?? answer.text;
}

export function checkAnswer(answer: Answer, expected: Expected | 'unknown'): void {
  const [result] = answer.body.data.results;
  if (expected === 'unknown') {
    assert.equal(result.problem?.reason, 'record_unknown', answer.text);
    return;
  }
  assert.equal(result.status, 200, answer.text);
  for (const list of ['reverted', 'kept', 'refused'] as const) {
    const ids = (result[list] as readonly { id: string }[]).map(({ id }) => id).sort();
    assert.deepEqual(ids, expected[list], `${list}: ${answer.text}`);
    assert.equal(result.counts[list], ids.length);
  }
}

/** A state as text, so that a difference can be read. */
export function readable(snapshot: Snapshot): readonly string[] {
  return [...snapshot]
    .map(
      ([id, { place, facts }]) =>
        `${id} ${place} ${[...facts]
          .map((fact) => fact.join('=').slice(0, 80))
          .sort()
          .join('; ')}`,
    )
    .sort();
}
