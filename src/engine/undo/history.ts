// What a request did to records, as far as the caller may know it: an entry counts if the caller saw the record when it was
// written and sees it now, and if its values and the other end of its link are in sight.
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { isKeptByService } from '../../schema/roles/kept-by-service.ts';
import { entryKind, entryKinds } from '../../store/feed/entries.ts';
import {
  findLaterChanges,
  findOwnEntries,
  findPlaces,
  findSightChanges,
  type LaterChange,
  type OwnEntry,
  type Since,
} from '../../store/feed/requests.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { viewerOf } from '../process/call.ts';
import type { Draft } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';
import type { OwnEvent } from './what-goes-back.ts';

/** The request that is undone. Entries of `own` requests do not count as changes by others. */
export interface UndoneRequest {
  readonly requestId: string;
  /** The types whose records are looked at, as the caller sees them. */
  readonly types: ReadonlyMap<number, ObjectType>;
  readonly own: readonly string[];
}

export interface RecordHistory {
  readonly events: readonly OwnEvent[];
  readonly later: readonly LaterChange[];
  /** The number of the last entry, whether the caller may know of it or not. */
  readonly lastSeq: number;
}

/** The history of each of the records, which are locked. Records of which the caller may know nothing are left out. */
export async function readHistory(
  unit: Unit,
  undone: UndoneRequest,
  records: readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[],
): Promise<ReadonlyMap<string, RecordHistory>> {
  const { caller, catalog } = unit.call.session;
  const { orgId } = caller;
  const hidden = Object.fromEntries(catalog.hiddenKeys);
  const scope = { orgId, requestId: undone.requestId, typeIds: [...undone.types.keys()], hidden };
  const ids = records.map(({ id }) => id);
  const entries = groupBy(await findOwnEntries(unit.transaction, scope, ids));
  const seen = await eventsInSight(unit, undone, records, entries);
  const since = [...seen].flatMap(([id, [first]]) => (first === undefined ? [] : [{ id, seq: first.seq }]));
  const later = since.length === 0 ? [] : await findLaterChanges(unit.transaction, orgId, undone.own, since);
  const laterOf = groupBy(later);
  return new Map(
    since.map(({ id }) => {
      const lastSeq = entries.get(id)?.at(-1)?.seq ?? 0;
      return [id, { events: seen.get(id) ?? [], later: laterOf.get(id) ?? [], lastSeq }];
    }),
  );
}

type Entries = ReadonlyMap<string, readonly OwnEntry[]>;
type Events = ReadonlyMap<string, readonly OwnEvent[]>;

function groupBy<Row extends { readonly recordId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.recordId);
    if (group === undefined) groups.set(row.recordId, [row]);
    else group.push(row);
  }
  return groups;
}

/** Of a link whose other end is hidden, only its existence counts; a record of which nothing else is known is left out. */
async function eventsInSight(
  unit: Unit,
  undone: UndoneRequest,
  records: readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[],
  entries: Entries,
): Promise<Events> {
  const wasSeen = await sightOf(unit, records, entries);
  const places = await placesOfTargets(unit, undone, entries);
  const seen = new Map<string, readonly OwnEvent[]>();
  for (const { id, type } of records) {
    const visible = undone.types.get(type.id);
    if (visible === undefined) continue;
    const known = (entries.get(id) ?? []).flatMap((entry, index) => {
      const isTargetSeen = entry.targetId === null || !entry.targetTypeId || places.has(entry.targetId);
      const visibleEntries = wasSeen(id, index) ? withVisibleValues(visible, entry) : [];
      return visibleEntries.map((each) => eventOf({ ...each, isSeen: isTargetSeen }));
    });
    if (known.some(({ link }) => link?.isSeen !== false)) seen.set(id, known);
  }
  return seen;
}

/** The entry with the values that the caller sees; none if it has no other. */
function withVisibleValues(type: ObjectType, entry: OwnEntry): readonly OwnEntry[] {
  if (entry.changed === null) return [entry];
  const all = Object.entries(entry.changed);
  const visible = all.filter(([key]) => propertyOf(type, key) !== undefined);
  if (visible.length === all.length) return [entry];
  return visible.length === 0 ? [] : [{ ...entry, changed: Object.fromEntries(visible) }];
}

