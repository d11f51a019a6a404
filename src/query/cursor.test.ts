// Cursors: a sealed place comes back, and nothing else can be opened.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideCursor, opaqueNames, openCursor, revealCursor, sealCursor } from './cursor.ts';

const secret = Buffer.from('0123456789abcdef0123456789abcdef');
const binding = ['1', 'key', 'listRecords', 'svc_contact'];

test('a cursor opens where it was sealed, whatever the place', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (place) => {
      expect(openCursor(secret, binding, sealCursor(secret, binding, place))).toBe(place);
    }),
  );
});

test('a cursor is text that needs no escaping in a URL and does not contain its binding', () => {
  const cursor = sealCursor(secret, binding, 'place');
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('svc_contact');
});

test('a cursor of another binding, another secret, or with its parts shifted does not open', () => {
  const cursor = sealCursor(secret, binding, 'place');
  expect(openCursor(Buffer.from('other'), binding, cursor)).toBeUndefined();
  for (let index = 0; index < binding.length; index++) {
    expect(openCursor(secret, binding.with(index, 'other'), cursor)).toBeUndefined();
  }
  expect(openCursor(secret, ['1', 'key', 'listRecordssvc_contact'], cursor)).toBeUndefined();
  expect(openCursor(secret, [...binding, 'place'], cursor)).toBeUndefined();
});

test('a cursor with any one character changed, left out or added does not open', () => {
  const cursor = sealCursor(secret, binding, '01890a5d-ac96-774b-bcce-b302099a8057');
  for (let index = 0; index < cursor.length; index++) {
    for (const other of ['A', '_', '=', '+', '%', '']) {
      const changed = cursor.slice(0, index) + other + cursor.slice(index + 1);
      if (changed !== cursor) expect(openCursor(secret, binding, changed), changed).toBeUndefined();
    }
    expect(openCursor(secret, binding, `${cursor.slice(0, index)}A${cursor.slice(index)}`)).toBeUndefined();
  }
});

test('a text that is not a cursor does not open, however long', () => {
  for (const text of ['', 'x', '\u0000', 'latest', 'A'.repeat(21), 'A'.repeat(22), 'A'.repeat(100_000)]) {
    expect(openCursor(secret, binding, text)).toBeUndefined();
  }
});

test('a hidden cursor opens for its binding alone, and nothing can be read from it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (place) => {
      expect(revealCursor(secret, binding, hideCursor(secret, binding, place))).toBe(place);
    }),
  );
  const cursor = hideCursor(secret, binding, '730:735:731,733');
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('73');
  expect(revealCursor(secret, binding.with(0, '2'), cursor)).toBeUndefined();
  expect(revealCursor(Buffer.from('other'), binding, cursor)).toBeUndefined();
  expect(openCursor(secret, binding, cursor)).toBeUndefined();
  expect(revealCursor(secret, binding, sealCursor(secret, binding, '730:735:731,733'))).toBeUndefined();
  for (let index = 0; index < cursor.length; index++) {
    const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
    expect(revealCursor(secret, binding, changed), changed).toBeUndefined();
    expect(revealCursor(secret, binding, cursor.slice(0, index)), String(index)).toBeUndefined();
  }
});

test('two hidden cursors of the same place differ in every part and have the same length', () => {
  const cursors = Array.from({ length: 50 }, () => hideCursor(secret, binding, '730:735:731,733'));
  for (const [from, to] of [
    [0, 12],
    [12, 28],
    [28, 43],
  ]) {
    const parts = cursors.map((cursor) => Buffer.from(cursor, 'base64url').subarray(from, to).toString('hex'));
    expect(new Set(parts).size).toBe(cursors.length);
  }
  expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
});

test('a hidden cursor of an earlier release, whose nonce was made from its place, still opens', () => {
  const cursor = 'dqCKdRfRUh-D9tCpMZ51iWbMniJXnOd_KXC1cqsxfFPdhbTJpBCMKJ1Vjg';
  expect(revealCursor(secret, binding, cursor)).toBe('730:735:731,733');
});

test('an opaque name is the same for the same parts, and differs for any others', () => {
  const names = ['1', '2', '12'].map(opaqueNames(secret, ['change', '1']));
  expect(new Set([...names, opaqueNames(secret, ['change', '11'])('2')]).size).toBe(4);
  expect(opaqueNames(secret, ['change', '1'])('1')).toBe(names[0]);
});
