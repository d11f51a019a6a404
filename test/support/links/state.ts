// The state of the model of links: records live and in the trash, links, and the timers of stages. Records and links are
// never changed but replaced, so that a copy costs little: a batch that is undone is played on one.
import { pipelineOf, type Values, worldAssociations } from './world.ts';

export interface ModelRecord {
  /** Its name in the test; the service's id is bound to it when it is known. */
  readonly label: string;
  readonly type: string;
  /** Older ones have smaller numbers. */
  readonly born: number;
  readonly version: number;
  readonly live: boolean;
  /** As they were sent, without dates and computed ones. */
  readonly values: Values;
}

export interface ModelLink {
  readonly association: string;
  readonly source: string;
  readonly target: string;
  /** Of a stage: whether it was entered at the moment in which another was left. */
  readonly joined: boolean;
  /** The version of the source that made it. */
  readonly since: number;
}

/** A stage that a record has left. */
export interface ModelTimer {
  readonly record: string;
  readonly association: string;
  readonly stage: string;
  readonly joined: boolean;
  /** The version of the record that left it. */
  readonly left: number;
}

/** Of the trash only the newest are brought back: of a long run it would be nearly everything. */
const trashKept = 5;

type Index<T> = Map<string, readonly T[]>;

export class LinkState {
  readonly #records: Map<string, ModelRecord>;
  readonly #from: Index<ModelLink>;
  readonly #to: Index<ModelLink>;
  readonly #live: Index<string>;
  readonly #trash: Index<string>;
  readonly timers: ModelTimer[];

  constructor(other?: LinkState) {
    this.#records = new Map(other === undefined ? [] : other.#records);
    this.#from = new Map(other === undefined ? [] : other.#from);
    this.#to = new Map(other === undefined ? [] : other.#to);
    this.#live = new Map(other === undefined ? [] : other.#live);
    this.#trash = new Map(other === undefined ? [] : other.#trash);
    this.timers = [...(other?.timers ?? [])];
  }

  copy(): LinkState {
    return new LinkState(this);
  }

  get count(): number {
    return this.#records.size;
  }

  find(label: string): ModelRecord | undefined {
    return this.#records.get(label);
  }

  get(label: string): ModelRecord {
    const found = this.#records.get(label);
    if (found === undefined) throw new Error(`The model has no ${label}.`);
    return found;
  }

  isLive(label: string): boolean {
    return this.#records.get(label)?.live === true;
  }

  all(): Iterable<ModelRecord> {
    return this.#records.values();
  }

  /** Labels of live records, those that are live for longer first. */
  live(type: string): readonly string[] {
    return this.#live.get(type) ?? [];
  }

  /** Labels of records that were deleted lately. */
  trash(type: string): readonly string[] {
    return this.#trash.get(type) ?? [];
  }

  put(record: ModelRecord): void {
    const { label, type, live } = record;
    const before = this.#records.get(label);
    this.#records.set(label, record);
    if (before?.live === live) return;
    const others = (index: Index<string>) => (index.get(type) ?? []).filter((each) => each !== label);
    const [gained, lost] = live ? [this.#live, this.#trash] : [this.#trash, this.#live];
    if (before !== undefined) lost.set(type, others(lost));
    gained.set(type, live ? [...others(gained), label] : [...others(gained), label].slice(-trashKept));
  }

  /** The next version, with these values. */
  touch(label: string, values?: Values): ModelRecord {
    const record = this.get(label);
    const next = { ...record, version: record.version + 1, values: values ?? record.values };
    this.put(next);
    return next;
  }

  /** The links of the source, seen or not. */
  from(source: string, association?: string): readonly ModelLink[] {
    const links = this.#from.get(source) ?? [];
    return association === undefined ? links : links.filter((link) => link.association === association);
  }

  to(target: string, association?: string): readonly ModelLink[] {
    const links = this.#to.get(target) ?? [];
    return association === undefined ? links : links.filter((link) => link.association === association);
  }

  has(source: string, association: string, target: string): boolean {
    return this.from(source).some((link) => link.association === association && link.target === target);
  }

  /** A link is seen only while both its ends are live. */
  isSeen(link: ModelLink): boolean {
    return this.isLive(link.source) && this.isLive(link.target);
  }

  add(link: ModelLink): void {
    this.#from.set(link.source, [...this.from(link.source), link]);
    this.#to.set(link.target, [...this.to(link.target), link]);
  }

  remove(link: ModelLink): void {
    this.#from.set(
      link.source,
      this.from(link.source).filter((each) => each !== link),
    );
    this.#to.set(
      link.target,
      this.to(link.target).filter((each) => each !== link),
    );
  }

  /** Every link that is seen. */
  *seen(): Iterable<ModelLink> {
    for (const links of this.#from.values()) for (const link of links) if (this.isSeen(link)) yield link;
  }

  /** Whether some live record is in this stage, or in a stage of this pipeline. */
  inUse(label: string): boolean {
    return this.to(label).some((link) => {
      if (!this.isLive(link.source)) return false;
      if (worldAssociations[link.association]?.timers !== undefined) return true;
      return pipelineOf.includes(link.association) && this.inUse(link.source);
    });
  }
}
