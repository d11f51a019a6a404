// Compares the timers of stages with the model (contract 6): one for each stage that was left, linked to the record and
// to the stage, and joined end to end with each other and with the current stage.

import type { Random } from '../random.ts';
import { type ListedRecord, listAll, readSide } from './read.ts';
import type { Binding, Send } from './requests.ts';
import type { LinkState, ModelTimer } from './state.ts';
import { stageAssociations, textValue, type Values, worldAssociations } from './world.ts';

const recordLinks = [...new Set(stageAssociations.map((name) => worldAssociations[name]?.timers?.[0] ?? ''))];
const stageLinks = [...new Set(stageAssociations.map((name) => worldAssociations[name]?.timers?.[1] ?? ''))];

/** A timer as it was read, with the ends of its links by their association types. */
interface ReadTimer {
  readonly id: string;
  readonly properties: Values;
  readonly links: ReadonlyMap<string, string>;
}

/** A list includes fewer links than timers can have. */
async function readTimers(send: Send, binding: Binding): Promise<readonly ReadTimer[]> {
  const lists: (readonly ListedRecord[])[] = [];
  for (const include of [recordLinks, stageLinks]) lists.push(await listAll(send, 'svc_stage_timer', 500, include));
  return (lists[0] ?? []).map(({ id, properties }, index) => {
    const included = lists.flatMap((list) => Object.entries(list[index]?.associations ?? {}));
    const ends = included.flatMap(([name, { items }]) => items.map((item) => [name, binding.label(item.id)] as const));
    return { id, properties, links: new Map(ends) };
  });
}

/** The timers of the model get ids: those that are still without, in the order in which they were written. */
function assign(state: LinkState, binding: Binding, read: readonly ReadTimer[]): readonly string[] {
  const bound = new Set(binding.timers.values());
  const open = [...state.timers.keys()].filter((place) => !binding.timers.has(place));
  const findings: string[] = [];
  for (const timer of read.filter(({ id }) => !bound.has(id))) {
    const at = open.findIndex((place) => linkText(timer) === expectedLinks(state, state.timers[place] as ModelTimer));
    const [place] = at === -1 ? [] : open.splice(at, 1);
    if (place !== undefined) binding.timers.set(place, timer.id);
    else findings.push(`a timer too many: ${linkText(timer)} ${JSON.stringify(timer.properties)}`);
  }
  for (const place of open) findings.push(`no timer of ${timerText(state.timers[place] as ModelTimer)}`);
  return findings;
}

function linkText({ links }: ReadTimer): string {
  return [...links].map(([name, end]) => `${name} ${end}`).join(', ');
}

/** Links to what is in the trash are not seen. */
function expectedLinks(state: LinkState, { record, stage, association }: ModelTimer): string {
  const [toRecord, toStage] = worldAssociations[association]?.timers ?? [];
  const ends = [[toRecord, record] as const, [toStage, stage] as const];
  return ends.flatMap(([name, end]) => (state.isLive(end) ? [`${name} ${end}`] : [])).join(', ');
}

function timerText({ record, association, stage }: ModelTimer): string {
  return `${record} in ${stage} by ${association}`;
}

/** The records that were read, by their labels. */
export type ReadRecords = ReadonlyMap<string, ListedRecord>;

/** How many records and stages are asked for their timers. */
const someSides = 40;

export async function timerFindings(
  { send, binding, random }: { readonly send: Send; readonly binding: Binding; readonly random: Random },
  state: LinkState,
  records: ReadRecords,
): Promise<{ readonly findings: readonly string[]; readonly timers: readonly ListedRecord[] }> {
  const read = await readTimers(send, binding);
  const timers = new Map(read.map((timer) => [timer.id, timer]));
  const chains = new Map<string, number[]>();
  for (const [place, { record, association }] of state.timers.entries()) {
    const key = `${record} ${association}`;
    chains.set(key, [...(chains.get(key) ?? []), place]);
  }
  const findings = [...assign(state, binding, read)];
  for (const [place, timer] of state.timers.entries()) {
    const found = timers.get(binding.timers.get(place) ?? '');
    if (found === undefined) findings.push(`the timer of ${timerText(timer)} cannot be read`);
    else findings.push(...oneTimer(state, timer, found, records).map((each) => `${timerText(timer)}: ${each}`));
  }
  for (const label of new Set([...state.all()].map((record) => record.label))) {
    for (const association of stageAssociations) {
      const places = chains.get(`${label} ${association}`) ?? [];
      const chain = places.map((place) => ({
        ...(state.timers[place] as ModelTimer),
        times: timers.get(binding.timers.get(place) ?? '')?.properties ?? {},
      }));
      findings.push(...chainFindings(state, label, association, chain, records.get(label)));
    }
  }
  for (const side of random.some(sidesOf(state, binding, records), someSides)) {
    findings.push(...(await sideFindings(send, binding, side, random.pick([2, 5, 100]))));
  }
  const listed = read.map(({ id, properties }) => ({ id, object_type: 'svc_stage_timer', version: '1', properties }));
  return { findings, timers: listed };
}

