// The trash, read from the change feed, which is where the API tells what was deleted: who did it and when, and what the record
// was called by its last known values. The feed goes forward only, so it is read once to its end, in the background, and from
// there on as it grows. It is read only while somebody looks at it, and slowly enough to leave the quota to others. What was read
// is kept while the console is open.
import { type Change, type Client, type ObjectType, OrreryProblem } from '../../../../client/main.ts';
import { FeedPace } from './feed-pace.ts';

export interface Deleted {
  readonly type: string;
  readonly id: string;
  /** Empty if the feed no longer knows. */
  readonly title: string;
  readonly at: string;
  readonly principalId: string;
}

export interface Trash {
  /** The last deleted first, as far as the feed was read. */
  readonly deleted: readonly Deleted[];
  /** While the feed is read for the first time: up to when, and how much of it, from 0 to 1. */
  readonly reading: { readonly until: string; readonly share: number } | undefined;
  /** Whether more was deleted than is kept. */
  readonly isCut: boolean;
  readonly error: unknown;
}

/** Bounds of what is kept: the last deletions, and the values that make titles, of the records that were written last. */
export const trashBounds = { deleted: 20_000, titled: 100_000, tellMs: 250 };

const pageEntries = 1_000;

type Titles = Readonly<Record<string, unknown>>;

/** What all readers of the trash of an org share. */
interface Source {
  readonly client: Client;
  /** The types whose records can be restored. */
  readonly types: readonly ObjectType[];
  readonly pace: FeedPace;
  /** By record, the version with which it was restored here: the feed may tell its earlier deletions later. */
  readonly restored: Map<string, bigint>;
}

/** A reader for each type, and one for all. */
export class TrashReaders {
  readonly #source: Source;
  readonly #readers = new Map<string, TrashReader>();

  constructor(client: Client, types: readonly ObjectType[]) {
    this.#source = { client, types, pace: new FeedPace(), restored: new Map() };
  }

  /** Of one type, or of all if it is empty. One type begins with what was read of all of them. */
  of(objectType: string): TrashReader {
    const reader = this.#readers.get(objectType) ?? new TrashReader(this.#source, objectType, this.#readers.get(''));
    this.#readers.set(objectType, reader);
    return reader;
  }

  /** A record is no longer in the trash, which the feed has not told yet. It has no version if it was purged. */
  leave(id: string, version?: string): void {
    if (version !== undefined) this.#source.restored.set(id, BigInt(version));
    for (const reader of this.#readers.values()) reader.leave(id);
  }
}

class TrashReader {
  readonly #source: Source;
  readonly #objectType: string;
  readonly #deleted = new Map<string, Deleted>();
  readonly #titles = new Map<string, Titles>();
  readonly #listeners = new Set<() => void>();
  #cursor = 'earliest';
  #firstAt: string | undefined;
  #isCut = false;
  #hasForgottenTitles = false;
  #working = Promise.resolve();
  #isWorking = false;
  /** Something has happened since the last page was asked for. */
  #isBehind = false;
  #stop = new AbortController();
  #toldMs = 0;
  #trash: Trash = { deleted: [], reading: { until: '', share: 0 }, isCut: false, error: undefined };

  constructor(source: Source, objectType: string, all: TrashReader | undefined) {
    this.#source = source;
    this.#objectType = objectType;
    if (all !== undefined) this.#beginWith(all);
  }

  /** Reads on for as long as somebody listens, from where it was. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    void this.readOn();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop.abort();
    };
  };

  /** The same object until something changes. */
  readonly trash = (): Trash => this.#trash;

