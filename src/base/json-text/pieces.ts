// Parses a large JSON text piece by piece, so that a thread can do something else in between. The outcome is that of
// `JSON.parse` on the whole text, errors and their positions included: a piece is a run of members of one object or array,
// in brackets of its own, or a part of a long string, and `JSON.parse` decides on every piece. Only members with very many
// values or very many bytes are opened.
import { countMembers, findRepeated } from '../../../client/import/cells/repeated-member.ts';
import {
  arrayForm,
  colon,
  comma,
  endOf,
  type Form,
  isBlank,
  isOpen,
  isStop,
  type LongStrings,
  objectForm,
  type PieceSize,
  quote,
  type Run,
  runOf,
  type Source,
} from './runs.ts';
import { longStringBytes } from './scan.ts';
import { stringParts } from './string-parts.ts';

export interface ParsedText {
  readonly value: unknown;
  /** The first name that an object of the text repeats. */
  readonly repeated: string | undefined;
}

/** A piece of this size takes about a millisecond, even if every character of its strings is escaped. */
const usualSize: PieceSize = { values: 1_000, bytes: 65_536, stringBytes: longStringBytes };

/** Yields after each piece. The text is UTF-8; its nesting must be bounded. Throws the SyntaxError of `JSON.parse`. */
export function* parsePieces(
  bytes: Buffer,
  longStrings: LongStrings,
  size = usualSize,
): Generator<undefined, ParsedText> {
  const parser = new PieceParser({ bytes, longStrings }, size);
  const value = yield* parser.document();
  return { value, repeated: parser.repeated };
}

type Container = unknown[] | Record<string, unknown>;

interface Walked<T> {
  readonly value: T;
  /** The index after its last byte. */
  readonly end: number;
}

class PieceParser {
  repeated: string | undefined;
  readonly #source: Source;
  readonly #bytes: Buffer;
  readonly #size: PieceSize;

  constructor(source: Source, size: PieceSize) {
    this.#source = source;
    this.#bytes = source.bytes;
    this.#size = size;
  }

