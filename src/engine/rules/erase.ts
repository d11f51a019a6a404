// Erases a record for good: no value of it remains, nor of the duplicates that were merged into it. Its rows go at once. At the
// end of the unit, once everything that follows from its deletion is written, its history goes as well, in bounded steps;
// what is left after those is noted, and a job does it.
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isActivity } from '../../schema/roles/last-activity.ts';
import { isNote } from '../../schema/roles/notes.ts';
import type { Transaction } from '../../store/database.ts';
import { eraseSteps } from '../../store/erase/erase-history.ts';
import { countLinked, findLong, lockInTrash, removeErased } from '../../store/erase/erase-rows.ts';
import { noteErased } from '../../store/erase/erased.ts';
import type { ErasedHistory, Redact } from '../../store/erase/steps.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { findDuplicates, findKept, type KeptRecord } from '../../store/records/merge-links.ts';
import { locateRecord } from '../../store/records/trash.ts';
import { LostRace } from '../groups/lost-race.ts';
import { Administration } from '../platform/administration.ts';
import { type Draft, type Properties, touch } from '../unit/draft.ts';
import type { RuleBook, Unit } from '../unit/unit.ts';
import { deleteRecord, removeLive } from './write.ts';

interface Linked {
  readonly notes: number;
  readonly activities: number;
  readonly isWhole: boolean;
}

/** What an erasure has left, for the one who asked for it. */
export interface Erasure {
  /** The duplicates that were erased with the record. */
  readonly duplicates: readonly string[];
  /** The linked notes and activities that the caller sees: they are not erased. Nobody knows those of a purged record. */
  readonly linked: Linked | undefined;
  /** The records that this one was merged into: they may have values of it. */
  readonly keptIn: readonly KeptRecord[];
  /** Whether nothing of the record and its duplicates is left to a job; known at the end of the unit. */
  readonly isFinished: () => boolean;
}

type Erased = Pick<Draft, 'type' | 'id'>;

/** The record, live or in the trash, locked. */
export async function lockAnywhere(unit: Unit, type: ObjectType, id: string): Promise<Draft | undefined> {
  const draft = (await unit.records.lockTrashed(type, id)) ?? (await unit.records.lock(type, id));
  if (draft !== undefined) return draft;
  // One that is deleted and restored all the time can be missed in both places: the unit tries again.
  const { orgId } = unit.call.session.caller;
  if ((await locateRecord(unit.transaction, orgId, [type.id], id)) !== undefined) throw new LostRace();
  return undefined;
}

/** Erases the record, with the duplicates that were merged into it. */
export async function eraseRecord(unit: Unit, draft: Draft, redact: Redact): Promise<Erasure> {
  if (draft.place === 'live') await deleteRecord(unit, draft);
  else await tellAgain(unit, draft);
  const keptIn = await keptOf(unit, draft.id);
  const duplicates = await removeRows(unit, draft, lockDuplicates);
  const linked = await linkedTo(unit, draft.type, [draft.id, ...duplicates]);
  return { duplicates, linked, keptIn, isFinished: eraseLater(unit, draft, duplicates, redact) };
}

/** Erases what the history has of a record that was purged from the trash, with the duplicates that were merged into it. */
export async function erasePurged(unit: Unit, gone: Erased, redact: Redact): Promise<Erasure> {
  const keptIn = await keptOf(unit, gone.id);
  const duplicates = await lockDuplicates(unit, gone);
  await removeAll(unit, gone, duplicates);
  return { duplicates, linked: undefined, keptIn, isFinished: eraseLater(unit, gone, duplicates, redact) };
}

function keptOf(unit: Unit, id: string): Promise<readonly KeptRecord[]> {
  return findKept(unit.transaction, unit.call.session.caller.orgId, id, bounds.engine.keptRecordsNamed);
}

/** The history goes at the end of the unit. Says then whether all of it went. */
function eraseLater(unit: Unit, { type, id }: Erased, duplicates: readonly string[], redact: Redact): () => boolean {
  const erasures = unit.book(Erasures);
  const all = [id, ...duplicates];
  erasures.add(
    all.map((each) => ({ typeId: type.id, id: each })),
    redact,
  );
  return () => all.every((each) => !erasures.unfinished.has(each));
}

/**
 * Erases the record alone, and leaves its history to the caller: in a restored database, where the duplicates that were erased
 * are listed as well. A stage goes even if records of the backup are in it: they are in none then.
 */
export async function eraseRowsAgain(unit: Unit, draft: Draft): Promise<void> {
  if (draft.place === 'live') await removeLive(unit, draft);
  else await tellAgain(unit, draft);
  await removeRows(unit, draft, async () => []);
}

/** The feed tells of the erasure of a record in the trash as well. It has left its stages and freed its values before. */
async function tellAgain(unit: Unit, draft: Draft): Promise<void> {
  const users = draft.orgVisible ? null : await unit.users.of({ typeId: draft.type.id, id: draft.id });
  touch(draft, unit.nowMs());
  unit.noteEntry(draft, 'record.deleted', users && JSON.stringify(users));
}

/** Removes the rows of the record, which is in the trash by now, and of its duplicates. Returns the duplicates. */
async function removeRows(
  unit: Unit,
  draft: Draft,
  duplicatesOf: (unit: Unit, draft: Draft) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  // What is written to the trash for a moment has no value of the record.
  draft.properties = datesOf(draft.properties);
  await unit.flush();
  const duplicates = await duplicatesOf(unit, draft);
  await removeAll(unit, draft, duplicates);
  return duplicates;
}

