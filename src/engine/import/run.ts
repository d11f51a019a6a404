// Runs an import: writes several batches at a time, and with each batch how far the import has come. Memory holds only the
// batches under way, whatever the size of the file.
import { Failure } from '../../base/failure.ts';
import type { Transaction } from '../../store/database.ts';
import { copyTables } from '../../store/import/copy-records.ts';
import { commitLazily, type ImportConnection } from '../../store/import/import-connection.ts';
import { advanceImport, type ImportCounts, type ImportName } from '../../store/import/imports.ts';
import { isLockMissed, isRolledBack } from '../../store/pg-error.ts';
import { isLostRace } from '../groups/lost-race.ts';
import type { CommandEngine, UnitCall } from '../process/call.ts';
import { requireRoom, systemCall } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { beginsInStage } from '../rules/stage.ts';
import { transact } from '../unit/transact.ts';
import { CommitOrder, StepBack } from './commit-order.ts';
import { findTaken, nothingTaken, type PreparedCreates, prepareCreates } from './prepare-creates.ts';
import { type ImportedRow, type RowForm, readRow } from './read-row.ts';
import type { Batch } from './split-batches.ts';
import { type BatchOutcome, loadRows, type RefusedRow, writeRows } from './write-rows.ts';

/** Receives the refused rows and the progress of an import. */
export interface ImportEvents {
  /** Writes refused rows to the errors file at this length; returns its new length once they are on disk. */
  keepRefused(refused: readonly RefusedRow[], length: number): Promise<number>;
  progressed(counts: ImportCounts, bytesRead: number): void;
}

export interface RunRequest {
  readonly engine: CommandEngine;
  readonly name: ImportName;
  readonly counts: ImportCounts;
  /** Each copies one batch at a time. */
  readonly connections: readonly ImportConnection[];
  readonly events: ImportEvents;
  /** Its entries in the feed have this id as that of their request, so that they can be taken back together. */
  readonly jobId: string;
  /** The org and its form of rows as they are now: the schema may grow during a long import. */
  current(): Promise<{ readonly known: KnownOrg; readonly form: RowForm }>;
}

/** A batch under way. */
interface RunningBatch extends Batch {
  readonly number: number;
  readonly call: UnitCall;
  readonly form: RowForm;
}

export class ImportRun {
  readonly #request: RunRequest;
  readonly #order = new CommitOrder();
  readonly #idle: ImportConnection[];
  /** The batches being copied, with the unique values that each claims. */
  readonly #underWay = new Map<Promise<void>, PreparedCreates['claims']>();
  #counts: ImportCounts;
  #next = 0;
  /** Whether a value of the last batch was taken: then the next batch asks before it is written. */
  #checksTaken = false;

  constructor(request: RunRequest) {
    this.#request = request;
    this.#counts = request.counts;
    this.#idle = [...request.connections];
  }

