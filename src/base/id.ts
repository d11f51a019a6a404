// The only place that reads randomness: record and request ids (UUIDv7, so that order of id is order of creation) and
// the base62 text that keys are made of.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The last id of one clock. */
interface Sequence {
  lastMs: number;
  serial: number;
  /** The beginning of all ids of this millisecond. */
  prefix: string;
}

/** One sequence per clock: a clock that runs in the past must not be pulled into the present by another one. */
const sequences = new WeakMap<Clock, Sequence>();

/**
 * A UUIDv7 (RFC 9562, 5.7): 48 bits of time, 12 bits that count within a millisecond, 62 random bits. The ids of one
 * clock in one process rise strictly. When the clock steps back, or a millisecond needs more than 4,096 ids, their time
 * runs ahead.
 */
export function newId(clock: Clock = systemClock): string {
  const nowMs = clock.nowMs();
  const known = sequences.get(clock);
  const sequence = known ?? { lastMs: 0, serial: 0, prefix: '' };
  if (known === undefined) sequences.set(clock, sequence);
  sequence.serial++;
  if (nowMs > sequence.lastMs || sequence.serial > 0xfff) {
    sequence.lastMs = Math.max(nowMs, sequence.lastMs + 1);
    sequence.serial = 0;
    const time = sequence.lastMs.toString(16).padStart(12, '0');
    sequence.prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  // The last 17 characters of a random UUID have the form that is needed here, including the variant's bits.
  return `${sequence.prefix}${(sequence.serial + 0x1000).toString(16).slice(1)}-${randomUUID().slice(19)}`;
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
