// The encoding of a text file. A CSV file does not name it, so a byte order mark decides, and without one the bytes
// themselves. A file that is not valid UTF-8 is assumed to come from a spreadsheet on Windows.
import { isUtf8 } from 'node:buffer';

/** As TextDecoder names them. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface EncodedAs {
  readonly encoding: Encoding;
  /** Whether the file begins with a byte order mark. */
  readonly marked: boolean;
}

/** `head` is the beginning of the file; `utf8` has seen all of it. */
export function encodingOf(head: Buffer, utf8: Utf8Check): EncodedAs {
  const valid = utf8.end();
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf && valid) return { encoding: 'utf-8', marked: true };
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', marked: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', marked: true };
  const wide = wideOrder(head);
  if (wide !== undefined) return { encoding: wide, marked: false };
  return { encoding: valid ? 'utf-8' : 'windows-1252', marked: false };
}

/** UTF-16 without a mark: of most characters one of the two bytes is zero, always the same one. */
function wideOrder(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = head.length / 8;
  if (odd > many && even * 20 < odd) return 'utf-16le';
  if (even > many && odd * 20 < even) return 'utf-16be';
  return undefined;
}

/** Checks whether bytes that arrive in pieces are valid UTF-8 as a whole. */
export class Utf8Check {
  #valid = true;
  /** The beginning of a character at the end of the last piece. */
  #begun: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    if (!this.#valid) return;
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const whole = wholeCharacters(bytes);
    this.#valid = isUtf8(bytes.subarray(0, whole));
    this.#begun = Buffer.from(bytes.subarray(whole));
  }

  end(): boolean {
    return this.#valid && this.#begun.length === 0;
  }
}

/** The number of bytes before a last character that is not complete yet. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
    if (byte < 0x80) return bytes.length;
  }
  return bytes.length;
}
