// Reads an org of links whole and compares it with the model: records, computed values, links from both their ends,
// stages with their timers, and the feed.

import type { Random } from '../random.ts';
import { computedFindings } from './computed.ts';
import { type ListedRecord, listAll, readSide, type Side } from './read.ts';
import { type CopiedLink, type LinksReplay, ownValues } from './replay.ts';
import type { Binding, Send } from './requests.ts';
import type { LinkState } from './state.ts';
import { type ReadRecords, timerFindings } from './timers.ts';
import { associationsFrom, associationsTo, stageAssociations, valueText, worldTypes } from './world.ts';

export interface LinkCheck {
  readonly send: Send;
  readonly binding: Binding;
  readonly random: Random;
  readonly replay: LinksReplay;
  /** The records as they were read before, to see that nothing changes without a version. */
  readonly seen: Map<string, ListedRecord>;
  /** When links were made, as it was read before. */
  readonly dates: Map<string, string>;
}

/** How many of the links are read: `some` between steps, `all` at the end, with some of the sides that have none. */
export type Extent = 'some' | 'all';

const atOnce = 4;
const someLinks = 120;

export async function checkFindings(check: LinkCheck, state: LinkState, extent: Extent): Promise<readonly string[]> {
  const { send, binding, random, replay } = check;
  const records = new Map<string, ListedRecord>();
  const findings: string[] = [];
  for (const type of Object.keys(worldTypes)) {
    const include = stageAssociations.filter((name) => associationsFrom(type).includes(name));
    const list = await listAll(send, type, random.pick([7, 50, 500]), include);
    findings.push(...listFindings(state, binding, type, list));
    for (const record of list) records.set(binding.label(record.id), record);
  }
  const createdAt = (label: string) => String(records.get(label)?.properties['svc_created_at']);
  for (const [label, record] of records) {
    findings.push(...recordFindings(check, state, label, record));
    findings.push(...computedFindings(state, label, record.properties, createdAt));
  }
  if (findings.length > 0) return findings;
  const timed = await timerFindings(check, state, records);
  findings.push(...timed.findings, ...(await trashFindings(check, state)));
  findings.push(...(await linkFindings(check, state, records, extent)));
  findings.push(...(await replay.advance(send, random.pick([50, 200, 1_000]))));
  const ids = (label: string) => binding.id(label);
  const links = [...state.seen()].map((link): CopiedLink => [link.association, ids(link.source), ids(link.target)]);
  findings.push(...replay.differences([...records.values(), ...timed.timers], links));
  return findings;
}

/** A list holds the live records and no others, by rising id. */
function listFindings(
  state: LinkState,
  binding: Binding,
  type: string,
  list: readonly ListedRecord[],
): readonly string[] {
  const ids = list.map(({ id }) => id);
  const expected = state.live(type).map((label) => binding.id(label));
  if (ids.join() === expected.sort().join()) return [];
  const names = (some: readonly string[]) => some.map((id) => binding.label(id)).join(' ');
  return [`the list of ${type} has ${names(ids)}, expected ${names(expected)}`];
}

function recordFindings(check: LinkCheck, state: LinkState, label: string, record: ListedRecord): readonly string[] {
  const { version, values } = state.get(label);
  const findings: string[] = [];
  const found = valueText(ownValues(record.properties));
  if (record.version !== String(version)) findings.push(`${label} has the version ${record.version}, not ${version}`);
  if (found !== valueText(values)) findings.push(`${label} has ${found}, expected ${valueText(values)}`);
  const before = check.seen.get(label);
  check.seen.set(label, record);
  if (before === undefined) return findings;
  const [then, now] = [before, record].map(({ properties }) => properties['svc_updated_at']) as [string, string];
  if (before.version === record.version ? then !== now : then > now) {
    findings.push(`${label} went from version ${before.version} of ${then} to ${record.version} of ${now}`);
  }
  if (before.properties['svc_created_at'] !== record.properties['svc_created_at']) {
    findings.push(`${label} has another creation`);
  }
  return findings;
}

