// Readers that work while others write: one from the very beginning, one from the last entry on, copies that begin with
// pages of lists or of queries, and readers of a part of the feed. Each follows the feed with long polls until the last
// write has come.

import { byTurns, type FeedAnswer, readList, readQuery, type Send } from '../plain-requests.ts';
import type { Random } from '../random.ts';
import { Copy, type CopyKind, type FeedEntry } from './copy.ts';
import { copiedTypes, type Marker } from './world.ts';

/** Shared by the readers of a run. */
export interface Watch {
  /** The same key on each service. */
  readonly sends: readonly Send[];
  readonly random: Random;
  /** By name of the type, or `watched`, once the writers are done. */
  markers: Readonly<Record<string, Marker>> | undefined;
  /** When the last of the markers was written. */
  markedAtMs: number;
  /** How long after that the readers had the last entry. */
  readonly lagsMs: number[];
}

export interface Reader {
  readonly name: string;
  readonly copy: Copy;
  readonly done: Promise<void>;
}

interface Tail {
  readonly cursor: string;
  /** Such as `object_type=svc_deal`. */
  readonly parameters: string;
  /** The name of the marker that ends it. */
  readonly until: string;
  readonly take: (entry: FeedEntry) => void;
}

/** How long the last entry may take before the reader gives up. */
const patienceMs = 30_000;

/** Reads on until the marker has come, and then whether anything comes after it. */
async function follow(watch: Watch, copy: Copy, tail: Tail): Promise<void> {
  const { random, sends } = watch;
  const send = byTurns(sends);
  const limit = random.pick([5, 40, 200, 1_000]);
  let { cursor } = tail;
  const seen = new Map<string, number>();
  /** Whether the last entry has come; it may come before it is known which one that is. */
  const ended = (): boolean => {
    const last = watch.markers?.[tail.until];
    return last !== undefined && (seen.get(last.id) ?? 0) >= Number(last.version);
  };
  const poll = async (wait: number): Promise<number> => {
    const more = tail.parameters === '' ? '' : `&${tail.parameters}`;
    const answer: FeedAnswer = await send('GET', `/changes/?cursor=${cursor}&limit=${limit}&wait=${wait}${more}`);
    if (answer.status !== 200) throw new Error(`changes: ${answer.status} ${answer.text}`);
    const entries = answer.body.data as FeedEntry[];
    if (entries.length > limit) copy.findings.push(`a page of ${entries.length} though ${limit} were asked for`);
    const markers = Object.values(watch.markers ?? {});
    for (const entry of entries) {
      if (ended() && !markers.some(({ id }) => id === entry.record_id)) {
        copy.findings.push(`${JSON.stringify(entry)} came after the last`);
      }
      seen.set(entry.record_id, Number(entry.version));
      tail.take(entry);
    }
    const next = answer.body.pagination?.next_cursor;
    if (typeof next !== 'string') throw new Error(`changes: no next_cursor in ${answer.text}`);
    cursor = next;
    return entries.length;
  };
  while (!ended()) {
    await poll(2);
    if (watch.markers !== undefined && performance.now() - watch.markedAtMs > patienceMs) {
      copy.findings.push(`the last entry of ${tail.until} has not come`);
      return;
    }
  }
  watch.lagsMs.push(Math.max(0, performance.now() - watch.markedAtMs));
  while ((await poll(0)) > 0);
}

function reader(name: string, kind: CopyKind, run: (copy: Copy) => Promise<void>): Reader {
  const copy = new Copy(kind);
  // An error ends the reader, not the run.
  const done = run(copy).catch((error: unknown) => {
    copy.findings.push(String(error));
  });
  return { name, copy, done };
}

/** From the first entry there is. */
export function readWhole(watch: Watch): Reader {
  return reader('the reader of everything', 'whole', (copy) =>
    follow(watch, copy, {
      cursor: 'earliest',
      parameters: '',
      until: 'svc_contact',
      take: (entry) => copy.apply(entry),
    }),
  );
}

/** From the first entry, with a part of the feed. */
export function readPart(watch: Watch, name: string, parameters: string, until: string): Reader {
  return reader(name, 'part', (copy) =>
    follow(watch, copy, { cursor: 'earliest', parameters, until, take: (entry) => copy.apply(entry) }),
  );
}

/** From where the feed ended when the reader began; `begun` is called at that moment. */
export function readLatest(watch: Watch, begun: () => void): Reader {
  return reader('the reader of what is new', 'later', async (copy) => {
    const [send] = watch.sends;
    const answer = await send?.('GET', '/changes/?cursor=latest');
    if ((answer?.body.data as FeedEntry[] | undefined)?.length !== 0) copy.findings.push('latest has entries');
    const cursor = answer?.body.pagination?.next_cursor ?? '';
    begun();
    await follow(watch, copy, { cursor, parameters: '', until: 'svc_contact', take: (entry) => copy.apply(entry) });
  });
}

/** Lists all types, then follows one feed from where the first list began. */
export function copyByLists(watch: Watch, name: string): Reader {
  return reader(name, 'later', async (copy) => {
    const limit = watch.random.pick([3, 7, 20]);
    const send = byTurns(watch.sends);
    let oldest: string | undefined;
    for (const type of watch.random.some(copiedTypes, copiedTypes.length)) {
      const records = await readList(send, type, `limit=${limit}`, (cursor) => {
        if (cursor === undefined) copy.findings.push(`the list of ${type} has no changes_cursor`);
        oldest ??= cursor;
      });
      for (const record of records) copy.load(record);
    }
    const take = (entry: FeedEntry) => {
      if ((copiedTypes as readonly string[]).includes(entry.object_type)) copy.apply(entry);
    };
    await follow(watch, copy, { cursor: oldest ?? '', parameters: '', until: 'svc_contact', take });
  });
}

/** Asks for each type by a query, and follows each from where its own query began. */
export function copyByQueries(watch: Watch, name: string): Reader {
  return reader(name, 'later', async (copy) => {
    const { random, sends } = watch;
    const one = async (type: string) => {
      const question = {
        limit: random.pick([3, 7, 20]),
        ...(random.chance(0.5) ? { sort: [{ property: 'svc_created_at', direction: 'desc' }] } : {}),
        ...(random.chance(0.5) ? { filter: { property: 'svc_created_at', operator: 'is_set' } } : {}),
      };
      let begin = '';
      const records = await readQuery(byTurns(sends), type, question, (cursor) => {
        if (cursor === undefined) copy.findings.push(`the query of ${type} has no changes_cursor`);
        begin = cursor ?? '';
      });
      for (const record of records) copy.load(record);
      const take = (entry: FeedEntry) => copy.apply(entry);
      await follow(watch, copy, { cursor: begin, parameters: `object_type=${type}`, until: type, take });
    };
    await Promise.all(copiedTypes.map(one));
  });
}
