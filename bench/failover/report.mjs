// What a run has found, and its numbers: for each event how long nobody could write, by each way to the database, how much of
// that was the switch itself, and how much came after it.
import { median } from '../support.mjs';
import { copied } from './copies.mjs';
import { kinds } from './events.mjs';
import { times } from './settings.mjs';

/** How long writes may need, once another server takes them, until they are acknowledged again. */
export const afterSwitchMost = 3_000;
const ways = ['haproxy', 'hosts'];
/**
 * Of ten copies that follow the feed through an event, at most one may have to be loaded again: its cursor was given out in the moment
 * before, while writes were still on their way to the standby, so that nobody can prove what it has seen.
 */
const loadedAgainMost = 0.1;

export function eventFindings(events) {
  const loaded = events.flatMap((event) =>
    ways
      .filter((way) => event.loaded_again?.[way] > 0)
      .map((way) => `${event.event}: the copy by ${way} had to be loaded again`),
  );
  const others = events.flatMap((event) => [
    ...(event.former_primary?.accepted > 0 ? [`${event.event}: the former primary accepted a write`] : []),
    ...ways
      .filter((way) => event[way]?.after_switch_ms > afterSwitchMost)
      .map((way) => `${event.event} by ${way}: ${event[way].after_switch_ms} ms after the switch`),
  ]);
  return loaded.length > loadedAgainMost * ways.length * events.length ? [...others, ...loaded] : others;
}

/** Differences between a copy and what a read gives of its types. */
export function copyFindings(copy, stored, { differences, lineOf, linkText }) {
  const name = `the copy by ${copy.way}`;
  const isCopied = (line) => copied.objectTypes.some((type) => line.startsWith(`${type} `));
  const links = copy.links.map(({ type, source, target }) => linkText(type, source, target));
  const isLinked = (line) => copied.associations.some((type) => line.startsWith(`${type} `));
  return [
    ...copy.findings,
    ...differences(name, copy.records.map(lineOf), stored.lines.filter(isCopied)),
    ...differences(name, links, stored.links.filter(isLinked)),
  ];
}

export function tellEvent(event, place) {
  const told = event.finding ?? JSON.stringify(event);
  process.stderr.write(`event ${place}: ${told}\n`);
}

export function numbersOf({ events, writers, writerCount, kept, copies }) {
  const { counts, writes } = writers;
  const done = events.filter(({ finding }) => finding === undefined);
  const attempts = (outcome) => done.reduce((sum, { former_primary: counted }) => sum + (counted?.[outcome] ?? 0), 0);
  return {
    patroni: times,
    writers: writerCount,
    writes: writes.length,
    acknowledged: counts.acknowledged,
    lost: kept.lost,
    doubled: kept.doubled,
    without_answer: counts.unanswered,
    unavailable: counts.unavailable,
    replayed: counts.replayed,
    entries: kept.entries,
    records: kept.records,
    links: kept.links,
    copies: Object.fromEntries(
      copies.map(({ way, loads, restarts }, index) => [
        way,
        { differences: kept.differences?.[index], loaded_again: loads - 1, restarts },
      ]),
    ),
    writes_to_former_primaries: {
      accepted: attempts('accepted'),
      refused: attempts('refused'),
      unanswered: attempts('unanswered'),
    },
    kinds: Object.fromEntries(
      Object.keys(kinds).map((name) => [name, numbersOfKind(done.filter(({ event }) => event === name))]),
    ),
    events: done,
  };
}

function numbersOfKind(events) {
  if (events.length === 0) return { events: 0 };
  const spread = (values) => ({ median: median(values), max: Math.max(...values) });
  const byWay = (member) =>
    Object.fromEntries(ways.map((way) => [way, spread(events.map((event) => event[way][member]))]));
  return {
    events: events.length,
    switched_ms: spread(events.map((event) => event.switched_ms)),
    gap_ms: byWay('gap_ms'),
    after_switch_ms: byWay('after_switch_ms'),
  };
}
