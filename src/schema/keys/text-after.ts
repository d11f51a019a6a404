// The first text, in code point order, after all those that begin with a given one.

const lastCodePoint = 0x10ffff;

/** Undefined if there is none: every text after it begins with it. */
export function textAfter(start: string): string | undefined {
  const points = Array.from(start);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    // Surrogates are no characters.
    if (point < lastCodePoint) return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}
