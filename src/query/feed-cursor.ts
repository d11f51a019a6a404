// Where a reader of the change feed stands. Snapshots tell which transactions it knows of; sequence numbers tell how far
// it has come in between. Numbers are decimal text: they are larger than numbers are exact.

/** A window that is being read: entries that `from` does not see and `to` does. */
export interface FeedWindow {
  readonly to: string;
  /** Whatever `to` does not see has a larger sequence number. */
  readonly toFloor: string;
}

export interface FeedPlace {
  /** Which life of the database the snapshots belong to. */
  readonly epoch: string;
  /** The snapshot up to which everything is known; null at the beginning of the feed. */
  readonly from: string | null;
  /** Entries up to this number are known, or were known with `from`. */
  readonly after: string;
  readonly window: FeedWindow | null;
}

const snapshot = /^[0-9]+:[0-9]+:[0-9,]*$/;
const number = /^[0-9]{1,19}$/;

/** Filled up to full pieces: the length of a cursor, too, should tell nothing of what others do. */
const pieceLength = 256;

export function feedPlaceText({ epoch, from, after, window }: FeedPlace): string {
  const text = JSON.stringify([epoch, from, after, ...(window === null ? [] : [window.to, window.toFloor])]);
  return text.padEnd(Math.ceil(text.length / pieceLength) * pieceLength);
}

/** Undefined for a text of another form, such as one of a former release. */
export function parseFeedPlace(text: string): FeedPlace | undefined {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) return undefined;
  const [epoch, from, after, to, toFloor] = parts as readonly unknown[];
  if (typeof epoch !== 'string' || !isText(after, number)) return undefined;
  if (from !== null && !isText(from, snapshot)) return undefined;
  if (to === undefined) return { epoch, from, after, window: null };
  return isText(to, snapshot) && isText(toFloor, number) ? { epoch, from, after, window: { to, toFloor } } : undefined;
}

/** The oldest transaction that was under way. */
export function snapshotFloor(text: string): bigint {
  return BigInt(text.split(':')[0] ?? '0');
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
