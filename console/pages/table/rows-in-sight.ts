// Which rows of a table are in sight. All are of one height, so that their places need not be known one by one: a table of a
// million rows costs no more than one of fifty.
import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export const rowHeight = 36;
/** Rows that are drawn before the first and after the last in sight. */
const spare = 3;

interface Sight {
  readonly first: number;
  readonly last: number;
}

/** The first and the last of the rows to draw; the box is what scrolls, once it is there. */
export function useRowsInSight(box: HTMLElement | null, count: number): Sight {
  const [sight, setSight] = useState<Sight>({ first: 0, last: 2 * spare });
  useLayoutEffect(() => {
    if (box === null) return;
    const look = () => {
      const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - spare);
      const last = Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + spare;
      setSight((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    // Drawn in the same frame, or the rows would follow one frame late.
    const scrolled = () => flushSync(look);
    look();
    const resized = new ResizeObserver(look);
    resized.observe(box);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, [box]);
  const last = Math.min(sight.last, count - 1);
  return { first: Math.min(sight.first, Math.max(0, last)), last };
}