  async run(batches: AsyncIterable<Batch>): Promise<ImportCounts> {
    try {
      for await (const batch of batches) {
        // A batch is prepared once a connection is idle, so that no prepared batch waits in memory.
        while (this.#idle.length === 0) await Promise.race(this.#underWay.keys());
        if (this.#order.failure !== undefined) break;
        await this.#begin(batch);
      }
    } catch (error) {
      this.#order.fail(error);
    }
    await this.#allCopied();
    if (this.#order.failure !== undefined) throw this.#order.failure.error;
    return this.#counts;
  }

  async #allCopied(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }

  async #begin(next: Batch): Promise<void> {
    const { known, form } = await this.#request.current();
    await requireRoom(this.#request.engine, known);
    const call = { ...systemCall(this.#request.engine, known), requestId: this.#request.jobId };
    const batch = { ...next, number: this.#next++, call, form };
    const onlyCreates = form.match === undefined && !beginsInStage(call.session, form.type);
    const prepared = onlyCreates ? await this.#prepare(batch) : undefined;
    if (prepared !== undefined && this.#isFree(prepared.claims)) return this.#beginCopy(batch, prepared);
    // A batch that depends on earlier rows waits until all of them are committed.
    await this.#allCopied();
    if (this.#order.failure === undefined) await this.#writeAsUnit(batch);
  }

  async #prepare(batch: RunningBatch): Promise<PreparedCreates> {
    const { call, form } = batch;
    const rows = readAll(batch);
    const taken = this.#checksTaken ? await findTaken(call, form.type, rows) : nothingTaken;
    const prepared = prepareCreates(call, form.type, rows, taken);
    this.#checksTaken = taken.size > 0;
    return prepared;
  }

  /** Whether no batch being copied claims one of the values. */
  #isFree(claims: PreparedCreates['claims']): boolean {
    for (const others of this.#underWay.values())
      for (const claim of claims.keys()) if (others.has(claim)) return false;
    return true;
  }

  #beginCopy(batch: RunningBatch, prepared: PreparedCreates): void {
    const connection = this.#idle.pop();
    if (connection === undefined) throw new TypeError('No connection is idle for a prepared batch.');
    const copied = this.#copy(connection, batch, prepared)
      .catch((error: unknown) => this.#order.fail(error))
      .then(() => {
        this.#underWay.delete(copied);
        this.#idle.push(connection);
      });
    this.#underWay.set(copied, prepared.claims);
  }

  async #copy(connection: ImportConnection, batch: RunningBatch, prepared: PreparedCreates): Promise<void> {
    const { number } = batch;
    try {
      const counts = await connection.transaction(async (transaction) => {
        await copyTables(transaction, prepared.tables);
        await this.#order.turnOrStepBack(number);
        return this.#advance(transaction, batch, prepared.outcome);
      });
      this.#request.engine.storage.grew(batch.call.session.caller.orgId, prepared.bytes);
      this.#committed(batch, counts);
    } catch (error) {
      if (!mustRerun(error)) throw error;
      this.#order.rerun(number);
      await this.#order.turn(number);
      await this.#writeAsUnit(batch);
    }
  }

  /** Runs only when all batches before this one are committed, and those behind it have stepped back. */
  async #writeAsUnit(batch: RunningBatch): Promise<void> {
    const { call, form } = batch;
    const rows = readAll(batch);
    const written = await transact(
      call,
      async (unit) => {
        await commitLazily(unit.transaction);
        await loadRows(unit, form.type, rows, form.match);
        const outcome = await writeRows(unit, form.type, rows, form.match);
        await unit.finish();
        return { outcome, counts: await this.#advance(unit.transaction, batch, outcome) };
      },
      'looked_up',
    );
    this.#checksTaken = written.outcome.refused.some(({ problem }) => problem.reason === 'unique_value_taken');
    this.#committed(batch, written.counts);
  }

  /** Within the transaction of the batch, so that refused rows are on disk before it is committed. */
  async #advance(transaction: Transaction, batch: RunningBatch, outcome: BatchOutcome): Promise<ImportCounts> {
    const { name, events } = this.#request;
    const from = this.#counts;
    const { created, updated, unchanged, refused } = outcome;
    const errorsBytes = refused.length === 0 ? from.errorsBytes : await events.keepRefused(refused, from.errorsBytes);
    const to = {
      rows: from.rows + batch.rows.length,
      created: from.created + created,
      updated: from.updated + updated,
      unchanged: from.unchanged + unchanged,
      refused: from.refused + refused.length,
      errorsBytes,
    };
    if (await advanceImport(transaction, name, from, to)) return to;
    const sentence = 'Another process has continued this import.';
    throw new Failure('usage', sentence, 'Let it finish, then run this command again.');
  }

  #committed({ number, bytesRead, call }: RunningBatch, counts: ImportCounts): void {
    this.#counts = counts;
    this.#request.engine.signal.note(call.session.caller.orgId);
    this.#order.committed(number);
    this.#request.events.progressed(counts, bytesRead);
  }
}

/** Read again for each attempt: a batch under way keeps only its cells in memory. */
function readAll({ form, rows }: RunningBatch): readonly ImportedRow[] {
  return rows.map((row) => readRow(form, row));
}

/** Whether another transaction was in the way: by a value, a lock, or a batch before this one. */
function mustRerun(error: unknown): boolean {
  return error instanceof StepBack || isLostRace(error) || isLockMissed(error) || isRolledBack(error);
}
