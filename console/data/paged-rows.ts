// The rows of a table: pages in a row, each with the cursor at which it begins. Only pages near the eye keep their records, so
// a table of a million records costs as much as one of a few hundred; a page that was let go is read again by its cursor.
import type { AnySchema, OtherEnd, Page, RecordOf } from '../../client/main.ts';

export type Row = RecordOf<AnySchema, string>;
/** Of two answers about one record, the one about its newer version: a read may come later than a write that it does not know. */
export function newer(known: Row | undefined, read: Row): Row {
  return known !== undefined && Number(known.version) > Number(read.version) ? known : read;
}

/** A record at the other end of a link; a person or the org has a title only. */
export type LinkedRow = OtherEnd<AnySchema, string>;

interface LoadedPage {
  readonly cursor: string | undefined;
  readonly size: number;
  /** Undefined if it was let go. */
  rows: readonly Row[] | undefined;
}

export interface RowsState {
  readonly count: number;
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Grows with every change, so that those who watch know of it. */
  readonly revision: number;
}

type Read = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;

/** Pages whose records are kept. */
const pagesKept = 40;

export class PagedRows {
  readonly #read: Read;
  readonly #stop = new AbortController();
  readonly #pages: LoadedPage[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #reading = new Set<number>();
  #next: string | undefined | null = undefined;
  #state: RowsState = { count: 0, isComplete: false, isLoading: false, error: undefined, revision: 0 };

  constructor(read: Read) {
    this.#read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): RowsState => this.#state;

  /** The row at the place; undefined while it is read. */
  at(index: number): Row | undefined {
    const found = this.#find(index);
    return found === undefined ? undefined : found.page.rows?.[found.offset];
  }

  ids(): readonly string[] {
    return this.#pages.flatMap(({ rows = [] }) => rows.map(({ id }) => id));
  }

  /** Reads what is between the places and was let go, and the next page if they come near the end. */
  show(first: number, last: number): void {
    for (const [number, page] of this.#pagesBetween(first, last)) if (page.rows === undefined) void this.#again(number);
    if (this.#next !== null && last >= this.#state.count - 50) void this.#more();
  }

  /** Puts the records in the place of those with the same id, and takes away those that no longer belong to the rows. */
  replace(records: readonly Row[], gone: ReadonlySet<string>): void {
    const byId = new Map(records.map((record) => [record.id, record]));
    let isChanged = false;
    for (const [number, page] of this.#pages.entries()) {
      if (page.rows === undefined || !page.rows.some(({ id }) => byId.has(id) || gone.has(id))) continue;
      const rows = page.rows.filter(({ id }) => !gone.has(id)).map((row) => newer(row, byId.get(row.id) ?? row));
      this.#pages[number] = { ...page, rows, size: rows.length };
      isChanged = true;
    }
    if (isChanged) this.#tell({});
  }

  close(): void {
    this.#stop.abort();
    this.#listeners.clear();
  }

  retry(): void {
    // The table asks again for what is missing.
    this.#tell({ error: undefined });
    void this.#more();
  }

  async #more(): Promise<void> {
    if (this.#state.isLoading || this.#next === null || this.#state.error !== undefined) return;
    const cursor = this.#next;
    this.#tell({ isLoading: true });
    try {
      const page = await this.#read(cursor, this.#stop.signal);
      this.#pages.push({ cursor, size: page.data.length, rows: page.data });
      this.#next = page.nextCursor;
      this.#letGo(this.#pages.length - 1);
      this.#tell({ isLoading: false, isComplete: page.nextCursor === null });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#tell({ isLoading: false, error });
    }
  }

  async #again(number: number): Promise<void> {
    const page = this.#pages[number];
    if (page === undefined || this.#reading.has(number)) return;
    this.#reading.add(number);
    try {
      const { data } = await this.#read(page.cursor, this.#stop.signal);
      // Others may have come or gone meanwhile; the place of the next page stays.
      this.#pages[number] = { ...page, rows: data.slice(0, page.size), size: Math.min(page.size, data.length) };
      this.#letGo(number);
      this.#tell({});
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#tell({ error });
    } finally {
      this.#reading.delete(number);
    }
  }

  /** Lets go what is farthest from the page. */
  #letGo(near: number): void {
    const held = this.#pages.flatMap((page, number) => (page.rows === undefined ? [] : [number]));
    const far = held.toSorted((one, other) => Math.abs(other - near) - Math.abs(one - near));
    for (const number of far.slice(0, Math.max(0, held.length - pagesKept))) {
      const page = this.#pages[number];
      if (page !== undefined) this.#pages[number] = { ...page, rows: undefined };
    }
  }

  #find(index: number): { readonly page: LoadedPage; readonly offset: number } | undefined {
    let offset = index;
    for (const page of this.#pages) {
      if (offset < page.size) return { page, offset };
      offset -= page.size;
    }
    return undefined;
  }

  #pagesBetween(first: number, last: number): readonly (readonly [number, LoadedPage])[] {
    let begins = 0;
    return [...this.#pages.entries()].filter(([, page]) => {
      const isWithin = begins <= last && begins + page.size > first;
      begins += page.size;
      return isWithin;
    });
  }

  #tell(change: Partial<RowsState>): void {
    const count = this.#pages.reduce((sum, { size }) => sum + size, 0);
    this.#state = { ...this.#state, ...change, count, revision: this.#state.revision + 1 };
    for (const listener of this.#listeners) listener();
  }
}
