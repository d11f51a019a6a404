// Runs an import, batch after batch, from wherever it stopped. Each batch has an Idempotency-Key of its own, and is stored before
// it is sent: whether an answer was lost or the page was closed, the same batch is sent again, and the service does it once.
import type { Answer, BatchResult } from '../../../../client/main.ts';
import { importBounds } from '../bounds.ts';
import type { KeptImport, PendingBatch } from '../kept-import.ts';
import type { Doubt, Progress } from '../messages.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import type { SourceFile } from '../plan/source-file.ts';
import { batchesOf } from './batches.ts';
import { KnownRecords } from './known-records.ts';
import { PaceMeter } from './pace.ts';
import { type BatchSettings, noteNeeded, prepareBatch } from './prepare-batch.ts';
import { refusedHead, refusedLines } from './refused-rows.ts';
import { RowReader } from './row-reader.ts';
import type { RunContext } from './run-context.ts';
import { Sender, Stopped } from './sender.ts';
import { addCounts, countsOf, type SettledRow, settleRows } from './settle-batch.ts';
import { findRequest, findWritten, leftOut } from './written-before.ts';

export class ImportRun {
  readonly #context: RunContext;
  readonly #file: SourceFile;
  readonly #settings: BatchSettings;
  readonly #sender: Sender;
  readonly #pace: PaceMeter;
  #kept: KeptImport;

  constructor(context: RunContext, schema: ImportSchema, file: SourceFile, kept: KeptImport) {
    this.#context = context;
    this.#file = file;
    this.#kept = { ...kept, state: 'stopped' };
    const reader = new RowReader(schema, file.headers, kept.columns);
    const known = new KnownRecords(context.client);
    this.#settings = { kind: 'import', schema, reader, known, match: kept.choice.match };
    this.#pace = new PaceMeter(context.nowMs);
    this.#sender = new Sender(context.stop, (detail) => {
      this.#pace.forget();
      this.#tell(detail === undefined ? 'running' : 'waiting', detail);
    });
  }

  /** Resolves with the import as it is kept. A failure is thrown; what was done until then is kept too. */
  async run(doubt: Doubt | undefined): Promise<KeptImport> {
    this.#tell('running');
    try {
      if (!(await this.#finishPending(doubt))) return this.#kept;
      for await (const rows of batchesOf(this.#file, this.#settings, this.#kept.counts.rows)) {
        if (this.#context.stop.aborted) throw new Stopped();
        const prepared = await this.#sender.send(() => prepareBatch(this.#settings, rows));
        const sentAtMs = this.#context.nowMs();
        await this.#send({ ...prepared, number: this.#kept.batches, sentAtMs });
      }
      await this.#keep({ ...this.#kept, state: 'done' });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      await this.#keep({ ...this.#kept, state: 'stopped' });
    }
    return this.#kept;
  }

  /** Finds out about the batch that was sent last, and sends no other. */
  async settle(doubt: Doubt | undefined): Promise<KeptImport> {
    try {
      await this.#finishPending(doubt);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return this.#kept;
  }

  /** Whether nothing is in doubt any more. */
  async #finishPending(doubt: Doubt | undefined): Promise<boolean> {
    const { pending } = this.#kept;
    if (pending === null) return true;
    if (this.#context.nowMs() - pending.sentAtMs < importBounds.keyKeptMs) {
      await this.#send(pending);
      return true;
    }
    // The service no longer knows the key. Rows that find their records can be sent again: they change nothing twice.
    if (this.#settings.match !== undefined || doubt === 'send again') {
      await this.#keep({ ...this.#kept, pending: null, batches: this.#kept.batches + 1 });
      return true;
    }
    if (doubt === 'leave out') {
      await this.#settled(pending, leftOut(pending), undefined, 0);
      return true;
    }
    const found = await this.#sender.send(() => findWritten(this.#context.client, this.#settings.schema, pending));
    if (found === 'in doubt') {
      await this.#keep({ ...this.#kept, state: 'in doubt' });
      return false;
    }
    if (found === undefined) await this.#keep({ ...this.#kept, pending: null, batches: this.#kept.batches + 1 });
    else await this.#settled(pending, found.settled, found.requestId, found.targetsCreated);
    return true;
  }

  async #send(pending: PendingBatch): Promise<void> {
    const { client } = this.#context;
    if (pending.operations.length === 0) {
      await this.#settled(pending, settleRows(pending, [], this.#settings.reader), undefined, 0);
      return;
    }
    await this.#keep({ ...this.#kept, pending });
    const idempotencyKey = `import-${this.#kept.id}-${pending.number}`;
    const answer = await this.#sender.send(() => client.batch(pending.operations, { idempotencyKey }));
    const { results } = answer.data;
    noteNeeded(this.#settings, pending.needed, (operation) => {
      const { status, id, version } = results[operation] ?? {};
      return status !== 201 || id === undefined || version === undefined ? undefined : { id, version };
    });
    const settled = settleRows(pending, results, this.#settings.reader);
    const { targetsCreated } = countsOf(pending, results, settled);
    const hasWritten = targetsCreated > 0 || settled.some(({ fate }) => fate === 'created' || fate === 'updated');
    const requestId = hasWritten ? await this.#requestOf(answer, settled) : undefined;
    await this.#settled(pending, settled, requestId, targetsCreated);
  }

  /** The request that has written. A replayed answer came under another one, so the feed is asked. */
  #requestOf(answer: Answer<BatchResult>, settled: readonly SettledRow[]): Promise<string | undefined> {
    if (!answer.replayed) return Promise.resolve(answer.requestId);
    const written = settled.find(({ fate }) => fate === 'created' || fate === 'updated');
    const typeName = this.#settings.schema.type.name;
    const place = written?.row.operations.at(-1) ?? answer.data.results.findIndex(({ status }) => status === 201);
    const { id, version } = answer.data.results[place] ?? {};
    if (id === undefined || version === undefined) return Promise.resolve(undefined);
    return this.#sender.send(() =>
      findRequest(this.#context.client, written === undefined ? undefined : typeName, id, version),
    );
  }

  async #settled(
    pending: PendingBatch,
    settled: readonly SettledRow[],
    requestId: string | undefined,
    targetsCreated: number,
  ): Promise<void> {
    const { counts, requestIds, total } = this.#kept;
    const sum = addCounts(counts, { ...countsOf(pending, [], settled), targetsCreated });
    const lines = refusedLines(this.#file, settled);
    const head = lines !== '' && counts.refused === 0 ? refusedHead(this.#file) : '';
    const kept: KeptImport = {
      ...this.#kept,
      counts: sum,
      batches: pending.number + 1,
      pending: null,
      requestIds: requestId === undefined ? requestIds : [...requestIds, requestId],
    };
    await this.#keep(kept, lines === '' ? undefined : head + lines);
    this.#tell(this.#context.stop.aborted ? 'stopping' : 'running', undefined, this.#pace.at(sum.rows, total));
  }

  async #keep(kept: KeptImport, refused?: string): Promise<void> {
    await this.#context.store.save(kept, refused);
    this.#kept = kept;
  }

  #tell(
    state: Progress['state'],
    detail?: string,
    pace = { rowsPerSecond: 0, secondsLeft: undefined as number | undefined },
  ): void {
    const { counts, total } = this.#kept;
    this.#context.tell({
      kind: 'import',
      ...counts,
      total,
      state,
      ...pace,
      ...(detail === undefined ? {} : { detail }),
    });
  }
}
