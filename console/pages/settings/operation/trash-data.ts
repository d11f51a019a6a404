// The trash, read from the change feed, which is where the API tells what was deleted: who did it and when, and what the record
// was called by its last known values. The feed goes forward only, so it is read once to its end, in the background, and from
// there on as it grows. What was read is kept while the console is open.
import { type Change, type Client, type ObjectType, OrreryProblem } from '../../../../client/main.ts';

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

export class TrashReader {
  readonly #client: Client;
  readonly #objectType: string;
  readonly #deleted = new Map<string, Deleted>();
  readonly #titles = new Map<string, Titles>();
  readonly #listeners = new Set<() => void>();
  #cursor = 'earliest';
  #firstAt: string | undefined;
  #isCut = false;
  #working: Promise<void> | undefined;
  /** Something has happened since the last page was asked for. */
  #isBehind = false;
  #toldMs = 0;
  #trash: Trash = { deleted: [], reading: { until: '', share: 0 }, isCut: false, error: undefined };

  /** Of one type, or of all if it is empty. */
  constructor(client: Client, objectType: string) {
    this.#client = client;
    this.#objectType = objectType;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly trash = (): Trash => this.#trash;

  /** Reads on to the end of the feed. Called while it reads, it reads what has come meanwhile as well. */
  readOn(types: readonly ObjectType[]): Promise<void> {
    this.#isBehind = true;
    this.#working ??= this.#read(types).finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #read(types: readonly ObjectType[]): Promise<void> {
    try {
      while (this.#isBehind) {
        this.#isBehind = false;
        await this.#toEnd(types);
      }
      this.#tell({ reading: undefined, error: undefined });
    } catch (error) {
      if (!(error instanceof OrreryProblem) || error.reason !== 'cursor_expired') return this.#tell({ error });
      // What the feed no longer has, may no longer be in the trash: it is read anew.
      this.#deleted.clear();
      this.#cursor = 'earliest';
      this.#isBehind = true;
      return this.#read(types);
    }
  }

  async #toEnd(types: readonly ObjectType[]): Promise<void> {
    const only = this.#objectType === '' ? {} : { objectType: this.#objectType };
    for (let isEnd = false; !isEnd; ) {
      const { data, nextCursor } = await this.#client
        .listChanges({ ...only, cursor: this.#cursor, limit: pageEntries })
        .first();
      for (const change of data) this.#take(change, types);
      this.#cursor = nextCursor ?? this.#cursor;
      const until = data.at(-1)?.at;
      isEnd = until === undefined;
      this.#firstAt ??= data[0]?.at;
      if (until !== undefined && this.#trash.reading !== undefined && Date.now() - this.#toldMs >= trashBounds.tellMs) {
        this.#tell({ reading: { until, share: shareOf(this.#firstAt ?? until, until) }, error: undefined });
      }
    }
  }

  #take(change: Change, types: readonly ObjectType[]): void {
    const { type, object_type: name, record_id: id, changed, at, principal_id: principalId } = change;
    const known = types.find((each) => each.name === name);
    if (known === undefined || type.startsWith('association.')) return;
    const titles = titlesOf(known);
    if (type === 'record.deleted') {
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
    forgetFirst(this.#titles, trashBounds.titled);
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
