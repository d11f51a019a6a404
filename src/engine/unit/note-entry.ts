// Notes an entry of the change feed, to be written with the change that it reports.
import type { EntryKind, FeedEntry } from '../../store/feed/entries.ts';
import type { Draft } from './draft.ts';
import type { Unit } from './unit.ts';

/** `changed` is the entry's JSON text (see `store/feed/entries`). */
export function noteEntry(
  unit: Unit,
  draft: Draft,
  kind: EntryKind,
  changed: string | null,
  link?: FeedEntry['link'],
): void {
  unit.forgetFirstStage(draft.type);
  unit.entries.push({
    origin: unit.origin,
    kind,
    typeId: draft.type.id,
    id: draft.id,
    version: draft.version,
    changed,
    ...(link === undefined ? {} : { link }),
  });
}
