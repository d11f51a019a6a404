// One run: writers and readers at once on one org, and then whether every copy is what a fresh read gives. It needs no
// test runner: it returns its findings as sentences.

import { plainSend, type Send } from '../plain-requests.ts';
import { Random } from '../random.ts';
import { type Copy, differences, type FeedEntry } from './copy.ts';
import { everyLine, readFresh } from './fresh-read.ts';
import { copyByLists, copyByQueries, type Reader, readLatest, readPart, readWhole, type Watch } from './readers.ts';
import { copiedLinks, type FeedWorld, makeWorld, WriterNotes, writeMarkers } from './world.ts';
import { runWriters } from './writers.ts';

interface FeedRun {
  /** One service, or several on one database. */
  readonly urls: readonly string[];
  /** A key with all grants, of an org that nothing else uses. */
  readonly key: string;
  /** A key of the same org that sees `narrowTypes` alone. */
  readonly narrowKey: string;
  /** How long the writers write; on a slow machine as long as it takes to send `leastRequests`. */
  readonly durationMs: number;
  readonly leastRequests: number;
  readonly seed: number;
  /** How readers ask; with plain requests by default. */
  readonly open?: (url: string, key: string) => Send;
}

interface FeedReport {
  readonly findings: readonly string[];
  readonly requests: number;
  readonly entries: number;
  readonly records: number;
  readonly links: number;
  /** How long after the last write the slowest reader had it. */
  readonly slowestMs: number;
}

export const narrowTypes = ['svc_contact', 'svc_company'] as const;

export async function runFeed(run: FeedRun): Promise<FeedReport> {
  const open = run.open ?? plainSend;
  const send = plainSend(run.urls[0] ?? '', run.key);
  const world = await makeWorld(send);
  const notes = new WriterNotes();
  const watch = watchOf(run, open, run.key, 1);
  const narrowWatch = watchOf(run, open, run.narrowKey, 2);
  const latest = new Promise<Reader>((resolve) => {
    const began: Reader = readLatest(watch, () => resolve(began));
  });
  const newest = await latest;
  const whole = readWhole(watch);
  const parts = {
    narrow: readPart(narrowWatch, 'the reader with few grants', '', 'svc_contact'),
    type: readPart(watch, 'the reader of deals', 'object_type=svc_deal', 'svc_deal'),
    record: readPart(watch, 'the reader of one deal', `record_id=${world.watched}`, 'watched'),
  };
  const copies = await write(run, world, notes, watch);
  watch.markers = narrowWatch.markers = await writeMarkers(send, world);
  watch.markedAtMs = narrowWatch.markedAtMs = performance.now();
  const readers = [newest, whole, ...Object.values(parts), ...copies];
  await Promise.all(readers.map(({ done }) => done));
  const { lines, links } = await readFresh(send, Object.keys(copiedLinks));
  const findings = [
    ...notes.findings,
    ...differences(whole.name, whole.copy.lines(), await everyLine(send)),
    ...differences(whole.name, whole.copy.linkLines(Object.values(copiedLinks).flat()), links),
    ...acknowledgedFindings(whole.copy, notes),
    ...copies.flatMap(({ name, copy }) => differences(name, copy.lines(), lines)),
    ...pairFindings(whole.copy, notes),
    ...readers.filter((reader) => !copies.includes(reader)).flatMap((reader) => orderFindings(reader, notes)),
    ...partFindings(whole.copy, parts, world),
    ...(await narrowFindings(plainSend(run.urls.at(-1) ?? '', run.narrowKey), parts.narrow)),
    ...newestFindings(whole.copy, newest),
    ...[whole, ...Object.values(parts), ...copies].flatMap(({ name, copy }) =>
      copy.end().map((what) => `${name}: ${what}`),
    ),
  ];
  return {
    findings,
    requests: notes.requests,
    entries: whole.copy.entries.length,
    records: whole.copy.lines().length,
    links: links.length,
    slowestMs: Math.round(Math.max(...watch.lagsMs, ...narrowWatch.lagsMs)),
  };
}

function watchOf(run: FeedRun, open: (url: string, key: string) => Send, key: string, place: number): Watch {
  // Readers begin at the service that the first writer does not use, if there are two.
  const sends = run.urls.toReversed().map((url) => open(url, key));
  return { sends, random: new Random(run.seed * 7 + place), markers: undefined, markedAtMs: 0, lagsMs: [] };
}

