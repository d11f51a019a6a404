// Moves a draft to the trash: its unique values are free, its entry is in the feed; or takes it out again. What else that means
// to others is decided by the rules.
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import { type Draft, textOf, touch } from './draft.ts';
import { withoutLong } from './long-values.ts';
import type { Unit } from './unit.ts';

/** `users` are those who saw the record, if not the whole org did: the feed tells them. */
export function trashDraft(unit: Unit, draft: Draft, users: readonly string[] | null): void {
  unit.holders.release(draft.type, uniqueKeys(draft.type, draft.properties));
  touch(draft, unit.nowMs());
  draft.place = 'trash';
  unit.noteEntry(draft, 'record.deleted', users && JSON.stringify(users));
}

/** The caller has made sure that its unique values are free. */
export function restoreDraft(unit: Unit, draft: Draft): void {
  unit.holders.claim(draft.type, uniqueKeys(draft.type, draft.properties), draft.id);
  touch(draft, unit.nowMs());
  draft.place = 'live';
  unit.noteEntry(draft, 'record.restored', withoutLong(draft.properties, textOf(draft)));
}
