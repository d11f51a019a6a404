// The seal: the digest of a backup file as it lies on the disk, in the last bytes of the file. Compressed text has bits
// that change nothing when it is unpacked; with the seal any changed byte is noticed. The seal is an empty gzip member,
// so gunzip and older releases read past it.
import { createHash } from 'node:crypto';

/** RFC 1952: deflate, with an extra field (FLG 4), no time, system unknown; its 36 bytes are one subfield, `Or`. */
const sealStart = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 0x4f, 0x72, 32, 0]);
/** An empty deflate block, its CRC and its length. */
const sealEnd = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const sealBytes = sealStart.length + 32 + sealEnd.length;

/** `digest` is the SHA-256 of all bytes before the seal. */
function sealOf(digest: Buffer): Buffer {
  return Buffer.concat([sealStart, digest, sealEnd]);
}

/** The chunks of a file, followed by its seal. */
export async function* addSeal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield sealOf(hash.digest());
}

/** Takes the seal off the end of a file. A file without a valid one passes through whole. */
export class Unsealing {
  /** Known once all chunks have passed. */
  isSealed = false;
  /** How many bytes have passed without the seal. */
  bytes = 0;

  async *remove(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    // The last bytes are held back, because they may be the seal.
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of chunks) {
      const known = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const passing = known.subarray(0, Math.max(0, known.length - sealBytes));
      held = known.subarray(passing.length);
      hash.update(passing);
      this.bytes += passing.length;
      if (passing.length > 0) yield passing;
    }
    this.isSealed = held.equals(sealOf(hash.digest()));
    if (this.isSealed || held.length === 0) return;
    this.bytes += held.length;
    yield held;
  }
}
