// What the worker does: one command after the other, but "stop", which ends the run that is under way. It knows neither the page nor
// where imports are kept.
import type { Client } from '../../../client/main.ts';
import { runTexts } from '../../text/import-run-texts.ts';
import type { ImportStore, KeptImport } from './kept-import.ts';
import type { Choice, Command, Doubt, ImportState, Plan, Progress, SavedRun } from './messages.ts';
import { type ImportSchema, readSchema } from './plan/described-schema.ts';
import { planImport } from './plan/plan.ts';
import { openSource, type SourceFile, shownFile } from './plan/source-file.ts';
import { Refusal } from './refusal.ts';
import { DryRun } from './run/dry-run.ts';
import { ImportRun } from './run/import-run.ts';
import { previewOf } from './run/preview.ts';
import type { RunContext } from './run/run-context.ts';
import { noCounts } from './run/settle-batch.ts';
import { UndoRun } from './run/undo-run.ts';
import { savedRun } from './saved-run.ts';

interface JobOptions {
  readonly client: Client;
  readonly store: ImportStore;
  readonly tell: (changed: Partial<ImportState>) => void;
  readonly nowMs: () => number;
  /** A new id, such as no other import has. */
  readonly newId: () => string;
}

/** The planned import of the opened file. */
interface Planned {
  readonly schema: ImportSchema;
  readonly file: SourceFile;
  readonly choice: Choice;
  readonly plan: Plan;
}

