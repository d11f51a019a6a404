// Cursors of the change feed. They belong to the org, so every key of it can continue from one, and they are encrypted
// because the place in them would show how much others write.
import { notePlace } from '../../engine/feed/page.ts';
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

interface FollowedCall {
  readonly call: Call;
  /** `changes_cursor`, once the records are read; empty for a page that is not the first. */
  readonly changes: () => Promise<{ readonly changes_cursor?: string }>;
}

/** The call that reads the records of a page. Following the feed from the cursor of the first page misses nothing. */
export async function followed(call: Call, after: unknown): Promise<FollowedCall> {
  if (after !== undefined) return { call, changes: async () => ({}) };
  const noted = await notePlace(call);
  return { call: noted.call, changes: async () => ({ changes_cursor: await toFeedCursor(call, await noted.place()) }) };
}
