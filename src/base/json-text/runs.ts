// Runs of whole members of one object or array of a JSON text, so long that each is parsed as one piece.
import { endOfString } from './scan.ts';

/** The most values and bytes of a piece. A member with few values may be longer, by the bytes of its strings. */
export interface PieceSize {
  readonly values: number;
  readonly bytes: number;
  readonly stringBytes: number;
}

/** Where the long strings of the text are, as `JsonScan` has found them: their ends are looked up several times. */
export type LongStrings = ReadonlyMap<number, number>;

export interface Source {
  readonly bytes: Buffer;
  readonly longStrings: LongStrings;
}

export interface Form {
  readonly open: number;
  readonly close: number;
  readonly openText: string;
  readonly closeText: string;
  /** Texts after which a parser expects the first member, and one after others. */
  readonly first: string;
  readonly next: string;
}

export const comma = 0x2c;
export const colon = 0x3a;
export const quote = 0x22;
export const arrayForm: Form = { open: 0x5b, close: 0x5d, openText: '[', closeText: ']', first: '[', next: '[0,' };
export const objectForm: Form = { open: 0x7b, close: 0x7d, openText: '{', closeText: '}', first: '{', next: '{"":0,' };

/** A run of whole members of one object or array. */
export interface Run {
  /** The index of the comma or bracket after its last member; where it began if it has none. */
  readonly end: number;
  readonly names: number;
  /** Why it ends: it is long enough, the bracket closes, a member has too much in it, or the text ends in a member. */
  readonly stop: 'full' | 'close' | 'large' | 'end';
}

/** The index after the string whose quote is at `open`; negative if it does not end. */
export function endOf({ bytes, longStrings }: Source, open: number): number {
  return longStrings.get(open) ?? endOfString(bytes, open + 1);
}

export function runOf(source: Source, from: number, size: PieceSize): Run {
  const { bytes } = source;
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
      case quote: {
        const last = endOf(source, at) - 1;
        if (last < 0) return { end, names: namesBefore, stop: 'end' };
        inStrings += last - at;
        if (inStrings > size.stringBytes) return { end, names: namesBefore, stop: 'large' };
        at = last;
        break;
      }
      case colon:
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

export function isOpen(byte: number | undefined): boolean {
  return byte === arrayForm.open || byte === objectForm.open;
}

/** Where a number or a word must have ended. */
export function isStop(byte: number | undefined): boolean {
  return byte === comma || byte === arrayForm.close || byte === objectForm.close;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
