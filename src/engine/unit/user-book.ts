// The users that a unit of work has asked about: which exist, and which records they are linked to. These links decide
// which records a credential of reach `user` sees. The caller has locked the row of the record.

import type { UnitSource } from '../../store/layer/unit-layer.ts';
import { findMemberIds } from '../../store/org/members.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { UserLink } from '../../store/records/associations.ts';
import { type BookedLink, isAdded, isRemoved, markLinkStored } from './booked-link.ts';

export class UserBook {
  readonly #source: UnitSource;
  readonly #existing = new Map<string, boolean>();
  readonly #links = new Map<string, BookedLink<UserLink>>();
  /** Records of which every user is known. */
  readonly #whole = new Set<string>();
  /** Records that this unit creates: they have no users but those that it links. */
  readonly #created: ReadonlySet<string>;

  /** Whether a member that the unit has read or written is live; undefined if it has not. */
  readonly #isLive: (userId: string) => boolean | undefined;

  constructor(source: UnitSource, created: ReadonlySet<string>, isLive: (userId: string) => boolean | undefined) {
    this.#isLive = isLive;
    this.#source = source;
    this.#created = created;
  }

  /** Whether the org has this user. */
  async exists(userId: string): Promise<boolean> {
    const known = this.#isLive(userId);
    if (known !== undefined) return known;
    await this.load([userId]);
    return this.#existing.get(userId) === true;
  }

  async load(userIds: readonly string[]): Promise<void> {
    const missing = userIds.filter((userId) => !this.#existing.has(userId));
    if (missing.length === 0) return;
    for (const userId of missing) this.#existing.set(userId, false);
    const { transaction, orgId } = this.#source;
    for (const userId of await findMemberIds(transaction, orgId, missing)) this.#existing.set(userId, true);
  }

  async isLinked(link: UserLink): Promise<boolean> {
    await this.loadLinks([link]);
    return this.#links.get(keyOf(link))?.present === true;
  }

  /** The users that the record is linked to. */
  async of(record: RecordRef): Promise<readonly string[]> {
    await this.loadLinks([record]);
    return [...this.#links.values()].flatMap(({ link, present }) =>
      present && link.id === record.id ? [link.userId] : [],
    );
  }

  async loadLinks(records: readonly RecordRef[]): Promise<void> {
    const missing = records.filter(({ id }) => !this.#created.has(id) && !this.#whole.has(id));
    if (missing.length === 0) return;
    for (const { id } of missing) this.#whole.add(id);
    const { reads, transaction, orgId } = this.#source;
    for (const link of await reads.findUserLinks(transaction, orgId, missing)) {
      if (!this.#links.has(keyOf(link))) this.#links.set(keyOf(link), { link, stored: link, present: true });
    }
  }

  link(link: UserLink): void {
    const known = this.#links.get(keyOf(link));
    if (known === undefined) this.#links.set(keyOf(link), { link, stored: undefined, present: true });
    else known.present = true;
  }

  unlink(link: UserLink): void {
    const known = this.#links.get(keyOf(link));
    if (known !== undefined) known.present = false;
  }

  removed(): UserLink[] {
    return this.#where(isRemoved);
  }

  added(): UserLink[] {
    return this.#where(isAdded);
  }

  markStored(): void {
    for (const booked of this.#links.values()) markLinkStored(booked);
  }

  forget(): void {
    this.#existing.clear();
    this.#links.clear();
    this.#whole.clear();
  }

  #where(condition: (booked: BookedLink<UserLink>) => boolean): UserLink[] {
    const found: UserLink[] = [];
    for (const booked of this.#links.values()) if (condition(booked)) found.push(booked.link);
    return found;
  }
}

function keyOf({ id, userId }: UserLink): string {
  return `${id}/${userId}`;
}
