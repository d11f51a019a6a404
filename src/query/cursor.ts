// Cursors: where a page ended, sealed. The seal covers everything the cursor is bound to (operation, path, org,
// credential and whatever decides the order). The text itself does not contain it, so a changed or foreign cursor
// cannot be opened.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { newNonce } from '../base/id.ts';

const sealBytes = 16;
/** No cursor is longer. */
const lengthMax = 262_144;

export function sealCursor(secret: Buffer, binding: readonly string[], place: string): string {
  return Buffer.concat([sealOf(secret, binding, place), Buffer.from(place)]).toString('base64url');
}

/** Where the page ended; undefined when the text is not a cursor for this binding. */
export function openCursor(secret: Buffer, binding: readonly string[], cursor: string): string | undefined {
  const bytes = cursorBytes(cursor);
  if (bytes === undefined || bytes.length <= sealBytes) return undefined;
  const place = bytes.subarray(sealBytes).toString();
  return timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(secret, binding, place)) ? place : undefined;
}

function cursorBytes(cursor: string): Buffer | undefined {
  if (cursor.length > lengthMax || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // Base64 has spare bits at its end, so several texts decode to the same bytes: only the one we would write is a
  // cursor.
  return bytes.toString('base64url') === cursor ? bytes : undefined;
}

function sealOf(secret: Buffer, binding: readonly string[], place: string): Buffer {
  const covered = JSON.stringify([...binding, place]);
  return createHmac('sha256', secret).update(covered).digest().subarray(0, sealBytes);
}

const nonceBytes = 12;

/**
 * A cursor whose place is encrypted, because it says something about records that its reader may not see. Two cursors of
 * one place differ: otherwise a reader could tell from equal ones that nobody has written in between.
 */
export function hideCursor(secret: Buffer, binding: readonly string[], place: string): string {
  const nonce = newNonce(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', hidingKey(secret), nonce).setAAD(Buffer.from(JSON.stringify(binding)));
  const text = Buffer.concat([cipher.update(place), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Where the page ended; undefined when the text is not a hidden cursor for this binding. */
export function revealCursor(secret: Buffer, binding: readonly string[], cursor: string): string | undefined {
  const bytes = cursorBytes(cursor);
  if (bytes === undefined || bytes.length <= nonceBytes + sealBytes) return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const cipher = createDecipheriv('aes-256-gcm', hidingKey(secret), nonce)
    .setAAD(Buffer.from(JSON.stringify(binding)))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + sealBytes));
  const text = cipher.update(bytes.subarray(nonceBytes + sealBytes));
  try {
    return Buffer.concat([text, cipher.final()]).toString();
  } catch {
    // The tag does not match: the cursor was changed, or made for another binding.
    return undefined;
  }
}

const hidingKeys = new WeakMap<Buffer, KeyObject>();

/** Clients keep feed cursors for weeks, so this key must stay the same from release to release. */
function hidingKey(secret: Buffer): KeyObject {
  const known = hidingKeys.get(secret);
  if (known !== undefined) return known;
  const key = createSecretKey(hash('sha512-256', JSON.stringify(['hide', secret.toString('base64')]), 'buffer'));
  hidingKeys.set(secret, key);
  return key;
}

/**
 * Names that do not show what comes before or after them. A page of the feed needs a thousand, and a plain hash takes
 * half the time of an HMAC: SHA-512/256 is safe with the secret in front, because it cannot be extended.
 */
export function opaqueNames(secret: Buffer, parts: readonly string[]): (last: string) => string {
  const covered = JSON.stringify([secret.toString('base64'), 'name', ...parts]).slice(0, -1);
  return (last) =>
    hash('sha512-256', `${covered},${JSON.stringify(last)},""]`, 'buffer')
      .subarray(0, sealBytes)
      .toString('base64url');
}
