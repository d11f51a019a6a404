// The records that a unit of work has locked, created or looked for. Those that it may change are drafts; of others it
// only knows that they are live and of which type.
import { overloaded } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Transaction } from '../../store/database.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { findLive, lockRecords, type StoredRecord } from '../../store/records/records.ts';
import type { Viewer } from '../../store/viewer.ts';
import { type UnitCall, viewerOf } from '../process/call.ts';
import { type Draft, draftOf, textOf } from './draft.ts';
import type { UserBook } from './user-book.ts';

export class RecordBook {
  readonly #call: UnitCall;
  readonly #transaction: Transaction;
  readonly #users: UserBook;
  readonly #drafts = new Map<string, Draft>();
  readonly #asked = new Set<string>();
  /** The types of live records, and the types under which an id was looked for. */
  readonly #live = new Map<string, number>();
  readonly #askedLive = new Map<string, ReadonlySet<number>>();
  #bytes = 0;

  constructor(call: UnitCall, transaction: Transaction, users: UserBook) {
    this.#call = call;
    this.#transaction = transaction;
    this.#users = users;
  }

  /** The live record, locked; undefined when there is none that the caller can see. */
  async lock(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.lockAll([{ typeId: type.id, id }]);
    return this.#seen(this.#drafts.get(keyOf(type.id, id)), 'live');
  }

  /** The record in the trash, locked. */
  async lockTrashed(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.lockAllTrashed([{ typeId: type.id, id }]);
    return this.#seen(this.#drafts.get(keyOf(type.id, id)), 'trash');
  }

