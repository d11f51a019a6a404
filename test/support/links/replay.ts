// A copy of an org that is kept by the change feed alone, from its beginning (contract 5): records with values and
// versions, and links. A deleted record takes its links out of sight, a restored one brings them back. Whatever does
// not fit what the copy has is a finding.
import { computedNames } from './computed.ts';
import type { Binding, Send } from './requests.ts';
import { type Values, valueText } from './world.ts';

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly object_type: string;
  readonly record_id: string;
  readonly version: string;
  readonly changed?: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
  readonly association_type?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly at: string;
}

interface Copied {
  readonly type: string;
  readonly live: boolean;
  /** Of its newest entry, and of the newest that is not about a link. */
  readonly version: number;
  readonly own: number;
  readonly values: Values;
}

/** The ends by their ids. */
export type CopiedLink = readonly [association: string, source: string, target: string];

/** A record as it was read. */
interface ReadRecord {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Values;
}

const untold = new Set(['svc_created_at', 'svc_updated_at', ...computedNames]);

/** The values that a client has sent, or a timer was made with. */
export function ownValues(properties: Values): Values {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !untold.has(name)));
}

export class LinksReplay {
  readonly #binding: Binding;
  readonly #records = new Map<string, Copied>();
  readonly #links = new Map<string, CopiedLink>();
  readonly #entries = new Set<string>();
  #cursor = 'earliest';

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  /** Reads on to the end of the feed; returns what does not fit. */
  async advance(send: Send, limit: number): Promise<readonly string[]> {
    const findings: string[] = [];
    for (;;) {
      const path = `/changes/?limit=${limit}&cursor=${encodeURIComponent(this.#cursor)}`;
      const { status, body, text } = await send({ method: 'GET', path });
      const next = body.pagination?.next_cursor;
      if (status !== 200 || typeof next !== 'string') return [...findings, `the feed answers ${status} ${text}`];
      const entries = body.data as readonly Entry[];
      for (const entry of entries) findings.push(...this.#apply(entry));
      this.#cursor = next;
      if (entries.length < limit) return findings;
    }
  }

  #apply(entry: Entry): readonly string[] {
    const { id, type, record_id, version } = entry;
    const before = this.#records.get(record_id);
    const faults = this.#entries.has(id) ? ['comes twice'] : [];
    this.#entries.add(id);
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(entry.at)) faults.push(`is of ${entry.at}`);
    const last = before?.version ?? 0;
    if (Number(version) !== last && Number(version) !== last + 1) faults.push(`comes after version ${last}`);
    if (type.startsWith('association.')) faults.push(...this.#link(entry, before));
    else faults.push(...this.#record(entry, before));
    const what = `${type} of ${this.#binding.label(record_id)} at version ${version}`;
    const target = entry.target_id === undefined ? '' : ` to ${this.#binding.label(entry.target_id)}`;
    return faults.map((fault) => `the entry ${what}${target} ${fault}`);
  }

  #record(entry: Entry, before: Copied | undefined): readonly string[] {
    const { type, object_type, record_id, changed = {} } = entry;
    const version = Number(entry.version);
    const values: Record<string, unknown> = type === 'record.updated' ? { ...before?.values } : {};
    const faults: string[] = version > (before?.own ?? 0) ? [] : [`is the second of its version`];
    if (before !== undefined && before.type !== object_type) faults.push(`names a ${object_type}`);
    if ((before === undefined) !== (type === 'record.created')) faults.push('is about a record that does not exist');
    if ((before?.live === true) !== /updated|deleted/.test(type))
      faults.push('is about a record that is deleted, or exists already');
    for (const [name, change] of Object.entries(changed)) {
      const had = type === 'record.updated' ? before?.values[name] : undefined;
      if (untold.has(name)) faults.push(`has ${name}`);
      if (valueText(change.old) !== valueText(had)) {
        faults.push(`has ${valueText(change.old)} as the old ${name}, which was ${valueText(had)}`);
      }
      if (valueText(change.old) === valueText(change.new)) faults.push(`changes nothing of ${name}`);
      if (change.new === undefined) delete values[name];
      else values[name] = change.new;
    }
    if (type === 'record.updated' && Object.keys(changed).length === 0) faults.push('changes nothing');
    if (type === 'record.restored' && valueText(values) !== valueText(before?.values)) {
      faults.push(`brings ${valueText(values)}; deleted was ${valueText(before?.values)}`);
    }
    const kept = type === 'record.deleted' ? (before?.values ?? {}) : values;
    const live = type !== 'record.deleted';
    this.#records.set(record_id, { type: object_type, live, version, own: version, values: kept });
    return faults;
  }

  #link(entry: Entry, before: Copied | undefined): readonly string[] {
    const { association_type: association = '', record_id: source, target_id: target = '', type } = entry;
    const key = `${association} ${source} ${target}`;
    const fits = this.#links.has(key) === (type === 'association.deleted');
    const faults = fits ? [] : [`does not fit: ${association}`];
    if (type === 'association.created') this.#links.set(key, [association, source, target]);
    else this.#links.delete(key);
    const other = this.#records.get(target);
    if (other?.type !== entry.target_type) faults.push(`calls its target a ${entry.target_type}`);
    if (before === undefined) return [...faults, 'is of a record that does not exist'];
    if (!before.live) faults.push('is of a record that is deleted');
    this.#records.set(source, { ...before, version: Number(entry.version) });
    return faults;
  }

  /** Differences between the copy and the records and links that were read. */
  differences(read: readonly ReadRecord[], links: readonly CopiedLink[]): readonly string[] {
    const name = (id: string) => this.#binding.label(id);
    const line = (id: string, { type, version, values }: Omit<Copied, 'own' | 'live'>) =>
      `${type} ${name(id)} at version ${version} with ${valueText(values)}`;
    const live = [...this.#records].filter(([, record]) => record.live).map(([id, record]) => line(id, record));
    const listed = read.map(({ id, object_type, version, properties }) =>
      line(id, { type: object_type, version: Number(version), values: ownValues(properties) }),
    );
    const seen = [...this.#links.values()]
      .filter(([, source, target]) => this.#isLive(source) && this.#isLive(target))
      .map(([association, source, target]) => `${association} from ${name(source)} to ${name(target)}`);
    const told = links.map(([association, source, target]) => `${association} from ${name(source)} to ${name(target)}`);
    return [...difference(live, listed), ...difference(seen, told)];
  }

  #isLive(id: string): boolean {
    return this.#records.get(id)?.live === true;
  }
}

function difference(copied: readonly string[], real: readonly string[]): readonly string[] {
  const [left, right] = [new Set(copied), new Set(real)];
  return [
    ...copied.filter((line) => !right.has(line)).map((line) => `the feed leads to ${line}, and a read does not`),
    ...real.filter((line) => !left.has(line)).map((line) => `the feed does not lead to ${line}`),
  ];
}
