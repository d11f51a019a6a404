// The rows of a CSV file (RFC 4180), from text that arrives in pieces. Lines end with LF, CRLF or CR; a quoted cell may
// contain any of them. An error in a row is reported with the row and does not stop the others; a row that is too long
// is skipped without being kept in memory. csv-parse takes five times as long: as much as checking a row's values.

export interface CsvRow {
  /** The line on which the row begins, counted from 1. */
  readonly line: number;
  /** Empty if the row is too long. */
  readonly cells: readonly string[];
  readonly fault: CsvFault | undefined;
  /** The length of the row in the file; 0 if it is too long. */
  readonly characters: number;
}

export type CsvFault = 'unclosed_quote' | 'loose_quote' | 'too_long';

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

interface Row {
  readonly cells: string[];
  /** The index of the next row. */
  readonly end: number;
  /** The number of line ends inside quoted cells. */
  readonly inner: number;
  readonly fault: CsvFault | undefined;
}

export class CsvReader {
  readonly #delimiter: number;
  readonly #charactersMax: number;
  #line = 1;
  /** The part of the last row that has arrived so far. */
  #rest = '';
  #skipped: Skipped | undefined;

  constructor(delimiter: string, charactersMax: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#charactersMax = charactersMax;
  }

  /** The rows that end in this piece, without empty ones. */
  push(piece: string): readonly CsvRow[] {
    return this.#read(piece, 'more');
  }

  /** The last row, if no line end follows it. */
  end(): readonly CsvRow[] {
    return this.#read('', 'last');
  }

  #read(piece: string, which: 'more' | 'last'): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    let text = this.#rest + piece;
    let at = 0;
    if (this.#skipped !== undefined) {
      text = piece;
      at = this.#skip(this.#skipped, piece, which, rows);
    }
    while (at < text.length) {
      const row = readRow(text, at, this.#delimiter, which);
      if (row === undefined) break;
      const { cells, fault } = row;
      const characters = row.end - at;
      if (characters > this.#charactersMax)
        rows.push({ line: this.#line, cells: [], fault: 'too_long', characters: 0 });
      else if (!isEmpty(cells)) rows.push({ line: this.#line, cells, fault, characters });
      this.#line += row.inner + 1;
      at = row.end;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > this.#charactersMax) {
      this.#skipped = new Skipped(this.#delimiter, this.#line);
      this.#skipped.push(this.#rest);
      this.#rest = '';
    }
    return rows;
  }

  /** Skips the rest of a row that is too long; returns the index of the next row. */
  #skip(skipped: Skipped, piece: string, which: 'more' | 'last', rows: CsvRow[]): number {
    const end = skipped.push(piece);
    if (end === undefined && which === 'more') return piece.length;
    const fault = end === undefined && skipped.quoted ? 'unclosed_quote' : 'too_long';
    rows.push({ line: skipped.line, cells: [], fault, characters: 0 });
    this.#line = skipped.line + skipped.inner + 1;
    this.#skipped = undefined;
    return end ?? piece.length;
  }
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '');
}

/** One row, or undefined if its end has not arrived yet. */
function readRow(text: string, start: number, delimiter: number, which: 'more' | 'last'): Row | undefined {
  const cells: string[] = [];
  let fault: CsvFault | undefined;
  let inner = 0;
  let at = start;
  for (;;) {
    let cell = '';
    const quoted = text.charCodeAt(at) === quote ? readQuoted(text, at + 1, which) : none;
    if (quoted === undefined) return undefined;
    if (quoted !== none) {
      if (!quoted.closed) fault = 'unclosed_quote';
      cell = quoted.cell;
      inner += lineEnds(cell);
      at = quoted.end;
    }
    const plain = plainEnd(text, at, delimiter);
    // A closing quote must end the cell. If anything follows, a quote inside the cell was not doubled.
    if (quoted !== none && plain > at) fault ??= 'loose_quote';
    cell += text.slice(at, plain);
    at = plain;
    if (at >= text.length && which === 'more') return undefined;
    cells.push(cell);
    if (text.charCodeAt(at) !== delimiter) break;
    at++;
  }
  if (text.charCodeAt(at) === carriageReturn) {
    // The next piece shows whether a line feed follows.
    if (at + 1 >= text.length && which === 'more') return undefined;
    if (text.charCodeAt(at + 1) === lineFeed) at++;
  }
  return { cells, end: Math.min(at + 1, text.length), inner, fault };
}

interface Quoted {
  readonly cell: string;
  readonly end: number;
  readonly closed: boolean;
}

const none: Quoted = { cell: '', end: 0, closed: true };

function readQuoted(text: string, start: number, which: 'more' | 'last'): Quoted | undefined {
  let cell = '';
  let from = start;
  for (;;) {
    const close = text.indexOf('"', from);
    if (close < 0) {
      return which === 'more' ? undefined : { cell: cell + text.slice(from), end: text.length, closed: false };
    }
    // The next piece shows whether the quote is doubled.
    if (close + 1 >= text.length && which === 'more') return undefined;
    if (text.charCodeAt(close + 1) !== quote) {
      return { cell: cell + text.slice(from, close), end: close + 1, closed: true };
    }
    cell += text.slice(from, close + 1);
    from = close + 2;
  }
}

function plainEnd(text: string, start: number, delimiter: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === delimiter || code === lineFeed || code === carriageReturn) return at;
  }
  return text.length;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) count++;
  }
  return count;
}

/** A row that is too long: only its end is searched for. */
class Skipped {
  readonly line: number;
  readonly #delimiter: number;
  inner = 0;
  /** Inside quotes, at the beginning of a cell, after a quote that may close it, or anywhere else. */
  #place: 'quoted' | 'start' | 'closing' | 'plain' = 'start';
  /** Whether the last character was a carriage return: a line feed after it belongs to the same line end. */
  #returned = false;

  constructor(delimiter: number, line: number) {
    this.#delimiter = delimiter;
    this.line = line;
  }

  get quoted(): boolean {
    return this.#place === 'quoted';
  }

  /** The index of the next row in this piece; undefined if this row has not ended. */
  push(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      const returned = this.#returned;
      this.#returned = code === carriageReturn;
      if (this.#place === 'quoted') {
        if (code === quote) this.#place = 'closing';
        else if (code === carriageReturn || (code === lineFeed && !returned)) this.inner++;
      } else if (returned) return code === lineFeed ? at + 1 : at;
      else if (code === lineFeed) return at + 1;
      else if (code === quote && this.#place !== 'plain') this.#place = 'quoted';
      else if (code !== carriageReturn) this.#place = code === this.#delimiter ? 'start' : 'plain';
    }
    return undefined;
  }
}
