// Writes a batch of rows of stage history in a unit of work: timers of the stages that records have left, and the time at which
// they entered the stage that they are in. The records are locked, so that moves of theirs come before or after.
import { isoText } from '../../../base/clock.ts';
import { idTimeMs } from '../../../base/id.ts';
import { Problem, problemOf } from '../../../base/problem.ts';
import { timerLinksOf } from '../../../schema/builtin/association-types.ts';
import type { StageEntry } from '../../../store/import/dry-run-history.ts';
import {
  findCreatedHere,
  findStoredTimes,
  type ScopedTime,
  type StageTime,
  type StoredTimes,
  type TimerScope,
} from '../../../store/import/stored-timers.ts';
import type { NewLink } from '../../../store/records/associations.ts';
import { LostRace } from '../../groups/lost-race.ts';
import { dateStage, writeTimer } from '../../rules/stage-timer.ts';
import type { Draft } from '../../unit/draft.ts';
import type { Unit } from '../../unit/unit.ts';
import { type BatchOutcome, Outcome } from '../outcome.ts';
import type { ImportedItem, ImportedRow } from '../read-row.ts';
import type { HistoryColumn } from './columns.ts';
import { findPlaces, type HistoryPlace } from './find-places.ts';
import { type CurrentStage, judge, type Timeline } from './timeline.ts';

/** What a dry run has found out in earlier batches, and what this one adds to it. */
interface EarlierHistory {
  find(wanted: readonly ScopedTime[]): Promise<readonly StoredTimes[]>;
  entries(of: readonly Omit<StageEntry, 'atMs'>[]): Promise<readonly StageEntry[]>;
}

/** What a batch has written. */
interface WrittenHistory {
  readonly outcome: BatchOutcome;
  readonly timers: readonly ScopedTime[];
  readonly entries: readonly StageEntry[];
}

/** A row whose record and stage are found. */
interface PlacedRow extends ImportedRow {
  readonly item: ImportedItem;
  readonly place: HistoryPlace;
  readonly time: ScopedTime;
}

export async function writeHistory(
  unit: Unit,
  columns: readonly HistoryColumn[],
  rows: readonly ImportedRow[],
  earlier?: EarlierHistory,
): Promise<WrittenHistory> {
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  const places = await findPlaces(unit, columns, items);
  const nowMs = unit.nowMs();
  const placed = rows.map((row) => placeRow(unit, row, places, nowMs));
  const found = placed.filter((each): each is PlacedRow => 'place' in each);
  const history = new BatchHistory(unit, nowMs);
  await history.load(found, earlier);
  const outcome = new Outcome();
  for (const each of placed) {
    if (!('place' in each)) {
      outcome.refused(each.row, each.problem);
      continue;
    }
    const written = await history.write(each);
    if (written instanceof Problem) outcome.refused(each.row, written);
    else outcome.taken(each.row, written, []);
  }
  return { outcome: outcome.end(), timers: history.timers, entries: history.entries };
}

function placeRow(
  unit: Unit,
  { row, item }: ImportedRow,
  places: ReadonlyMap<ImportedItem, HistoryPlace | Problem>,
  nowMs: number,
): PlacedRow | { readonly row: ImportedRow['row']; readonly problem: Problem } {
  if (item instanceof Problem) return { row, problem: item };
  const place = places.get(item);
  if (place === undefined) throw new TypeError('A row has no place.');
  if (place instanceof Problem) return { row, problem: place };
  const [enteredAt, leftAt] = [timeOf(item, 'svc_entered_at'), timeOf(item, 'svc_left_at')];
  if (enteredAt === undefined) throw new TypeError('A row without the time of entry was not refused.');
  const fault = faultOf(enteredAt, leftAt, nowMs);
  if (fault !== undefined) return { row, problem: fault };
  const time = {
    stageId: place.stage.id,
    enteredAt: isoText(enteredAt),
    leftAt: leftAt === undefined ? undefined : isoText(leftAt),
    scope: scopeOf(unit, place),
  };
  return { row, item, place, time };
}

function timeOf({ changes }: ImportedItem, name: string): number | undefined {
  const value = changes.get(name);
  return typeof value === 'string' ? Date.parse(value) : undefined;
}

function faultOf(enteredAt: number, leftAt: number | undefined, nowMs: number): Problem | undefined {
  for (const [column, time] of [
    ['svc_entered_at', enteredAt],
    ['svc_left_at', leftAt],
  ] as const) {
    if (time === undefined || (time >= 0 && time < nowMs)) continue;
    return refusal(column, `Expected a time between 1970 and now; got ${isoText(time)}.`);
  }
  if (leftAt === undefined || enteredAt <= leftAt) return undefined;
  return refusal(
    'svc_left_at',
    `The stage was left at ${isoText(leftAt)}, before it was entered at ${isoText(enteredAt)}.`,
  );
}

function refusal(column: string, detail: string): Problem {
  return problemOf('invalid_request', [
    { pointer: `/properties/${column}`, property: column, reason: 'invalid_value', detail },
  ]);
}

/** The association type may lead to several types of stages. */
function scopeOf(unit: Unit, { record, pair }: HistoryPlace): TimerScope {
  const { orgCatalog } = unit.call.session;
  const { stages } = orgCatalog.stageRoles(record.end.type.name);
  const types = stages
    .filter(({ id }) => id === pair.id)
    .map(({ targetType }) => orgCatalog.objectTypes.get(targetType)?.id ?? 0);
  return {
    recordId: record.id,
    links: timerLinksOf(pair.id),
    stageTypeIds: types.toSorted((one, other) => one - other),
  };
}

