// Measures a JSON text while its bytes arrive, before any of it is parsed: how deep it nests, how many values it has, how
// many members one of its objects has, how many names there are, and how long its runs of blanks and digits are. It knows
// nothing of grammar: whether the text is well formed is for the parser to say, and the measures of a text that is not
// mean nothing.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Where counting starts in an array, so that no number of elements reaches the bound for members. */
const inArray = -0x40000000;

interface ScanBounds {
  readonly depth: number;
  readonly values: number;
  /** Members of one object. */
  readonly members: number;
  /** Bytes outside strings that follow each other without a comma, colon or bracket: blanks, or one number. */
  readonly run: number;
}

/** The first bound that a text passes. */
export type Excess = 'too_deep' | 'body_values' | 'too_many_members' | 'too_many_blanks';

/** Strings with more bytes count as long. */
export const longStringBytes = 131_072;

export class JsonScan {
  /** The long strings: for the index of each first quote, the index after the last one. */
  readonly longStrings = new Map<number, number>();
  /** Members of objects and elements of arrays. An empty object or array counts once more. */
  values = 0;
  /** Names of members. */
  names = 0;
  readonly #bounds: ScanBounds;
  #depth = 0;
  /** The commas so far in the innermost open object or array, and in those around it. */
  #commas = inArray;
  readonly #outerCommas: number[] = [];
  /** The bytes of the run so far. */
  #run = 0;
  #place: 'outside' | 'in_string' | 'after_backslash' = 'outside';
  /** The bytes of the text before those that are being measured, and where the latest string begins in the text. */
  #before = 0;
  #string = 0;

  constructor(bounds: ScanBounds) {
    this.#bounds = bounds;
  }

  /** Continues with the next bytes of the text. */
  feed(bytes: Buffer): Excess | undefined {
    const { depth: depthMax, values: valuesMax, members: membersMax, run: runMax } = this.#bounds;
    const outer = this.#outerCommas;
    let { values, names } = this;
    let depth = this.#depth;
    let commas = this.#commas;
    let at = this.#place === 'outside' ? 0 : this.#leaveString(bytes, this.#place === 'in_string' ? 0 : 1);
    // Where the run begins; before these bytes if it began in earlier ones.
    let run = this.#place === 'outside' ? at - this.#run : at;
    while (at < bytes.length) {
      switch (bytes[at++]) {
        case quote:
          if (at - run > runMax) return 'too_many_blanks';
          this.#string = this.#before + at - 1;
          at = this.#leaveString(bytes, at);
          run = at;
          break;
        case comma:
          if (at - run > runMax) return 'too_many_blanks';
          run = at;
          values++;
          if (++commas >= membersMax) return 'too_many_members';
          break;
        case colon:
          if (at - run > runMax) return 'too_many_blanks';
          run = at;
          names++;
          break;
        case openArray:
        case openObject:
          if (at - run > runMax) return 'too_many_blanks';
          run = at;
          values++;
          outer[depth++] = commas;
          commas = bytes[at - 1] === openArray ? inArray : 0;
          if (depth > depthMax) return 'too_deep';
          break;
        case closeArray:
        case closeObject:
          if (at - run > runMax) return 'too_many_blanks';
          run = at;
          if (depth > 0) commas = outer[--depth] ?? inArray;
          break;
        default:
      }
    }
    this.values = values;
    this.names = names;
    this.#depth = depth;
    this.#commas = commas;
    this.#before += bytes.length;
    this.#run = at - run;
    if (this.#run > runMax) return 'too_many_blanks';
    return values > valuesMax ? 'body_values' : undefined;
  }

  /** The index after the string, or after the bytes if the string does not end in them. */
  #leaveString(bytes: Buffer, from: number): number {
    const end = endOfString(bytes, from);
    if (end >= 0) {
      this.#place = 'outside';
      const after = this.#before + end;
      if (after - this.#string > longStringBytes) this.longStrings.set(this.#string, after);
    } else this.#place = end === unfinished ? 'in_string' : 'after_backslash';
    return end >= 0 ? end : bytes.length;
  }
}

/** The string does not end in these bytes, and their last byte may escape the next one. */
const unfinished = -1;
const unfinishedEscape = -2;

/** So many bytes are examined one by one: most strings are shorter, and a search costs more than they do. */
const nearBytes = 24;

/** The index after the closing quote of the string whose contents begin at `from`; negative if it does not end. */
export function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const near = Math.min(at + nearBytes, bytes.length);
    while (at < near) {
      const byte = bytes[at++];
      if (byte === quote) return at;
      if (byte === backslash) at++;
    }
    if (at >= bytes.length) break;
    const found = bytes.indexOf(quote, at);
    const stop = found < 0 ? bytes.length : found;
    let slashes = 0;
    while (stop - slashes > at && bytes[stop - slashes - 1] === backslash) slashes++;
    const isEscaped = slashes % 2 === 1;
    if (found < 0) return isEscaped ? unfinishedEscape : unfinished;
    at = stop + 1;
    if (!isEscaped) return at;
  }
  return at > bytes.length ? unfinishedEscape : unfinished;
}