/** All writers for as long as asked for; copies begin at once, after a third of that and near its end. */
async function write(run: FeedRun, world: FeedWorld, notes: WriterNotes, watch: Watch): Promise<readonly Reader[]> {
  const endsAt = performance.now() + run.durationMs;
  let serial = 0;
  const hands = (index: number) => ({
    send: plainSend(run.urls[index % run.urls.length] ?? '', run.key),
    world,
    notes,
    random: new Random(run.seed * 1_000 + index),
    token: () => `t${index}x${serial++}`,
  });
  const writing = runWriters(hands, () => performance.now() >= endsAt && notes.requests >= run.leastRequests);
  const pause = (share: number) =>
    new Promise((resolve) => {
      setTimeout(resolve, run.durationMs * share);
    });
  const copies: Reader[] = [copyByLists(watch, 'the copy by lists')];
  await pause(0.3);
  copies.push(copyByQueries(watch, 'the copy by queries'));
  await pause(0.55);
  copies.push(copyByLists(watch, 'the late copy by lists'), copyByQueries(watch, 'the late copy by queries'));
  await writing;
  return copies;
}

/** Everything that was acknowledged is in the feed. */
function acknowledgedFindings({ entries }: Copy, { acknowledged, linking, timers }: WriterNotes): readonly string[] {
  const versions = new Set(entries.map(({ record_id, version }) => `${record_id} ${version}`));
  const links = entries.filter(({ type }) => type.startsWith('association.')).map(({ request_id }) => request_id);
  const made = new Set(entries.filter(({ type }) => type === 'record.created').map(({ record_id }) => record_id));
  const requests = new Set(links);
  return [
    ...[...acknowledged].filter((each) => !versions.has(each)).map((each) => `${each} is not in the feed`),
    ...[...linking].filter((each) => !requests.has(each)).map((each) => `the link of ${each} is not in the feed`),
    ...timers.filter((each) => !made.has(each)).map((each) => `timer ${each} is not in the feed`),
  ];
}

/** A transaction over two records is in the feed with both. */
function pairFindings({ entries }: Copy, { pairs }: WriterNotes): readonly string[] {
  const told = new Map<string, string[]>();
  for (const { request_id: request, record_id: id } of entries) {
    if (pairs.has(request)) told.set(request, [...(told.get(request) ?? []), id]);
  }
  return [...pairs]
    .filter(([request, ids]) => ids.toSorted().join() !== told.get(request)?.toSorted().join())
    .map(([request, ids]) => `request ${request} wrote ${ids.join()}, and the feed has ${told.get(request)?.join()}`);
}

/** A request that was answered before another was sent was committed before it, and comes before it. */
function orderFindings({ name, copy }: Reader, { times }: WriterNotes): readonly string[] {
  const findings: string[] = [];
  let latest = 0;
  let latestRequest = '';
  for (const { id, request_id: request } of copy.entries) {
    const [sentMs, answeredMs] = times.get(request) ?? [0, Number.POSITIVE_INFINITY];
    if (answeredMs < latest) findings.push(`${name}: entry ${id} of ${request} comes after the later ${latestRequest}`);
    if (sentMs > latest) [latest, latestRequest] = [sentMs, request];
  }
  return findings;
}

/** Readers of a part of the feed have every entry of their part, and no other. */
function partFindings(
  { entries }: Copy,
  { narrow, type, record }: Readonly<Record<'narrow' | 'type' | 'record', Reader>>,
  { watched }: FeedWorld,
): readonly string[] {
  const ids = (list: readonly FeedEntry[]) => list.map(({ id }) => id).sort();
  const isNarrow = (name: string | undefined) => (narrowTypes as readonly string[]).includes(name ?? '');
  const wanted: readonly (readonly [Reader, (entry: FeedEntry) => boolean])[] = [
    [
      narrow,
      (entry) => isNarrow(entry.object_type) && (entry.target_type === undefined || isNarrow(entry.target_type)),
    ],
    [type, (entry) => entry.object_type === 'svc_deal'],
    [record, (entry) => entry.record_id === watched],
  ];
  return wanted.flatMap(([{ name, copy }, isWanted]) =>
    differences(name, ids(copy.entries), ids(entries.filter(isWanted))),
  );
}

async function narrowFindings(send: Send, { name, copy }: Reader): Promise<readonly string[]> {
  const fresh = await everyLine(send);
  // Links that the key does not see make new versions, so the last version that it knows may be an older one.
  const bare = (line: string) => line.replace(/ version \d+:/, ':');
  return differences(name, copy.lines().map(bare), fresh.map(bare));
}

/** A reader that began with `latest` has exactly the entries that came after. */
function newestFindings({ entries }: Copy, { name, copy }: Reader): readonly string[] {
  const [first] = copy.entries;
  const ids = new Set(copy.entries.map(({ id }) => id));
  const begin = entries.findIndex(({ id }) => id === first?.id);
  const after = entries.slice(begin).filter(({ id }) => !ids.has(id));
  const all = new Set(entries.map(({ id }) => id));
  return [
    ...after.map((entry) => `${name} lacks ${JSON.stringify(entry)}`),
    ...[...ids].filter((id) => !all.has(id)).map((id) => `${name} alone has entry ${id}`),
  ];
}
