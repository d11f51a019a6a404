// The time of the demo. Its history is counted in working days back from the Monday of the week of the first start: so it
// is always recent, weekends are quiet, and two machines that start in one week have it to the millisecond.
import { isoText } from '../../src/base/clock.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday. */
const firstMondayMs = 4 * dayMs;
/** In UTC; the working day of people from Auckland to Portland cannot be had in one. */
const workBeginsMs = 7.5 * 3_600_000;
const workLastsMs = 9.5 * 3_600_000;

export interface Calendar {
  /**
   * The moment so many working days before this week's Monday, with fractions: 0.25 is late on the Friday before, 4.9 early
   * on the Monday before. Negative numbers lie ahead: -0.5 is this Monday at noon, -5 the next one.
   */
  moment(workdaysAgo: number): number;
  /** The same as text, to the minute: for what people agree on. */
  appointment(workdaysAgo: number): string;
  /** The day of it. */
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
