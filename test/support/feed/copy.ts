// A copy of an org's records, kept as a client of the feed keeps one: the pages first, then entry after entry. It notes
// everything that a client could not make sense of: an entry that comes twice, versions that fall, old values that were
// not there, changes of unknown records.
import type { RecordJson } from '../plain-requests.ts';

export interface FeedEntry {
  readonly id: string;
  readonly type:
    | 'record.created'
    | 'record.updated'
    | 'record.deleted'
    | 'record.restored'
    | 'association.created'
    | 'association.deleted';
  readonly object_type: string;
  readonly record_id: string;
  readonly version: string;
  readonly changed?: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
  readonly association_type?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly at: string;
  readonly principal_id: string;
  readonly request_id: string;
}

interface CopiedRecord {
  readonly objectType: string;
  version: number;
  values: Record<string, unknown>;
}

/** Properties that the feed leaves out: dates of the service and values computed at read. */
const untold = new Set([
  'svc_created_at',
  'svc_updated_at',
  'svc_last_activity_at',
  'svc_potential_deal_total',
  'svc_weighted_deal_total',
]);

/** Association types by which a record has at most one target. */
const toOne = new Set([
  'svc_deal_to_company',
  'svc_deal_to_deal_pipeline_stage',
  'svc_contact_to_lifecycle_stage',
  'svc_note_to_note_pipeline_stage',
]);

/**
 * `whole`: the reader has every entry from the very first, so that versions leave no hole and links are known;
 * `later`: it began with pages; `part`: it gets a part of the types, or of the entries.
 */
export type CopyKind = 'whole' | 'later' | 'part';

export class Copy {
  readonly findings: string[] = [];
  readonly entries: FeedEntry[] = [];
  readonly #kind: CopyKind;
  readonly #records = new Map<string, CopiedRecord>();
  readonly #links = new Map<string, readonly [source: string, target: string]>();
  readonly #ids = new Set<string>();
  readonly #versions = new Map<string, number>();
  readonly #ownVersions = new Map<string, number>();
  /** Changes of records that the copy does not have: right only if the records turn out to have been deleted. */
  readonly #unknown = new Map<string, FeedEntry>();

  constructor(kind: CopyKind) {
    this.#kind = kind;
  }

  /** A record of a page. All pages come before the first entry. */
  load({ id, object_type, version, properties }: RecordJson): void {
    if (this.#records.has(id)) this.findings.push(`${object_type} ${id} came twice on the pages`);
    this.#records.set(id, { objectType: object_type, version: Number(version), values: toldValues(properties) });
  }

  apply(entry: FeedEntry): void {
    this.entries.push(entry);
    if (this.#ids.has(entry.id)) this.#note(entry, 'came twice');
    this.#ids.add(entry.id);
    this.#checkVersion(entry);
    if (entry.type.startsWith('association.')) this.#applyLink(entry);
    else this.#applyRecord(entry);
  }

  #note(entry: FeedEntry, what: string): void {
    const { id, type, object_type, record_id, version } = entry;
    this.findings.push(`entry ${id}, ${type} of ${object_type} ${record_id} at version ${version}: ${what}`);
  }

  #checkVersion(entry: FeedEntry): void {
    const version = Number(entry.version);
    const last = this.#versions.get(entry.record_id);
    if (last !== undefined && version < last) this.#note(entry, `comes after version ${last}`);
    if (this.#kind === 'whole' && version > (last ?? 0) + 1) this.#note(entry, `comes right after version ${last}`);
    this.#versions.set(entry.record_id, version);
    if (!entry.type.startsWith('record.')) return;
    const own = this.#ownVersions.get(entry.record_id);
    if (own !== undefined && version <= own) this.#note(entry, `its record was at version ${own} before`);
    this.#ownVersions.set(entry.record_id, version);
  }

  #applyRecord(entry: FeedEntry): void {
    const { record_id: id, object_type: objectType, changed = {} } = entry;
    const version = Number(entry.version);
    const held = this.#records.get(id);
    // A page that was read later has it already.
    if (held !== undefined && held.version >= version) return;
    if (entry.type === 'record.deleted') {
      if (held === undefined && this.#kind !== 'later') this.#note(entry, 'its record is not in the copy');
      this.#records.delete(id);
      this.#unknown.delete(id);
    } else if (entry.type === 'record.updated') {
      if (held === undefined) this.#unknown.set(id, entry);
      else this.#change(held, entry);
    } else {
      if (held !== undefined) this.#note(entry, `its record is already in the copy with version ${held.version}`);
      if (Object.values(changed).some((change) => 'old' in change)) this.#note(entry, 'has old values');
      const values = Object.entries(changed).map(([name, change]) => [name, change.new]);
      this.#records.set(id, { objectType, version, values: Object.fromEntries(values) });
      this.#unknown.delete(id);
    }
  }

  #change(held: CopiedRecord, entry: FeedEntry): void {
    held.version = Number(entry.version);
    const changes = Object.entries(entry.changed ?? {});
    if (changes.length === 0) this.#note(entry, 'changes nothing');
    for (const [name, change] of changes) {
      if (untold.has(name)) this.#note(entry, `has ${name}`);
      if (textOf(change.old) !== textOf(held.values[name])) {
        this.#note(entry, `${name} was ${textOf(held.values[name])} and not ${textOf(change.old)}`);
      }
      if (textOf(change.old) === textOf(change.new)) this.#note(entry, `${name} stays as it is`);
      if (change.new === undefined) delete held.values[name];
      else held.values[name] = change.new;
    }
  }

