// Cursors: where a page ended, sealed. The seal covers what the cursor is bound to (operation, path, org, credential and
// whatever decides the order), which is not in the text itself; so a changed or foreign cursor cannot be opened.
import { hash, timingSafeEqual } from 'node:crypto';

const sealBytes = 16;
/** Longer than any cursor that was ever made here. */
const lengthMax = 262_144;

export function sealCursor(secret: Buffer, binding: readonly string[], place: string): string {
  return Buffer.concat([sealOf(secret, binding, place), Buffer.from(place)]).toString('base64url');
}

/** Where the page ended; undefined when the text is no cursor for this binding. */
export function openCursor(secret: Buffer, binding: readonly string[], cursor: string): string | undefined {
  if (cursor.length > lengthMax || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // Base64 has spare bits at its end: only the text that we would write ourselves is a cursor.
  if (bytes.length <= sealBytes || bytes.toString('base64url') !== cursor) return undefined;
  const place = bytes.subarray(sealBytes).toString();
  return timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(secret, binding, place)) ? place : undefined;
}

/** SHA-512/256 with the secret in front: unlike SHA-256 it cannot be extended, so it needs no HMAC around it. */
function sealOf(secret: Buffer, binding: readonly string[], place: string): Buffer {
  const covered = JSON.stringify([secret.toString('base64'), ...binding, place]);
  return hash('sha512-256', covered, 'buffer').subarray(0, sealBytes);
}
