// A long JSON string in parts that are strings by themselves: no escape and no character is cut.

const backslash = 0x5c;
const letterU = 0x75;

/** The bounds of the parts of the string whose contents are at `from` to `end`, each of about `size` bytes; one if it is empty. */
export function* stringParts(
  bytes: Buffer,
  from: number,
  end: number,
  size: number,
): Generator<readonly [from: number, end: number]> {
  let at = from;
  do {
    const stop = at + size < end ? partEnd(bytes, at, at + size) : end;
    yield [at, stop];
    at = stop;
  } while (at < end);
}

/** Where the part that begins at `from` ends: at `near`, or after the escape or character that `near` would cut. */
function partEnd(bytes: Buffer, from: number, near: number): number {
  // An escape has at most six bytes, so only one that begins in the last five can reach further.
  let slash = near - 1;
  while (slash > near - 6 && slash >= from && bytes[slash] !== backslash) slash--;
  if (slash >= from && bytes[slash] === backslash && isEscape(bytes, from, slash)) {
    const escapeEnd = slash + (bytes[slash + 1] === letterU ? 6 : 2);
    if (escapeEnd > near) return escapeEnd;
  }
  let end = near;
  while (isContinuation(bytes[end])) end++;
  return end;
}

/** Whether the backslash begins an escape, and is not itself the escaped one. */
function isEscape(bytes: Buffer, from: number, slash: number): boolean {
  let first = slash;
  while (first > from && bytes[first - 1] === backslash) first--;
  return (slash - first) % 2 === 0;
}

/** A byte in the middle of a character. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