/** The property whose values stand under the key, unless it was deleted or the service itself keeps it. */
export function propertyOf({ properties, groups }: ObjectType, key: string): Property | undefined {
  const property = groups.byKey.get(key);
  if (property === undefined || isKeptByService(property)) return undefined;
  return properties.get(property.name) === property ? property : undefined;
}

/** Where the other ends of the links are that the caller sees, live or in the trash. */
function placesOfTargets(unit: Unit, { types }: UndoneRequest, entries: Entries) {
  const targets = new Map<string, RecordRef>();
  for (const { targetId, targetTypeId } of [...entries.values()].flat()) {
    if (targetId !== null && targetTypeId !== null && targetTypeId !== 0 && isKnownType(unit, types, targetTypeId)) {
      targets.set(targetId, { typeId: targetTypeId, id: targetId });
    }
  }
  return findPlaces(unit.transaction, viewerOf(unit.call), [...targets.values()]);
}

/** Types that the service alone writes are not among those that are undone, but links can lead to them. */
function isKnownType({ call }: Unit, types: UndoneRequest['types'], typeId: number): boolean {
  const name = call.session.orgTypes.get(typeId)?.name;
  return types.has(typeId) || (name !== undefined && call.session.catalog.objectTypes.has(name));
}

/**
 * Whether the caller saw the record when an entry was written. What links the record to the user and to the org is known
 * as it is now; going back over the entries about these links tells what was before.
 */
async function sightOf(
  unit: Unit,
  records: readonly Pick<Draft, 'type' | 'id' | 'orgVisible'>[],
  entries: Entries,
): Promise<(id: string, index: number) => boolean> {
  const { onlyUser, orgId } = viewerOf(unit.call);
  if (onlyUser === null) return () => true;
  const ends = [...entries].flatMap(([id, own]): readonly Since[] => {
    const last = own.at(-1);
    return last === undefined ? [] : [{ id, seq: last.seq }];
  });
  const changes = ends.length === 0 ? [] : await findSightChanges(unit.transaction, orgId, onlyUser, ends);
  await unit.users.loadLinks(records.map(({ type, id }) => ({ typeId: type.id, id })));
  const seen = new Map<string, readonly boolean[]>();
  for (const { id, type, orgVisible } of records) {
    const after = changes.filter((change) => change.recordId === id);
    const linked = {
      org: wasLinked(after, visibilityTypes.org) ?? orgVisible,
      user:
        wasLinked(after, visibilityTypes.user) ??
        (await unit.users.isLinked({ typeId: type.id, id, userId: onlyUser })),
    };
    seen.set(id, sightAtEntries(entries.get(id) ?? [], linked, onlyUser));
  }
  return (id, index) => seen.get(id)?.[index] === true;
}

/** Whether the link was there before the first change of it; undefined if there was none. */
function wasLinked(
  changes: readonly { readonly associationTypeId: number; readonly kind: number }[],
  type: number,
): boolean | undefined {
  const first = changes.find(({ associationTypeId }) => associationTypeId === type);
  return first && first.kind !== entryKinds['association.created'];
}

function sightAtEntries(
  entries: readonly OwnEntry[],
  linked: { org: boolean; user: boolean },
  userId: string,
): readonly boolean[] {
  const seen: boolean[] = [];
  for (const { associationTypeId, kind, targetId } of entries.toReversed()) {
    const after = linked.org || linked.user;
    const wasLinkedBefore = kind !== entryKinds['association.created'];
    if (associationTypeId === visibilityTypes.org) linked.org = wasLinkedBefore;
    if (associationTypeId === visibilityTypes.user && targetId === userId) linked.user = wasLinkedBefore;
    seen.push(after || linked.org || linked.user);
  }
  return seen.toReversed();
}

function eventOf(entry: OwnEntry & { readonly isSeen: boolean }): OwnEvent {
  const { seq, kind, version, changed, leftOut, linkedAt, ...link } = entry;
  const name = entryKind(kind);
  if (name === undefined) throw new TypeError(`There is no kind ${kind} of entries.`);
  const { associationTypeId, targetTypeId, targetId, isSeen } = link;
  const dated = linkedAt === null ? {} : { linkedAtMs: Date.parse(linkedAt) };
  return {
    seq,
    kind: name,
    version,
    changed: changed ?? {},
    leftOut: leftOut ?? [],
    link:
      associationTypeId === null
        ? undefined
        : { associationTypeId, targetTypeId: targetTypeId ?? 0, targetId, isSeen, ...dated },
  };
}