/** Reads do not find records in the trash. */
async function trashFindings({ send, binding, random }: LinkCheck, state: LinkState): Promise<readonly string[]> {
  const trashed = Object.keys(worldTypes).flatMap((type) => state.trash(type));
  const findings: string[] = [];
  for (const label of random.some(trashed, 8)) {
    const { type } = state.get(label);
    const path = `/objects/${type}/records/${binding.id(label)}/`;
    const from = random.some(associationsFrom(type), 1).map((name) => `${path}associations/${name}/`);
    for (const each of [path, ...from]) {
      const { status, body } = await send({ method: 'GET', path: each });
      if (`${status} ${body.reason}` !== '404 record_unknown')
        findings.push(`${label} in the trash: ${status} ${each}`);
    }
  }
  return findings;
}

async function linkFindings(
  check: LinkCheck,
  state: LinkState,
  records: ReadRecords,
  extent: Extent,
): Promise<readonly string[]> {
  const sides = [...records.keys()].flatMap((label): readonly Side[] => {
    const { type } = state.get(label);
    const outgoing = associationsFrom(type).map((association) => ({ label, type, association, direction: 'outgoing' }));
    const incoming = associationsTo(type).map((association) => ({ label, type, association, direction: 'incoming' }));
    return [...outgoing, ...incoming] as readonly Side[];
  });
  const linked =
    extent === 'all' ? sides.filter((side) => linksOf(state, side).some((link) => state.isSeen(link))) : [];
  const waiting = [...linked, ...check.random.some(sides, someLinks)];
  const findings: string[] = [];
  const work = async () => {
    for (let side = waiting.pop(); side !== undefined; side = waiting.pop()) {
      findings.push(...(await sideFindings(check, state, records, side)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return findings;
}

function linksOf(state: LinkState, { label, association, direction }: Side) {
  return direction === 'outgoing' ? state.from(label, association) : state.to(label, association);
}

async function sideFindings(
  check: LinkCheck,
  state: LinkState,
  records: ReadRecords,
  side: Side,
): Promise<readonly string[]> {
  const { binding } = check;
  const { label, association, direction } = side;
  const other = direction === 'outgoing' ? 'target' : 'source';
  const seen = new Map(
    linksOf(state, side)
      .filter((link) => state.isSeen(link))
      .map((link) => [binding.id(link[other]), link]),
  );
  const where = `${association} ${direction} of ${label}`;
  const ends = await readSide(check.send, binding, side, sideQuery(check.random, side));
  if (typeof ends === 'string') return [`${where}: ${ends}`];
  const ids = ends.map(({ id }) => id);
  const expected = [...seen.keys()].sort();
  const names = (some: readonly string[]) => some.map((id) => binding.label(id)).join(' ') || 'nothing';
  if (ids.join() !== expected.join()) return [`${where} has ${names(ids)}, expected ${names(expected)}`];
  return ends.flatMap((end) => {
    const link = seen.get(end.id);
    const listed = records.get(binding.label(end.id));
    const findings: string[] = [];
    const key = `${link?.association} ${link?.source} ${link?.target} ${link?.since}`;
    const date = check.dates.get(key) ?? end.associated_at;
    check.dates.set(key, date);
    if (date !== end.associated_at) findings.push(`${where} is of ${end.associated_at}, and was of ${date}`);
    if (end.version !== listed?.version || valueText(end.properties) !== valueText(listed?.properties)) {
      findings.push(`${where} shows ${binding.label(end.id)} otherwise than the list`);
    }
    return findings;
  });
}

/** Pages of any size; the direction is asked for where it must be, and now and then where it need not. */
function sideQuery(random: Random, { type, association, direction }: Side): string {
  const both = associationsFrom(type).includes(association) && associationsTo(type).includes(association);
  const asked = (both && direction === 'incoming') || random.chance(0.3) ? `&direction=${direction}` : '';
  return `limit=${random.pick([1, 2, 3, 50])}${asked}`;
}
