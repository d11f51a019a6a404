// The text of keys: its form, the org number inside it, and the checksum that detects a mistyped key.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newCredentialId, newKey, parseCredentialId, parseKey } from './api-key.ts';
import { digestOf, sameDigest } from './secret-text.ts';

const orgId = fc.oneof(
  fc.integer({ min: 1, max: 2_147_483_647 }),
  fc.constantFrom(1, 2, 61, 62, 2_147_483_646, 2_147_483_647),
);
const anyText = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));
const key = orgId.map((org) => newKey(newCredentialId(org)));

test('a key is svc_live_, an id of 12 characters and 38 of secret and checksum', () => {
  fc.assert(fc.property(key, (text) => /^svc_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/.test(text)));
});

test('the org number comes back from every key and every credential id', () => {
  fc.assert(
    fc.property(orgId, (org) => {
      const credentialId = newCredentialId(org);
      expect(parseCredentialId(credentialId)).toEqual({ orgId: org, credentialId });
      expect(parseKey(newKey(credentialId))).toEqual({ orgId: org, credentialId });
    }),
  );
});

test('no two credentials of an org have the same id, and no two keys of a credential the same text', () => {
  const ids = Array.from({ length: 1_000 }, () => newCredentialId(7));
  expect(new Set(ids).size).toBe(ids.length);
  const keys = Array.from({ length: 1_000 }, () => newKey('000000000007'));
  expect(new Set(keys).size).toBe(keys.length);
});

test('a key with any one character changed is not a key', () => {
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. \n\u0000é'.split('');
  const text = newKey(newCredentialId(4_610));
  for (let at = 0; at < text.length; at++) {
    for (const character of characters) {
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      expect(parseKey(changed) === undefined, changed).toBe(changed !== text);
    }
  }
});

test('a key with a character dropped, doubled, swapped or added is not a key', () => {
  fc.assert(
    fc.property(key, fc.nat(), fc.constantFrom('0', 'a', 'Z', '_', ' ', '\n', '\u0000'), (text, place, character) => {
      const at = place % (text.length - 1);
      const [first = '', second = ''] = text.slice(at, at + 2);
      const swapped = text.slice(0, at) + second + first + text.slice(at + 2);
      expect(parseKey(text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
      expect(parseKey(text.slice(0, at) + first + text.slice(at))).toBeUndefined();
      expect(parseKey(text.slice(0, at) + character + text.slice(at))).toBeUndefined();
      expect(parseKey(text + character)).toBeUndefined();
      if (swapped !== text) expect(parseKey(swapped)).toBeUndefined();
    }),
  );
});

test('garbage is never a key and never an error', () => {
  const near = fc.stringMatching(/^svc_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
  fc.assert(
    fc.property(fc.oneof(anyText, near), (text) => {
      expect(parseKey(text)).toBeUndefined();
    }),
  );
  for (const text of ['', 'svc_live_', 'svc_live__', 'Bearer x', 'svc_test_'.padEnd(60, '0'), 'x'.repeat(1_000_000)]) {
    expect(parseKey(text)).toBeUndefined();
  }
});

test('an id without a possible org number is not a credential id', () => {
  const idOf = (org: bigint) => toId(org << 40n);
  expect(parseCredentialId(idOf(0n))).toBeUndefined();
  expect(parseCredentialId('000000000000')).toBeUndefined();
  expect(parseCredentialId(idOf(2_147_483_647n))?.orgId).toBe(2_147_483_647);
  expect(parseCredentialId(idOf(2_147_483_648n))).toBeUndefined();
  expect(parseCredentialId('zzzzzzzzzzzz')).toBeUndefined();
  expect(parseCredentialId(`${newCredentialId(1)}0`)).toBeUndefined();
  expect(parseCredentialId(`${newCredentialId(1)}\n`)).toBeUndefined();
  expect(parseCredentialId('')).toBeUndefined();
  // A well-formed key with a correct checksum still needs an org.
  expect(parseKey(newKey('000000000000'))).toBeUndefined();
  expect(parseKey(newKey('zzzzzzzzzzzz'))).toBeUndefined();
});

test('the digest is SHA-256 of the whole text, and two digests are equal only if all their bytes are', () => {
  const text = newKey(newCredentialId(1));
  const digest = digestOf(text);
  expect(digest.toString('hex')).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
  expect(sameDigest(digest, digestOf(text))).toBe(true);
  expect(sameDigest(digest, digestOf(`${text}0`))).toBe(false);
  expect(sameDigest(digest, digest.subarray(1))).toBe(false);
  expect(sameDigest(digest, Buffer.alloc(0))).toBe(false);
  const changed = Buffer.from(digest);
  changed[31] = (changed[31] ?? 0) ^ 1;
  expect(sameDigest(digest, changed)).toBe(false);
});

/** 12 characters of base62, written out here so that the expectation does not depend on the code under test. */
function toId(value: bigint): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = (alphabet[Number(rest % 62n)] ?? '') + text;
  return text.padStart(12, '0');
}