  #applyLink(entry: FeedEntry): void {
    const { record_id: id, association_type: type = '', target_id: target = '' } = entry;
    const version = Number(entry.version);
    const held = this.#records.get(id);
    if (held === undefined) this.#unknown.set(id, entry);
    else if (held.version < version) held.version = version;
    const link = linkText(type, id, target);
    const known = this.#links.has(link);
    if (this.#kind !== 'later' && known === (entry.type === 'association.created')) {
      this.#note(entry, `${link} is ${known ? 'linked already' : 'not linked'}`);
    }
    if (entry.type === 'association.deleted') this.#links.delete(link);
    else {
      if (toOne.has(type)) this.#requireNone(entry, `${type} from ${id} to `);
      this.#links.set(link, [id, target]);
    }
  }

  /** A record has one target of such a type: the old link was removed before, with its own entry. */
  #requireNone(entry: FeedEntry, beginning: string): void {
    for (const link of this.#links.keys()) {
      if (link.startsWith(beginning)) this.#note(entry, `${link} is still there`);
    }
  }

  /** The records as lines, those of the types alone if they are named. */
  lines(types?: readonly string[]): readonly string[] {
    return [...this.#records]
      .filter(([, { objectType }]) => types === undefined || types.includes(objectType))
      .map(([id, { objectType, version, values }]) => recordLine(objectType, id, version, values))
      .sort();
  }

  /** The links of these types both of whose ends are live, as lines. */
  linkLines(types: readonly string[]): readonly string[] {
    return [...this.#links]
      .filter(
        ([link, ends]) => types.includes(link.split(' ', 1)[0] ?? '') && ends.every((end) => this.#records.has(end)),
      )
      .map(([link]) => link)
      .sort();
  }

  /** Records that were changed but never created, once all entries have arrived. */
  end(): readonly string[] {
    const lost = [...this.#unknown.values()].map(
      ({ object_type, record_id, version }) =>
        `${object_type} ${record_id} changed to version ${version}, but was never created`,
    );
    return [...this.findings, ...lost];
  }
}

export function linkText(type: string, source: string, target: string): string {
  return `${type} from ${source} to ${target}`;
}

/** A record of a read as the line that a copy should have for it. */
export function lineOf({ object_type, id, version, properties }: RecordJson): string {
  return recordLine(object_type, id, Number(version), toldValues(properties));
}

function recordLine(type: string, id: string, version: number, values: Record<string, unknown>): string {
  return `${type} ${id} version ${version}: ${textOf(values)}`;
}

function toldValues(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !untold.has(name)));
}

/** One text for one value, whatever the order of members. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'unset';
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join()}}`;
}

/** Differences between two lists, in sentences. */
export function differences(who: string, copy: readonly string[], fresh: readonly string[]): readonly string[] {
  const [held, real] = [new Set(copy), new Set(fresh)];
  return [
    ...copy.filter((line) => !real.has(line)).map((line) => `${who} has ${line}, and a read does not`),
    ...fresh.filter((line) => !held.has(line)).map((line) => `${who} lacks ${line}`),
    ...(held.size === copy.length ? [] : [`${who} has something twice`]),
    ...(real.size === fresh.length ? [] : [`a read beside ${who} has something twice`]),
  ];
}
