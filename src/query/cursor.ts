// Cursors: where a page ended, sealed. The seal covers what the cursor is bound to (operation, path, org, credential and
// whatever decides the order), which is not in the text itself; so a changed or foreign cursor cannot be opened.
import { createCipheriv, createDecipheriv, hash, timingSafeEqual } from 'node:crypto';

const sealBytes = 16;
/** Longer than any cursor that was ever made here. */
const lengthMax = 262_144;

export function sealCursor(secret: Buffer, binding: readonly string[], place: string): string {
  return Buffer.concat([sealOf(secret, binding, place), Buffer.from(place)]).toString('base64url');
}

/** Where the page ended; undefined when the text is no cursor for this binding. */
export function openCursor(secret: Buffer, binding: readonly string[], cursor: string): string | undefined {
  const bytes = cursorBytes(cursor);
  if (bytes === undefined || bytes.length <= sealBytes) return undefined;
  const place = bytes.subarray(sealBytes).toString();
  return timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(secret, binding, place)) ? place : undefined;
}

function cursorBytes(cursor: string): Buffer | undefined {
  if (cursor.length > lengthMax || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // Base64 has spare bits at its end: only the text that we would write ourselves is a cursor.
  return bytes.toString('base64url') === cursor ? bytes : undefined;
}

const nonceBytes = 12;

/** The same for a place that tells of what its reader may not see: nothing can be read from it. */
export function hideCursor(secret: Buffer, binding: readonly string[], place: string): string {
  // Made from what is hidden, a nonce stands for one text only.
  const nonce = sealOf(secret, ['nonce', ...binding], place).subarray(0, nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', hidingKey(secret), nonce).setAAD(Buffer.from(JSON.stringify(binding)));
  const text = Buffer.concat([cipher.update(place), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

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
    // The tag does not fit: it was changed, or made for somebody else.
    return undefined;
  }
}

function hidingKey(secret: Buffer): Buffer {
  return hash('sha512-256', JSON.stringify(['hide', secret.toString('base64')]), 'buffer');
}

/** A name for something by which nobody can tell what comes before or after it. */
export function opaqueName(secret: Buffer, parts: readonly string[]): string {
  return sealOf(secret, ['name', ...parts], '').toString('base64url');
}

/** SHA-512/256 with the secret in front: unlike SHA-256 it cannot be extended, so it needs no HMAC around it. */
function sealOf(secret: Buffer, binding: readonly string[], place: string): Buffer {
  const covered = JSON.stringify([secret.toString('base64'), ...binding, place]);
  return hash('sha512-256', covered, 'buffer').subarray(0, sealBytes);
}
