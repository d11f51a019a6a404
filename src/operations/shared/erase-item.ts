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
    linked === undefined ? 'It had been purged from the trash; its history is erased.' : linkedText(linked),
    ...keptIn.map(keptText),
    'Backups made before still hold the values; restoring one into this database repeats the erasure.',
  ].join(' ');
}

function keptText({ id, parted }: Erasure['keptIn'][number]): string {
  if (parted) return `For a while it was merged into record ${id}, which may keep values that it got from it.`;
  return `It was merged into record ${id}, which keeps the values that it got from it.`;
}

function linkedText({ notes, activities, isWhole }: NonNullable<Erasure['linked']>): string {
  const all = notes + activities;
  if (all === 0 && !isWhole)
    return 'Notes and activities linked to it are not erased; it has too many links to count them.';
  if (all === 0) return 'No notes or activities were linked to it.';
  const counts = [counted(notes, 'note', 'notes'), counted(activities, 'activity', 'activities')].flat().join(' and ');
  return `${isWhole ? '' : 'At least '}${counts} linked to it ${all === 1 ? 'is' : 'are'} not erased.`;
}

function counted(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
