// Makes and removes one link between two records: the link itself, its entry in the feed, and what it means to the last
// activity of the target. The source is locked and has its new version.
import type { Draft } from '../unit/draft.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { noteActivityLink } from './last-activity.ts';

export function makeRecordLink(unit: Unit, draft: Draft, link: ResolvedLink): void {
  const { pair, targetId } = link;
  const ends = { associationTypeId: pair.id, targetTypeId: typeIdOf(unit, pair.targetType), targetId };
  unit.links.add({ ...ends, sourceId: draft.id, sourceTypeId: draft.type.id, atMs: draft.updatedAtMs });
  noteActivityLink(unit, draft, link, 'came');
  unit.noteEntry(draft, 'association.created', null, ends);
}

export function removeRecordLink(unit: Unit, draft: Draft, link: ResolvedLink): void {
  const { pair, targetId } = link;
  const ends = { associationTypeId: pair.id, targetTypeId: typeIdOf(unit, pair.targetType), targetId };
  unit.links.remove({ ...ends, sourceId: draft.id });
  noteActivityLink(unit, draft, link, 'went');
  unit.noteEntry(draft, 'association.deleted', null, ends);
}

function typeIdOf(unit: Unit, name: string): number {
  return unit.call.session.orgCatalog.objectTypes.get(name)?.id ?? 0;
}