/** The timers of a record, or of a stage, as they are found from there. */
interface TimerSide {
  readonly label: string;
  readonly type: string;
  readonly association: string;
  readonly ids: readonly string[];
}

function sidesOf(state: LinkState, binding: Binding, records: ReadRecords): readonly TimerSide[] {
  const sides = new Map<string, { label: string; association: string; ids: string[] }>();
  for (const [place, { record, stage, association }] of state.timers.entries()) {
    const names = worldAssociations[association]?.timers ?? [];
    for (const [index, label] of [record, stage].entries()) {
      const name = names[index] ?? '';
      const side = sides.get(`${name} ${label}`) ?? { label, association: name, ids: [] };
      sides.set(`${name} ${label}`, { ...side, ids: [...side.ids, binding.timers.get(place) ?? ''] });
    }
  }
  return [...sides.values()].flatMap((side) => {
    const type = records.get(side.label)?.object_type;
    return type === undefined ? [] : [{ ...side, type }];
  });
}

async function sideFindings(
  send: Send,
  binding: Binding,
  { ids, ...side }: TimerSide,
  limit: number,
): Promise<readonly string[]> {
  const read = await readSide(send, binding, { ...side, direction: 'incoming' }, `limit=${limit}`);
  const found = typeof read === 'string' ? read : read.map(({ id }) => id).join();
  return found === [...ids].sort().join() ? [] : [`${side.label} has other timers by ${side.association}: ${found}`];
}

function oneTimer(state: LinkState, timer: ModelTimer, read: ReadTimer, records: ReadRecords): readonly string[] {
  const names = ['svc_entered_at', 'svc_left_at', 'svc_duration_seconds'];
  const [entered = '', left = '', duration] = names.map((name) => textValue(read.properties, name));
  const lasted = (Date.parse(left) - Date.parse(entered)) / 1_000;
  const findings: string[] = [];
  if (duration !== lasted.toFixed(3) || lasted < 0) findings.push(`from ${entered} to ${left} it is not ${duration} s`);
  if (![entered, left].every((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time))) {
    findings.push(`the times ${entered} and ${left} are not of the right form`);
  }
  const links = linkText(read);
  if (links !== expectedLinks(state, timer)) findings.push(`the timer is linked by ${links}`);
  const record = records.get(timer.record);
  const updated = textValue(record?.properties, 'svc_updated_at');
  if (Number(record?.version) === timer.left && updated !== left) {
    findings.push(`left at ${left} with the version of ${updated}`);
  }
  return findings;
}

type Chain = readonly (ModelTimer & { readonly times: Values })[];

function chainFindings(
  state: LinkState,
  label: string,
  association: string,
  chain: Chain,
  record: ListedRecord | undefined,
): readonly string[] {
  const findings: string[] = [];
  const where = `${label} by ${association}`;
  let last: string | undefined;
  const enter = (time: string, { joined }: { readonly joined: boolean }) => {
    if (joined ? time !== last : last !== undefined && time < last) {
      findings.push(`${where} entered a stage at ${time}, and left the one before at ${last}`);
    }
  };
  for (const timer of chain) {
    enter(textValue(timer.times, 'svc_entered_at'), timer);
    last = textValue(timer.times, 'svc_left_at');
  }
  if (record === undefined) return findings;
  const items = record.associations?.[association]?.items ?? [];
  const stages = state.from(label, association).filter((link) => state.isSeen(link));
  if (items.length !== stages.length) findings.push(`${where} has ${items.length} stages and not ${stages.length}`);
  const [item, stage] = [items[0], stages[0]];
  const updated = textValue(record.properties, 'svc_updated_at');
  const first = chain[0] === undefined ? item?.associated_at : textValue(chain[0].times, 'svc_entered_at');
  if (first !== undefined && first < textValue(record.properties, 'svc_created_at'))
    findings.push(`${where} was in a stage before it was made`);
  if (last !== undefined && last > updated) findings.push(`${where} left a stage after its last update`);
  if (item === undefined || stage === undefined) return findings;
  enter(item.associated_at, stage);
  const current = stage.since === Number(record.version);
  if (current ? item.associated_at !== updated : item.associated_at > updated) {
    findings.push(`${where} entered its stage at ${item.associated_at} and is of ${updated}`);
  }
  return findings;
}
