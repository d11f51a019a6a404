// The days of a report over time: in their order, and with those in between that have no records.
import type { Granularity } from '../../../client/main.ts';
import { addDays, addMonths } from '../../data/figures/days.ts';

/** More days than a picture has room for. */
const bucketsMost = 1_000;

/** The days of a report over time, with those in between that have no records: the last ones, if there are too many. */
export function bucketsOf(
  rows: readonly { readonly day: string | undefined }[],
  granularity: Granularity | undefined,
): { readonly days: readonly string[]; readonly isCut: boolean } {
  const known = rows.flatMap(({ day }) => day ?? []).toSorted();
  const first = known[0] ?? '';
  const days: string[] = [];
  let day = known.at(-1);
  while (day !== undefined && day >= first && days.length < bucketsMost) {
    days.push(day);
    day = granularity === undefined ? undefined : bucketAt(day, granularity, -1);
  }
  return { days: days.toReversed(), isCut: (days.at(-1) ?? '') > first };
}

/** So many buckets later, or earlier. */
export function bucketAt(day: string, granularity: Granularity, steps: number): string | undefined {
  if (granularity === 'day') return addDays(day, steps);
  if (granularity === 'week') return addDays(day, 7 * steps);
  const months = { month: 1, quarter: 3, year: 12, hour: undefined }[granularity];
  return months === undefined ? undefined : addMonths(day, months * steps);
}

/** What has no day comes last. */
export function compareDays(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  return one === undefined || (other !== undefined && one > other) ? 1 : -1;
}
