// The dry run of an import: the same batches, of which the service stores nothing. The counts are those that the import would have.
import { runTexts } from '../../../text/import-run-texts.ts';
import type { Choice, ColumnUse, Counts, Progress } from '../messages.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import type { SourceFile } from '../plan/source-file.ts';
import { batchesOf } from './batches.ts';
import { Claims } from './claims.ts';
import { KnownRecords } from './known-records.ts';
import { PaceMeter } from './pace.ts';
import {
  type BatchSettings,
  madeByDryRun,
  namingsOf,
  noteNeeded,
  type PreparedBatch,
  prepareBatch,
} from './prepare-batch.ts';
import { refusedHead, refusedLines } from './refused-rows.ts';
import { type ReadRow, RowReader } from './row-reader.ts';
import type { RunContext } from './run-context.ts';
import { Sender, Stopped } from './sender.ts';
import { addCounts, countsOf, noCounts, type SettledRow, settleRows } from './settle-batch.ts';

export interface DryRunEnd {
  readonly progress: Progress;
  readonly refused: readonly Blob[];
}

/** Like every record that is only made in a dry run. */
const nowhere = { id: madeByDryRun, version: '' };

export class DryRun {
  readonly #context: Omit<RunContext, 'store'>;
  readonly #file: SourceFile;
  readonly #settings: BatchSettings;
  readonly #sender: Sender;
  readonly #claims: Claims;
  readonly #pace: PaceMeter;
  readonly #refused: Blob[] = [];
  #counts: Counts = noCounts;

  constructor(
    context: Omit<RunContext, 'store'>,
    schema: ImportSchema,
    file: SourceFile,
    { columns, choice }: { readonly columns: readonly ColumnUse[]; readonly choice: Choice },
  ) {
    this.#context = context;
    this.#file = file;
    const { match } = choice;
    const reader = new RowReader(schema, file.headers, columns);
    this.#settings = { kind: 'dry run', schema, reader, known: new KnownRecords(context.client), match };
    this.#claims = new Claims(schema, match);
    this.#pace = new PaceMeter(context.nowMs);
    this.#sender = new Sender(context.stop, (detail) => {
      context.tell(this.#progress(detail === undefined ? 'running' : 'waiting', detail));
    });
  }

  async run(): Promise<DryRunEnd> {
    this.#context.tell(this.#progress('running'));
    try {
      for await (const rows of batchesOf(this.#file, this.#settings, 0)) {
        await this.#check(rows);
        this.#context.tell(this.#progress('running', undefined, this.#pace.at(this.#counts.rows, this.#file.rowCount)));
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return { progress: this.#progress('stopped'), refused: this.#refused };
    }
    const detail = this.#claims.isFull ? runTexts.claimsFull : undefined;
    return { progress: this.#progress('done', detail), refused: this.#refused };
  }

  async #check(rows: readonly ReadRow[]): Promise<void> {
    const prepared = await this.#sender.send(() => prepareBatch(this.#settings, rows));
    const { operations } = prepared;
    const { client } = this.#context;
    const results =
      operations.length === 0
        ? []
        : (await this.#sender.send(() => client.batch(operations, { dryRun: true }))).data.results;
    const settled = settleRows(prepared, results, this.#settings.reader).map((each, index) =>
      this.#claims.judge(each, rows[index] as ReadRow),
    );
    this.#note(prepared, settled, rows);
    this.#counts = addCounts(this.#counts, countsOf(prepared, results, settled));
    const lines = refusedLines(this.#file, settled);
    if (lines === '') return;
    const head = this.#refused.length === 0 ? refusedHead(this.#file) : '';
    this.#refused.push(new Blob([head + lines]));
  }

  /** What the batch would have made, so that later rows find it. */
  #note({ needed }: PreparedBatch, settled: readonly SettledRow[], rows: readonly ReadRow[]): void {
    const { reader, known, schema } = this.#settings;
    noteNeeded(this.#settings, needed, () => nowhere);
    for (const link of reader.links) {
      for (const naming of namingsOf(link).filter(({ target }) => target.name === schema.type.name)) {
        for (const [index, { fate }] of settled.entries()) {
          const row = rows[index];
          if (fate !== 'created' || row === undefined) continue;
          for (const text of namesOf(row, naming.by, schema)) known.note(naming, text, nowhere);
        }
      }
    }
  }

  #progress(
    state: Progress['state'],
    detail?: string,
    pace = { rowsPerSecond: 0, secondsLeft: undefined as number | undefined },
  ): Progress {
    const total = this.#file.rowCount;
    return { kind: 'dry run', ...this.#counts, total, state, ...pace, ...(detail === undefined ? {} : { detail }) };
  }
}

/** How other rows may name the record of this one. */
function namesOf({ values, externalId }: ReadRow, by: string, { type }: ImportSchema): readonly string[] {
  if (by === 'external_id') return externalId === undefined ? [] : [externalId];
  const name = by === 'title' ? type.title_property : by;
  const named = name === null ? undefined : values[name];
  return [named ?? []].flat().map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}
