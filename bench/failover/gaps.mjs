// How long nobody could write, from the moments at which writes were acknowledged, and whose part of it was whose.

/** The moments of each way to the database, in order. */
export class Acknowledgements {
  #moments;

  constructor(ways) {
    this.#moments = new Map(ways.map((way) => [way, []]));
  }

  note(way) {
    this.#moments.get(way).push(performance.now());
  }

  /** How many came after this moment by the way that had the fewest. */
  leastSince(ms) {
    return Math.min(
      ...[...this.#moments.values()].map((moments) => moments.length - 1 - moments.findLastIndex((at) => at <= ms)),
    );
  }

  pause(way, fromMs, untilMs) {
    return longestPause(this.#moments.get(way), fromMs, untilMs);
  }
}

/** The longest time without any of the moments: of all that end after `fromMs` and begin before `untilMs`. */
export function longestPause(moments, fromMs, untilMs) {
  let longest = { beganMs: fromMs, endedMs: fromMs };
  for (const [index, endedMs] of moments.entries()) {
    const beganMs = moments[index - 1];
    if (beganMs === undefined || endedMs < fromMs) continue;
    if (beganMs > untilMs) break;
    if (endedMs - beganMs > longest.endedMs - longest.beganMs) longest = { beganMs, endedMs };
  }
  return longest;
}

/** A pause in whole milliseconds, and the part of it that came after the way was open again. */
export function partsOf({ beganMs, endedMs }, openMs) {
  return { all: Math.round(endedMs - beganMs), after: Math.round(Math.max(0, endedMs - Math.max(beganMs, openMs))) };
}
