// Which character stands between the cells of a CSV file: comma, semicolon, tab or bar. The header decides, with the rows
// after it: what splits all of them into the same number of cells, and into the most, is the delimiter.

import { bounds } from '../limits.ts';
import { CsvReader } from './rows.ts';

/** Of two that would do alike the first is taken. */
export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** `head` is the beginning of the file as text; its last row may be cut. */
export function delimiterOf(head: string): Delimiter {
  let best: Delimiter = ',';
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const score = scoreOf(head, delimiter);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

function scoreOf(head: string, delimiter: Delimiter): number {
  const reader = new CsvReader(delimiter, head.length);
  const whole = reader.push(head);
  const [header, ...rows] = (whole.length === 0 ? reader.end() : whole).slice(0, bounds.base.csvRowsExamined);
  const columns = header?.cells.length ?? 0;
  if (columns < 2) return 0;
  const alike = rows.filter(({ cells }) => cells.length === columns).length;
  return columns * ((alike + 1) / (rows.length + 1));
}
