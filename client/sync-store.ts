// What `sync` asks of a store: give back what it holds, and take a batch whole or not at all. `MemoryStore` is one; the
// README shows the same in SQL.
import type { AssociationEnd } from './wire.ts';

/**
 * A record as the change feed keeps it: all values but those that the feed does not tell of, which are the dates of the
 * service (svc_created_at, svc_updated_at) and what it computes whenever a record is read.
 */
export interface CopiedRecord {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** All links of one association type that begin at one record. */
export interface CopiedLinks {
  readonly source: AssociationEnd;
  readonly association_type: string;
  readonly targets: readonly AssociationEnd[];
}

/** One change of the copy. All of it, with the state, is stored in one transaction. */
export interface SyncBatch {
  /** Grows with each load of everything. Each record is stored with that of the batch that wrote it last. */
  readonly generation: number;
  /** To be stored in place of what is there under their ids. */
  readonly upserts: readonly CopiedRecord[];
  /** To be taken away, with the links from them and to them. Some may not be there. */
  readonly deletes: readonly AssociationEnd[];
  /** To be stored in place of all links of that type from that record. Empty unless links are copied. */
  readonly links: readonly CopiedLinks[];
  /** Whether all records of other generations are to be taken away, after the upserts: everything has been loaded. */
  readonly sweep: boolean;
  /** Plain JSON. What `load` gives back next. */
  readonly state: unknown;
}

export interface SyncStore {
  /** The state of the last batch; undefined for a store that has none yet. */
  load(): Promise<unknown>;
  /** Those of the records that it holds. */
  read(records: readonly AssociationEnd[]): Promise<readonly CopiedRecord[]>;
  apply(batch: SyncBatch): Promise<void>;
}

/** A copy in memory, for tests, and for caches that may begin anew. */
export class MemoryStore implements SyncStore {
  /** By id. */
  readonly records = new Map<string, CopiedRecord>();
  /** By id of the source and association type: ids of the targets. */
  readonly links = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #generations = new Map<string, number>();
  #state: unknown;

  async load(): Promise<unknown> {
    return this.#state;
  }

  async read(records: readonly AssociationEnd[]): Promise<readonly CopiedRecord[]> {
    return records.flatMap(({ id }) => this.records.get(id) ?? []);
  }

  /** Nothing in here waits, so nobody sees half of it. */
  async apply({ generation, upserts, deletes, links, sweep, state }: SyncBatch): Promise<void> {
    for (const record of upserts) {
      this.records.set(record.id, record);
      this.#generations.set(record.id, generation);
    }
    const swept = sweep ? [...this.#generations].filter(([, held]) => held !== generation).map(([id]) => id) : [];
    this.#remove(new Set([...deletes.map(({ id }) => id), ...swept]));
    for (const { source, association_type, targets } of links) {
      const own = new Map(this.links.get(source.id)).set(
        association_type,
        targets.map(({ id }) => id),
      );
      this.links.set(source.id, own);
    }
    this.#state = state;
  }

  #remove(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return;
    for (const id of ids) {
      this.records.delete(id);
      this.#generations.delete(id);
      this.links.delete(id);
    }
    for (const [source, types] of this.links) {
      if (![...types.values()].some((targets) => targets.some((target) => ids.has(target)))) continue;
      const left = [...types].map(([type, targets]) => [type, targets.filter((target) => !ids.has(target))] as const);
      this.links.set(source, new Map(left));
    }
  }
}
