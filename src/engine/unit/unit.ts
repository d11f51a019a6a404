// A unit of work: what one transaction reads and changes, in books of records, unique values, external ids, users and links. Rules
// change them in memory, item by item; the difference is written at the end in one or two statements. Everything
// untouched is as the database has it. A unit knows no rule; rules keep books of their own in it.
import { principalId } from '../../access/caller.ts';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { atOnce } from '../../base/steps.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { OpenTransaction, Statement, Transaction } from '../../store/database.ts';
import type { EntryKind, FeedEntry, Origin } from '../../store/feed/entries.ts';
import type { FormerValue } from '../../store/feed/former-values.ts';
import { storedReads, type UnitReads } from '../../store/layer/unit-layer.ts';
import { lockOrg } from '../../store/org/orgs.ts';
import { type WriteSet, writeSteps } from '../../store/records/write-records.ts';
import type { UnitCall } from '../process/call.ts';
import { SchemaChanged } from '../process/schema-changed.ts';
import { inSlices } from '../shares/thread.ts';
import type { Draft } from './draft.ts';
import { ExternalIdBook } from './external-id-book.ts';
import { recordGrowth, rowGrowth, wordCharacters } from './growth.ts';
import { type Claims, HolderBook } from './holder-book.ts';
import { LinkBook } from './link-book.ts';
import type { ShortenedValues } from './long-values.ts';
import { isOutdated } from './outdated.ts';
import { RecordBook } from './record-book.ts';
import { UserBook } from './user-book.ts';
import { isChanged, markStored, writeSetOf } from './write-set.ts';

/**
 * The phases in which a unit ends, in their order: who sees a record comes before values that are derived from others, and
 * both before what every process must learn. Erasing comes last, because the others need the links of an erased record.
 */
const endPhases = ['visibility', 'derived_values', 'administration', 'erasure'] as const;

/** The state that a rule keeps while a unit runs. */
export interface RuleBook {
  /** Runs at the end of the unit, when all that was noted is written. */
  readonly ending?: { readonly phase: (typeof endPhases)[number]; run(unit: Unit): Promise<void> };
  /** Called for the type of every record that changes. */
  changed?(type: ObjectType): void;
  /** Called when whatever the unit knew may have changed. */
  forget?(): void;
}

export class Unit {
  readonly call: UnitCall;
  readonly transaction: Transaction;
  readonly atMs: number;
  /** Reads what is stored, under the layer of the call. */
  readonly reads: UnitReads;
  readonly records: RecordBook;
  readonly holders: HolderBook;
  readonly externalIds: ExternalIdBook;
  readonly users: UserBook;
  readonly links: LinkBook;
  /** The totals that are known without asking for them, by the id of their record. */
  readonly totals = new Map<string, Readonly<Record<string, Json>>>();
  /** Whether anything was written. */
  wrote = false;
  /** The estimated bytes that this unit adds to what the org stores, as far as its write set was taken. */
  growth = 0;
  #origin: Origin;
  #finished = false;
  #governs = false;
  /** Of an atomic unit. */
  #checks: (() => Promise<void>)[] | undefined;
  readonly #entries: FeedEntry[] = [];
  readonly #former: FormerValue[] = [];
  readonly #ruleBooks: RuleBook[] = [];
  readonly #created = new Set<string>();

