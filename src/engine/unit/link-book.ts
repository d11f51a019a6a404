// The links that a unit of work has looked at or changed: those between records, and those to users that decide what a
// credential of reach `user` sees. The source's row is locked by whoever asks here.

import type { Transaction } from '../../store/database.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import {
  findLinks,
  findTargets,
  findUserLinks,
  type Link,
  type NewLink,
  type UserLink,
} from '../../store/records/associations.ts';

interface Entry<T> {
  /** As it shall be. */
  link: T;
  /** As the database has it. */
  stored: T | undefined;
  present: boolean;
}

/** The links of one source by one association type, by their targets. */
interface Group {
  readonly entries: Map<string, Entry<NewLink>>;
  /** Targets that were asked for and are not linked. */
  readonly absent: Set<string>;
  /** Whether every link is known. */
  whole: boolean;
}

export class LinkBook {
  readonly #orgId: number;
  readonly #transaction: Transaction;
  readonly #groups = new Map<string, Group>();
  readonly #users = new Map<string, Entry<UserLink>>();
  /** Records of which every user is known. */
  readonly #usersKnown = new Set<string>();
  /** Sources that this unit makes: they have no link but those that it makes. */
  readonly #made = new Set<string>();

  constructor(orgId: number, transaction: Transaction) {
    this.#orgId = orgId;
    this.#transaction = transaction;
  }

  addSource(sourceId: string): void {
    this.#made.add(sourceId);
  }

  async has(link: Link): Promise<boolean> {
    await this.loadLinks([link]);
    return this.#group(link).entries.get(link.targetId)?.present === true;
  }

  async loadLinks(links: readonly Link[]): Promise<void> {
    const missing = links.filter((link) => {
      const { whole, entries, absent } = this.#group(link);
      return !whole && !entries.has(link.targetId) && !absent.has(link.targetId);
    });
    if (missing.length === 0) return;
    for (const link of missing) this.#group(link).absent.add(link.targetId);
    for (const link of await findLinks(this.#transaction, this.#orgId, missing)) this.#note(link);
  }

  /** The target of a type that has one, dead or alive. */
  async target(source: Omit<Link, 'targetId'>): Promise<NewLink | undefined> {
    await this.loadTargets([source]);
    for (const { link, present } of this.#group(source).entries.values()) if (present) return link;
    return undefined;
  }

  async loadTargets(sources: readonly Omit<Link, 'targetId'>[]): Promise<void> {
    const missing = sources.filter((source) => !this.#group(source).whole);
    if (missing.length === 0) return;
    for (const link of await findTargets(this.#transaction, this.#orgId, missing)) this.#note(link);
    for (const source of missing) this.#group(source).whole = true;
  }

  /** Also for a link that is there, to give it another date. */
  add(link: NewLink): void {
    const { entries } = this.#group(link);
    entries.set(link.targetId, { link, stored: entries.get(link.targetId)?.stored, present: true });
  }

  remove(link: Link): void {
    const known = this.#group(link).entries.get(link.targetId);
    if (known !== undefined) known.present = false;
  }

  async hasUser(link: UserLink): Promise<boolean> {
    await this.loadUsers([link]);
    return this.#users.get(userKey(link))?.present === true;
  }

  /** The users that the record is linked to. */
  async usersOf(record: RecordRef): Promise<readonly string[]> {
    await this.loadUsers([record]);
    return [...this.#users.values()].flatMap(({ link, present }) =>
      present && link.id === record.id ? [link.userId] : [],
    );
  }

  async loadUsers(records: readonly RecordRef[]): Promise<void> {
    const missing = records.filter(({ id }) => !this.#made.has(id) && !this.#usersKnown.has(id));
    if (missing.length === 0) return;
    for (const { id } of missing) this.#usersKnown.add(id);
    for (const link of await findUserLinks(this.#transaction, this.#orgId, missing)) {
      if (!this.#users.has(userKey(link))) this.#users.set(userKey(link), { link, stored: link, present: true });
    }
  }

  addUser(link: UserLink): void {
    const known = this.#users.get(userKey(link));
    if (known === undefined) this.#users.set(userKey(link), { link, stored: undefined, present: true });
    else known.present = true;
  }

  removeUser(link: UserLink): void {
    const known = this.#users.get(userKey(link));
    if (known !== undefined) known.present = false;
  }

  /** What is stored and shall not be. */
  removals(): { links: Link[]; users: UserLink[] } {
    return this.#linksWhere(({ stored, present, link }) => stored !== undefined && !(present && stored === link));
  }

  /** What shall be stored and is not. */
  additions(): { links: NewLink[]; users: UserLink[] } {
    return this.#linksWhere(({ stored, present, link }) => present && stored !== link);
  }

  /** The links are stored as they are now. */
  markStored(): void {
    const entries = [...this.#groups.values()].flatMap((group) => [...group.entries.values()]);
    for (const entry of entries) entry.stored = entry.present ? entry.link : undefined;
    for (const entry of this.#users.values()) entry.stored = entry.present ? entry.link : undefined;
  }

  forget(): void {
    this.#groups.clear();
    this.#users.clear();
    this.#usersKnown.clear();
    this.#made.clear();
  }

  #linksWhere(condition: (entry: Entry<unknown>) => boolean): { links: NewLink[]; users: UserLink[] } {
    const links: NewLink[] = [];
    const users: UserLink[] = [];
    for (const { entries } of this.#groups.values()) {
      for (const entry of entries.values()) if (condition(entry)) links.push(entry.link);
    }
    for (const entry of this.#users.values()) if (condition(entry)) users.push(entry.link);
    return { links, users };
  }

  #group({ sourceId, associationTypeId }: Omit<Link, 'targetId'>): Group {
    const key = `${sourceId}/${associationTypeId}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { entries: new Map(), absent: new Set(), whole: this.#made.has(sourceId) };
    this.#groups.set(key, group);
    return group;
  }

  #note(link: NewLink): void {
    const { entries } = this.#group(link);
    if (!entries.has(link.targetId)) entries.set(link.targetId, { link, stored: link, present: true });
  }
}

function userKey({ id, userId }: UserLink): string {
  return `${id}/${userId}`;
}
