// Parses a large JSON text piece by piece, so that a thread can do something else in between. The outcome is that of
// `JSON.parse` on the whole text, errors and their positions included: a piece is a run of members of one object or array,
// in brackets of its own, and `JSON.parse` decides on every piece. Only members with very many values, or with very many
// bytes outside strings, are opened.
import { countMembers, findRepeated } from './repeated-member.ts';
import { endOfString } from './scan.ts';

export interface ParsedText {
  readonly value: unknown;
  /** The first name that an object of the text repeats. */
  readonly repeated: string | undefined;
}

/** The most values and bytes of a piece. A single member with few values may be longer, by its strings. */
interface PieceSize {
  readonly values: number;
  readonly bytes: number;
}

/** A piece of this size takes well under a millisecond. */
const usualSize: PieceSize = { values: 1_000, bytes: 65_536 };

/** Yields after each piece. The text is UTF-8; its nesting must be bounded. Throws the SyntaxError of `JSON.parse`. */
export function* parsePieces(bytes: Buffer, size = usualSize): Generator<undefined, ParsedText> {
  const parser = new PieceParser(bytes, size);
  const value = yield* parser.document();
  return { value, repeated: parser.repeated };
}

type Container = unknown[] | Record<string, unknown>;

interface Walked {
  readonly value: Container;
  /** The index after the closing bracket. */
  readonly end: number;
}

class PieceParser {
  repeated: string | undefined;
  readonly #bytes: Buffer;
  readonly #size: PieceSize;

  constructor(bytes: Buffer, size: PieceSize) {
    this.#bytes = bytes;
    this.#size = size;
  }

  *document(): Generator<undefined, unknown> {
    const start = this.#skipBlank(0);
    if (!isOpen(this.#bytes[start])) return JSON.parse(this.#text(0));
    const { value, end } = yield* this.#container(start, '');
    if (this.#skipBlank(end) < this.#bytes.length) this.#fail('[]', end);
    return value;
  }

  /** The object or array that opens at `open`. `before` is a text that leads a parser into the same state (see `#fail`). */
  *#container(open: number, before: string): Generator<undefined, Walked> {
    const form = this.#bytes[open] === arrayForm.open ? arrayForm : objectForm;
    const value: Container = form === arrayForm ? [] : {};
    let lead = before + form.first;
    for (let from = open + 1; ; ) {
      const run = runOf(this.#bytes, from, this.#size);
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
      const end = yield* this.#large(value, form, lead, from);
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

  /** Adds the member that begins at `from` and has very many values. Returns the index of the comma or bracket after it. */
  *#large(value: Container, form: Form, lead: string, from: number): Generator<undefined, number> {
    const inner = firstOpen(this.#bytes, from);
    const text = `${form.openText}${this.#text(from, inner)}[]${form.closeText}`;
    const part = this.#parse(text, lead, from);
    const [name = ''] = Object.keys(part);
    if (form === objectForm) this.#noteRepeated(text, 1, part, value);
    const into = form === objectForm ? `${lead}"":` : lead;
    yield;
    const walked = yield* this.#container(inner, into);
    if (Array.isArray(value)) value.push(walked.value);
    else setMember(value, name, walked.value);
    const stop = this.#skipBlank(walked.end);
    if (this.#bytes[stop] !== comma && this.#bytes[stop] !== form.close) this.#fail(`${into}[]`, walked.end);
    return stop;
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

interface Form {
  readonly open: number;
  readonly close: number;
  readonly openText: string;
  readonly closeText: string;
  /** Texts after which a parser expects the first member, and one after others. */
  readonly first: string;
  readonly next: string;
}

const comma = 0x2c;
const arrayForm: Form = { open: 0x5b, close: 0x5d, openText: '[', closeText: ']', first: '[', next: '[0,' };
const objectForm: Form = { open: 0x7b, close: 0x7d, openText: '{', closeText: '}', first: '{', next: '{"":0,' };

/** A run of whole members of one object or array. */
interface Run {
  /** The index of the comma or bracket after its last member; where it began if it has none. */
  readonly end: number;
  readonly names: number;
  /** Why it ends: it is long enough, the bracket closes, a member has too much in it, or the text ends in a member. */
  readonly stop: 'full' | 'close' | 'large' | 'end';
}

function runOf(bytes: Buffer, from: number, size: PieceSize): Run {
  let depth = 0;
  let values = 0;
  let names = 0;
  // After the last whole member.
  let end = from;
  let valuesBefore = 0;
  let namesBefore = 0;
  // Bytes of strings in the member, and whether a bracket has opened in it.
  let inStrings = 0;
  let isOpened = false;
  for (let at = from; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22: {
        const last = endOfString(bytes, at + 1) - 1;
        if (last < 0) return { end, names: namesBefore, stop: 'end' };
        inStrings += last - at;
        at = last;
        break;
      }
      case 0x3a:
        names++;
        break;
      case comma:
        values++;
        if (depth === 0) {
          end = at;
          valuesBefore = values;
          namesBefore = names;
          inStrings = 0;
          isOpened = false;
          if (values >= size.values || at - from >= size.bytes) return { end, names, stop: 'full' };
        }
        break;
      case arrayForm.open:
      case objectForm.open:
        values++;
        depth++;
        isOpened = true;
        break;
      case arrayForm.close:
      case objectForm.close:
        if (depth === 0) return { end: at, names, stop: 'close' };
        depth--;
        break;
      default:
        continue;
    }
    const isLong = isOpened && at - end - inStrings > size.bytes;
    if (isLong || values - valuesBefore > size.values) return { end, names: namesBefore, stop: 'large' };
  }
  return { end, names: namesBefore, stop: 'end' };
}

/** The index of the first bracket that opens outside of strings; there is one. */
function firstOpen(bytes: Buffer, from: number): number {
  let at = from;
  while (!isOpen(bytes[at])) at = bytes[at] === 0x22 ? endOfString(bytes, at + 1) : at + 1;
  return at;
}

function isOpen(byte: number | undefined): boolean {
  return byte === arrayForm.open || byte === objectForm.open;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
