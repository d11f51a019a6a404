// A list that is read page by page: as items, as pages, or the first page alone. Each page is requested only when the one
// before it has been used, so stopping early fetches no further pages.
import type { Page } from './answer.ts';

export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #start: string | undefined;
  readonly #isLast: (page: Page<T>) => boolean;

  constructor(
    read: (cursor: string | undefined) => Promise<Page<T>>,
    start: string | undefined,
    isLast: (page: Page<T>) => boolean = ({ nextCursor }) => nextCursor === null,
  ) {
    this.#read = read;
    this.#start = start;
    this.#isLast = isLast;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = this.#start;
    for (;;) {
      const page = await this.#read(cursor);
      yield page;
      if (this.#isLast(page)) return;
      cursor = page.nextCursor ?? undefined;
    }
  }

  /** The first page alone, with the facts of its answer. */
  first(): Promise<Page<T>> {
    return this.#read(this.#start);
  }

  /** The first items, at most `most`. */
  async toArray(most: number): Promise<T[]> {
    const items: T[] = [];
    if (most <= 0) return items;
    for await (const item of this) if (items.push(item) >= most) break;
    return items;
  }
}
