// Turns on the one thread that serves everybody. Long work is done in slices of a few milliseconds. In each pass of the
// event loop one slice runs, and the orgs that have long work take turns. So a short request waits for one slice at most,
// however many large requests there are. It may wait several times, for each answer of the database once; so there is a pause
// before each slice while other orgs use the service. The large requests of one org share its turns, the oldest first, so that
// one of them is finished and gone before the next takes memory and connections.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Steps } from '../../base/steps.ts';

/** The slices of one request. A slice begins with a turn; time that the request waits for something else counts as well. */
export interface Slice {
  isOver(): boolean;
  /** Resolves when the next slice begins. Before the first slice it may reject, because too many are waiting. */
  next(): Promise<void>;
}

export interface Thread {
  /** For a request of the org. Its work waits for its first turn. */
  slice(orgId: number): Slice;
  /** The same for work that has begun, and is short in most cases: it waits for a turn only if it becomes long. */
  begunSlice(orgId: number): Slice;
}

interface Waiting {
  readonly order: number;
  begin(): void;
}

/** When the next slice begins: in the next pass of the event loop, or after a pause. */
interface Timing {
  readonly nextPass: (run: () => void) => unknown;
  readonly afterPause: (run: () => void) => unknown;
}

interface ThreadOptions extends Partial<Timing> {
  /** Whether an org has the service to itself. */
  isAlone(orgId: number): boolean;
}

const usual: Timing = {
  nextPass: setImmediate,
  afterPause: (run) => setTimeout(run, bounds.shares.slicePauseMs),
};

export function openThread(clock: Clock, options: ThreadOptions): Thread {
  const { nextPass, afterPause } = { ...usual, ...options };
  /** The first org in the map has the next turn. */
  const orgs = new Map<number, Waiting[]>();
  let isScheduled = false;
  let requests = 0;

  const schedule = (): void => {
    const [orgId] = orgs.keys();
    if (isScheduled || orgId === undefined) return;
    isScheduled = true;
    if (orgs.size === 1 && options.isAlone(orgId)) nextPass(giveTurn);
    // A slice that has just begun runs now: the pause begins after it.
    else nextPass(() => afterPause(giveTurn));
  };

  const giveTurn = (): void => {
    isScheduled = false;
    const [first] = orgs;
    if (first === undefined) return;
    const [orgId, waiting] = first;
    orgs.delete(orgId);
    takeOldest(waiting)?.begin();
    if (waiting.length > 0) orgs.set(orgId, waiting);
    schedule();
  };

  const sliceThatEnds = (orgId: number, firstEndsAtMs: number): Slice => {
    const order = requests++;
    let endsAtMs = firstEndsAtMs;
    const wait = (begin: () => void): void => {
      const waiting = orgs.get(orgId) ?? [];
      waiting.push({ order, begin });
      orgs.set(orgId, waiting);
      schedule();
    };
    return {
      isOver: () => clock.monotonicMs() >= endsAtMs,
      next: () => {
        const isFirst = endsAtMs === Number.NEGATIVE_INFINITY;
        if (isFirst && (orgs.get(orgId)?.length ?? 0) >= bounds.shares.turnsWaiting) {
          return Promise.reject(
            overloaded('Too many large requests of the org are waiting already; send fewer at once.'),
          );
        }
        return new Promise((resolve) =>
          wait(() => {
            endsAtMs = clock.monotonicMs() + bounds.shares.sliceMs;
            resolve();
          }),
        );
      },
    };
  };
  return {
    slice: (orgId) => sliceThatEnds(orgId, Number.NEGATIVE_INFINITY),
    begunSlice: (orgId) => sliceThatEnds(orgId, clock.monotonicMs() + bounds.shares.sliceMs),
  };
}

function takeOldest(waiting: Waiting[]): Waiting | undefined {
  let oldest = 0;
  for (const [index, { order }] of waiting.entries()) if (order < (waiting[oldest]?.order ?? order)) oldest = index;
  return waiting.splice(oldest, 1)[0];
}

export async function inSlices<T>(slice: Slice, steps: Steps<T>): Promise<T> {
  for (;;) {
    if (slice.isOver()) await slice.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
