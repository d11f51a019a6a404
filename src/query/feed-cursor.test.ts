// Cursors of the feed are read as they were written, and no other text is accepted.
import { expect, test } from 'vitest';
import { type FeedPlace, feedCursorText, mayLackEntries, parseFeedCursor } from './feed-cursor.ts';

const places: readonly FeedPlace[] = [
  { life: 'e', log: '0', from: null, after: '0', window: null },
  { life: 'e', log: '9007199254740993', from: '730:735:731,733', after: '9007199254740993', window: null },
  { life: 'e/00000001', log: null, from: '730:730:', after: '12', window: { to: '740:741:740', toFloor: '30' } },
];

const givenAtMs = Date.parse('2024-02-29T12:00:00Z');

test('a cursor is read as it was written', () => {
  for (const place of places) {
    expect(parseFeedCursor(feedCursorText({ place, givenAtMs }))).toEqual({ place, givenAtMs });
  }
});

test('a cursor from before times and positions in the log were noted is read without them', () => {
  const [, , place] = places;
  const text = JSON.stringify(['e/00000001', '730:730:', '12', '740:741:740', '30']);
  expect(parseFeedCursor(text)).toEqual({ place, givenAtMs: undefined });
});

test('places of about the same size have one length', () => {
  expect(new Set(places.map((place) => feedCursorText({ place, givenAtMs }).length))).toEqual(new Set([256]));
});

test('a text that is not a cursor is refused', () => {
  for (const parts of [
    {},
    [],
    ['e', null],
    ['e', '1', '2'],
    ['e', '1:2:', '-2'],
    ['e', '1:2:', '3', '1:2:3'],
    ['e', '1:2:', '3', '1:2:3', 'x'],
    ['e', '1:2:', '3', '1:2:3', '3', 'x'],
    ['e', '1:2:', '3', 'x'],
    ['e', '1:2:', '3', '1:2:3', '3', '4', '5'],
    [1, null, '3'],
  ]) {
    expect(parseFeedCursor(JSON.stringify(parts)), JSON.stringify(parts)).toBeUndefined();
    expect(parseFeedCursor(JSON.stringify([...Object.values(parts), givenAtMs]))).toBeUndefined();
  }
});

test('entries may be missing only after a purge beyond the place, of a transaction that its snapshot may not see', () => {
  const place = { from: '9007199254740993:9007199254740999:9007199254740993', after: '9007199254740993' };
  const purge = (purgedSeq: string, purgedXid: string) => ({ purgedSeq, purgedXid });
  expect(mayLackEntries(place, undefined)).toBe(false);
  expect(mayLackEntries(place, purge('9007199254740993', '9007199254740999'))).toBe(false);
  expect(mayLackEntries(place, purge('9007199254740994', '9007199254740992'))).toBe(false);
  expect(mayLackEntries(place, purge('9007199254740994', '9007199254740993'))).toBe(true);
  expect(mayLackEntries({ ...place, from: null }, purge('9007199254740994', '1'))).toBe(true);
});