  *document(): Generator<undefined, unknown> {
    const start = this.#skipBlank(0);
    if (!isOpen(this.#bytes[start]) && !this.#isLongString(start)) return JSON.parse(this.#text(0));
    const { value, end } = yield* this.#value(start, '');
    if (this.#skipBlank(end) < this.#bytes.length) this.#fail('[]', end);
    return value;
  }

  /** The object or array that opens at `open`. `before` is a text that leads a parser into the same state (see `#fail`). */
  *#container(open: number, before: string): Generator<undefined, Walked<Container>> {
    const form = this.#bytes[open] === arrayForm.open ? arrayForm : objectForm;
    const value: Container = form === arrayForm ? [] : {};
    let lead = before + form.first;
    for (let from = open + 1; ; ) {
      const run = runOf(this.#source, from, this.#size);
      if (run.stop === 'end') this.#fail(lead, from);
      if (run.stop !== 'large' || run.end > from) {
        this.#add(value, form, lead, from, run);
        if (run.stop === 'close') {
          if (this.#bytes[run.end] !== form.close) this.#fail(lead, from);
          return { value, end: run.end + 1 };
        }
        from = run.end + 1;
        lead = before + form.next;
        yield;
      }
      if (run.stop !== 'large') continue;
      const end = yield* this.#member(value, form, lead, from);
      if (this.#bytes[end] === form.close) return { value, end: end + 1 };
      from = end + 1;
      lead = before + form.next;
    }
  }

  /** Adds the members of a run. */
  #add(value: Container, form: Form, lead: string, from: number, run: Run): void {
    const text = form.openText + this.#text(from, run.end) + form.closeText;
    const part = this.#parse(text, lead, from);
    const isEmpty = (Array.isArray(part) ? part : Object.keys(part)).length === 0;
    // A comma and nothing after it: only an empty object or array has no members.
    if (isEmpty && !(run.stop === 'close' && lead.endsWith(form.first))) this.#fail(lead, from);
    this.#noteRepeated(text, run.names, part, value);
    if (Array.isArray(value)) for (const each of part as unknown[]) value.push(each);
    else for (const [name, each] of Object.entries(part)) setMember(value, name, each);
  }

  /** Adds the large member that begins at `from`. Returns the index of the comma or bracket after it. */
  *#member(value: Container, form: Form, lead: string, from: number): Generator<undefined, number> {
    let at = this.#skipBlank(from);
    let into = lead;
    let name = '';
    if (!Array.isArray(value)) {
      if (this.#bytes[at] !== quote) this.#fail(lead, from);
      const walked = yield* this.#string(at);
      name = walked.value;
      if (Object.hasOwn(value, name)) this.repeated ??= name;
      at = this.#skipBlank(walked.end);
      if (this.#bytes[at] !== colon) this.#fail(`${lead}""`, walked.end);
      at = this.#skipBlank(at + 1);
      into = `${lead}"":`;
    }
    yield;
    const walked = yield* this.#value(at, into);
    if (Array.isArray(value)) value.push(walked.value);
    else setMember(value, name, walked.value);
    const stop = this.#skipBlank(walked.end);
    if (this.#bytes[stop] !== comma && this.#bytes[stop] !== form.close) this.#fail(`${into}[]`, walked.end);
    return stop;
  }

  /** A value of a large member. */
  *#value(at: number, before: string): Generator<undefined, Walked<unknown>> {
    const { [at]: first } = this.#bytes;
    if (isOpen(first)) return yield* this.#container(at, before);
    if (first === quote && endOf(this.#source, at) > 0) return yield* this.#string(at);
    let end = at;
    while (end < this.#bytes.length && !isStop(this.#bytes[end])) end++;
    try {
      return { value: JSON.parse(this.#text(at, end)), end };
    } catch {
      return this.#fail(before, at);
    }
  }

  /** The string whose quote is at `open`. It ends somewhere. */
  *#string(open: number): Generator<undefined, Walked<string>> {
    const end = endOf(this.#source, open);
    const parts: string[] = [];
    for (const [from, to] of stringParts(this.#bytes, open + 1, end - 1, this.#size.stringBytes)) {
      if (from > open + 1) yield;
      try {
        parts.push(JSON.parse(`"${this.#text(from, to)}"`) as string);
      } catch {
        this.#fail('"', from);
      }
    }
    return { value: parts.join(''), end };
  }

  #isLongString(at: number): boolean {
    return this.#bytes[at] === quote && endOf(this.#source, at) - at > this.#size.stringBytes;
  }

  #parse(text: string, lead: string, from: number): Container {
    try {
      return JSON.parse(text) as Container;
    } catch {
      return this.#fail(lead, from);
    }
  }

  #noteRepeated(text: string, names: number, part: Container, value: Container): void {
    if (this.repeated !== undefined) return;
    const isKnown = !Array.isArray(value) && Object.keys(part).some((name) => Object.hasOwn(value, name));
    if (!isKnown && countMembers(part) === names) return;
    this.repeated = findRepeated(text, Array.isArray(value) ? [] : Object.keys(value));
  }

  /**
   * Throws the error of the whole text. Everything before `from` is well formed, and `lead` brings a parser into the state
   * that it has there; so it finds the same error, at a distance that is known.
   */
  #fail(lead: string, from: number): never {
    try {
      JSON.parse(lead + this.#text(from));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const shift = this.#text(0, from).length - lead.length;
      throw new SyntaxError(
        error.message.replace(/ position ([0-9]+)/, (_, place) => ` position ${Number(place) + shift}`),
      );
    }
    throw new SyntaxError('The text is not well-formed JSON.');
  }

  #skipBlank(from: number): number {
    let at = from;
    while (isBlank(this.#bytes[at])) at++;
    return at;
  }

  #text(from: number, end = this.#bytes.length): string {
    return this.#bytes.toString('utf8', from, end);
  }
}

/** Assigning `__proto__` would not make a member. */
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
