// The lines of a chart: round numbers, few of them, from the least to the most value and always through zero.
const linesWanted = 3;

export function linesOf(least: number, most: number): readonly number[] {
  const span = Math.max(most, 0) - Math.min(least, 0);
  if (span === 0) return [0, 1];
  const rough = span / linesWanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const first = Math.floor(Math.min(least, 0) / step);
  const last = Math.ceil(Math.max(most, 0) / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** Where a value is, in pixels from the top. */
export function placeOf(value: number, lines: readonly number[], height: number): number {
  const [least, most] = [lines[0] ?? 0, lines.at(-1) ?? 1];
  return height - ((value - least) / (most - least)) * height;
}
