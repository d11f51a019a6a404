// Runs an import: writes several batches at a time, and with each batch how far the import has come. Memory holds only the
// batches under way, whatever the size of the file.
import { Failure } from '../../base/failure.ts';
import { isActivity } from '../../schema/roles/last-activity.ts';
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
import type { Unit } from '../unit/unit.ts';
import { CommitOrder, StepBack } from './commit-order.ts';
import { type BatchOutcome, isTaken, type ReportedRow, withOutcome } from './outcome.ts';
import {
  type Claimed,
  claimedBy,
  findRowLinks,
  findTaken,
  nothingTaken,
  type PreparedCreates,
  prepareCreates,
  type Taken,
} from './prepare-creates.ts';
import { type ImportedRow, type RowForm, readRow } from './read-row.ts';
import type { Batch } from './split-batches.ts';
import { writeHistory } from './stage-history/write-history.ts';
import { loadRows, writeRows } from './write-rows.ts';

/** Receives the rows that somebody should look at, and the progress of an import. */
export interface ImportEvents {
  /** Writes rows to the errors file at this length; returns its new length once they are on disk. */
  keepReported(reported: readonly ReportedRow[], length: number): Promise<number>;
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
  /** The batches being written, with the unique values that each claims or looks for. */
  readonly #underWay = new Map<Promise<void>, Claimed>();
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
    await this.#allWritten();
    if (this.#order.failure !== undefined) throw this.#order.failure.error;
    return this.#counts;
  }

  async #allWritten(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }

  async #begin(next: Batch): Promise<void> {
    const { known, form } = await this.#request.current();
    await requireRoom(this.#request.engine, known);
    const call = { ...systemCall(this.#request.engine, known), requestId: this.#request.jobId };
    const batch = { ...next, number: this.#next++, call, form };
    const rows = readAll(batch);
    if (form.history === undefined && !dependsOnEarlier(batch)) {
      const prepared = isCopied(form) ? await this.#prepare(batch, rows) : undefined;
      const claimed = prepared?.claims ?? claimedBy(form.type, rows);
      if (this.#isFree(claimed)) {
        return prepared === undefined ? this.#beginUnit(batch, rows, claimed) : this.#beginCopy(batch, prepared);
      }
    }
    // A batch that depends on earlier rows, as one of stage history does, waits until all of them are committed.
    await this.#allWritten();
    if (this.#order.failure === undefined) await this.#writeAsUnit(batch, rows);
  }

  async #prepare({ call, form }: RunningBatch, rows: readonly ImportedRow[]): Promise<PreparedCreates> {
    const links = await findRowLinks(call, form, rows);
    const prepare = (taken: Taken) => prepareCreates(call, form.type, rows, taken, links);
    if (!this.#checksTaken) {
      const prepared = prepare(nothingTaken);
      // Rows that rows before them refuse may be refused for stored values as well, and all reasons are reported.
      if (!prepared.outcome.reported.some(isTaken)) return prepared;
    }
    const taken = await findTaken(call, form.type, rows);
    this.#checksTaken = taken.size > 0;
    return prepare(taken);
  }

  /** Whether no batch being written claims one of the values. */
  #isFree(claimed: Claimed): boolean {
    for (const others of this.#underWay.values())
      for (const claim of claimed.keys()) if (others.has(claim)) return false;
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
    try {
      const counts = await connection.transaction(async (transaction) => {
        await copyTables(transaction, prepared.tables);
        await this.#order.turnOrStepBack(batch.number);
        return this.#advance(transaction, batch, prepared.outcome);
      });
      this.#request.engine.storage.grew(batch.call.session.caller.orgId, prepared.bytes);
      this.#committed(batch, counts);
    } catch (error) {
      await this.#rerun(batch, error);
    }
  }

  /** Resolves when the batch is in its turn: two are under way, of which one is being written. */
  #beginUnit(batch: RunningBatch, rows: readonly ImportedRow[], claimed: Claimed): Promise<void> {
    return new Promise((begun) => {
      const written = this.#writeBehind(batch, rows, begun)
        .catch((error: unknown) => this.#order.fail(error))
        .then(() => {
          this.#underWay.delete(written);
          begun();
        });
      this.#underWay.set(written, claimed);
    });
  }

  /**
   * Locks its records and works out its writes while the batch before is being written. It writes nothing before its turn,
   * so that batch never waits for it.
   */
  async #writeBehind(batch: RunningBatch, rows: readonly ImportedRow[], begun: () => void): Promise<void> {
    const isAhead = !this.#order.isNext(batch.number);
    try {
      await this.#writeAsUnit(batch, rows, async ({ reported }) => {
        await this.#order.turnOrStepBack(batch.number);
        // The batch before may have given up a value that was still taken when these rows were checked.
        if (isAhead && reported.some(isTaken)) throw new StepBack();
        begun();
      });
    } catch (error) {
      await this.#rerun(batch, error);
    }
  }

