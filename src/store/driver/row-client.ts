// A client of the driver that leaves the rows of a result as the bytes that arrived: the driver itself makes a string of each
// value, and the long values of a page, which are only passed on, would fill the heap. All other messages are the driver's.
// What arrives is read into one buffer for each connection, again and again: a new one for each piece would soon be garbage.
import { EventEmitter } from 'node:events';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { parse } from 'pg-protocol';
import { bounds } from '../../base/limits.ts';

/** The part of the driver's connection that hands messages on, which its types do not list. */
interface Connection extends EventEmitter {
  readonly ssl: unknown;
  stream: Duplex;
  attachListeners(stream: Duplex): void;
}

export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: Connection };
    const messages = new Messages((message) => {
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    });
    const hasTls = Boolean(connection.ssl);
    // The driver has not connected its own socket yet. TLS needs it as it is, and allocates what it decrypts.
    if (!hasTls) connection.stream = newSocket(messages);
    connection.attachListeners = (stream) => {
      if (hasTls) stream.on('data', (chunk: Buffer) => messages.take(chunk));
    };
  }
}

function newSocket(messages: Messages): Socket {
  const buffer = Buffer.allocUnsafe(bounds.store.readBytes);
  const callback = (length: number): boolean => {
    messages.take(buffer.subarray(0, length));
    return true;
  };
  // An option that the constructor has, although its types do not list it.
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = { onread: { buffer, callback } };
  return new Socket(options);
}

/** A row as it arrived. */
export class RowMessage {
  readonly name = 'dataRow';
  readonly bytes: Buffer;
  /** Where its number of values begins. */
  readonly begin: number;
  /** As the driver counts it: without the code of the message. */
  readonly length: number;
  /** Whether the bytes stay as they are. Otherwise the next piece that arrives overwrites them. */
  readonly isKept: boolean;

  constructor(bytes: Buffer, begin: number, { length, isKept }: Pick<RowMessage, 'length' | 'isKept'>) {
    this.bytes = bytes;
    this.begin = begin;
    this.length = length;
    this.isKept = isKept;
  }

  /** The values as the driver's own queries expect them. */
  get fields(): readonly (string | null)[] {
    const fields: (string | null)[] = [];
    this.forEachField((begin, end) => fields.push(end < begin ? null : this.bytes.toString('utf8', begin, end)));
    return fields;
  }

  /** A part of the bytes that stays as it is. */
  part(begin: number, end: number): Buffer {
    const part = this.bytes.subarray(begin, end);
    return this.isKept ? part : Buffer.from(part);
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
  /** A message that has not arrived as a whole, as long as it will be; of the header's length until that is known. */
  #begun: Buffer | undefined;
  #filled = 0;

  constructor(on: (message: Message) => void) {
    this.#on = on;
    void parse(this.#others as unknown as NodeJS.ReadableStream, on as Parameters<typeof parse>[1]);
  }

  /** Nobody keeps the chunk: its memory may be used again afterwards. */
  take(chunk: Buffer): void {
    let rest = chunk;
    while (this.#begun !== undefined && rest.length > 0) rest = this.#fill(this.#begun, rest);
    if (rest.length > 0) this.#divide(rest);
  }

  /** Adds to the message that has begun. Returns what does not belong to it. */
  #fill(begun: Buffer, chunk: Buffer): Buffer {
    const copied = chunk.copy(begun, this.#filled);
    this.#filled += copied;
    if (this.#filled === begun.length) this.#filledUp(begun);
    return chunk.subarray(copied);
  }

  #filledUp(begun: Buffer): void {
    this.#begun = undefined;
    if (messageBytes(begun, 0) > begun.length) this.#begin(begun);
    else if (begun[0] === rowCode) {
      this.#on(new RowMessage(begun, headerBytes, { length: begun.length - 1, isKept: true }));
    } else this.#others.emit('data', begun);
  }

  /** The message that begins with these bytes has not arrived as a whole. */
  #begin(bytes: Buffer): void {
    this.#begun = Buffer.allocUnsafe(bytes.length < headerBytes ? headerBytes : messageBytes(bytes, 0));
    this.#filled = bytes.copy(this.#begun);
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
        this.#on(new RowMessage(bytes, at + headerBytes, { length: end - at - 1, isKept: false }));
        others = end;
      }
      at = end;
    }
    this.#handOn(bytes, others, at);
    if (at < bytes.length) this.#begin(bytes.subarray(at));
  }

  #handOn(bytes: Buffer, begin: number, end: number): void {
    if (begin < end) this.#others.emit('data', bytes.subarray(begin, end));
  }
}

/** How long the message is that begins there. */
function messageBytes(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1);
}