export class ImportJob {
  readonly #options: JobOptions;
  #file: SourceFile | undefined;
  #planned: Planned | undefined;
  /** As it was read for the last plan of an opened file. */
  #schema: ImportSchema | undefined;
  #refused: readonly Blob[] = [];
  #running: AbortController | undefined;
  /** The kept import that the page shows: what a person asks for is meant for this one. */
  #shown: string | undefined;
  /** Counts what was chosen: only the last choice is planned to its end. */
  #choices = 0;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** Resolves when the command is done, with the file that it asked for; a run is done when it ends or has stopped. */
  async do(command: Command): Promise<Blob | undefined> {
    switch (command.name) {
      case 'look':
        return this.#look();
      case 'open':
        return this.#open(command.file, command.fileName);
      case 'plan':
        return this.#plan(command.choice);
      case 'dry run':
        return this.#alone((stop) => this.#dryRun(stop));
      case 'start':
        return this.#alone((stop) => this.#one(() => this.#start(stop, command.replaces)));
      case 'go on':
        return this.#alone((stop) => this.#one(() => this.#goOn(stop, command.doubt)));
      case 'undo':
        return this.#alone((stop) => this.#one(() => this.#undo(stop)));
      case 'stop':
        this.#running?.abort();
        return undefined;
      case 'refused file':
        return new Blob([...(await this.#refusedRows())], { type: 'text/csv' });
      case 'forget':
        return this.#forget();
    }
  }

  async #look(): Promise<undefined> {
    const { store, tell } = this.#options;
    const found = await store.load();
    const saved = found === undefined ? null : this.#tellSaved(found.kept);
    if (saved === null) tell({ saved });
    else if (this.#file === undefined) tell({ progress: saved.progress });
    if (this.#running === undefined) await this.#tellElsewhere();
  }

  /** When the other tab is done, what it has left is shown. */
  async #tellElsewhere(): Promise<void> {
    const { store, tell } = this.#options;
    const isElsewhere = await store.isTaken();
    tell({ isElsewhere });
    if (!isElsewhere) return;
    void store.untilFree().then(() => {
      tell({ isElsewhere: false });
      return this.#look();
    });
  }

  async #open(blob: Blob, name: string): Promise<undefined> {
    const { tell } = this.#options;
    const number = ++this.#choices;
    this.#file = undefined;
    this.#planned = undefined;
    this.#schema = undefined;
    tell({
      file: undefined,
      plan: undefined,
      preview: undefined,
      progress: undefined,
      reading: { bytes: 0, of: blob.size * 2 },
    });
    try {
      const file = await openSource(blob, name, (bytes, of) => tell({ reading: { bytes, of } }));
      if (number !== this.#choices) return;
      this.#file = file;
      tell({ file: shownFile(file) });
    } finally {
      tell({ reading: undefined });
    }
  }

  async #plan(choice: Choice): Promise<undefined> {
    const file = this.#file;
    if (file === undefined) throw new Refusal(runTexts.noFile);
    const number = ++this.#choices;
    this.#planned = undefined;
    const known = this.#schema;
    const schema =
      known?.type.name === choice.typeName ? known : await readSchema(this.#options.client, choice.typeName);
    this.#schema = schema;
    const plan = await planImport(schema, file, choice);
    const preview = await previewOf(schema, file, plan);
    if (number !== this.#choices) return;
    this.#planned = { schema, file, choice, plan };
    this.#options.tell({ plan, preview });
  }

  async #dryRun(stop: AbortSignal): Promise<undefined> {
    const { schema, file, choice, plan } = this.#ready();
    const columns = plan.columns.map(({ use }) => use);
    const { progress, refused } = await new DryRun(this.#context(stop), schema, file, { columns, choice }).run();
    this.#refused = refused;
    this.#options.tell({ progress });
  }

  async #start(stop: AbortSignal, replaces: string | undefined): Promise<undefined> {
    const { schema, file, choice, plan } = this.#ready();
    const { store, newId, nowMs } = this.#options;
    const before = (await store.load())?.kept;
    if (before !== undefined && before.id !== replaces && savedRun(before).progress.state !== 'done') {
      this.#tellSaved(before);
      throw new Refusal(runTexts.unfinished(before.fileName));
    }
    const kept: KeptImport = {
      id: newId(),
      fileName: file.name,
      startedAt: new Date(nowMs()).toISOString(),
      choice,
      columns: plan.columns.map(({ use }) => use),
      total: file.rowCount,
      counts: noCounts,
      batches: 0,
      pending: null,
      requestIds: [],
      state: 'stopped',
    };
    await store.begin(kept, file.blob);
    this.#refused = [];
    this.#tellSaved(kept);
    await this.#import(stop, schema, file, kept, undefined);
  }

  async #goOn(stop: AbortSignal, doubt: Doubt | undefined): Promise<undefined> {
    const { kept, file: blob } = await this.#kept();
    if (kept.undone !== undefined) return this.#undo(stop);
    if (kept.state === 'done') return undefined;
    const { schema, file } = await this.#reopened(kept, blob);
    await this.#import(stop, schema, file, kept, doubt);
  }

  async #reopened(kept: KeptImport, blob: Blob) {
    const schema = await readSchema(this.#options.client, kept.choice.typeName);
    return { schema, file: await openSource(blob, kept.fileName, () => {}) };
  }

  async #import(
    stop: AbortSignal,
    schema: ImportSchema,
    file: SourceFile,
    kept: KeptImport,
    doubt: Doubt | undefined,
  ): Promise<void> {
    const end = await new ImportRun(this.#context(stop), schema, file, kept).run(doubt);
    const { progress } = this.#tellSaved(end);
    this.#options.tell({ progress });
  }

  async #undo(stop: AbortSignal): Promise<undefined> {
    const { kept, file: blob } = await this.#kept();
    const known = kept.pending === null ? kept : await this.#settled(stop, kept, blob);
    const end = known.pending === null ? await new UndoRun(this.#context(stop), known).run() : known;
    const { progress } = this.#tellSaved(end);
    this.#options.tell({ progress });
  }

  /** What the last batch has written is taken back too, so its answer is needed. */
  async #settled(stop: AbortSignal, kept: KeptImport, blob: Blob): Promise<KeptImport> {
    const { schema, file } = await this.#reopened(kept, blob);
    return new ImportRun(this.#context(stop), schema, file, kept).settle(undefined);
  }

  async #forget(): Promise<undefined> {
    if (this.#running !== undefined) throw new Refusal(runTexts.isRunning);
    await this.#one(() => this.#options.store.forget());
    this.#shown = undefined;
    this.#file = undefined;
    this.#planned = undefined;
    this.#refused = [];
    this.#options.tell({ saved: null, file: undefined, plan: undefined, preview: undefined, progress: undefined });
  }

  /** A failure ends the run, and what is kept can go on. */
  async #alone(run: (stop: AbortSignal) => Promise<undefined>): Promise<undefined> {
    if (this.#running !== undefined) throw new Refusal(runTexts.isRunning);
    const running = new AbortController();
    this.#running = running;
    let last: Progress | undefined;
    this.#told = (progress) => {
      last = progress;
    };
    try {
      await run(running.signal);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      const found = await this.#options.store.load();
      if (found !== undefined && found.kept.id === this.#shown) this.#tellSaved(found.kept);
      if (last !== undefined) this.#options.tell({ progress: { ...last, state: 'failed', detail } });
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  /** Another tab may import too: only one of them at a time. */
  async #one<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#options.store.alone(work);
    } catch (error) {
      await this.#tellElsewhere();
      throw error;
    }
  }

  #tellSaved(kept: KeptImport): SavedRun {
    const saved = savedRun(kept);
    this.#shown = kept.id;
    this.#options.tell({ saved });
    return saved;
  }

  #told: (progress: Progress) => void = () => {};

  #context(stop: AbortSignal): RunContext {
    const { client, store, nowMs, tell } = this.#options;
    const context: RunContext = {
      client,
      store,
      nowMs,
      stop,
      tell: (progress) => {
        this.#told(progress);
        tell({ progress });
      },
    };
    return context;
  }

  #ready(): Planned {
    const planned = this.#planned;
    if (planned === undefined) throw new Refusal(runTexts.noPlan);
    const [fault] = planned.plan.faults;
    if (fault !== undefined) throw new Refusal(fault.detail);
    return planned;
  }

  async #kept() {
    const found = await this.#options.store.load();
    if (found === undefined) throw new Refusal(runTexts.nothingKept);
    if (this.#shown !== undefined && found.kept.id !== this.#shown) throw new Refusal(runTexts.replaced);
    return found;
  }

  async #refusedRows(): Promise<readonly Blob[]> {
    if (this.#refused.length > 0) return this.#refused;
    await this.#kept();
    return this.#options.store.refused();
  }
}
