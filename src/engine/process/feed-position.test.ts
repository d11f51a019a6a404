// The floor of a position: its snapshot sees everything below it, however transactions overlap.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Sample, sampleOf } from './feed-position.ts';

/** A position, by its snapshot, the first transaction that had not begun, and the last number. */
function position(snapshot: string, next: number, lastSeq: number, previous?: Sample): Sample {
  const row = { snapshot, nextXid: String(next), lastSeq: String(lastSeq), life: 'e' };
  return sampleOf(row, previous);
}

test('without a running transaction the floor is the last number', () => {
  expect(position('10:10:', 10, 55).floor).toBe(55n);
});

test('nothing is known about a transaction that was running before the first position', () => {
  expect(position('8:10:8', 10, 55).floor).toBe(0n);
  expect(position('10:10:', 12, 55).floor).toBe(0n);
});

test('a transaction that began after the previous position has larger numbers than that one knew, and keeps its floor', () => {
  const first = position('10:10:', 10, 50);
  const second = position('11:13:11', 13, 60, first);
  expect(second.floor).toBe(50n);
  const third = position('11:20:11,15', 20, 70, second);
  expect(third.floors).toEqual(
    new Map([
      [11n, 50n],
      [15n, 60n],
    ]),
  );
  expect(position('15:21:15', 21, 80, third).floor).toBe(60n);
});

/** A history of a database: transactions begin, take numbers and end; now and then the position is read. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('begin' as const) },
    { weight: 6, arbitrary: fc.nat(30).map((pick) => ({ number: pick })) },
    { weight: 3, arbitrary: fc.nat(30).map((pick) => ({ end: pick })) },
    { weight: 2, arbitrary: fc.constant('position' as const) },
  ),
  { maxLength: 120 },
);

test('whatever happens, no number that a snapshot does not see is at its floor or below', () => {
  fc.assert(
    fc.property(steps, (history) => {
      let next = 1n;
      let seq = 0n;
      let over = 0n;
      const open: bigint[] = [];
      const entries: { readonly seq: bigint; readonly transaction: bigint }[] = [];
      const samples: { readonly sample: Sample; readonly unseen: ReadonlySet<bigint> }[] = [];
      for (const step of history) {
        if (step === 'begin') open.push(next++);
        else if (step === 'position') {
          // A snapshot ends with the last transaction that has ended: it does not list those beyond.
          const listed = open.filter((transaction) => transaction <= over);
          const text = `${listed[0] ?? over + 1n}:${over + 1n}:${listed.join()}`;
          const sample = position(text, Number(next), Number(seq), samples.at(-1)?.sample);
          samples.push({ sample, unseen: new Set(open) });
        } else if ('number' in step && open.length > 0) {
          entries.push({ seq: ++seq, transaction: open[step.number % open.length] as bigint });
        } else if ('end' in step && open.length > 0) {
          const [ended = 0n] = open.splice(step.end % open.length, 1);
          if (ended > over) over = ended;
        }
      }
      for (const { sample, unseen } of samples) {
        const missed = entries.filter(
          ({ seq: number, transaction }) =>
            (transaction >= sample.end || unseen.has(transaction)) && number <= sample.floor,
        );
        expect(missed).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});
