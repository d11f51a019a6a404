// The links between records that a unit of work has read or changed. The caller has locked the row of the source.

import type { UnitSource } from '../../store/layer/unit-layer.ts';
import type { Link, LinkGroup, NewLink } from '../../store/records/associations.ts';
import { type BookedLink, isAdded, isRemoved, markLinkStored } from './booked-link.ts';

/** The links of one source by one association type, by their targets. */
interface Group {
  readonly links: Map<string, BookedLink<NewLink>>;
  /** Targets that were asked for and are not linked. */
  readonly absent: Set<string>;
  /** Whether every link is known. */
  whole: boolean;
}

export class LinkBook {
  readonly #source: UnitSource;
  readonly #groups = new Map<string, Group>();
  /** Records that this unit creates: they have no links but those that it makes. */
  readonly #created: ReadonlySet<string>;

  constructor(source: UnitSource, created: ReadonlySet<string>) {
    this.#source = source;
    this.#created = created;
  }

  async has(link: Link): Promise<boolean> {
    await this.load([link]);
    return this.#group(link).links.get(link.targetId)?.present === true;
  }

  async load(links: readonly Link[]): Promise<void> {
    const missing = links.filter((link) => {
      const { whole, links: known, absent } = this.#group(link);
      return !whole && !known.has(link.targetId) && !absent.has(link.targetId);
    });
    if (missing.length === 0) return;
    for (const link of missing) this.#group(link).absent.add(link.targetId);
    const { reads, transaction, orgId } = this.#source;
    for (const link of await reads.findLinks(transaction, orgId, missing)) this.#addStored(link);
  }

  /** The target by an association type that takes one, live or deleted. */
  async target(source: LinkGroup): Promise<NewLink | undefined> {
    await this.loadTargets([source]);
    for (const { link, present } of this.#group(source).links.values()) if (present) return link;
    return undefined;
  }

  async loadTargets(sources: readonly LinkGroup[]): Promise<void> {
    const missing = sources.filter((source) => !this.#group(source).whole);
    if (missing.length === 0) return;
    const { reads, transaction, orgId } = this.#source;
    for (const link of await reads.findTargets(transaction, orgId, missing)) this.#addStored(link);
    for (const source of missing) this.#group(source).whole = true;
  }

  /** Also for a link that is there, to give it another date. */
  add(link: NewLink): void {
    const { links } = this.#group(link);
    links.set(link.targetId, { link, stored: links.get(link.targetId)?.stored, present: true });
  }

  remove(link: Link): void {
    const known = this.#group(link).links.get(link.targetId);
    if (known !== undefined) known.present = false;
  }

  removed(): NewLink[] {
    return this.#where(isRemoved);
  }

  added(): NewLink[] {
    return this.#where(isAdded);
  }

  markStored(): void {
    for (const { links } of this.#groups.values()) for (const booked of links.values()) markLinkStored(booked);
  }

  forget(): void {
    this.#groups.clear();
  }

  #where(condition: (booked: BookedLink<NewLink>) => boolean): NewLink[] {
    const found: NewLink[] = [];
    for (const { links } of this.#groups.values()) {
      for (const booked of links.values()) if (condition(booked)) found.push(booked.link);
    }
    return found;
  }

  #group({ sourceId, associationTypeId }: LinkGroup): Group {
    const key = `${sourceId}/${associationTypeId}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { links: new Map(), absent: new Set(), whole: this.#created.has(sourceId) };
    this.#groups.set(key, group);
    return group;
  }

  #addStored(link: NewLink): void {
    const { links } = this.#group(link);
    if (!links.has(link.targetId)) links.set(link.targetId, { link, stored: link, present: true });
  }
}