  /** After all batches before it. Those behind it step back. */
  async #rerun(batch: RunningBatch, error: unknown): Promise<void> {
    if (!mustRerun(error)) throw error;
    this.#order.rerun(batch.number);
    await this.#order.turn(batch.number);
    await this.#writeAsUnit(batch, readAll(batch));
  }

  /** Without `turn` it runs only when all batches before this one are committed, and those behind it have stepped back. */
  async #writeAsUnit(
    batch: RunningBatch,
    rows: readonly ImportedRow[],
    turn: (outcome: BatchOutcome) => Promise<void> = async () => {},
  ): Promise<void> {
    const { call, form, number } = batch;
    let attempts = 0;
    const written = await transact(
      call,
      async (unit) => {
        // The batch behind has locks that a second attempt may need.
        if (attempts++ > 0) this.#order.rerun(number);
        await commitLazily(unit.transaction);
        const outcome = await writeBatch(unit, form, rows);
        await turn(outcome);
        await unit.finish();
        return { outcome, counts: await this.#advance(unit.transaction, batch, outcome) };
      },
      'looked_up',
    );
    this.#checksTaken = written.outcome.reported.some(isTaken);
    this.#committed(batch, written.counts);
  }

  /** Within the transaction of the batch, so that the rows of the errors file are on disk before it is committed. */
  async #advance(transaction: Transaction, batch: RunningBatch, outcome: BatchOutcome): Promise<ImportCounts> {
    const { name, events } = this.#request;
    const from = this.#counts;
    const { reported } = outcome;
    const { errorsBytes } = from;
    const length = reported.length === 0 ? errorsBytes : await events.keepReported(reported, errorsBytes);
    const to = withOutcome(from, batch.rows.length, outcome, length);
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

/** Read again by a batch that runs again: while it is being copied it keeps only its cells in memory. */
function readAll({ form, rows, call }: RunningBatch): readonly ImportedRow[] {
  const nowMs = call.engine.clock.nowMs();
  return rows.map((row) => readRow(form, row, nowMs));
}

async function writeBatch(unit: Unit, form: RowForm, rows: readonly ImportedRow[]): Promise<BatchOutcome> {
  if (form.history !== undefined) return (await writeHistory(unit, form.history, rows)).outcome;
  const targets = await loadRows(unit, form, rows);
  return writeRows(unit, form, rows, targets);
}

/** Whether rows may need what the rows of the batches before have made: a first stage is asked for, targets are found. */
function dependsOnEarlier({ call, form: { type, links, initialStage } }: RunningBatch): boolean {
  if (initialStage === 'first' && beginsInStage(call.session, type)) return true;
  return links.some(({ use, ends }) => use.missing === 'create' || ends.some((end) => end.type.id === type.id));
}

/** Whether rows change nothing but their own records: an activity changes what it is linked to. */
function isCopied({ type, match, links }: RowForm): boolean {
  return match === undefined && (links.length === 0 || !isActivity(type));
}

/** Whether another transaction was in the way: by a value, a lock, or a batch before this one. */
function mustRerun(error: unknown): boolean {
  return error instanceof StepBack || isLostRace(error) || isLockMissed(error) || isRolledBack(error);
}
