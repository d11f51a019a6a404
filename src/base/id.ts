// The only place that reads randomness: record and request ids (UUIDv7, so that order of id is order of creation) and
// the base62 text that keys are made of.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** How far the ids of one clock have come. */
interface Sequence {
  lastMs: number;
  serial: number;
  /** How ids of this millisecond begin. */
  prefix: string;
}

/** Each clock has ids of its own: what is dated in the past must not be held in the present by what is made beside it. */
const sequences = new WeakMap<Clock, Sequence>();

/**
 * A UUIDv7 (RFC 9562, 5.7): 48 bits of time, 12 bits that count within a millisecond, 62 random bits. Ids of one clock in
 * one process rise strictly, also when it steps back or more than 4,096 are wanted in a millisecond: time then runs ahead.
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
  // Of a random UUID the last 17 characters are as they have to be here, the variant's bits included.
  return `${sequence.prefix}${(sequence.serial + 0x1000).toString(16).slice(1)}-${randomUUID().slice(19)}`;
}

/** Whether the text could be an id of ours; any other form answers like an absent id, without asking the database. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

/** The moment that a UUIDv7 carries in its first 48 bits, in milliseconds since 1970. */
export function idTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** An integer of `bits` random bits. */
export function randomInteger(bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`));
}

/** `length` random base62 characters. Bytes of 248 and above are dropped: 248 is 4 × 62, so none is likelier. */
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

/** The number that base62 text stands for; the text must hold base62 characters alone. */
export function fromBase62(text: string): bigint {
  let value = 0n;
  for (const character of text) value = value * 62n + BigInt(alphabet.indexOf(character));
  return value;
}

/** Before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000';