async function removeAll(unit: Unit, erased: Erased, duplicates: readonly string[]): Promise<void> {
  const { orgId } = unit.call.session.caller;
  const { id } = erased;
  const typeId = erased.type.id;
  unit.growth -= await removeErased(unit.transaction, { orgId, typeId, id, duplicates, origin: unit.origin });
  for (const each of [id, ...duplicates]) unit.records.drop({ typeId, id: each });
  unit.externalIds.dropAll([id, ...duplicates]);
  unit.book(Administration).note({ action: 'record.erased', about: erased, ...detailOf(duplicates) });
}

/** The dates that the service keeps, and nothing else. */
function datesOf(properties: Properties): Properties {
  const dates: Record<string, Json> = {};
  for (const name of ['svc_created_at', 'svc_updated_at']) {
    if (properties[name] !== undefined) dates[name] = properties[name];
  }
  return dates;
}

/** Duplicates that were merged into the record, and are in the trash or gone from it. */
async function lockDuplicates(unit: Unit, { type, id }: Erased): Promise<readonly string[]> {
  const { orgId } = unit.call.session.caller;
  const found = await findDuplicates(unit.transaction, orgId, id);
  if (found.length === 0) return found;
  await lockInTrash(unit.transaction, orgId, type.id, found);
  // One that was restored meanwhile is a record of its own. From now on none can be.
  return findDuplicates(unit.transaction, orgId, id);
}

async function linkedTo(unit: Unit, of: ObjectType, recordIds: readonly string[]): Promise<Linked> {
  const { catalog, orgCatalog, caller } = unit.call.session;
  const counted = [...catalog.objectTypes.values()].filter((type) => isNote(type) || isActivity(type));
  const names = new Set(counted.map(({ name }) => name));
  const pairs = orgCatalog.pairsOf(of.name);
  const idsOf = (wanted: 'incoming' | 'outgoing') => [
    ...new Set(
      pairs
        .filter(({ pair, direction }) => direction === wanted && names.has(otherEnd(pair, direction)))
        .map(({ pair }) => pair.id),
    ),
  ];
  const typeIds = counted.map((type) => type.id);
  const links = { orgId: caller.orgId, recordIds, typeIds, incoming: idsOf('incoming'), outgoing: idsOf('outgoing') };
  const { byType, isWhole } = await countLinked(unit.transaction, links, bounds.engine.erasedLinksCounted);
  const sum = (isCounted: (type: ObjectType) => boolean) =>
    counted.filter(isCounted).reduce((all, type) => all + (byType.get(type.id) ?? 0), 0);
  return { notes: sum(isNote), activities: sum(isActivity), isWhole };
}

function otherEnd({ sourceType, targetType }: AssociationPair, direction: 'incoming' | 'outgoing'): string {
  return direction === 'incoming' ? sourceType : targetType;
}

/** Ids that one entry of the audit lists. */
const idsShown = 100;

function detailOf(duplicates: readonly string[]): { readonly detail?: string } {
  if (duplicates.length === 0) return {};
  const more = duplicates.length - idsShown;
  const shown = duplicates.slice(0, idsShown).join(', ');
  return { detail: `With merged duplicates: ${shown}${more > 0 ? ` and ${more} more` : ''}` };
}

/** The records that a unit has erased, until their history is erased at its end. */
class Erasures implements RuleBook {
  /** The records in whose history values may be left. */
  readonly unfinished = new Set<string>();
  readonly ending = { phase: 'erasure', run: (unit: Unit) => this.#end(unit) } as const;
  readonly #records: RecordRef[] = [];
  #redact: Redact = (answer) => answer;

  add(records: readonly RecordRef[], redact: Redact): void {
    this.#records.push(...records);
    this.#redact = redact;
  }

  async #end(unit: Unit): Promise<void> {
    const { orgId } = unit.call.session.caller;
    let steps = bounds.engine.eraseSteps;
    for (const records of await shortFirst(unit, this.#records)) {
      const done = await eraseHistory(unit.transaction, { orgId, records, redact: this.#redact }, steps);
      unit.growth -= done.bytes;
      steps -= done.steps;
      if (!done.isWhole) for (const { id } of records) this.unfinished.add(id);
      await noteErased(unit.transaction, orgId, records, done.isWhole ? 'finished' : 'unfinished');
    }
  }
}

/** Groups of records that are erased together. Those with a long history come last, so that the others need not wait. */
async function shortFirst(unit: Unit, records: readonly RecordRef[]): Promise<readonly (readonly RecordRef[])[]> {
  if (records.length < 2) return groupsOf(records);
  const recordIds = records.map(({ id }) => id);
  const long = await findLong(unit.transaction, unit.call.session.caller.orgId, recordIds);
  return [
    ...groupsOf(records.filter(({ id }) => !long.has(id))),
    ...groupsOf(records.filter(({ id }) => long.has(id))),
  ];
}

function groupsOf(records: readonly RecordRef[]): readonly (readonly RecordRef[])[] {
  const size = bounds.engine.erasedTogether;
  return Array.from({ length: Math.ceil(records.length / size) }, (_, index) =>
    records.slice(index * size, (index + 1) * size),
  );
}

/** Erases the history in one transaction, in as many steps as are allowed. */
export async function eraseHistory(
  transaction: Transaction,
  erased: ErasedHistory,
  stepsMost: number,
): Promise<{ readonly isWhole: boolean; readonly steps: number; readonly bytes: number }> {
  let steps = 0;
  let bytes = 0;
  for (const step of eraseSteps) {
    for (let next: string | undefined = ''; next !== undefined; ) {
      if (steps >= stepsMost) return { isWhole: false, steps, bytes };
      const done: Awaited<ReturnType<typeof step>> = await step(transaction, erased, next);
      steps++;
      bytes += done.bytes;
      next = done.next;
    }
  }
  return { isWhole: true, steps, bytes };
}
