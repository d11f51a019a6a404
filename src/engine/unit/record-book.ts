// The records that a unit of work has locked, created or looked for. Those that it may change are drafts; of others it
// only knows that they are live and of which type.
import { bounds } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { UnitSource } from '../../store/layer/unit-layer.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { type LockedRecord, readLocked, type StoredRecord, type UnreadRecord } from '../../store/records/records.ts';
import type { Viewer } from '../../store/viewer.ts';
import { type UnitCall, viewerOf } from '../process/call.ts';
import { SchemaChanged } from '../process/schema-changed.ts';
import { type Draft, draftOf, textOf } from './draft.ts';
import type { UserBook } from './user-book.ts';

export class RecordBook {
  readonly #call: UnitCall;
  readonly #source: UnitSource;
  readonly #users: UserBook;
  readonly #drafts = new Map<string, Draft>();
  readonly #asked = new Set<string>();
  /** Records that are locked but not read yet, in the order in which they were asked for. */
  readonly #unread = new Map<string, UnreadRecord & { readonly place: Draft['place'] }>();
  /** The types of live records, and the types under which an id was looked for. */
  readonly #live = new Map<string, number>();
  readonly #askedLive = new Map<string, ReadonlySet<number>>();
  #bytes = 0;
  #newBytes = 0;

  constructor(call: UnitCall, source: UnitSource, users: UserBook) {
    this.#call = call;
    this.#source = source;
    this.#users = users;
  }

