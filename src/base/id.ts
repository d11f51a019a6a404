// The only place that reads randomness: record and request ids (UUIDv7, so that order of id is order of creation), the
// base62 text that keys are made of, and nonces.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { bounds } from './limits.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Makes UUIDv7s (RFC 9562, 5.7): 48 bits of time, 12 bits that count within a millisecond, 62 random bits. Its ids rise
 * strictly. When the clock steps back, or a millisecond needs more than 4,096 ids, their time runs ahead. It never runs
 * ahead further than a bound, so that a clock that was wrong for a moment does not date ids for ever.
 */
export class IdSequence {
  readonly #clock: Clock;
  #lastMs = 0;
  #serial = 0;
  /** The beginning of all ids of this millisecond. */
  #prefix = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    const nowMs = this.#clock.nowMs();
    this.#serial++;
    const isTooFarAhead = this.#lastMs > nowMs + bounds.engine.idsAheadMs;
    if (nowMs > this.#lastMs || this.#serial > 0xfff || isTooFarAhead) {
      this.#begin(isTooFarAhead ? nowMs : Math.max(nowMs, this.#lastMs + 1));
    }
    // The last 17 characters of a random UUID have the form that is needed here, including the variant's bits.
    return `${this.#prefix}${(this.#serial + 0x1000).toString(16).slice(1)}-${randomUUID().slice(19)}`;
  }

  /** From now on its ids come after this one. */
  follow(id: string): void {
    const afterMs = idTimeMs(id);
    if (afterMs >= this.#lastMs) this.#begin(afterMs + 1);
  }

  #begin(ms: number): void {
    this.#lastMs = ms;
    this.#serial = 0;
    const time = ms.toString(16).padStart(12, '0');
    this.#prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
}

/** One sequence per clock: a clock that runs in the past must not be pulled into the present by another one. */
const sequences = new WeakMap<Clock, IdSequence>();

/** An id that comes after all others of this clock in this process. Ids of records are those of their org's sequence. */
export function newId(clock: Clock = systemClock): string {
  let sequence = sequences.get(clock);
  if (sequence === undefined) {
    sequence = new IdSequence(clock);
    sequences.set(clock, sequence);
  }
  return sequence.next();
}

/**
 * An id of that millisecond, for a record of that time. Of one millisecond, ids come in the order of `serial`, which may have
 * 24 bits.
 */
export function idAt(ms: number, serial: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const order = (serial % 0x1000000).toString(16).padStart(6, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order.slice(0, 3)}-8${order.slice(3)}-${randomUUID().slice(24)}`;
}

/** Whether the text has the form of an id. Any other text is answered like an unknown id, without a query. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** The time in the first 48 bits of a UUIDv7, in milliseconds since 1970. */
export function idTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Sorts before every id of this millisecond and after all of those before it. */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** An integer of `bits` random bits. */
export function randomInteger(bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`));
}

/** Random bytes that no nonce has used yet: to ask for those of each nonce takes ten times as long. */
let unused = Buffer.alloc(0);

/** Random bytes that make one encryption differ from every other, even of the same text. */
export function newNonce(length: number): Buffer {
  if (unused.length < length) unused = randomBytes(bounds.base.nonceBlockBytes);
  const nonce = unused.subarray(0, length);
  unused = unused.subarray(length);
  return nonce;
}

/** `length` random base62 characters. Bytes from 248 on are dropped: 248 is 4 × 62, so all are equally likely. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** The number in base62, padded with zeros to `length` characters. */
export function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

/** The number of a base62 text, which must not contain other characters. */
export function fromBase62(text: string): bigint {
  let value = 0n;
  for (const character of text) value = value * 62n + BigInt(alphabet.indexOf(character));
  return value;
}

/** Sorts before every other id. */
export const firstId = '00000000-0000-0000-0000-000000000000';
