// The position of a reader in the change feed. Snapshots say which transactions it has seen; sequence numbers say how
// far it has come in between. Sequence numbers are decimal text: they can exceed the exact range of numbers.

/** The part of the feed that is being read: entries that `to` sees and `from` does not. */
interface FeedWindow {
  readonly to: string;
  /** Entries that `to` does not see have larger sequence numbers. */
  readonly toFloor: string;
}

export interface FeedPlace {
  /** The life of the database's log that the snapshots belong to: in another one they may mean something else. */
  readonly life: string;
  /** The bytes of the log in which everything is that the snapshots see; null in a cursor from before they were noted. */
  readonly log: string | null;
  /** Everything that this snapshot sees has been read; null at the beginning of the feed. */
  readonly from: string | null;
  /** Entries up to this number have been read, or were read with `from`. */
  readonly after: string;
  readonly window: FeedWindow | null;
}

const snapshot = /^[0-9]+:[0-9]+:[0-9,]*$/;
const number = /^[0-9]{1,19}$/;

/** Texts are padded to a multiple of this, so that the length of a cursor shows nothing of what others do. */
const paddedLength = 256;

/** A place, and when a reader was given it, in milliseconds since 1970. */
export interface FeedCursor {
  readonly place: FeedPlace;
  /** Undefined in a cursor from before the time was noted. */
  readonly givenAtMs: number | undefined;
}

export function feedCursorText({ place: { life, log, from, after, window }, givenAtMs }: FeedCursor): string {
  const logged = log === null ? [] : [log];
  const parts = [life, from, after, ...(window === null ? [] : [window.to, window.toFloor]), ...logged, givenAtMs];
  const text = JSON.stringify(parts);
  return text.padEnd(Math.ceil(text.length / paddedLength) * paddedLength);
}

/** Undefined if the text has another form. */
export function parseFeedCursor(text: string): FeedCursor | undefined {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) return undefined;
  const givenAt: unknown = parts.at(-1);
  const givenAtMs = typeof givenAt === 'number' ? givenAt : undefined;
  const place = placeOf(givenAtMs === undefined ? parts : parts.slice(0, -1));
  return place && { place, givenAtMs };
}

function placeOf([life, from, after, ...others]: readonly unknown[]): FeedPlace | undefined {
  const log = others.length % 2 === 0 ? null : others.pop();
  if (typeof life !== 'string' || !isText(after, number) || others.length > 2) return undefined;
  if ((from !== null && !isText(from, snapshot)) || (log !== null && !isText(log, number))) return undefined;
  const [to, toFloor] = others;
  if (to === undefined) return { life, log, from, after, window: null };
  return isText(to, snapshot) && isText(toFloor, number)
    ? { life, log, from, after, window: { to, toFloor } }
    : undefined;
}

/** The oldest transaction that was still running. */
function snapshotFloor(text: string): bigint {
  return BigInt(text.split(':')[0] ?? '0');
}

/** The newest snapshot and the highest number of an entry that a place counts as known. */
export function seenBy({ from, after, window }: FeedPlace): {
  readonly snapshot: string | null;
  readonly number: string;
} {
  return window === null
    ? { snapshot: from, number: after }
    : { snapshot: window.to, number: higherFloor(window.toFloor, after) };
}

/** How far the feed of an org was purged: the last number, and the latest transaction among the purged entries. */
export interface FeedPurge {
  readonly purgedSeq: string;
  readonly purgedXid: string;
}

/** Whether entries after the place may have been purged. Undefined means that nothing was. */
export function mayLackEntries(
  { from, after }: Pick<FeedPlace, 'from' | 'after'>,
  purge: FeedPurge | undefined,
): boolean {
  if (purge === undefined || BigInt(purge.purgedSeq) <= BigInt(after)) return false;
  return from === null || BigInt(purge.purgedXid) >= snapshotFloor(from);
}

/** An older snapshot misses whatever a newer one misses, so its floor holds for the newer one too: the higher is used. */
export function higherFloor(floor: string, known: string): string {
  return BigInt(floor) > BigInt(known) ? floor : known;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