  /** The live record, locked; undefined when there is none that the caller can see. */
  async lock(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.lockAll([{ typeId: type.id, id }]);
    const key = keyOf(type.id, id);
    if (this.#unread.has(key)) await this.#readFrom(key);
    return this.#seen(this.#drafts.get(key), 'live');
  }

  /** The record in the trash, locked. */
  async lockTrashed(type: ObjectType, id: string): Promise<Draft | undefined> {
    await this.lockAllTrashed([{ typeId: type.id, id }]);
    const key = keyOf(type.id, id);
    if (this.#unread.has(key)) await this.#readFrom(key);
    return this.#seen(this.#drafts.get(key), 'trash');
  }

  /**
   * Locks all of these at once, and reads the first of them, as many as may be in memory at the same time. The others are
   * read with the first of them that `lock` is asked for.
   */
  async lockAll(refs: readonly RecordRef[]): Promise<void> {
    const missing = new Map<string, RecordRef>();
    for (const ref of refs) {
      const key = keyOf(ref.typeId, ref.id);
      if (!this.#asked.has(key)) missing.set(key, ref);
    }
    if (missing.size === 0) return;
    const viewer = viewerOf(this.#call);
    this.#noteUnread('live', await this.#lockIn('live', [...missing.values()], viewer, this.#room));
    for (const key of missing.keys()) this.#asked.add(key);
  }

  /** The same for records in the trash. Live records come first, so that everybody takes locks in the same order. */
  async lockAllTrashed(refs: readonly RecordRef[]): Promise<void> {
    await this.lockAll(refs);
    await this.#lockInTrash(refs, viewerOf(this.#call), this.#room);
  }

  /**
   * Locks live records that the caller may not see, for values that the service keeps in them. Those that may not be in
   * memory at the same time are left for later.
   */
  async lockForService(refs: readonly RecordRef[]): Promise<{ drafts: readonly Draft[]; later: readonly RecordRef[] }> {
    const room = bounds.store.lockedBytes;
    const unread = await this.#lockIn('live', refs, this.#wholeOrg, room);
    const later = new Set(unread.map(({ typeId, id }) => keyOf(typeId, id)));
    const now = later.size === 0 ? refs : refs.filter(({ typeId, id }) => !later.has(keyOf(typeId, id)));
    // Records in the trash are locked as well: a restore of one must see what this unit commits.
    await this.#lockInTrash(now, this.#wholeOrg, room);
    const drafts = now.flatMap(({ typeId, id }) => {
      const draft = this.#drafts.get(keyOf(typeId, id));
      return draft?.place === 'live' ? [draft] : [];
    });
    return { drafts, later: unread };
  }

  /** Those of the records that are locked, live or deleted, read or not. */
  locked(type: ObjectType, ids: readonly string[]): readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[] {
    return ids.flatMap((id) => {
      const key = keyOf(type.id, id);
      const known = this.#drafts.get(key) ?? this.#unread.get(key);
      return known === undefined ? [] : [{ type, id, orgVisible: known.orgVisible }];
    });
  }

  /** Adds a live record that somebody has locked for this unit, and that the caller can see. */
  give(record: LockedRecord): void {
    this.#asked.add(keyOf(record.typeId, record.id));
    this.#keep('live', [record]);
  }

  /** Adds a record that this unit creates. */
  add(draft: Draft): void {
    const key = keyOf(draft.type.id, draft.id);
    this.#asked.add(key);
    this.#drafts.set(key, draft);
    this.#live.set(draft.id, draft.type.id);
    this.#bytes += textOf(draft).length;
    this.#newBytes += textOf(draft).length;
  }

  /** Forgets a record that is gone for good: nobody finds it any more, live or in the trash. */
  drop({ typeId, id }: RecordRef): void {
    const key = keyOf(typeId, id);
    this.#drafts.delete(key);
    this.#unread.delete(key);
    this.#live.delete(id);
    this.#asked.add(key);
  }

  /** Whether the values of its drafts take so much memory that a batch should write and forget them. */
  get isHeavy(): boolean {
    return this.#bytes > bounds.engine.unitBytes || this.#newBytes > bounds.engine.unitNewBytes;
  }

  /** Where the record is, as far as this unit has read or written it. */
  placeOf({ typeId, id }: RecordRef): Draft['place'] | undefined {
    return this.#drafts.get(keyOf(typeId, id))?.place;
  }

  /** Whether the record is live, even if the caller cannot see it. */
  async isLive({ typeId, id }: RecordRef): Promise<boolean> {
    const draft = this.#drafts.get(keyOf(typeId, id));
    if (draft !== undefined) return draft.place === 'live';
    const { reads, transaction } = this.#source;
    return (await reads.findLive(transaction, this.#wholeOrg, [typeId], [id])).length > 0;
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
    const { reads, transaction } = this.#source;
    for (const { typeId, id } of await reads.findLive(transaction, viewerOf(this.#call), typeIds, missing)) {
      this.#live.set(id, typeId);
    }
  }

  drafts(): readonly Draft[] {
    return [...this.#drafts.values()];
  }

  forget(): void {
    this.#drafts.clear();
    this.#asked.clear();
    this.#unread.clear();
    this.#live.clear();
    this.#askedLive.clear();
    this.#bytes = 0;
    this.#newBytes = 0;
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
  async #lockInTrash(refs: readonly RecordRef[], viewer: Viewer, room: number): Promise<void> {
    for (const place of ['trash', 'live'] as const) {
      const missing = refs.filter(({ typeId, id }) => !this.#unread.has(keyOf(typeId, id)));
      this.#noteUnread(place, await this.#lockIn(place, missing, viewer, room));
    }
  }

  /** Returns those that are locked but not read. */
  async #lockIn(
    place: Draft['place'],
    wanted: readonly RecordRef[],
    viewer: Viewer,
    room: number,
  ): Promise<readonly UnreadRecord[]> {
    const refs = wanted.filter(({ typeId, id }) => !this.#drafts.has(keyOf(typeId, id)));
    if (refs.length === 0) return [];
    const { reads, transaction } = this.#source;
    const { read, unread } = await reads.lockRecords(transaction, viewer, place, refs, room);
    this.#keep(place, read);
    return unread;
  }

  /** One budget for everything that is read before it is asked for. */
  get #room(): number {
    return Math.max(0, bounds.store.lockedBytes - this.#bytes);
  }

  #noteUnread(place: Draft['place'], unread: readonly UnreadRecord[]): void {
    for (const each of unread) this.#unread.set(keyOf(each.typeId, each.id), { ...each, place });
  }

  /** Reads a record that is locked, and those after it that may be in memory beside what is there already. */
  async #readFrom(first: string): Promise<void> {
    const place = this.#unread.get(first)?.place ?? 'live';
    const room = Math.min(bounds.store.lockedBytes, bounds.engine.unitBytes - this.#bytes);
    const next = new Map<string, UnreadRecord>();
    let bytes = 0;
    for (const [key, each] of this.#unread) {
      if ((next.size === 0 && key !== first) || each.place !== place) continue;
      if (next.size > 0 && bytes + each.bytes > room) break;
      next.set(key, each);
      bytes += each.bytes;
    }
    this.#keep(place, await readLocked(this.#source.transaction, viewerOf(this.#call), place, [...next.values()]));
    for (const key of next.keys()) this.#unread.delete(key);
  }

  #keep(place: Draft['place'], read: readonly LockedRecord[]): void {
    for (const record of read) {
      const key = keyOf(record.typeId, record.id);
      this.#drafts.set(key, this.#draftOf(record, place));
      this.#unread.delete(key);
      this.#bytes += record.bytes;
    }
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
    if (type !== undefined && Object.keys(record.properties).every((key) => type.groups.byKey.has(key))) {
      return draftOf(type, place, record);
    }
    throw new SchemaChanged();
  }
}

function keyOf(typeId: number, id: string): string {
  return `${typeId}/${id}`;
}
