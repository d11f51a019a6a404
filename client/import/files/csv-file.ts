// Reads a CSV file twice: once to learn its encoding and delimiter, then row by row. Memory holds one chunk of the file and
// one row.
import { fileBounds } from '../file-bounds.ts';
import { CsvReader, type CsvRow } from './csv-rows.ts';
import { type EncodedAs, encodingOf, Utf8Check } from './encoding.ts';

export interface CsvFile extends EncodedAs {
  readonly delimiter: Delimiter;
  /** Whether the first line does nothing but name the delimiter, as in `sep=;`. It is not a row. */
  readonly namesDelimiter: boolean;
  readonly bytes: number;
  /** The number of quote characters. If it is odd, a quote is not closed or is inside an unquoted cell. */
  readonly quotes: number;
}

type Chunks = AsyncIterable<Uint8Array>;

/** Reads the file once, without splitting it into rows. */
export async function inspectCsv(chunks: Chunks): Promise<CsvFile> {
  const utf8 = new Utf8Check();
  const head = new Uint8Array(fileBounds.headBytes);
  let bytes = 0;
  let quotes = 0;
  for await (const chunk of chunks) {
    if (bytes < head.length) head.set(chunk.subarray(0, head.length - bytes), bytes);
    bytes += chunk.length;
    utf8.push(chunk);
    for (let at = chunk.indexOf(0x22); at >= 0; at = chunk.indexOf(0x22, at + 1)) quotes++;
  }
  const beginning = head.subarray(0, bytes);
  const encoded = encodingOf(beginning, utf8);
  // It may end in the middle of a character; the stream option drops that part.
  const text = new TextDecoder(encoded.encoding).decode(beginning, { stream: true });
  const named = namedDelimiter(text);
  const delimiter = named ?? delimiterOf(text);
  return { ...encoded, delimiter, namesDelimiter: named !== undefined, bytes, quotes };
}

/** Some rows, and the number of bytes of the file that have been read so far. */
export interface CsvRows {
  readonly rows: readonly CsvRow[];
  readonly bytesRead: number;
}

export async function* rowsOf(
  chunks: Chunks,
  { encoding, delimiter, namesDelimiter }: CsvFile,
): AsyncGenerator<CsvRows> {
  const decoder = new TextDecoder(encoding);
  const reader = new CsvReader(delimiter, fileBounds.rowCharacters);
  let bytesRead = 0;
  let toSkip = namesDelimiter ? 1 : 0;
  const unskipped = (rows: readonly CsvRow[]) => {
    const skipped = Math.min(toSkip, rows.length);
    toSkip -= skipped;
    return skipped === 0 ? rows : rows.slice(skipped);
  };
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    yield { rows: unskipped(reader.push(decoder.decode(chunk, { stream: true }))), bytesRead };
  }
  yield { rows: unskipped([...reader.push(decoder.decode()), ...reader.end()]), bytesRead };
}

/** Spreadsheets may name the delimiter in a line of its own. */
function namedDelimiter(head: string): Delimiter | undefined {
  const [, named] = /^"?sep=(.)"?\r?\n/i.exec(head) ?? [];
  return delimiters.find((delimiter) => delimiter === named);
}

/** If two fit equally well, the first is chosen. */
export const delimiters = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof delimiters)[number];

/**
 * The delimiter that splits the header and the rows after it into equally many cells, and into the most. `head` is the
 * beginning of the file; its last row may be cut.
 */
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
  const [header, ...rows] = (whole.length === 0 ? reader.end() : whole).slice(0, fileBounds.rowsExamined);
  const columns = header?.cells.length ?? 0;
  if (columns < 2) return 0;
  const alike = rows.filter(({ cells }) => cells.length === columns).length;
  return columns * ((alike + 1) / (rows.length + 1));
}
