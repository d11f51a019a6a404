// The interface between `sync` and a store, which returns its records and applies a batch completely or not at all.
// `MemoryStore` is one; the README shows one in SQL.
import type { AssociationEnd } from './wire.ts';

/**
 * A record in a copy: all values except those that the change feed leaves out, which are the service's own dates
 * (svc_created_at, svc_updated_at) and the properties that it computes on read.
 */
export interface CopiedRecord {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** All links of one association type from one record. */
export interface CopiedLinks {
  readonly source: AssociationEnd;
  readonly association_type: string;
  readonly targets: readonly AssociationEnd[];
}

/** One change to the copy. It must be stored, together with the state, in one transaction. */
export interface SyncBatch {
  /** Grows with each full load. Store it with each record that the batch writes. */
  readonly generation: number;
  /** The records to insert, or to replace by id. */
  readonly upserts: readonly CopiedRecord[];
  /** The records to remove, with all links from and to them. Some may not exist in the store. */
  readonly deletes: readonly AssociationEnd[];
  /** Each replaces all links of its type from its record. Empty unless links are copied. */
  readonly links: readonly CopiedLinks[];
  /** Whether to remove all records of other generations after the upserts, because the full load is complete. */
  readonly sweep: boolean;
  /** Plain JSON, which `load` must return next time. */
  readonly state: unknown;
}

export interface SyncStore {
  /** The state of the last batch; undefined if there is none yet. */
  load(): Promise<unknown>;
  /** The records with these ids that the store has. */
  read(records: readonly AssociationEnd[]): Promise<readonly CopiedRecord[]>;
  apply(batch: SyncBatch): Promise<void>;
}

/** A copy in memory, for tests and for caches that can be reloaded. */
export class MemoryStore implements SyncStore {
  /** By id. */
  readonly records = new Map<string, CopiedRecord>();
  /** The ids of the targets, by id of the source and association type. */
  readonly links = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #generations = new Map<string, number>();
  #state: unknown;

  async load(): Promise<unknown> {
    return this.#state;
  }

  async read(records: readonly AssociationEnd[]): Promise<readonly CopiedRecord[]> {
    return records.flatMap(({ id }) => this.records.get(id) ?? []);
  }

  /** It contains no `await`, so no reader can see half of a batch. */
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
