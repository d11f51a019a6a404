// The links that a unit of work has looked at or changed: those between records, and those to users that decide what a
// credential of reach `user` sees. The source's row is locked by whoever asks here.
import { findLinks, findTargets, type Link, type NewLink } from '../store/associations.ts';
import type { Transaction } from '../store/database.ts';
import type { RecordRef } from '../store/records.ts';
import { findUserLinks } from '../store/user-links.ts';
import type { UserLink } from '../store/write-records.ts';

interface Entry<T> {
  readonly link: T;
  readonly stored: boolean;
  present: boolean;
}

export class LinkBook {
  readonly #orgId: number;
  readonly #transaction: Transaction;
  readonly #links = new Map<string, Entry<NewLink>>();
  readonly #users = new Map<string, Entry<UserLink>>();
  /** Sources, with an association type, of which every link is known. */
  readonly #whole = new Set<string>();
  readonly #absent = new Set<string>();

  constructor(orgId: number, transaction: Transaction) {
    this.#orgId = orgId;
    this.#transaction = transaction;
  }

  /** Of the sources that this unit makes, every link is known: there is none. */
  addSource(sourceId: string): void {
    this.#whole.add(sourceId);
  }

  async has(link: Link): Promise<boolean> {
    const key = linkKey(link);
    if (!this.#links.has(key) && !this.#absent.has(key) && !this.#knowsAll(link)) await this.loadLinks([link]);
    return this.#links.get(key)?.present === true;
  }

  async loadLinks(links: readonly Link[]): Promise<void> {
    const missing = links.filter((link) => !this.#links.has(linkKey(link)) && !this.#knowsAll(link));
    if (missing.length === 0) return;
    for (const link of missing) this.#absent.add(linkKey(link));
    for (const link of await findLinks(this.#transaction, this.#orgId, missing)) this.#note(link);
  }

  /** The target of a type that has one, dead or alive. */
  async target(source: Omit<Link, 'targetId'>): Promise<NewLink | undefined> {
    await this.loadTargets([source]);
    for (const { link, present } of this.#links.values()) {
      if (present && link.sourceId === source.sourceId && link.associationTypeId === source.associationTypeId) {
        return link;
      }
    }
    return undefined;
  }

  async loadTargets(sources: readonly Omit<Link, 'targetId'>[]): Promise<void> {
    const missing = sources.filter((source) => !this.#knowsAll(source));
    if (missing.length === 0) return;
    for (const link of await findTargets(this.#transaction, this.#orgId, missing)) this.#note(link);
    for (const source of missing) this.#whole.add(sourceKey(source));
  }

  add(link: NewLink): void {
    const known = this.#links.get(linkKey(link));
    if (known === undefined) this.#links.set(linkKey(link), { link, stored: false, present: true });
    else known.present = true;
  }

  remove(link: Link): void {
    const known = this.#links.get(linkKey(link));
    if (known !== undefined) known.present = false;
  }

  async hasUser(link: UserLink): Promise<boolean> {
    const key = userKey(link);
    if (!this.#users.has(key) && !this.#whole.has(link.id)) {
      const found = await findUserLinks(this.#transaction, this.#orgId, link);
      for (const each of found) this.#users.set(userKey(each), { link: each, stored: true, present: true });
    }
    return this.#users.get(key)?.present === true;
  }

  addUser(link: UserLink): void {
    const known = this.#users.get(userKey(link));
    if (known === undefined) this.#users.set(userKey(link), { link, stored: false, present: true });
    else known.present = true;
  }

  removeUser(link: UserLink): void {
    const known = this.#users.get(userKey(link));
    if (known !== undefined) known.present = false;
  }

  removals(): { links: Link[]; users: UserLink[] } {
    const gone = (each: Entry<unknown>) => each.stored && !each.present;
    return { links: linksWhere(this.#links, gone), users: linksWhere(this.#users, gone) };
  }

  additions(): { links: NewLink[]; users: UserLink[] } {
    const made = (each: Entry<unknown>) => !each.stored && each.present;
    return { links: linksWhere(this.#links, made), users: linksWhere(this.#users, made) };
  }

  /** What is written is stored from now on. */
  settle(): void {
    for (const entries of [this.#links, this.#users] as Map<string, Entry<unknown>>[]) {
      for (const [key, entry] of entries) entries.set(key, { ...entry, stored: entry.present });
    }
  }

  forget(): void {
    this.#links.clear();
    this.#users.clear();
    this.#whole.clear();
    this.#absent.clear();
  }

  #note(link: NewLink): void {
    if (!this.#links.has(linkKey(link))) this.#links.set(linkKey(link), { link, stored: true, present: true });
  }

  #knowsAll(source: Omit<Link, 'targetId'>): boolean {
    return this.#whole.has(source.sourceId) || this.#whole.has(sourceKey(source));
  }
}

function linksWhere<T>(entries: ReadonlyMap<string, Entry<T>>, condition: (entry: Entry<unknown>) => boolean): T[] {
  const links: T[] = [];
  for (const entry of entries.values()) if (condition(entry)) links.push(entry.link);
  return links;
}

function sourceKey({ sourceId, associationTypeId }: Omit<Link, 'targetId'>): string {
  return `${sourceId}/${associationTypeId}`;
}

function linkKey(link: Link): string {
  return `${sourceKey(link)}/${link.targetId}`;
}

function userKey({ id, userId }: RecordRef & { readonly userId: string }): string {
  return `${id}/${userId}`;
}
