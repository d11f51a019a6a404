// A page of the change feed for a request that can wait: it reads once, and if there is nothing yet, it sleeps until
// something was committed that can be on its page. While it sleeps it holds no connection and causes no statement.
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import type { FeedPlace } from '../../query/feed-cursor.ts';
import type { FeedPage } from '../../store/feed/pages.ts';
import type { Touched } from '../../store/feed/touched.ts';
import type { Call } from '../process/call.ts';
import type { FeedPosition } from '../process/feed-position.ts';
import type { Session } from '../process/session.ts';
import { type FeedQuestion, feedReadText, readFeed } from './page.ts';

interface Patience {
  readonly seconds: number;
  /** Whether nobody waits for the answer any more. */
  readonly isAbandoned: () => boolean;
  /** The session of the key with which the request came, as it is now; throws if the key has ended. */
  readonly renewSession: () => Session | Promise<Session>;
}

export interface WaitedPage {
  readonly page: FeedPage;
  /** The session in which the page was read: a key can change while it waits. */
  readonly session: Session;
}

/** The page as soon as it has an entry, or an empty page when the time is over. */
export async function readOrWait(
  call: Call,
  question: FeedQuestion,
  start: FeedPlace,
  { seconds, isAbandoned, renewSession }: Patience,
): Promise<WaitedPage> {
  const { engine } = call;
  let { session } = call;
  const untilMs = engine.clock.monotonicMs() + seconds * 1_000;
  const leftMs = () => (isAbandoned() ? 0 : untilMs - engine.clock.monotonicMs());
  const readUpTo = await engine.feed.now();
  if (seconds === 0) return { page: await readFeed(call, question, start, readUpTo), session };
  const page = await search(start, leftMs, (place) => readShared(call, question, place, readUpTo));
  if (!isSpent(page) || leftMs() <= 0) return { page, session };
  const { orgId } = session.caller;
  const waiter = engine.feedWatch.join(orgId, page.place, readUpTo, {
    recordId: question.recordId,
    concerns: (touched) => concerns(session, question, touched),
  });
  if (waiter === undefined) return { page, session };
  try {
    while (waiter.isOpen() && leftMs() > 0) {
      const upTo = await waiter.next(Math.min(leftMs(), bounds.engine.feedPollMs));
      // The key can be revoked, or its secret rotated away, while the request waits.
      session = await renewSession();
      if (upTo === undefined) continue;
      const renewed = { ...call, session };
      const more = await search(waiter.place, leftMs, (place) => readInTurn(renewed, question, place, upTo, leftMs));
      if (more === undefined) break;
      if (!isSpent(more)) return { page: more, session };
      waiter.hasRead(more.place, upTo);
    }
    return { page: { rows: [], place: waiter.place }, session };
  } finally {
    waiter.close();
  }
}

/** Whether the page is empty because there is nothing up to its place. */
function isSpent({ rows, place }: FeedPage): boolean {
  return rows.length === 0 && place.window === null;
}

/** Reads on while nothing was found and there is more to examine. Undefined if the time was over before the first read. */
async function search<Page extends FeedPage | undefined>(
  start: FeedPlace,
  leftMs: () => number,
  read: (place: FeedPlace) => Promise<Page>,
): Promise<Page> {
  let page = await read(start);
  while (page !== undefined && page.rows.length === 0 && !isSpent(page) && leftMs() > 0) {
    page = (await read(page.place)) ?? page;
  }
  return page;
}

/**
 * The read of a new window, or an equal one that is under way: many requests often wait for the same. An equal one sees
 * everything that was committed before this request, because it reads up to the same snapshot.
 */
function readShared(call: Call, question: FeedQuestion, place: FeedPlace, upTo: FeedPosition): Promise<FeedPage> {
  if (place.window !== null) return readFeed(call, question, place, upTo);
  const shared = forAll(call);
  return call.engine.feedWaits.share(feedReadText(call, question, place, upTo), () =>
    readFeed(shared, question, place, upTo),
  );
}

/** The same for a request that has waited. Undefined if its time is over before it is its turn. */
function readInTurn(
  call: Call,
  question: FeedQuestion,
  place: FeedPlace,
  upTo: FeedPosition,
  leftMs: () => number,
): Promise<FeedPage | undefined> {
  const isShared = place.window === null;
  const reader = isShared ? forAll(call) : call;
  return call.engine.feedWaits.shareInTurn(call.session.caller.orgId, {
    text: isShared ? feedReadText(call, question, place, upTo) : undefined,
    read: () => readFeed(reader, question, place, upTo),
    leftMs,
  });
}

/** A read that others may wait for goes on when the client that began it has left. */
function forAll(call: Call): Call {
  return { ...call, database: call.engine.connections.of(call.session.caller.orgId) };
}

/**
 * Whether the page can have one of the entries: by the columns that the page is filtered by, and never by less. Types that
 * this process does not know yet count as seen, as they do on the page.
 */
function concerns({ catalog, orgTypes }: Session, { type, recordId }: FeedQuestion, touched: Touched): boolean {
  if (recordId !== undefined && !isId(recordId)) return false;
  if (recordId !== undefined && touched.examinedIds.has(recordId) && !touched.recordIds.has(recordId)) return false;
  if (type !== undefined) return touched.typeIds.has(type.id);
  return [...touched.typeIds].some((typeId) => {
    const known = orgTypes.get(typeId);
    return known === undefined || catalog.objectTypes.has(known.name);
  });
}
