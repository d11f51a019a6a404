// Wrong passwords for orgs that do not exist. They are counted like those of others, but in memory: they take as long to
// refuse, and the answers must not tell which orgs exist.
import type { Clock } from '../../base/clock.ts';
import { dropOldest } from '../../base/drop-oldest.ts';
import { bounds } from '../../base/limits.ts';

export interface InventedOrgs {
  /** How many seconds are left to wait. Counts nothing if one of the subjects has failed too often. */
  countTry(subjects: readonly string[]): number;
}

interface Tries {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failures: number;
}

const { freeFailures, failuresKeptSeconds, firstWaitSeconds, inventedSubjects } = bounds.signIn;

export function openInventedOrgs(clock: Clock): InventedOrgs {
  const known = new Map<string, Tries>();
  const fresh = (subject: string, nowMs: number): Tries => {
    const found = known.get(subject);
    const isKept = found !== undefined && nowMs - found.sinceMs < failuresKeptSeconds * 1_000;
    return isKept ? found : { sinceMs: nowMs, lastMs: nowMs, failures: 0 };
  };
  return {
    countTry: (subjects) => {
      const nowMs = clock.monotonicMs();
      const seconds = Math.max(...subjects.map((subject) => secondsLeft(fresh(subject, nowMs), nowMs)));
      if (seconds > 0) return seconds;
      for (const subject of subjects) {
        const { sinceMs, failures } = fresh(subject, nowMs);
        known.delete(subject);
        dropOldest(known, inventedSubjects);
        known.set(subject, { sinceMs, lastMs: nowMs, failures: failures + 1 });
      }
      return 0;
    },
  };
}

/** The rule of the database: after a while failures are forgotten in any case. */
function secondsLeft({ sinceMs, lastMs, failures }: Tries, nowMs: number): number {
  if (failures < freeFailures) return 0;
  const waitMs = firstWaitSeconds * 1_000 * 2 ** Math.min(failures - freeFailures, 10);
  const endsMs = Math.min(sinceMs + failuresKeptSeconds * 1_000, lastMs + waitMs);
  return Math.max(0, Math.ceil((endsMs - nowMs) / 1_000));
}
