// The current position of the change feed: a snapshot, and a floor. Entries that the snapshot does not see have larger
// numbers than the floor. Positions are read one after the other, each for all readers that asked before it began: a
// reader must not get an older one.

import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Transaction } from '../../store/database.ts';
import { type PositionRow, readPosition } from '../../store/feed/position.ts';

interface FeedFloor {
  /** The life of the log that the number belongs to. */
  readonly life: string;
  /** Whatever a snapshot does not see, if it is not older than this, has a larger sequence number. */
  readonly floor: string;
}

export interface FeedPosition extends FeedFloor {
  readonly snapshot: string;
  /** The bytes of the log in which everything is that the snapshot sees. */
  readonly log: string;
  /** A position that this process read later has a higher number, and sees everything that an earlier one sees. */
  readonly order: number;
}

export interface FeedPositions {
  /** A position that is not older than the call. */
  now(): Promise<FeedPosition>;
  /** For a snapshot that is taken afterwards: for the many cursors that are never used, at little cost. */
  floor(): Promise<FeedFloor> | FeedFloor;
  /** Ignores the positions that were read before. */
  forget(): void;
}

export function openFeedPositions(database: Transaction, clock: Clock): FeedPositions {
  let previous: Sample | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let count = 0;

  const read = async (): Promise<FeedPosition> => {
    const row = await readPosition(database);
    const { life, snapshot, log } = row;
    const sample = sampleOf(row, previous?.life === life ? previous : undefined);
    if (previous === undefined || previous.life !== life || sample.end >= previous.end) previous = sample;
    readAtMs = clock.monotonicMs();
    return { life, snapshot, log, floor: String(sample.floor), order: ++count };
  };
  const now = inTurn(read);
  // An entry that a snapshot does not see is not in an older one either, so the floor of the older one is valid for both.
  const floor = (): Promise<FeedFloor> | FeedFloor => {
    if (previous === undefined || clock.monotonicMs() - readAtMs > bounds.engine.feedFloorKnownMs) return now();
    return { life: previous.life, floor: String(previous.floor) };
  };
  const forget = () => {
    previous = undefined;
  };
  return { now, floor, forget };
}

/** Runs one after the other, each for all callers that asked before it began. */
function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let waiting: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const started = run().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  };
  return () => {
    if (running === undefined) return start();
    waiting ??= running
      .catch(() => {})
      .then(() => {
        waiting = undefined;
        return start();
      });
    return waiting;
  };
}

export interface Sample {
  readonly life: string;
  /** Transactions of this number and later had not begun. */
  readonly end: bigint;
  readonly lastSeq: bigint;
  /** For each transaction that was under way, a number that is smaller than those of its entries. */
  readonly floors: ReadonlyMap<bigint, bigint>;
  /** From here to `end` all were under way: the last ones that had begun. */
  readonly lastFrom: bigint;
  readonly lastFloor: bigint;
  readonly floor: bigint;
}

/**
 * A running transaction may already have taken numbers. If it had not begun when the previous position was read, they are
 * larger than the last number at that time; if it was already running, it keeps its floor. Of others nothing is known.
 */
export function sampleOf(
  { snapshot, nextXid, lastSeq, life }: Omit<PositionRow, 'log'>,
  previous: Sample | undefined,
): Sample {
  const [, endText = '0', list = ''] = snapshot.split(':');
  const underWay = list === '' ? [] : list.split(',').map(BigInt);
  const last = BigInt(lastSeq);
  const lastFrom = BigInt(endText);
  const end = BigInt(nextXid);
  const floors = new Map(underWay.map((transaction) => [transaction, floorOf(transaction, previous)]));
  const lastFloor = lastFrom === end ? last : least([floorOf(lastFrom, previous), floorOf(end - 1n, previous)]);
  const floor = least([last, lastFloor, ...floors.values()]);
  return { life, end, lastSeq: last, floors, lastFrom, lastFloor, floor };
}

function floorOf(transaction: bigint, previous: Sample | undefined): bigint {
  if (previous === undefined) return 0n;
  if (transaction >= previous.end) return previous.lastSeq;
  return previous.floors.get(transaction) ?? (transaction >= previous.lastFrom ? previous.lastFloor : 0n);
}

function least(numbers: readonly bigint[]): bigint {
  return numbers.reduce((left, right) => (left < right ? left : right));
}
