// A unit of work: the records, unique values and links that one transaction reads or changes. Rules change it in memory,
// item by item; it is written at the end in one or two statements. Everything untouched is as the database has it.
import { principalId } from '../../access/caller.ts';
import { overloaded } from '../../base/problem.ts';
import type { UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Transaction } from '../../store/database.ts';
import type { FeedEntry, Origin } from '../../store/feed/entries.ts';
import { findUserIds } from '../../store/org/orgs.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { findLive, lockRecords, type StoredRecord } from '../../store/records/records.ts';
import { findFirstStage } from '../../store/records/stages.ts';
import { findHolders, type UniqueValue } from '../../store/records/unique-values.ts';
import { type WriteSet, writeStatements } from '../../store/records/write-records.ts';
import type { Viewer } from '../../store/viewer.ts';
import { type UnitCall, viewerOf } from '../process/call.ts';
import { type Draft, draftOf } from './draft.ts';
import { LinkBook } from './link-book.ts';
import { Stirred } from './stirred.ts';
import { withinTime } from './unit-time.ts';
import { markStored, writeSetOf } from './write-set.ts';

/**
 * Whether unique values are looked up before they are claimed. The first attempt assumes that they are free, because they
 * mostly are and the table's own key refuses a second holder; after such a refusal they are looked up.
 */
export type Claims = 'assumed' | 'looked_up';

/** A unique value and the record that has it. */
export interface TakenValue {
  readonly key: UniqueKey;
  readonly holder: string;
}

export class Unit {
  readonly call: UnitCall;
  readonly transaction: Transaction;
  readonly atMs: number;
  readonly origin: Origin;
  readonly claims: Claims;
  readonly links: LinkBook;
  readonly entries: FeedEntry[] = [];
  /** Whether anything was written. */
  wrote = false;
  readonly stirred = new Stirred();
  /** Records that other users see now than before. */
  readonly reshared = new Map<string, RecordRef>();
  readonly #firstStages = new Map<number, string | undefined>();
  readonly #drafts = new Map<string, Draft>();
  readonly #asked = new Set<string>();
  readonly #holders = new Map<string, string | null>();
  /** The types of live records, and the types under which an id was looked for. */
  readonly #live = new Map<string, number>();
  readonly #askedLive = new Map<string, ReadonlySet<number>>();
  readonly #users = new Map<string, boolean>();

  constructor(call: UnitCall, transaction: Transaction, claims: Claims) {
    this.call = call;
    this.transaction = withinTime(transaction, call.engine.clock);
    this.atMs = call.engine.clock.nowMs();
    const { session, requestId } = call;
    this.origin = { atMs: this.atMs, principalId: principalId(session.caller), requestId };
    this.links = new LinkBook(call.session.caller.orgId, this.transaction);
    this.claims = claims;
  }

  /** The live record, locked; undefined when there is none that the caller can see. */
  async record(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.loadRecords([{ typeId: type.id, id }]);
    return this.#seen(this.#drafts.get(keyOf(type.id, id)), 'live');
  }

  /** The record in the trash, locked. */
  async trashed(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.loadTrashed([{ typeId: type.id, id }]);
    return this.#seen(this.#drafts.get(keyOf(type.id, id)), 'trash');
  }