/** The records of a batch and the stages that they were in. */
class BatchHistory {
  readonly timers: ScopedTime[] = [];
  readonly #unit: Unit;
  readonly #nowMs: number;
  readonly #stored = new Map<PlacedRow, StoredTimes>();
  /** Of the records that are in the stage with which they were created, those that were not dated afterwards. */
  #createdHere: ReadonlySet<string> = new Set();
  readonly #added = new Map<string, StageTime[]>();
  /** The entry times that this batch gives, or earlier ones of a dry run. */
  readonly #entries = new Map<string, StageEntry & { readonly isNew: boolean }>();

  constructor(unit: Unit, nowMs: number) {
    this.#unit = unit;
    this.#nowMs = nowMs;
  }

  get entries(): readonly StageEntry[] {
    return [...this.#entries.values()].filter(({ isNew }) => isNew);
  }

  /** Locks the records, and reads for all rows what is stored. */
  async load(rows: readonly PlacedRow[], earlier: EarlierHistory | undefined): Promise<void> {
    if (rows.length === 0) return;
    const unit = this.#unit;
    const refs = new Map(
      rows.map(({ place: { record } }) => [record.id, { typeId: record.end.type.id, id: record.id }]),
    );
    await unit.records.lockAll([...refs.values()]);
    await unit.users.loadLinks([...refs.values()]);
    await unit.links.loadTargets(rows.map(({ place }) => sourceOf(place)));
    const { orgId } = unit.call.session.caller;
    this.#createdHere = await findCreatedHere(unit.transaction, orgId, [...refs.keys()]);
    const wanted = rows.map(({ time }) => time);
    const stored = await findStoredTimes(unit.transaction, orgId, wanted);
    const before = await earlier?.find(wanted);
    for (const [index, row] of rows.entries()) {
      const [own, other] = [stored[index], before?.[index]];
      if (own === undefined) throw new TypeError('The stages of a row were not looked up.');
      this.#stored.set(row, other === undefined ? own : bothOf(own, other));
    }
    const entries = await earlier?.entries(
      rows.map(({ place }) => ({ recordId: place.record.id, associationTypeId: place.pair.id })),
    );
    for (const entry of entries ?? []) this.#entries.set(entryKey(entry), { ...entry, isNew: false });
  }

  async write(row: PlacedRow): Promise<'created' | 'updated' | 'unchanged' | Problem> {
    const { place, time } = row;
    const draft = await this.#unit.records.lock(place.record.end.type, place.record.id);
    const stored = this.#stored.get(row);
    // It was deleted while its lock was waited for, so its name means nothing that is live.
    if (draft === undefined || stored === undefined) throw new LostRace();
    const link = await this.#unit.links.target(sourceOf(place));
    const key = JSON.stringify(time.scope);
    const added = this.#added.get(key) ?? [];
    const timeline: Timeline = { current: this.#currentStage(draft, place, link), added };
    const verdict = judge(timeline, time, stored, this.#nowMs);
    if (verdict.kind === 'unchanged') return 'unchanged';
    if (verdict.kind === 'refused') return refusal(verdict.column, verdict.detail);
    const room = this.#unit.requireRoom();
    if (room !== undefined) await room;
    if (verdict.kind !== 'timer' && link !== undefined) this.#enter(draft, link, verdict.enteredAtMs);
    if (verdict.kind === 'entry') return 'updated';
    await this.#addTimer(draft, place, time);
    this.#added.set(key, [...added, time]);
    return 'created';
  }

  #currentStage(draft: Draft, place: HistoryPlace, link: NewLink | undefined): CurrentStage | undefined {
    if (link === undefined) return undefined;
    const told = this.#entries.get(entryKey({ recordId: draft.id, associationTypeId: place.pair.id }));
    const enteredAtMs = told?.atMs ?? link.atMs;
    const sinceCreation = enteredAtMs === idTimeMs(draft.id) && !this.#createdHere.has(draft.id);
    return { stageId: link.targetId, enteredAtMs, sinceCreation };
  }

  #enter(draft: Draft, link: NewLink, atMs: number): void {
    const entry = { recordId: draft.id, associationTypeId: link.associationTypeId, atMs };
    this.#entries.set(entryKey(entry), { ...entry, isNew: true });
    dateStage(this.#unit, draft, link, atMs);
  }

  async #addTimer(draft: Draft, { stage, pair }: HistoryPlace, time: ScopedTime): Promise<void> {
    const left = { associationTypeId: pair.id, targetId: stage.id, targetTypeId: stage.end.type.id };
    const times = {
      enteredAtMs: Date.parse(time.enteredAt),
      leftAtMs: Date.parse(time.leftAt ?? ''),
      linkedAtMs: this.#nowMs,
    };
    await writeTimer(this.#unit, draft, left, times);
    this.timers.push(time);
  }
}

function sourceOf({ record, pair }: HistoryPlace) {
  return { sourceId: record.id, associationTypeId: pair.id };
}

function entryKey({ recordId, associationTypeId }: Omit<StageEntry, 'atMs'>): string {
  return `${recordId}/${associationTypeId}`;
}

/** What two places have stored. */
function bothOf(one: StoredTimes, other: StoredTimes): StoredTimes {
  return {
    isStored: one.isStored || other.isStored,
    overlapping: one.overlapping ?? other.overlapping,
    firstOwnAt: one.firstOwnAt ?? other.firstOwnAt,
  };
}