  constructor(call: UnitCall, transaction: Transaction, claims: Claims) {
    const { engine, session, requestId } = call;
    const { orgId } = session.caller;
    this.call = call;
    this.transaction = withinTime(transaction, engine.clock);
    this.atMs = engine.clock.nowMs();
    this.#origin = { atMs: this.atMs, principalId: principalId(session.caller), requestId };
    const isLive = (id: string) => {
      const place = this.records.placeOf({ typeId: platformTypes.member, id });
      return place === undefined ? undefined : place === 'live';
    };
    this.reads = call.layer?.reads ?? storedReads;
    const source = { orgId, transaction: this.transaction, reads: this.reads };
    this.users = new UserBook(source, this.#created, isLive);
    this.links = new LinkBook(source, this.#created);
    this.records = new RecordBook(call, source, this.users);
    this.holders = new HolderBook(source, claims);
    const placeOf = this.records.placeOf.bind(this.records);
    this.externalIds = new ExternalIdBook(source, claims, placeOf);
  }

  /** The book that a rule keeps in this unit; opened when it is first asked for. */
  book<Book extends RuleBook>(kind: new () => Book): Book {
    for (const known of this.#ruleBooks) if (known instanceof kind) return known;
    const opened = new kind();
    this.#ruleBooks.push(opened);
    return opened;
  }

  /** Says that this unit will create the record: nothing of it is stored, so no link of it is looked up. */
  announce(recordId: string): void {
    this.#created.add(recordId);
  }

  /**
   * Locks the org against other changes of its administration, until the transaction ends. Called before any record is
   * locked: everybody takes these locks in the same order.
   */
  async govern(): Promise<void> {
    if (this.#governs) return;
    this.#governs = true;
    await lockOrg(this.transaction, this.call.session.caller.orgId);
  }

  /** Whether it changes what processes keep of the org. */
  get governs(): boolean {
    return this.#governs;
  }

  /** From now on the unit succeeds or fails as a whole, so that checks can wait for its end. */
  becomeAtomic(): void {
    this.#checks ??= [];
  }

  /** Runs a check of what may still come: now, or at the end of an atomic unit. */
  async check(run: () => Promise<void>): Promise<void> {
    if (this.#checks === undefined) return run();
    this.#checks.push(run);
  }

  /** Runs the checks that were left for the end. */
  async checkAll(): Promise<void> {
    for (const run of this.#checks?.splice(0) ?? []) await run();
  }

  get origin(): Origin {
    return this.#origin;
  }

  /** Dates entries from now on as those of another request: for a unit that writes a history of many. */
  continueAs(request: Pick<Origin, 'atMs' | 'requestId'>): void {
    this.#origin = { ...this.#origin, ...request };
  }

  /** Throws if the org has reached its quota of storage. Undefined, not a promise, if there is nothing to wait for. */
  requireRoom(): Promise<void> | undefined {
    const { storageQuota, caller } = this.call.session;
    return storageQuota === null ? undefined : this.call.engine.storage.requireRoom(caller.orgId, storageQuota);
  }

  /** Notes an entry of the change feed, to be written with the change; its values are JSON text (see `FeedEntry`). */
  noteEntry(draft: Draft, kind: EntryKind, values: ShortenedValues | string | null, link?: FeedEntry['link']): void {
    for (const book of this.#ruleBooks) book.changed?.(draft.type);
    const { text: changed, leftOut } = values === null || typeof values === 'string' ? { text: values } : values;
    this.#entries.push({
      origin: this.#origin,
      kind,
      typeId: draft.type.id,
      id: draft.id,
      version: draft.version,
      changed,
      ...(leftOut === undefined ? {} : { leftOut }),
      ...(link === undefined ? {} : { link }),
    });
  }

  /** Notes long values that the record's new version replaces, so that earlier entries can still report them. */
  noteFormer(draft: Draft, values: readonly Pick<FormerValue, 'property' | 'value'>[]): void {
    for (const value of values) this.#former.push({ ...value, recordId: draft.id, version: draft.version });
  }

  /** All that has changed since the last time, for the caller to write. */
  async takeWriteSet(): Promise<WriteSet> {
    const { engine, session } = this.call;
    const types = (await engine.directory.find(session.caller.orgId))?.typesById ?? session.orgTypes;
    const drafts = this.records.drafts();
    if (types !== session.orgTypes && drafts.some((draft) => isChanged(draft) && isOutdated(draft, types))) {
      throw new SchemaChanged();
    }
    const noted = { entries: this.#entries.splice(0), former: this.#former.splice(0) };
    const steps = writeSetOf(drafts, this, noted, types);
    const { slice } = this.call;
    const set = slice === undefined ? atOnce(steps) : await inSlices(slice, steps);
    this.growth += rowGrowth(set);
    engine.words.wrote(wordCharacters(set));
    if (slice?.isOver() === true) await slice.next();
    for (const draft of drafts) {
      if (!isChanged(draft)) continue;
      this.growth += recordGrowth(draft);
      markStored(draft);
    }
    this.links.markStored();
    this.users.markStored();
    this.externalIds.markStored();
    return set;
  }

  /** Whether its records take so much memory, or its changes so long to write, that a batch should write and forget them. */
  get isHeavy(): boolean {
    return this.records.isHeavy || this.#entries.length > bounds.engine.unitEntries;
  }

  /** Writes all that has changed since the last time; into its layer, if the call has one. */
  async flush(): Promise<void> {
    const { slice, layer } = this.call;
    if (layer !== undefined) return layer.keep(await this.takeWriteSet());
    for (const statement of await this.#takeStatements()) {
      if (slice?.isOver() === true) await slice.next();
      await this.transaction.query(statement);
    }
  }

  async #takeStatements(): Promise<readonly Statement[]> {
    const { slice, session } = this.call;
    const set = await this.takeWriteSet();
    if (slice?.isOver() === true) await slice.next();
    const steps = writeSteps(session.caller.orgId, set, this.atMs);
    const statements = slice === undefined ? atOnce(steps) : await inSlices(slice, steps);
    if (statements.length > 0) this.wrote = true;
    return statements;
  }

  /**
   * Writes all that is left, and what follows from it by the rules. A unit ends once: work that needs the end in its own
   * transaction finishes the unit itself.
   */
  async finish(): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    await this.flush();
    for (const phase of endPhases) {
      for (const { ending } of this.#ruleBooks) if (ending?.phase === phase) await ending.run(this);
    }
  }

  /** Finishes the unit, and ends its transaction with the last statements if nothing follows from them. */
  async end(transaction: OpenTransaction): Promise<void> {
    if (this.hasEnding || this.#finished || this.call.layer !== undefined) return this.finish();
    this.#finished = true;
    await transaction.end(await this.#takeStatements());
  }

  /** Whether something follows from what was noted, once that is written. */
  get hasEnding(): boolean {
    return this.#ruleBooks.some(({ ending }) => ending !== undefined);
  }

  /** Forgets everything that was written, because statements of another kind have changed it. */
  forget(): void {
    this.records.forget();
    this.holders.forget();
    this.externalIds.forget();
    this.users.forget();
    this.links.forget();
    this.#created.clear();
    for (const book of this.#ruleBooks) book.forget?.();
  }

  /** The time of the next version of a record that is locked by now. */
  nowMs(): number {
    return this.call.engine.clock.nowMs();
  }
}

/** A batch makes many statements, each within its own time; all of them together have a bound as well. */
function withinTime(transaction: Transaction, clock: Clock): Transaction {
  const untilMs = clock.monotonicMs() + bounds.engine.unitMs;
  return {
    script: (text) => transaction.script(text),
    query: (statement) => {
      if (clock.monotonicMs() < untilMs) return transaction.query(statement);
      const seconds = bounds.engine.unitMs / 1_000;
      const detail = `The write took longer than ${seconds} seconds and was stopped. Nothing was written. Send less at once.`;
      return Promise.reject(new Problem('timeout', 'statement_timeout', detail));
    },
  };
}
