// The lines of a stream of bytes, one after the other. Memory holds at most a batch of lines, and none that is too
// long, so that a file of any size can be read.

export interface Line {
  /** Counted from 1, empty lines included. */
  readonly number: number;
  /** Without the line end; undefined if the line is too long. */
  readonly bytes: Buffer | undefined;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from('\ufeff');

/** The lines that are not blank, without the byte order mark of the file and without the CR of a CRLF. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const roomFor = bytesMax + byteOrderMark.length + 1;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size > roomFor) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Line => {
    number++;
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const bytes = size > roomFor ? undefined : trimmed(whole, number);
    parts = [];
    size = 0;
    return { number, bytes: bytes === undefined || bytes.length > bytesMax ? undefined : bytes };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end));
      const line = take();
      if (!isBlank(line)) yield line;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (size === 0) return;
  const last = take();
  if (!isBlank(last)) yield last;
}

function trimmed(bytes: Buffer, number: number): Buffer {
  const marked = number === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  return bytes.subarray(marked ? byteOrderMark.length : 0, end);
}

function isBlank({ bytes }: Line): boolean {
  return bytes?.every((byte) => byte === 0x20 || byte === 0x09 || byte === carriageReturn) === true;
}

/** The lines in batches of bounded numbers of lines and bytes; a single line always fits. */
export async function* batchesOf(
  lines: AsyncIterable<Line>,
  { linesMax, bytesMax }: { readonly linesMax: number; readonly bytesMax: number },
): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  let size = 0;
  for await (const line of lines) {
    const length = line.bytes?.length ?? 0;
    if (batch.length > 0 && (batch.length >= linesMax || size + length > bytesMax)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(line);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
