// Erases a record for good: no value of it remains, nor of the duplicates that were merged into it. Its rows go at once. At the
// end of the unit, once everything that follows from its deletion is written, its history goes as well, in bounded steps;
// what is left after those is noted, and a job does it.
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isActivity } from '../../schema/roles/last-activity.ts';
import { isNote } from '../../schema/roles/notes.ts';
import type { Transaction } from '../../store/database.ts';
import { eraseSteps } from '../../store/erase/erase-history.ts';
import { countLinked, lockInTrash, removeErased } from '../../store/erase/erase-rows.ts';
import { noteErased } from '../../store/erase/erased.ts';
import type { ErasedHistory, Redact } from '../../store/erase/steps.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { findDuplicates, findKept } from '../../store/records/merge-links.ts';
import { locateRecord } from '../../store/records/trash.ts';
import { LostRace } from '../groups/lost-race.ts';
import { Administration } from '../platform/administration.ts';
import { type Draft, type Properties, touch } from '../unit/draft.ts';
import type { RuleBook, Unit } from '../unit/unit.ts';
import { deleteRecord, removeLive } from './write.ts';

/** What an erasure has left, for the one who asked for it. */
export interface Erasure {
  /** The duplicates that were erased with the record. */
  readonly duplicates: readonly string[];
  /** The linked notes and activities that the caller sees: they are not erased. */
  readonly linked: { readonly notes: number; readonly activities: number; readonly isWhole: boolean };
  /** The record that this one was merged into: it has values of it. */
  readonly keptIn: string | undefined;
  /** Whether nothing is left to a job; known at the end of the unit. */
  readonly isFinished: () => boolean;
}

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
  const keptIn = await findKept(unit.transaction, unit.call.session.caller.orgId, draft.id);
  const duplicates = await removeRows(unit, draft, lockDuplicates);
  const linked = await linkedTo(unit, [draft.id, ...duplicates]);
  const erasures = unit.book(Erasures);
  erasures.add(
    [draft.id, ...duplicates].map((id) => ({ typeId: draft.type.id, id })),
    redact,
  );
  return { duplicates, linked, keptIn, isFinished: () => erasures.isFinished };
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
  const { orgId } = unit.call.session.caller;
  const typeId = draft.type.id;
  // What is written to the trash for a moment has no value of the record.
  draft.properties = datesOf(draft.properties);
  await unit.flush();
  const duplicates = await duplicatesOf(unit, draft);
  const erased = { orgId, typeId, id: draft.id, duplicates, origin: unit.origin };
  unit.growth -= await removeErased(unit.transaction, erased);
  for (const id of [draft.id, ...duplicates]) unit.records.drop({ typeId, id });
  unit.book(Administration).note({ action: 'record.erased', about: draft, ...detailOf(duplicates) });
  return duplicates;
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
async function lockDuplicates(unit: Unit, { type, id }: Draft): Promise<readonly string[]> {
  const { orgId } = unit.call.session.caller;
  const found = await findDuplicates(unit.transaction, orgId, id);
  if (found.length === 0) return found;
  await lockInTrash(unit.transaction, orgId, type.id, found);
  // One that was restored meanwhile is a record of its own. From now on none can be.
  return findDuplicates(unit.transaction, orgId, id);
}

async function linkedTo(unit: Unit, ids: readonly string[]): Promise<Erasure['linked']> {
  const { catalog, caller } = unit.call.session;
  const counted = [...catalog.objectTypes.values()].filter((type) => isNote(type) || isActivity(type));
  const most = bounds.engine.erasedLinksCounted;
  const typeIds = counted.map((type) => type.id);
  const counts = await countLinked(unit.transaction, caller.orgId, ids, typeIds, most + 1);
  const sum = (isCounted: (type: ObjectType) => boolean) =>
    counted.filter(isCounted).reduce((all, type) => all + (counts.get(type.id) ?? 0), 0);
  const [notes, activities] = [sum(isNote), sum(isActivity)];
  return { notes, activities, isWhole: notes + activities <= most };
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
  isFinished = true;
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
    for (const records of groupsOf(this.#records)) {
      const done = await eraseHistory(unit.transaction, { orgId, records, redact: this.#redact }, steps);
      unit.growth -= done.bytes;
      steps -= done.steps;
      this.isFinished &&= done.isWhole;
      await noteErased(unit.transaction, orgId, records, done.isWhole ? 'finished' : 'unfinished');
    }
  }
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
