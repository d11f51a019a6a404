// Moves a draft to the trash: its unique values are free, its entry is in the feed. What else a deletion means to others is
// decided by the rules.
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { type Draft, touch } from './draft.ts';
import type { Unit } from './unit.ts';

/** `users` are those who saw the record, if not the whole org did: the feed tells them. */
export function trashDraft(unit: Unit, draft: Draft, users: readonly string[] | null): void {
  unit.holders.release(draft.type, uniqueKeys(draft.type, draft.properties));
  touch(draft, unit.nowMs());
  draft.place = 'trash';
  unit.noteEntry(draft, 'record.deleted', users && JSON.stringify(users));
}
