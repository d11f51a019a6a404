// The text of a key: `svc_live_<id>_<secret><checksum>`, each part base62 (contract 7). The id contains the org's
// number, so a lookup knows both org and credential. The checksum tells a mistyped key from an unknown one without a
// lookup. Only a SHA-256 digest is stored: the secret has 190 random bits, so a slow hash would not make it safer.
import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fromBase62, randomBase62, randomInteger, toBase62 } from '../base/id.ts';

const prefix = 'svc_live_';
const idLength = 12;
const secretLength = 32;
const checksumLength = 6;
const serialBits = 40;
const idForm = new RegExp(`^[0-9A-Za-z]{${idLength}}$`);
const form = new RegExp(`^${prefix}([0-9A-Za-z]{${idLength}})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const orgMax = 2_147_483_647n;

export interface KeyAddress {
  readonly orgId: number;
  readonly credentialId: string;
}

export function newCredentialId(orgId: number): string {
  return toBase62((BigInt(orgId) << BigInt(serialBits)) | randomInteger(serialBits), idLength);
}

export function newKey(credentialId: string): string {
  const body = `${prefix}${credentialId}_${randomBase62(secretLength)}`;
  return body + checksumOf(body);
}

/** The org and credential of the key; undefined if the text is not a key or its checksum is wrong. */
export function parseKey(text: string): KeyAddress | undefined {
  const match = form.exec(text);
  const credentialId = match?.[1];
  if (credentialId === undefined) return undefined;
  if (checksumOf(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return parseCredentialId(credentialId);
}

export function parseCredentialId(text: string): KeyAddress | undefined {
  if (!idForm.test(text)) return undefined;
  const orgId = fromBase62(text) >> BigInt(serialBits);
  return orgId > 0n && orgId <= orgMax ? { orgId: Number(orgId), credentialId: text } : undefined;
}

export function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export function sameDigest(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}
