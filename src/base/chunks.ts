// The chunks of a body as they arrive. Short ones are copied together, because each by itself takes hundreds of bytes.

/** Longer chunks are kept as they are, and so is the first: usually there is no other. */
const shortBytes = 4_096;
const firstBytes = 1_024;
const mostBytes = 65_536;

export class Chunks {
  bytes = 0;
  count = 0;
  readonly #parts: Buffer[] = [];
  /** Where short chunks are copied to, and how much of it is used. */
  #open: Buffer | undefined;
  #used = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.count++;
    if (chunk.length > shortBytes || this.count === 1) {
      this.#close();
      this.#parts.push(chunk);
      return;
    }
    this.#makeRoom(chunk.length);
    this.#used += chunk.copy(this.#open as Buffer, this.#used);
  }

  /** All bytes. Nothing may be added any more. */
  joined(): Buffer {
    this.#close();
    return this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
  }

  /** It doubles as it fills up, so that a body which stops early takes little. */
  #makeRoom(bytes: number): void {
    const length = this.#open?.length ?? 0;
    if (this.#used + bytes <= length) return;
    if (length === mostBytes) this.#close();
    const room = Math.max(firstBytes, Math.min(mostBytes, 2 * (this.#used + bytes)));
    const wider = Buffer.allocUnsafeSlow(room);
    this.#open?.copy(wider, 0, 0, this.#used);
    this.#open = wider;
  }

  #close(): void {
    if (this.#open !== undefined && this.#used > 0) this.#parts.push(this.#open.subarray(0, this.#used));
    this.#open = undefined;
    this.#used = 0;
  }
}
