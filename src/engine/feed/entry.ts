// An entry of the change feed as it is answered: names instead of numbers, and no more of its values than the caller's
// catalog has.
import { isoText } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { overloaded } from '../../base/problem.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isKeptByService } from '../../schema/roles/kept-by-service.ts';
import { type EntryKind, entryKinds } from '../../store/feed/entries.ts';
import type { EntryRow } from '../../store/feed/pages.ts';
import type { Session } from '../process/session.ts';

export interface ChangeEntry {
  readonly id: string;
  readonly type: EntryKind;
  readonly object_type: string;
  readonly record_id: string;
  readonly version: string;
  readonly changed?: Readonly<Record<string, Json>>;
  readonly association_type?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly at: string;
  readonly principal_id: string;
  readonly request_id: string;
}

/** The kinds of entries that are answered: what else stands in the feed reads as one of these. */
export const toldKinds = (Object.keys(entryKinds) as EntryKind[]).filter((kind) => !kind.startsWith('visibility.'));

const kinds: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKinds).map(([name, number]) => [number, name as EntryKind]),
);

export function changeEntry(session: Session, row: EntryRow, nameOf: (seq: string) => string): ChangeEntry {
  const type = session.orgTypes.get(row.typeId);
  const kind = row.readsAs ?? kinds.get(row.kind);
  if (type === undefined || kind === undefined) throw justChanged();
  const changed = changedOf(session, type, row);
  return {
    id: nameOf(row.seq),
    type: kind,
    object_type: type.name,
    record_id: row.recordId,
    version: row.currentVersion ?? row.version,
    ...(changed === undefined ? {} : { changed }),
    ...(row.associationTypeId === null || row.readsAs !== null ? {} : linkOf(session, row, row.associationTypeId)),
    at: isoText(row.at.getTime()),
    principal_id: row.principalId,
    request_id: row.requestId,
  };
}

/** The dates that the service keeps, and what it computes, are left out. */
function changedOf(session: Session, type: ObjectType, row: EntryRow): Readonly<Record<string, Json>> | undefined {
  const text = row.readsAs === 'record.restored' ? row.current : row.readsAs === null ? row.changed : null;
  if (text === null || row.kind === entryKinds['record.deleted']) return undefined;
  const visible = session.catalog.objectTypes.get(type.name)?.properties ?? type.properties;
  const values = Object.entries(JSON.parse(text) as Record<string, Json>).filter(([name]) => {
    const property = type.properties.get(name);
    if (property === undefined) throw justChanged();
    return visible.has(name) && !isKeptByService(property);
  });
  // What was updated is stored with what it was before; of everything else all values are new.
  const isDifference = row.kind === entryKinds['record.updated'];
  return Object.fromEntries(isDifference ? values : values.map(([name, value]) => [name, { new: value }]));
}

function linkOf({ orgCatalog, orgTypes, caller }: Session, row: EntryRow, associationTypeId: number) {
  const association = namesOf(orgCatalog).get(associationTypeId);
  if (association === undefined) throw justChanged();
  const target = orgTypes.get(row.targetTypeId ?? 0)?.name ?? association.hiddenTarget;
  if (target === undefined) throw justChanged();
  return {
    association_type: association.name,
    target_type: target,
    target_id: row.targetId ?? String(caller.orgId),
  };
}

interface AssociationName {
  readonly name: string;
  readonly hiddenTarget: string | undefined;
}

const names = new WeakMap<Catalog, ReadonlyMap<number, AssociationName>>();

function namesOf(catalog: Catalog): ReadonlyMap<number, AssociationName> {
  const known =
    names.get(catalog) ??
    new Map(
      catalog.pairs.map(({ id, name, targetType }) => [
        id,
        { name, hiddenTarget: catalog.objectTypes.has(targetType) ? undefined : targetType },
      ]),
    );
  names.set(catalog, known);
  return known;
}

/** A process learns of a new type or property within a second. Until then it cannot tell what it is called. */
function justChanged() {
  return overloaded("The org's schema has just changed.");
}
