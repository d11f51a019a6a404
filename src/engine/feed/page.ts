// One page of the change feed. A reader knows everything up to a snapshot. A new snapshot opens a window, whose entries are
// read in the order of their numbers, page by page. At its end the reader knows everything up to the new snapshot.
import { isId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { databaseReplaced, Problem } from '../../base/problem.ts';
import { type FeedCursor, type FeedPlace, higherFloor, mayLackEntries } from '../../query/feed-cursor.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { hasSurvived } from '../../store/feed/lives.ts';
import {
  type EntryRow,
  type FeedPage,
  type FeedRequest,
  findEntries,
  findLastExamined,
} from '../../store/feed/pages.ts';
import { findStart } from '../../store/feed/position.ts';
import { type Call, viewerOf } from '../process/call.ts';
import type { FeedPosition } from '../process/feed-position.ts';

export interface FeedQuestion {
  readonly type: ObjectType | undefined;
  readonly recordId: string | undefined;
  readonly limit: number;
}

/** Where a reader starts: before everything that is kept, or after everything so far. */
export async function beginFeed({ engine }: Call, at: 'earliest' | 'latest'): Promise<FeedPlace> {
  const { life, log, snapshot, floor } = await engine.feed.now();
  return at === 'latest'
    ? { life, log, from: snapshot, after: floor, window: null }
    : { life, log, from: null, after: '0', window: null };
}

/** A call that reads records, and a place that is not newer than what it reads: following the feed from there misses nothing. */
interface NotedCall {
  readonly call: Call;
  readonly place: () => Promise<FeedPlace>;
}

export async function notePlace(call: Call): Promise<NotedCall> {
  const { life, floor } = await call.engine.feed.floor();
  const { database, snapshot } = call.database.noting();
  const place = async () => {
    const noted = await snapshot();
    if (noted.life === life) return { life, log: noted.log, from: noted.snapshot, after: floor, window: null };
    // Numbers of one life mean nothing in another. The next call finds those of the new one.
    call.engine.feed.forget();
    throw databaseReplaced();
  };
  return { call: { ...call, database }, place };
}

/** Where the reader of a cursor continues. Refuses a cursor that is over, even if its changes are not purged yet. */
export function placeOfCursor({ engine }: Call, { place, givenAtMs }: FeedCursor): FeedPlace {
  if (givenAtMs !== undefined && engine.clock.nowMs() - givenAtMs > engine.feedCursorMs) throw expired();
  return place;
}

/** Reads what comes after the start, up to a position that is not older than the start. */
export async function readFeed(
  call: Call,
  question: FeedQuestion,
  start: FeedPlace,
  upTo: FeedPosition,
): Promise<FeedPage> {
  const { life } = upTo;
  if (!(await isKept(call, start, upTo))) throw expired();
  const untilMs = call.engine.clock.monotonicMs() + bounds.engine.feedReadMs;
  const rows: EntryRow[] = [];
  let place = start;
  for (let isOver = false; !isOver; ) {
    const window = windowOf(place, upTo);
    const log = place.window === null ? upTo.log : place.log;
    const read = await readWindow(call, question, { ...place, window }, rows, untilMs);
    isOver = !read.isSpent || window.to === upTo.snapshot;
    place = read.isSpent
      ? { life, log, from: window.to, after: window.toFloor, window: null }
      : { ...place, life, log, after: read.after, window };
  }
  // Checked last, so that a purge during the read is noticed.
  if (start.from !== null || start.after !== '0') await requireKept(call, start);
  if (start.window !== null) await requireKept(call, { ...start, from: start.window.to, after: start.window.toFloor });
  return { rows, place };
}

/** Reads of a new window find the same entries if their texts are the same, whoever asks. */
export function feedReadText(call: Call, question: FeedQuestion, start: FeedPlace, upTo: FeedPosition): string {
  const request = requestOf(call, question, { ...start, window: windowOf(start, upTo) }, question.limit);
  return JSON.stringify([start.life, start.log, request]);
}

/** The window that the place is in, or a new one up to the position. */
function windowOf(place: FeedPlace, upTo: FeedPosition): OpenPlace['window'] {
  return place.window ?? { to: upTo.snapshot, toFloor: higherFloor(upTo.floor, place.after) };
}

/** Whether the transactions that the place has seen are those of the present life: nothing was lost since it was given. */
async function isKept({ database }: Call, place: FeedPlace, { life, log }: FeedPosition): Promise<boolean> {
  if (place.from === null && place.after === '0' && place.window === null) return true;
  if (place.life !== life) return hasSurvived(database, place);
  return place.log === null || BigInt(place.log) <= BigInt(log);
}

/** Refuses a place after which entries may have been purged. */
async function requireKept({ database, session }: Call, place: FeedPlace): Promise<void> {
  if (mayLackEntries(place, await findStart(database, session.caller.orgId))) throw expired();
}

interface WindowRead {
  readonly isSpent: boolean;
  /** The number up to which the window has been read. */
  readonly after: string;
}

type OpenPlace = FeedPlace & { readonly window: NonNullable<FeedPlace['window']> };

/** Adds entries of the window until the page is full, the window is spent, or the time is over. */
async function readWindow(
  call: Call,
  question: FeedQuestion,
  place: OpenPlace,
  rows: EntryRow[],
  untilMs: number,
): Promise<WindowRead> {
  const { database, engine } = call;
  if (question.recordId !== undefined && !isId(question.recordId)) return { isSpent: true, after: place.after };
  let { after } = place;
  for (;;) {
    const limit = question.limit - rows.length;
    const request = requestOf(call, question, { ...place, after }, limit);
    const end = question.recordId === undefined ? await findLastExamined(database, request) : undefined;
    const found = await findEntries(database, { ...request, end });
    rows.push(...found);
    const last = found.at(-1);
    if (last !== undefined && (found.length === limit || last.full)) return { isSpent: false, after: last.seq };
    if (end === undefined) return { isSpent: true, after };
    after = end;
    if (rows.length > 0 || engine.clock.monotonicMs() > untilMs) return { isSpent: false, after };
  }
}

function requestOf(
  call: Call,
  { type, recordId }: FeedQuestion,
  { from, after, window }: OpenPlace,
  limit: number,
): Omit<FeedRequest, 'end'> {
  const { catalog, orgTypes } = call.session;
  const seen = [...catalog.objectTypes.values()].map(({ id }) => id);
  const known = [...orgTypes.keys()];
  const types = seen.length === known.length ? undefined : { seen, known };
  const hidden = Object.fromEntries(catalog.hiddenKeys);
  return { viewer: viewerOf(call), from, to: window.to, after, limit, typeId: type?.id, recordId, types, hidden };
}

function expired(): Problem {
  return new Problem(
    'gone',
    'cursor_expired',
    'Changes after this cursor are no longer kept. Load everything again, and continue from the `changes_cursor` of the first page.',
  );
}
