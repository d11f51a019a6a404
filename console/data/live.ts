// Follows the change feed for as long as the page is open. Whoever shows records hears what changed, at most a few times a
// second; after a lost connection it goes on from its cursor, so that nothing is missed.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Change, OrreryProblem } from '../../client/main.ts';
import { api } from './api.ts';

export type LiveState = 'live' | 'reconnecting' | 'offline';

/** What happened since the last time. `all` if the feed no longer has what was missed. */
export type News = 'all' | readonly Change[];

/** Changes within this time are reported together. */
const gatherMs = 150;
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000];
const waitSeconds = 25;

let state: LiveState = 'reconnecting';
const stateListeners = new Set<() => void>();
const newsListeners = new Set<(news: News) => void>();
let gathered: Change[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function become(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of stateListeners) listener();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

/** Calls back with what has changed, always the newest function. */
export function useNews(hear: (news: News) => void): void {
  const newest = useRef(hear);
  newest.current = hear;
  useEffect(() => {
    const listener = (news: News) => newest.current(news);
    newsListeners.add(listener);
    return () => {
      newsListeners.delete(listener);
    };
  }, []);
}

function tell(news: News): void {
  for (const listener of newsListeners) listener(news);
}

function gather(changes: readonly Change[]): void {
  gathered.push(...changes);
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const news = gathered;
    gathered = [];
    tell(news);
  }, gatherMs);
}

let begin: () => void = () => {};
/** Rows that are read after this miss no change: it is known from where on changes are heard, or that none are for now. */
export const feedBegun = new Promise<void>((resolve) => {
  begin = resolve;
});

/** Follows the feed until it is stopped. */
export function followFeed(): () => void {
  const stop = new AbortController();
  void follow(stop.signal);
  return () => stop.abort();
}

async function follow(signal: AbortSignal): Promise<void> {
  let cursor = 'latest';
  /** Whether the feed no longer has what was missed: everything is read again, once it is known where the feed is. */
  let isBehind = false;
  for (let failures = 0; !signal.aborted; ) {
    try {
      // The first page only tells where the feed is, so that what happens from now on is heard. After a lost connection, it is told
      // at once that there is one again.
      const wait = cursor === 'latest' || failures > 0 ? 0 : waitSeconds;
      const page = await nextPage(cursor, wait, signal);
      cursor = page.nextCursor ?? cursor;
      if (failures > 0 || state !== 'live') become('live');
      failures = 0;
      if (isBehind) tell('all');
      isBehind = false;
      if (page.data.length > 0) gather(page.data);
      begin();
    } catch (error) {
      begin();
      if (signal.aborted) return;
      // Rows may be read before the feed begins at last: they are read again then.
      isBehind ||= cursor === 'latest';
      if (error instanceof OrreryProblem && error.reason === 'cursor_expired') {
        cursor = 'latest';
        isBehind = true;
        continue;
      }
      become(navigator.onLine ? 'reconnecting' : 'offline');
      await pause(pausesMs[Math.min(failures++, pausesMs.length - 1)] ?? 0, signal);
    }
  }
}

/** Ends as soon as the browser is offline: the answer to a request that waits might otherwise be awaited for long. */
async function nextPage(cursor: string, wait: number, signal: AbortSignal) {
  const request = new AbortController();
  const end = () => request.abort();
  signal.addEventListener('abort', end);
  addEventListener('offline', end);
  try {
    return await api.listChanges({ cursor, wait, limit: 500, signal: request.signal }).first();
  } finally {
    signal.removeEventListener('abort', end);
    removeEventListener('offline', end);
  }
}

/** Ends early when the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(waiting);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const waiting = setTimeout(done, ms);
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
