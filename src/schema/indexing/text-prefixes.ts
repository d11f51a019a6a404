// Beginnings of texts, as indexes need them: cut short, and as the bounds of a range.

/** Cut between code points, so that surrogate pairs stay whole. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Cut by bytes of UTF-8, between characters. */
export function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // A byte that begins with the bits 10 continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

const lastCodePoint = 0x10ffff;

/**
 * The first text, in code point order, after all those that begin with `start`; undefined if every text after it begins
 * with it.
 */
export function textAfter(start: string): string | undefined {
  const points = Array.from(start);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    // Surrogates are not characters.
    if (point < lastCodePoint) return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}
