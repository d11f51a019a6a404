// The encoding of a text file. A CSV file does not name it, so a byte order mark decides, and without one the bytes
// themselves. A file that is not valid UTF-8 is assumed to come from a spreadsheet on Windows.

/** As TextDecoder names them. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface EncodedAs {
  readonly encoding: Encoding;
  /** Whether the file begins with a byte order mark. */
  readonly marked: boolean;
}

/** `head` is the beginning of the file; `utf8` has seen all of it. */
export function encodingOf(head: Uint8Array, utf8: Utf8Check): EncodedAs {
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
function wideOrder(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
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
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #valid = true;

  push(piece: Uint8Array): void {
    if (this.#valid) this.#valid = this.#decodes(() => this.#decoder.decode(piece, { stream: true }));
  }

  end(): boolean {
    return this.#valid && this.#decodes(() => this.#decoder.decode());
  }

  #decodes(decode: () => string): boolean {
    try {
      decode();
      return true;
    } catch {
      return false;
    }
  }
}
