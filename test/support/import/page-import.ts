// An import as a page runs it, in this process: its job against a real service, with a store in memory, and a network that a test
// can break.
import { type Client, createClient } from '../../../client/main.ts';
import { importBounds } from '../../../console/data/import/bounds.ts';
import { ImportJob } from '../../../console/data/import/job.ts';
import type { ImportStore, KeptImport } from '../../../console/data/import/kept-import.ts';
import type { Choice, Command, Counts, ImportState } from '../../../console/data/import/messages.ts';
import type { TestService } from '../service.ts';

/** Makes batches small, so that a few rows are treated like many, and waits short. Returns a function that resets that. */
export function smallBatches(batchRows: number): () => void {
  const usual = { ...importBounds };
  Object.assign(importBounds, { batchRows, batchLinksApart: 4, lookUpValues: 3, firstPauseMs: 1, longestPauseMs: 5 });
  return () => Object.assign(importBounds, usual);
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

interface PageOptions {
  readonly fetch?: Fetch;
  readonly store?: ImportStore;
  readonly nowMs?: () => number;
}

export class PageImport {
  readonly job: ImportJob;
  readonly store: ImportStore;
  readonly client: Client;
  /** Every state that the page was told. */
  readonly told: Partial<ImportState>[] = [];
  state: Partial<ImportState> = {};
  onTold: (changed: Partial<ImportState>) => void = () => {};

  constructor(service: TestService, key: string, { fetch, store = memoryStore(), nowMs = Date.now }: PageOptions = {}) {
    const given = fetch === undefined ? {} : { fetch };
    this.client = createClient({ url: service.url, key, attempts: 1, ...given });
    this.store = store;
    this.job = new ImportJob({
      client: this.client,
      store,
      nowMs,
      newId: () => crypto.randomUUID(),
      tell: (changed) => {
        this.told.push(changed);
        this.state = { ...this.state, ...changed };
        this.onTold(changed);
      },
    });
  }

  do(command: Command): Promise<Blob | undefined> {
    return this.job.do(command);
  }

  async open(text: string | Blob, choice: Partial<Choice> & Pick<Choice, 'typeName'>): Promise<void> {
    await this.do({ name: 'open', file: new Blob([text]), fileName: 'people.csv' });
    await this.do({ name: 'plan', choice: { columns: {}, written: {}, ...choice } });
  }

  /** The counts of the last run. */
  get counts(): Counts {
    const { rows, created, updated, unchanged, refused, linked, unlinked, targetsCreated } = this.progress;
    return { rows, created, updated, unchanged, refused, linked, unlinked, targetsCreated };
  }

  get progress(): NonNullable<ImportState['progress']> {
    const { progress } = this.state;
    if (progress === undefined) throw new Error('Nothing has run.');
    return progress;
  }

  async refused(): Promise<string> {
    const blob = await this.do({ name: 'refused file' });
    return blob === undefined ? '' : blob.text();
  }
}

/** Keeps copies, as a database does. */
export function memoryStore(): ImportStore {
  let kept: KeptImport | undefined;
  let file: Blob | undefined;
  let refused: Blob[] = [];
  const clear = () => {
    kept = undefined;
    file = undefined;
    refused = [];
  };
  return {
    load: async () => (kept === undefined || file === undefined ? undefined : { kept: structuredClone(kept), file }),
    begin: async (next, blob) => {
      clear();
      kept = structuredClone(next);
      file = blob;
    },
    save: async (next, lines) => {
      if (kept?.id !== next.id) throw new Error('Another import has taken its place.');
      kept = structuredClone(next);
      if (lines !== undefined) refused.push(new Blob([lines]));
    },
    refused: async () => [...refused],
    forget: async () => clear(),
    // A job that a test abandons would hold a lock for ever, as a closed tab does not.
    alone: (work) => work(),
    isTaken: async () => false,
    untilFree: async () => {},
  };
}