  /**
   * The draft, if it is at that place and still there for the caller: whoever shared it may have stopped doing so while
   * its lock was waited for, or in an earlier item of the same batch.
   */
  async #seen(draft: Draft | undefined, place: Draft['place']): Promise<Draft | undefined> {
    if (draft?.place !== place) return undefined;
    const { onlyUser } = viewerOf(this.call);
    if (onlyUser === null || draft.orgVisible) return draft;
    const link = { typeId: draft.type.id, id: draft.id, userId: onlyUser };
    return (await this.links.hasUser(link)) ? draft : undefined;
  }

  /** Locks all of these at once, so that asking for each costs nothing. */
  async loadRecords(refs: readonly RecordRef[]): Promise<void> {
    const missing = refs.filter(({ typeId, id }) => !this.#asked.has(keyOf(typeId, id)));
    for (const { typeId, id } of missing) this.#asked.add(keyOf(typeId, id));
    await this.#lock('live', missing);
  }

  /** The same for records in the trash. What is live is looked for first, in the same order of locks as everybody. */
  async loadTrashed(refs: readonly RecordRef[]): Promise<void> {
    await this.loadRecords(refs);
    await this.#lockTrashed(refs, viewerOf(this.call));
  }

  /** What was restored while its lock was waited for is in neither place by then, but live when one looks again. */
  async #lockTrashed(refs: readonly RecordRef[], viewer: Viewer): Promise<void> {
    for (const place of ['trash', 'live'] as const) await this.#lock(place, refs, viewer);
  }

  async #lock(place: Draft['place'], wanted: readonly RecordRef[], viewer = viewerOf(this.call)): Promise<void> {
    const refs = wanted.filter(({ typeId, id }) => !this.#drafts.has(keyOf(typeId, id)));
    if (refs.length === 0) return;
    for (const record of await lockRecords(this.transaction, viewer, place, refs)) {
      this.#drafts.set(keyOf(record.typeId, record.id), this.#draftOf(record, place));
    }
  }

  /** Those of the records that have been loaded, live or deleted. */
  loaded(type: ObjectType, ids: readonly string[]): readonly Draft[] {
    return ids.flatMap((id) => this.#drafts.get(keyOf(type.id, id)) ?? []);
  }

  /** Locks live records that the caller may not see, for what the service keeps about them. */
  async lockForService(refs: readonly RecordRef[]): Promise<readonly Draft[]> {
    await this.#lock('live', refs, this.#wholeOrg);
    // What is in the trash is held as well: whoever restores it must see what is about to be committed.
    await this.#lockTrashed(refs, this.#wholeOrg);
    return refs.flatMap(({ typeId, id }) => {
      const draft = this.#drafts.get(keyOf(typeId, id));
      return draft?.place === 'live' ? [draft] : [];
    });
  }

  /** Whether the record is live, whoever sees it. */
  async isLive({ typeId, id }: RecordRef): Promise<boolean> {
    const draft = this.#drafts.get(keyOf(typeId, id));
    if (draft !== undefined) return draft.place === 'live';
    return (await findLive(this.transaction, this.#wholeOrg, [typeId], [id])).length > 0;
  }

  /** The stage with which records begin that have one of this type. */
  async firstStage({ id }: ObjectType): Promise<string | undefined> {
    if (!this.#firstStages.has(id)) {
      await this.flush();
      this.#firstStages.set(id, await findFirstStage(this.transaction, this.#wholeOrg.orgId, id));
    }
    return this.#firstStages.get(id);
  }

  /** Something of this type has changed: another one may be the first. */
  forgetFirstStage({ id }: ObjectType): void {
    this.#firstStages.delete(id);
  }

  get #wholeOrg(): Viewer {
    return { orgId: this.call.session.caller.orgId, onlyUser: null };
  }

  add(draft: Draft): void {
    const key = keyOf(draft.type.id, draft.id);
    this.#asked.add(key);
    this.#drafts.set(key, draft);
    this.#live.set(draft.id, draft.type.id);
  }

  /** Of these types the one that the live record of this id has, for the caller's eyes. */
  async typeOfLive(typeIds: readonly number[], id: string): Promise<number | undefined> {
    for (const typeId of typeIds) {
      const draft = this.#drafts.get(keyOf(typeId, id));
      if (draft !== undefined) return (await this.#seen(draft, 'live')) === undefined ? undefined : typeId;
    }
    await this.loadLive(typeIds, [id]);
    const typeId = this.#live.get(id);
    return typeId !== undefined && typeIds.includes(typeId) ? typeId : undefined;
  }

  /** Finds all of these at once. Ids are unique in an org, so that an id found under one type stands under no other. */
  async loadLive(typeIds: readonly number[], ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => {
      const asked = this.#askedLive.get(id);
      return !this.#live.has(id) && (asked === undefined || !typeIds.every((typeId) => asked.has(typeId)));
    });
    if (missing.length === 0) return;
    const asked = new Set(typeIds);
    for (const id of missing) this.#askedLive.set(id, asked);
    for (const { typeId, id } of await findLive(this.transaction, viewerOf(this.call), typeIds, missing)) {
      this.#live.set(id, typeId);
    }
  }

  /** Whether the org has this user. */
  async hasUser(userId: string): Promise<boolean> {
    await this.loadUsers([userId]);
    return this.#users.get(userId) === true;
  }

  async loadUsers(userIds: readonly string[]): Promise<void> {
    const missing = userIds.filter((userId) => !this.#users.has(userId));
    if (missing.length === 0) return;
    for (const userId of missing) this.#users.set(userId, false);
    for (const userId of await findUserIds(this.transaction, this.call.session.caller.orgId, missing)) {
      this.#users.set(userId, true);
    }
  }

  /** Who holds the value, as far as this unit and the database know. */
  async holder(type: ObjectType, key: UniqueKey): Promise<string | undefined> {
    await this.loadHolders([{ typeId: type.id, propertyId: key.propertyId, value: key.value }]);
    return this.#holders.get(holderKey(type.id, key)) ?? undefined;
  }

  async loadHolders(values: readonly UniqueValue[]): Promise<void> {
    const missing = values.filter((value) => !this.#holders.has(holderKey(value.typeId, value)));
    if (missing.length === 0) return;
    for (const value of missing) this.#holders.set(holderKey(value.typeId, value), null);
    for (const found of await findHolders(this.transaction, this.call.session.caller.orgId, missing)) {
      this.#holders.set(holderKey(found.typeId, found), found.recordId);
    }
  }

  /** The records that hold any of these values, as far as they were loaded. */
  holdersAmong(values: readonly UniqueValue[]): readonly RecordRef[] {
    return values.flatMap((value) => {
      const id = this.#holders.get(holderKey(value.typeId, value));
      return id === undefined || id === null ? [] : [{ typeId: value.typeId, id }];
    });
  }

  /** Those of the values that another record holds. */
  async taken(type: ObjectType, keys: readonly UniqueKey[], recordId: string): Promise<readonly TakenValue[]> {
    if (this.claims === 'looked_up') {
      await this.loadHolders(keys.map(({ propertyId, value }) => ({ typeId: type.id, propertyId, value })));
    }
    return keys.flatMap((key) => {
      const holder = this.#holders.get(holderKey(type.id, key));
      return holder !== undefined && holder !== null && holder !== recordId ? [{ key, holder }] : [];
    });
  }

  claim(type: ObjectType, keys: readonly UniqueKey[], recordId: string): void {
    for (const key of keys) this.#holders.set(holderKey(type.id, key), recordId);
  }

  release(type: ObjectType, keys: readonly UniqueKey[]): void {
    for (const key of keys) this.#holders.set(holderKey(type.id, key), null);
  }

  /** What has changed since the last time, for somebody else to write. */
  async takeWriteSet(): Promise<WriteSet> {
    const { engine, session } = this.call;
    const types = (await engine.directory.find(session.caller.orgId))?.typesById ?? session.orgTypes;
    const drafts = [...this.#drafts.values()];
    const set = writeSetOf(drafts, this.links, this.entries.splice(0), types);
    for (const draft of drafts) markStored(draft);
    this.links.markStored();
    return set;
  }

  /** Writes what has changed since the last time. */
  async flush(): Promise<void> {
    const statements = writeStatements(this.call.session.caller.orgId, await this.takeWriteSet(), this.atMs);
    for (const statement of statements) await this.transaction.query(statement);
    if (statements.length > 0) this.wrote = true;
  }

  /** Forgets everything that was written, because statements of another kind have changed it. */
  forget(): void {
    this.#drafts.clear();
    this.#asked.clear();
    this.#holders.clear();
    this.#live.clear();
    this.#askedLive.clear();
    this.links.forget();
    this.#firstStages.clear();
  }

  /** The time of the next version of what is locked by now. */
  nowMs(): number {
    return this.call.engine.clock.nowMs();
  }

  /**
   * A process learns of a new property within a second. Until then it must not touch a record that has one: it would not
   * know which rows hang on it.
   */
  #draftOf(record: StoredRecord, place: Draft['place']): Draft {
    const type = this.call.session.orgTypes.get(record.typeId);
    if (type !== undefined && Object.keys(record.properties).every((name) => type.properties.has(name))) {
      return draftOf(type, place, record);
    }
    throw overloaded("The org's schema has just changed.");
  }
}

function keyOf(typeId: number, id: string): string {
  return `${typeId}/${id}`;
}

function holderKey(typeId: number, { propertyId, value }: { readonly propertyId: number; readonly value: string }) {
  return `${typeId}/${propertyId}/${value}`;
}
