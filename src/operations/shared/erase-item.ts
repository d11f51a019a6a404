// The item of a batch that erases a record, and the sentences that say what an erasure leaves: linked records, the record that
// has some of the values, backups, and work that is not done yet.
import { isId } from '../../base/id.ts';
import { recordUnknown } from '../../engine/read/records.ts';
import { type Erasure, eraseRecord, lockAnywhere } from '../../engine/rules/erase.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { ItemResult } from './batch-item.ts';
import { redactAnswer } from './redact-answer.ts';

/** `pointer` is the place of the id in the request. */
export async function runErase(unit: Unit, type: ObjectType, id: string, pointer: string): Promise<ItemResult> {
  const draft = isId(id) ? await lockAnywhere(unit, type, id) : undefined;
  if (draft === undefined) throw recordUnknown(type, id, pointer);
  const erasure = await eraseRecord(unit, draft, redactAnswer);
  return { status: 200, id, note: () => eraseNote(erasure) };
}

export function eraseNote({ linked, keptIn, isFinished }: Omit<Erasure, 'duplicates'>): string {
  return [
    ...(isFinished() ? [] : ['Its history is long: a job of the kind erase takes the values out of it.']),
    linkedText(linked),
    ...(keptIn === undefined
      ? []
      : [`It was merged into record ${keptIn}, which keeps the values that it got from it.`]),
    'Backups made before still hold the values; restoring one into this database repeats the erasure.',
  ].join(' ');
}

function linkedText({ notes, activities, isWhole }: Erasure['linked']): string {
  const all = notes + activities;
  if (all === 0) return 'No notes or activities were linked to it.';
  const counts = [counted(notes, 'note', 'notes'), counted(activities, 'activity', 'activities')].flat().join(' and ');
  return `${isWhole ? '' : 'At least '}${counts} linked to it ${all === 1 ? 'is' : 'are'} not erased.`;
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
