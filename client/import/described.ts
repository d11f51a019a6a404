// How received values and the texts of files are called in messages.

/** A received value in a few words for an error text: `null`, `an array`, `the string "abc"`. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return `the string ${JSON.stringify(shorten(value))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `the ${typeof value} ${value}`;
  return 'an object';
}

/** Cut between code points, so that surrogate pairs stay whole. Shorter if JSON has to escape many characters. */
export function shorten(text: string, pointsMax = 40): string {
  const start = text.slice(0, pointsMax * 2);
  const points = Array.from(start);
  let kept = pointsMax;
  while (JSON.stringify(points.slice(0, kept).join('')).length > pointsMax * 2 + 20) kept = Math.floor(kept / 2);
  return points.length <= kept && start.length === text.length ? text : `${points.slice(0, kept).join('')}…`;
}

/** A text of a file, such as a header, in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
