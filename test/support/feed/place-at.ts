// The place of a reader who has read everything up to a position of the feed.
import type { FeedPlace } from '../../../src/query/feed-cursor.ts';
import type { PositionRow } from '../../../src/store/feed/position.ts';

export function placeAt({ life, log, snapshot, lastSeq }: PositionRow): FeedPlace {
  return { life, log, from: snapshot, after: lastSeq, window: null };
}
