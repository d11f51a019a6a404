// Texts that prove who somebody is: `<prefix><id>_<secret><checksum>`, each part base62. The id contains the org's number,
// so a look-up knows both. The checksum tells a mistyped text from an unknown one without a look-up. Only a SHA-256 digest is
// stored: the secret has 190 random bits, so a slow hash would not make it safer.
import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fromBase62, randomBase62, randomInteger, toBase62 } from '../base/id.ts';

const idLength = 12;
const secretLength = 32;
const checksumLength = 6;
const serialBits = 40;
const orgMax = 2_147_483_647n;

export interface SecretAddress {
  readonly orgId: number;
  readonly id: string;
}

interface SecretForm {
  /** An id that nobody else has. */
  newId(orgId: number): string;
  /** A new text for the id. */
  newText(id: string): string;
  /** The org and the id of the text; undefined if it has another form, or if its checksum is wrong. */
  parse(text: string): SecretAddress | undefined;
  parseId(text: string): SecretAddress | undefined;
}

/** Ids of different marks are never equal. */
export function secretForm(prefix: string, mark = ''): SecretForm {
  const idForm = new RegExp(`^${mark}([0-9A-Za-z]{${idLength}})$`);
  const form = new RegExp(`^${prefix}(${mark}[0-9A-Za-z]{${idLength}})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);
  const parseId = (text: string): SecretAddress | undefined => {
    const serial = idForm.exec(text)?.[1];
    if (serial === undefined) return undefined;
    const orgId = fromBase62(serial) >> BigInt(serialBits);
    return orgId > 0n && orgId <= orgMax ? { orgId: Number(orgId), id: text } : undefined;
  };
  return {
    newId: (orgId) => mark + toBase62((BigInt(orgId) << BigInt(serialBits)) | randomInteger(serialBits), idLength),
    newText: (id) => {
      const body = `${prefix}${id}_${randomBase62(secretLength)}`;
      return body + checksumOf(body);
    },
    parse: (text) => {
      const id = form.exec(text)?.[1];
      if (id === undefined || checksumOf(text.slice(0, -checksumLength)) !== text.slice(-checksumLength))
        return undefined;
      return parseId(id);
    },
    parseId,
  };
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}

export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** A digest of an email address, whatever its capitals. */
export function emailDigest(email: string): string {
  return digestOf(`email ${email.toLowerCase()}`).toString('hex');
}

export function sameDigest(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
