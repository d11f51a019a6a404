// Cursors of the change feed. They belong to the org, so every key of it can continue from one, and they are encrypted
// because the place in them would show how much others write.
import { placeBeforeRead } from '../../engine/feed/page.ts';
import type { Call } from '../../engine/process/call.ts';
import { type FeedCursor, type FeedPlace, feedCursorText, parseFeedCursor } from '../../query/feed-cursor.ts';

const scope = ['listChanges'];

export async function toFeedCursor({ engine, session }: Call, place: FeedPlace): Promise<string> {
  const text = feedCursorText({ place, givenAtMs: engine.clock.nowMs() });
  return engine.cursors.hide(session.caller.orgId, scope, text);
}

/** Undefined for a text that is not a change cursor of the org. */
export async function openFeedCursor({ engine, session }: Call, cursor: string): Promise<FeedCursor | undefined> {
  const text = await engine.cursors.reveal(session.caller.orgId, scope, cursor);
  return text === undefined ? undefined : parseFeedCursor(text);
}

/** `changes_cursor`: made before the records are read, so that following the feed from it misses nothing. */
export async function changesCursor(call: Call): Promise<string> {
  return toFeedCursor(call, await placeBeforeRead(call));
}
