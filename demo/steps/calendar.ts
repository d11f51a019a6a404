// The time of the demo, counted in working days back from the Monday of the week of the first start. So the history is
// always recent, nothing happens on weekends, and two machines that start in the same week have the same history.
import { isoText } from '../../src/base/clock.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday. */
const firstMondayMs = 4 * dayMs;
/** In UTC, for everybody from Auckland to Portland. */
const workBeginsMs = 7.5 * 3_600_000;
const workLastsMs = 9.5 * 3_600_000;

export interface Calendar {
  /**
   * The moment this many working days before this week's Monday: 0.25 is late on the Friday before, 4.9 early on the Monday
   * before. Negative numbers are in the future: -0.5 is this Monday at noon, -5 next Monday.
   */
  moment(workdaysAgo: number): number;
  /** The same as text, rounded to a quarter of an hour: for what people arrange. */
  appointment(workdaysAgo: number): string;
  /** The date of the moment. */
  day(workdaysAgo: number): string;
}

export function openCalendar(nowMs: number): Calendar {
  const mondayMs = nowMs - ((((nowMs - firstMondayMs) % weekMs) + weekMs) % weekMs);
  const moment = (workdaysAgo: number) => {
    const ahead = Math.floor(-workdaysAgo);
    const week = Math.floor(ahead / 5);
    const dayOfWeek = ahead - week * 5;
    const passed = -workdaysAgo - ahead;
    return Math.round(mondayMs + week * weekMs + dayOfWeek * dayMs + workBeginsMs + passed * workLastsMs);
  };
  return {
    moment,
    appointment: (workdaysAgo) => {
      const quarterMs = 900_000;
      return isoText(Math.round(moment(workdaysAgo) / quarterMs) * quarterMs).replace('.000Z', 'Z');
    },
    day: (workdaysAgo) => isoText(moment(workdaysAgo)).slice(0, 10),
  };
}