  /** Reads on to the end of the feed. Called while it reads, it reads what has come meanwhile as well. */
  readOn(): Promise<void> {
    this.#isBehind = true;
    if (!this.#isWorking) this.#working = this.#work();
    return this.#working;
  }

  leave(id: string): void {
    if (this.#deleted.delete(id)) this.#tell({});
  }

  /** Cursors are places in the whole feed, whatever was asked for. If something was forgotten, it may be of this type. */
  #beginWith(all: TrashReader): void {
    if (all.#isCut || all.#hasForgottenTitles) return;
    for (const [id, deleted] of all.#deleted) if (deleted.type === this.#objectType) this.#deleted.set(id, deleted);
    for (const [id, titles] of all.#titles) this.#titles.set(id, titles);
    this.#cursor = all.#cursor;
    this.#firstAt = all.#firstAt;
    this.#tell({ reading: all.#trash.reading });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#isBehind && this.#listeners.size > 0) {
      this.#stop = new AbortController();
      const { signal } = this.#stop;
      const error: unknown = await this.#toEnd(signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) this.#isBehind = true;
      else if (error instanceof OrreryProblem && error.reason === 'cursor_expired') this.#startOver();
      else if (error !== undefined) {
        this.#tell({ error });
        break;
      } else if (!this.#isBehind) this.#tell({ reading: undefined, error: undefined });
    }
    this.#isWorking = false;
  }

  /** What the feed no longer has, may no longer be in the trash: it is read again. */
  #startOver(): void {
    this.#deleted.clear();
    this.#isCut = false;
    this.#cursor = 'earliest';
    this.#firstAt = undefined;
    this.#isBehind = true;
    this.#tell({ reading: { until: '', share: 0 } });
  }

  async #toEnd(signal: AbortSignal): Promise<void> {
    const { client, pace } = this.#source;
    const only = this.#objectType === '' ? {} : { objectType: this.#objectType };
    this.#isBehind = false;
    for (;;) {
      await pace.turn(signal);
      const asked = { ...only, cursor: this.#cursor, limit: pageEntries, signal };
      const { data, nextCursor, rateLimit } = await client.listChanges(asked).first();
      pace.note(rateLimit);
      for (const change of data) this.#take(change);
      this.#cursor = nextCursor ?? this.#cursor;
      const until = data.at(-1)?.at;
      // A page is also empty if the service has found nothing for five seconds: then the client itself asks for the next one. An
      // empty page that it returns is the end of the feed.
      if (until === undefined) return;
      this.#firstAt ??= data[0]?.at;
      if (this.#trash.reading !== undefined && Date.now() - this.#toldMs >= trashBounds.tellMs) {
        this.#tell({ reading: { until, share: shareOf(this.#firstAt ?? until, until) }, error: undefined });
      }
    }
  }

  #take(change: Change): void {
    const { type, object_type: name, record_id: id, version, changed, at, principal_id: principalId } = change;
    const known = this.#source.types.find((each) => each.name === name);
    if (known === undefined || type.startsWith('association.')) return;
    const titles = titlesOf(known);
    if (type === 'record.deleted') {
      if (BigInt(version) < (this.#source.restored.get(id) ?? 0n)) return;
      const values = this.#titles.get(id);
      const title = titles.map((property) => values?.[property]).filter((value) => typeof value === 'string');
      // Deleted again, it is the last one again.
      this.#deleted.delete(id);
      this.#deleted.set(id, { type: name, id, title: title.join(' '), at, principalId });
      if (forgetFirst(this.#deleted, trashBounds.deleted)) this.#isCut = true;
      return;
    }
    if (type === 'record.restored') this.#deleted.delete(id);
    const told = titles.filter((property) => changed?.[property] !== undefined);
    if (told.length === 0) return;
    const next = Object.fromEntries(told.map((property) => [property, changed?.[property]?.new]));
    const before = this.#titles.get(id);
    this.#titles.delete(id);
    this.#titles.set(id, { ...before, ...next });
    if (forgetFirst(this.#titles, trashBounds.titled)) this.#hasForgottenTitles = true;
  }

  #tell(changed: Partial<Trash>): void {
    const deleted = [...this.#deleted.values()].toReversed();
    this.#trash = { ...this.#trash, ...changed, deleted, isCut: this.#isCut };
    this.#toldMs = Date.now();
    for (const listener of this.#listeners) listener();
  }
}

/** Maps keep the order in which they were filled. */
function forgetFirst(map: Map<string, unknown>, most: number): boolean {
  const [first] = map.size > most ? map.keys() : [];
  return first !== undefined && map.delete(first);
}

function shareOf(first: string, until: string): number {
  const [begin, now] = [Date.parse(first), Date.now()];
  return now <= begin ? 1 : Math.min(1, Math.max(0, (Date.parse(until) - begin) / (now - begin)));
}

/** People have a first name in front of their title. */
function titlesOf({ title_property: title, kind }: ObjectType): readonly string[] {
  if (title === null) return [];
  return kind === 'person' ? ['svc_first_name', title] : [title];
}