  /**
   * Locks all of these at once, so that `lock` costs no statement for any of them, or for as many as may be in memory at
   * the same time.
   */
  async lockAll(refs: readonly RecordRef[]): Promise<void> {
    const missing = refs.filter(({ typeId, id }) => !this.#asked.has(keyOf(typeId, id)));
    const unread = await this.#lockIn('live', missing);
    for (const { typeId, id } of missing) this.#asked.add(keyOf(typeId, id));
    for (const { typeId, id } of unread) this.#asked.delete(keyOf(typeId, id));
  }

  /** The same for records in the trash. Live records come first, so that everybody takes locks in the same order. */
  async lockAllTrashed(refs: readonly RecordRef[]): Promise<void> {
    await this.lockAll(refs);
    await this.#lockInTrash(refs, viewerOf(this.#call));
  }

  /**
   * Locks live records that the caller may not see, for values that the service keeps in them. Those that may not be in
   * memory at the same time are left for later.
   */
  async lockForService(refs: readonly RecordRef[]): Promise<{ drafts: readonly Draft[]; later: readonly RecordRef[] }> {
    const unread = await this.#lockIn('live', refs, this.#wholeOrg);
    const later = new Set(unread.map(({ typeId, id }) => keyOf(typeId, id)));
    const now = later.size === 0 ? refs : refs.filter(({ typeId, id }) => !later.has(keyOf(typeId, id)));
    // Records in the trash are locked as well: a restore of one must see what this unit commits.
    await this.#lockInTrash(now, this.#wholeOrg);
    const drafts = now.flatMap(({ typeId, id }) => {
      const draft = this.#drafts.get(keyOf(typeId, id));
      return draft?.place === 'live' ? [draft] : [];
    });
    return { drafts, later: unread };
  }

  /** Those of the records that are locked, live or deleted. */
  locked(type: ObjectType, ids: readonly string[]): readonly Draft[] {
    return ids.flatMap((id) => this.#drafts.get(keyOf(type.id, id)) ?? []);
  }

  /** Adds a record that this unit creates. */
  add(draft: Draft): void {
    const key = keyOf(draft.type.id, draft.id);
    this.#asked.add(key);
    this.#drafts.set(key, draft);
    this.#live.set(draft.id, draft.type.id);
    this.#bytes += textOf(draft).length;
  }

  /** About how many bytes the values of the drafts have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the record is live, even if the caller cannot see it. */
  async isLive({ typeId, id }: RecordRef): Promise<boolean> {
    const draft = this.#drafts.get(keyOf(typeId, id));
    if (draft !== undefined) return draft.place === 'live';
    return (await findLive(this.#transaction, this.#wholeOrg, [typeId], [id])).length > 0;
  }

  /** Which of these types the live record of this id has; undefined when the caller sees no such record. */
  async typeOfLive(typeIds: readonly number[], id: string): Promise<number | undefined> {
    for (const typeId of typeIds) {
      const draft = this.#drafts.get(keyOf(typeId, id));
      if (draft !== undefined) return (await this.#seen(draft, 'live')) === undefined ? undefined : typeId;
    }
    await this.loadLive(typeIds, [id]);
    const typeId = this.#live.get(id);
    return typeId !== undefined && typeIds.includes(typeId) ? typeId : undefined;
  }

  /** Finds all of these at once. Ids are unique in an org, so an id that is found under one type has no other. */
  async loadLive(typeIds: readonly number[], ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => {
      const asked = this.#askedLive.get(id);
      return !this.#live.has(id) && (asked === undefined || !typeIds.every((typeId) => asked.has(typeId)));
    });
    if (missing.length === 0) return;
    const asked = new Set(typeIds);
    for (const id of missing) this.#askedLive.set(id, asked);
    for (const { typeId, id } of await findLive(this.#transaction, viewerOf(this.#call), typeIds, missing)) {
      this.#live.set(id, typeId);
    }
  }

  drafts(): readonly Draft[] {
    return [...this.#drafts.values()];
  }

  forget(): void {
    this.#drafts.clear();
    this.#asked.clear();
    this.#live.clear();
    this.#askedLive.clear();
    this.#bytes = 0;
  }

  /**
   * The draft, if it is at that place and the caller still sees it: it may no longer be shared with the caller, because of
   * a transaction that held its lock or of an earlier item of the same batch.
   */
  async #seen(draft: Draft | undefined, place: Draft['place']): Promise<Draft | undefined> {
    if (draft?.place !== place) return undefined;
    const { onlyUser } = viewerOf(this.#call);
    if (onlyUser === null || draft.orgVisible) return draft;
    const link = { typeId: draft.type.id, id: draft.id, userId: onlyUser };
    return (await this.#users.isLinked(link)) ? draft : undefined;
  }

  /** A record that was restored while its lock was waited for is then in neither place; a second attempt finds it live. */
  async #lockInTrash(refs: readonly RecordRef[], viewer: Viewer): Promise<void> {
    for (const place of ['trash', 'live'] as const) await this.#lockIn(place, refs, viewer);
  }

  /** Returns those that are locked but not read. */
  async #lockIn(
    place: Draft['place'],
    wanted: readonly RecordRef[],
    viewer = viewerOf(this.#call),
  ): Promise<readonly RecordRef[]> {
    const refs = wanted.filter(({ typeId, id }) => !this.#drafts.has(keyOf(typeId, id)));
    if (refs.length === 0) return [];
    const { read, unread } = await lockRecords(this.#transaction, viewer, place, refs);
    for (const record of read) {
      this.#drafts.set(keyOf(record.typeId, record.id), this.#draftOf(record, place));
      this.#bytes += record.bytes;
    }
    return unread;
  }

  get #wholeOrg(): Viewer {
    return { orgId: this.#call.session.caller.orgId, onlyUser: null };
  }

  /**
   * A process learns of a new property within a second. Until then it must not touch a record that has one: it would not
   * know which index rows belong to it.
   */
  #draftOf(record: StoredRecord, place: Draft['place']): Draft {
    const type = this.#call.session.orgTypes.get(record.typeId);
    if (type !== undefined && Object.keys(record.properties).every((name) => type.properties.has(name))) {
      return draftOf(type, place, record);
    }
    throw overloaded("The org's schema has just changed.");
  }
}

function keyOf(typeId: number, id: string): string {
  return `${typeId}/${id}`;
}
