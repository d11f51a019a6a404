// Reads HTTP/1.1 answers out of a stream of bytes, one after the other: their status, and their body if it is wanted.
// Node's own client costs more CPU than the service that it would attack.

export interface Reply {
  readonly status: number;
  readonly bytes: number;
  /** Whether the service closes the connection after it. */
  readonly closes: boolean;
  /** Empty unless bodies are kept. */
  readonly text: string;
}

type Part = 'head' | 'body' | 'chunk size' | 'chunk';

export class ReplyReader {
  readonly #onReply: (reply: Reply) => void;
  readonly #keeps: boolean;
  #part: Part = 'head';
  /** The head, or the line with the size of a chunk, as far as it has come. */
  #text = '';
  #status = 0;
  #closes = false;
  /** What is still missing of the body, or of the chunk and the end of its line. */
  #missing = 0;
  #bytes = 0;
  #kept: Buffer[] = [];

  constructor(onReply: (reply: Reply) => void, bodies: 'kept' | 'dropped') {
    this.#onReply = onReply;
    this.#keeps = bodies === 'kept';
  }

  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#part === 'head') at = this.#takeLine(bytes, at, '\r\n\r\n', (text) => this.#beginBody(text));
      else if (this.#part === 'chunk size') at = this.#takeLine(bytes, at, '\r\n', (text) => this.#beginChunk(text));
      else at = this.#takeBody(bytes, at);
    }
  }

  /** Collects text up to the end that is given, and returns where in the bytes it ended. */
  #takeLine(bytes: Buffer, at: number, end: string, use: (text: string) => void): number {
    const before = this.#text.length;
    this.#text += bytes.toString('latin1', at);
    const cut = this.#text.indexOf(end);
    if (cut < 0) return bytes.length;
    const text = this.#text.slice(0, cut);
    this.#text = '';
    use(text);
    return at + cut + end.length - before;
  }

  #beginBody(head: string): void {
    this.#status = Number(head.slice(9, 12));
    // 100 Continue is not an answer.
    if (this.#status < 200) return;
    this.#closes = /\r\nconnection: *close/i.test(head);
    this.#bytes = 0;
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#part = 'chunk size';
    else {
      this.#missing = Number(/\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1] ?? 0);
      this.#part = 'body';
      if (this.#missing === 0) this.#end();
    }
  }

  #beginChunk(line: string): void {
    if (line === '') {
      // The empty line after the last chunk.
      this.#end();
      return;
    }
    const size = Number.parseInt(line, 16);
    if (size === 0) return;
    this.#missing = size + 2;
    this.#part = 'chunk';
  }

  #takeBody(bytes: Buffer, at: number): number {
    const taken = Math.min(this.#missing, bytes.length - at);
    if (this.#keeps) this.#keep(bytes.subarray(at, at + taken));
    this.#missing -= taken;
    this.#bytes += taken;
    if (this.#missing === 0 && this.#part === 'body') this.#end();
    else if (this.#missing === 0) this.#part = 'chunk size';
    return at + taken;
  }

  /** Without the end of a chunk's line. */
  #keep(bytes: Buffer): void {
    const rest = this.#part === 'chunk' ? Math.max(0, this.#missing - 2) : this.#missing;
    this.#kept.push(Buffer.from(bytes.subarray(0, rest)));
  }

  #end(): void {
    const text = this.#keeps ? Buffer.concat(this.#kept).toString() : '';
    this.#kept = [];
    this.#part = 'head';
    this.#onReply({ status: this.#status, bytes: this.#bytes, closes: this.#closes, text });
  }
}
