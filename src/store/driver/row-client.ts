// A client of the driver that leaves the rows of a result as the bytes that arrived: the driver itself makes a string of each
// value, and the long values of a page, which are only passed on, would fill the heap. All other messages are the driver's.
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { parse } from 'pg-protocol';

/** The part of the driver's connection that hands messages on, which its types do not list. */
interface Connection extends EventEmitter {
  attachListeners(stream: EventEmitter): void;
}

export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: Connection };
    connection.attachListeners = (stream) => {
      const messages = new Messages((message) => {
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      });
      stream.on('data', (chunk: Buffer) => messages.take(chunk));
    };
  }
}

/** A row as it arrived. */
export class RowMessage {
  readonly name = 'dataRow';
  readonly bytes: Buffer;
  /** Where its number of values begins. */
  readonly begin: number;
  /** As the driver counts it: without the code of the message. */
  readonly length: number;

  constructor(bytes: Buffer, begin: number, length: number) {
    this.bytes = bytes;
    this.begin = begin;
    this.length = length;
  }

  /** The values as the driver's own queries expect them. */
  get fields(): readonly (string | null)[] {
    const fields: (string | null)[] = [];
    this.forEachField((begin, end) => fields.push(end < begin ? null : this.bytes.toString('utf8', begin, end)));
    return fields;
  }

  /** The place of each value; it ends before it begins if it is null. */
  forEachField(on: (begin: number, end: number, index: number) => void): void {
    const { bytes } = this;
    const count = bytes.readInt16BE(this.begin);
    let at = this.begin + 2;
    for (let index = 0; index < count; index++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      on(at, at + length, index);
      if (length > 0) at += length;
    }
  }
}

type Message = { readonly name: string };

const headerBytes = 5;
const rowCode = 'D'.charCodeAt(0);

/** Divides what arrives into messages. */
export class Messages {
  readonly #on: (message: Message) => void;
  /** Where the driver's parser gets what are no rows. */
  readonly #others = new EventEmitter();
  /** The beginning of a message that has not arrived as a whole. */
  #parts: Buffer[] = [];
  #held = 0;

  constructor(on: (message: Message) => void) {
    this.#on = on;
    void parse(this.#others as unknown as NodeJS.ReadableStream, on as Parameters<typeof parse>[1]);
  }

  take(chunk: Buffer): void {
    let rest = chunk;
    while (this.#held > 0 && rest.length > 0) rest = this.#complete(rest);
    if (rest.length > 0) this.#divide(rest);
  }

  /** Adds to the message that has begun. Returns what does not belong to it. */
  #complete(chunk: Buffer): Buffer {
    const wanted = this.#held < headerBytes ? headerBytes : messageBytes(this.#header(), 0);
    const taken = chunk.subarray(0, wanted - this.#held);
    this.#parts.push(taken);
    this.#held += taken.length;
    if (this.#held >= headerBytes && this.#held === messageBytes(this.#header(), 0)) {
      const whole = Buffer.concat(this.#parts, this.#held);
      this.#parts = [];
      this.#held = 0;
      this.#divide(whole);
    }
    return chunk.subarray(taken.length);
  }

  /** The first parts are joined until they hold the header. */
  #header(): Buffer {
    const [first] = this.#parts;
    if (first !== undefined && first.length >= headerBytes) return first;
    const joined = Buffer.concat(this.#parts, this.#held);
    this.#parts = [joined];
    return joined;
  }

  #divide(bytes: Buffer): void {
    /** Where those begin that are no rows and were not handed on yet. */
    let others = 0;
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      const end = at + messageBytes(bytes, at);
      if (end > bytes.length) break;
      if (bytes[at] === rowCode) {
        this.#handOn(bytes, others, at);
        this.#on(new RowMessage(bytes, at + headerBytes, end - at - 1));
        others = end;
      }
      at = end;
    }
    this.#handOn(bytes, others, at);
    if (at === bytes.length) return;
    this.#parts = [bytes.subarray(at)];
    this.#held = bytes.length - at;
  }

  #handOn(bytes: Buffer, begin: number, end: number): void {
    if (begin < end) this.#others.emit('data', bytes.subarray(begin, end));
  }
}

/** How long the message is that begins there. */
function messageBytes(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1);
}
