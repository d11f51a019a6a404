// Whether everything that was acknowledged is stored, once: the writes compared with the entries of the feed, and the
// records of the writers compared with a read of everything.
import { type FeedEntry, linkText } from '../feed/copy.ts';
import { type Owned, type Write, worksAt } from './marked-writes.ts';

interface Kept {
  /** Writes that were acknowledged and are not stored, or not all of them. */
  readonly lost: readonly string[];
  /** Writes that are stored more often than once. */
  readonly doubled: readonly string[];
  readonly others: readonly string[];
}

export function compareWrites(writes: readonly Write[], entries: readonly FeedEntry[]): Kept {
  const kept = { lost: [] as string[], doubled: [] as string[], others: [] as string[] };
  const made = entriesByMark(entries);
  for (const { mark, state, entries: wanted, records, body } of writes) {
    const found = made.get(mark) ?? [];
    const told = `${state}, ${found.length} of ${wanted} entries: ${mark} ${JSON.stringify(body)}`;
    const missing = records.filter(({ id, version }) => wanted > 0 && !found.includes(`${id} ${version}`));
    if (state === 'sent') kept.others.push(`never ended: ${told}`);
    else if (found.length > wanted) kept.doubled.push(told);
    else if (found.length < wanted && state === 'acknowledged') kept.lost.push(told);
    else if (found.length < wanted && found.length > 0) kept.others.push(`half stored: ${told}`);
    else if (missing.length > 0 && !isLinking(records)) kept.lost.push(`${JSON.stringify(missing)} of ${told}`);
  }
  const marks = new Set(writes.map(({ mark }) => mark));
  const unknown = [...made].filter(([mark]) => !marks.has(mark)).map(([mark]) => `nobody has sent ${mark}`);
  return { ...kept, others: [...kept.others, ...unknown] };
}

/** Two results for one record: the first of them is of a link, whose entry has no mark. */
function isLinking(records: Write['records']): boolean {
  return new Set(records.map(({ id }) => id)).size < records.length;
}

/** Id and version of each entry of a record, by the mark of the write that made it. */
function entriesByMark(entries: readonly FeedEntry[]): ReadonlyMap<string, readonly string[]> {
  const made = new Map<string, string[]>();
  for (const { type, record_id: id, version, changed = {} } of entries) {
    if (type !== 'record.created' && type !== 'record.updated') continue;
    const values = Object.values(changed).map((change) => change.new);
    const mark = values.find((value): value is string => typeof value === 'string' && /^w\d+n\d+c?$/.test(value));
    if (mark !== undefined) made.set(mark, [...(made.get(mark) ?? []), `${id} ${version}`]);
  }
  return made;
}

/** `versions` of a read of everything, by id, and the `links` that a read shows. */
export function compareOwned(
  owned: Iterable<Owned>,
  versions: ReadonlyMap<string, string>,
  links: ReadonlySet<string>,
): readonly string[] {
  const bySource = new Map<string, number>();
  for (const link of links) {
    const source = link.split(' ')[2] ?? '';
    if (link.startsWith(`${worksAt} `)) bySource.set(source, (bySource.get(source) ?? 0) + 1);
  }
  return [...owned].flatMap(({ id, version, companies }) => {
    const missing = [...companies].filter((company) => !links.has(linkText(worksAt, id, company)));
    const found = bySource.get(id) ?? 0;
    return [
      ...(versions.get(id) === String(version) ? [] : [`${id} is at version ${versions.get(id)}, expected ${version}`]),
      ...missing.map((company) => `${id} has lost its link to ${company}`),
      ...(found <= companies.size ? [] : [`${id} has ${found} links, expected ${companies.size}`]),
    ];
  });
}
