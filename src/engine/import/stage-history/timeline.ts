// The stages that a record was in by one association type, as far as an import needs to know them: times in stages do not
// overlap, nothing is changed that the service itself has seen, and the stage that the record is in begins where the last
// row says. Pure.
import { isoText } from '../../../base/clock.ts';
import type { StageTime, StoredTimes } from '../../../store/import/stored-timers.ts';

/** The stage that the record is in. */
export interface CurrentStage {
  readonly stageId: string;
  readonly enteredAtMs: number;
  /** Whether the record was created in this stage and dated in the past: then nothing says when it entered it. */
  readonly sinceCreation: boolean;
}

export interface Timeline {
  readonly current: CurrentStage | undefined;
  /** What earlier rows of the batch have added. */
  readonly added: readonly StageTime[];
}

/** What a row means to a record. */
type Verdict =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'timer' }
  /** A timer, up to which the record was not yet in its present stage. */
  | { readonly kind: 'timer_and_entry'; readonly enteredAtMs: number }
  | { readonly kind: 'entry'; readonly enteredAtMs: number }
  | { readonly kind: 'refused'; readonly column: 'svc_entered_at' | 'svc_left_at'; readonly detail: string };

/** `stored` is what the timers that are stored say to the row. Nothing of it is later than `nowMs`. */
export function judge({ current, added }: Timeline, row: StageTime, stored: StoredTimes, nowMs: number): Verdict {
  if (row.leftAt === undefined) return judgeOpen({ current, added }, row, stored);
  if (stored.isStored || added.some((other) => isSame(other, row))) return { kind: 'unchanged' };
  const overlapping = overlappingWith(added, row, stored);
  if (overlapping !== undefined) return overlapping;
  if (stored.firstOwnAt !== null && row.leftAt > stored.firstOwnAt) return reachesPast(stored.firstOwnAt);
  if (current === undefined || row.leftAt <= isoText(current.enteredAtMs)) return { kind: 'timer' };
  const isTold = !current.sinceCreation || stored.firstOwnAt !== null;
  return isTold ? reachesPast(isoText(current.enteredAtMs)) : { kind: 'timer_and_entry', enteredAtMs: nowMs };
}

/** A row without an end is about the stage that the record is in. */
function judgeOpen({ current, added }: Timeline, row: StageTime, stored: StoredTimes): Verdict {
  if (current === undefined || current.stageId !== row.stageId) {
    const detail = 'The record is not in this stage now, so the row needs the time at which it left it.';
    return { kind: 'refused', column: 'svc_left_at', detail };
  }
  const enteredAt = isoText(current.enteredAtMs);
  if (row.enteredAt === enteredAt) return { kind: 'unchanged' };
  const overlapping = overlappingWith(added, row, stored);
  if (overlapping !== undefined) return overlapping;
  const isFree = current.sinceCreation || row.enteredAt < enteredAt;
  if (stored.firstOwnAt !== null || !isFree) return reachesPast(stored.firstOwnAt ?? enteredAt);
  return { kind: 'entry', enteredAtMs: Date.parse(row.enteredAt) };
}

function isSame(one: StageTime, other: StageTime): boolean {
  return one.stageId === other.stageId && one.enteredAt === other.enteredAt && one.leftAt === other.leftAt;
}

function overlappingWith(added: readonly StageTime[], row: StageTime, stored: StoredTimes): Verdict | undefined {
  const other = added.find(
    ({ enteredAt, leftAt }) =>
      (row.leftAt === undefined || enteredAt < row.leftAt) && (leftAt === undefined || row.enteredAt < leftAt),
  );
  const times = other === undefined ? stored.overlapping : `${other.enteredAt} to ${other.leftAt ?? 'now'}`;
  if (times === null) return undefined;
  const detail = `It overlaps a time in which the record was in a stage, from ${times}.`;
  return { kind: 'refused', column: 'svc_entered_at', detail };
}

function reachesPast(time: string): Verdict {
  const detail = `It reaches past ${time}: from then on the stages of the record are known.`;
  return { kind: 'refused', column: 'svc_left_at', detail };
}
