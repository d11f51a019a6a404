// An import as the page sees it: its state, and what a person can do. The work is done by a worker, so that the page stays quick
// however large the file is.
import { bearer, expire } from '../../app/session.ts';
import type { Choice, Command, Doubt, ImportState, ToPage, ToWorker } from './messages.ts';

const nothing: ImportState = {
  saved: undefined,
  isElsewhere: false,
  reading: undefined,
  file: undefined,
  plan: undefined,
  preview: undefined,
  progress: undefined,
  failure: undefined,
};

type Answer = Extract<ToPage, { readonly kind: 'answer' }>;

export class ImportSession {
  readonly #worker: Worker;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #state = nothing;
  #number = 0;

  /** Looks at once whether this browser keeps an import of the owner: `saved` then says so. */
  constructor(owner: { readonly orgId: number; readonly memberId: string }) {
    this.#worker = new Worker(new URL('./import-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<ToPage>) => this.#hear(data);
    this.#worker.onerror = ({ message }) => this.#fail(message);
    this.#tell({ kind: 'begin', url: location.origin, owner: `${owner.orgId}/${owner.memberId}` });
    void this.#command({ name: 'look' });
  }

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** For useSyncExternalStore: the same object until something changes. */
  readonly state = (): ImportState => this.#state;

  /** Reads a file to its end, with `reading` as its progress. `file` is there once it is read. */
  open(file: File): Promise<void> {
    return this.#command({ name: 'open', file, fileName: file.name });
  }

  /** Plans the import of the opened file; `plan` and `preview` follow. Called again whenever a person has changed something. */
  plan(choice: Choice): Promise<void> {
    return this.#command({ name: 'plan', choice });
  }

  /** Checks every row of the planned import and stores nothing; the counts are those that the import would have. */
  dryRun(): Promise<void> {
    return this.#command({ name: 'dry run' });
  }

  /** Begins the planned import. It is kept by this browser until `forget`. `replaces` is the unfinished one that is given up for it. */
  start(replaces?: string): Promise<void> {
    return this.#command(replaces === undefined ? { name: 'start' } : { name: 'start', replaces });
  }

  /** Ends what is under way after the batch that was sent. An import or an undo can go on later, a dry run begins anew. */
  stop(): Promise<void> {
    return this.#command({ name: 'stop' });
  }

  /** Goes on with the import, or the undo, that was stopped. `doubt` decides about a batch that is in doubt. */
  goOn(doubt?: Doubt): Promise<void> {
    return this.#command(doubt === undefined ? { name: 'go on' } : { name: 'go on', doubt });
  }

  /** Takes the kept import back, the newest batch first. */
  undo(): Promise<void> {
    return this.#command({ name: 'undo' });
  }

  /** The refused rows with their reasons, as a CSV file that can be mended and imported; of a dry run or of an import. */
  async refusedFile(): Promise<Blob> {
    const { blob } = await this.#ask({ name: 'refused file' });
    return blob ?? new Blob();
  }

  /** Forgets the opened file and the kept import. */
  forget(): Promise<void> {
    return this.#command({ name: 'forget' });
  }

  /** Ends the worker. A kept import can go on in another session. */
  close(): void {
    this.#worker.terminate();
  }

  async #command(command: Command): Promise<void> {
    await this.#ask(command);
  }

  /** Resolves when the command is done, also if it failed: `failure` says why. */
  #ask(command: Command): Promise<Answer> {
    const number = this.#number++;
    this.#become({ failure: undefined });
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#tell({ kind: 'command', number, command });
    });
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(message: ToPage): void {
    if (message.kind === 'state') this.#become(message.changed);
    else if (message.kind === 'bearer wanted') void this.#giveBearer(message.number);
    else if (message.kind === 'bearer refused') expire(message.bearer);
    else {
      if (message.failure !== undefined) this.#become({ failure: message.failure });
      this.#waiting.get(message.number)?.(message);
      this.#waiting.delete(message.number);
    }
  }

  async #giveBearer(number: number): Promise<void> {
    try {
      this.#tell({ kind: 'bearer', number, bearer: await bearer() });
    } catch (error) {
      this.#tell({ kind: 'bearer', number, refusal: error instanceof Error ? error.message : String(error) });
    }
  }

  /** A worker that has failed answers nothing any more. */
  #fail(failure: string): void {
    for (const number of [...this.#waiting.keys()]) this.#hear({ kind: 'answer', number, failure });
  }

  #become(changed: Partial<ImportState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
