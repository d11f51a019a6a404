// Ids of records and the base62 text of keys.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from './clock.ts';
import { fromBase62, idTimeMs, isId, newId, randomBase62, randomInteger, toBase62 } from './id.ts';

test('a number survives the way to base62 and back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.nat({ max: 60 }), (value, length) => {
      const text = toBase62(value, length);
      expect(fromBase62(text)).toBe(value);
      expect(text).toMatch(/^[0-9A-Za-z]*$/);
      expect(text.length).toBeGreaterThanOrEqual(length);
    }),
  );
});

test('base62 text survives the way to a number and back, at its own length', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9A-Za-z]{1,40}$/), (text) => {
      expect(toBase62(fromBase62(text), text.length)).toBe(text);
    }),
  );
});

test('base62 text of one length sorts as its numbers do', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.bigInt({ min: 0n, max: 2n ** 64n }), (left, right) => {
      expect(toBase62(left, 11) < toBase62(right, 11)).toBe(left < right);
    }),
  );
});

test('base62 counts digits first, then capitals, then small letters', () => {
  expect(toBase62(0n, 1)).toBe('0');
  expect(toBase62(0n, 0)).toBe('');
  expect(toBase62(9n, 1)).toBe('9');
  expect(toBase62(10n, 1)).toBe('A');
  expect(toBase62(61n, 1)).toBe('z');
  expect(toBase62(62n, 4)).toBe('0010');
});

test('random text has the length asked for and uses the whole alphabet', () => {
  const seen = new Set<string>();
  for (const length of [0, 1, 6, 32, 1_000, 10_000]) {
    const text = randomBase62(length);
    expect(text).toHaveLength(length);
    for (const character of text) seen.add(character);
  }
  expect([...seen].sort().join('')).toBe('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
});

test('no character of random text is likelier than another', () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  // 1,000 of each are expected, with a standard deviation of 31.
  expect(Math.min(...counts.values())).toBeGreaterThan(800);
  expect(Math.max(...counts.values())).toBeLessThan(1_200);
});

test('a random integer stays within its bits and uses the highest and the lowest of them', () => {
  for (const bits of [1, 7, 8, 40, 41]) {
    const drawn = Array.from({ length: 500 }, () => randomInteger(bits));
    expect(drawn.every((value) => value >= 0n && value < 1n << BigInt(bits))).toBe(true);
    expect(drawn.some((value) => value >> BigInt(bits - 1) === 1n)).toBe(true);
    expect(drawn.some((value) => (value & 1n) === 1n)).toBe(true);
  }
});

test('ids sort in the order of their creation and never repeat', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a new id is a UUID of version 7 that says when it was made', () => {
  const before = Date.now();
  const id = newId();
  expect(isId(id)).toBe(true);
  expect(id[14]).toBe('7');
  const madeMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  // The generator may run a little ahead of the clock to keep ids in order.
  expect(madeMs).toBeGreaterThanOrEqual(before);
  expect(madeMs).toBeLessThanOrEqual(Date.now() + 10_000);
});

test('the ids of a clock set to the past have its time, rise, and do not affect those of the present', () => {
  let nowMs = Date.parse('2024-02-29T12:00:00Z');
  const past: Clock = { ...systemClock, nowMs: () => nowMs };
  const present = newId();
  const ids = [newId(past), newId(past)];
  nowMs += 1;
  ids.push(newId(past));
  nowMs -= 60_000;
  ids.push(newId(past));
  expect(ids.map((id) => idTimeMs(id) - Date.parse('2024-02-29T12:00:00Z'))).toEqual([0, 0, 1, 1]);
  expect([...ids].sort()).toEqual(ids);
  expect(newId() > present).toBe(true);
});

test.each([
  '',
  '0',
  'not-an-id',
  '01890A5D-AC96-774B-BCCE-B302099A8057',
  '01890a5dac96774bbcceb302099a8057',
  '{01890a5d-ac96-774b-bcce-b302099a8057}',
  ' 01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a8057\n',
  '01890a5d-ac96-774b-bcce-b302099a805',
  '01890a5d-ac96-774b-bcce-b302099a80570',
  '01890a5g-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a8057\u0000',
])('text of another form is not an id: %j', (text) => {
  expect(isId(text)).toBe(false);
});

test('any UUID in lower case is an id, and no other text is', () => {
  fc.assert(fc.property(fc.uuid(), (id) => isId(id)));
  fc.assert(fc.property(fc.array(fc.nat({ max: 0xffff })), (units) => !isId(String.fromCharCode(...units))));
});
