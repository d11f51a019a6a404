// An entry of the change feed as the caller reads it: names instead of the numbers that are stored, and only the values
// that the caller's catalog has.
import { asString, type Json } from '../../base/json.ts';
import { overloaded } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isKeptByService } from '../../schema/roles/kept-by-service.ts';
import { type EntryKind, entryKinds } from '../../store/feed/entries.ts';
import type { EntryRow } from '../../store/feed/pages.ts';
import type { Session } from '../process/session.ts';
import { isLong, MissingValue } from '../unit/long-values.ts';

export interface ReadEntry {
  /** The number of the entry. It would show how much others write, so it must not leave the service. */
  readonly seq: string;
  readonly kind: EntryKind;
  readonly typeName: string;
  readonly recordId: string;
  readonly version: string;
  /** By property: the former and the new value, each absent where the property was unset. */
  readonly changed: Readonly<Record<string, Json>> | undefined;
  readonly link: ReadLink | undefined;
  readonly atMs: number;
  readonly principalId: string;
  readonly requestId: string;
}

interface ReadLink {
  readonly associationType: string;
  readonly targetType: string;
  readonly targetId: string;
}

/** The kinds of entries that a caller reads; entries of any other kind are read as one of these. */
export const readableKinds = (Object.keys(entryKinds) as EntryKind[]).filter((kind) => !kind.startsWith('visibility.'));

const kinds: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKinds).map(([name, number]) => [number, name as EntryKind]),
);

/** A long value that is missing is reported to `onFault`, and the entry is read without it. */
export function readEntry(session: Session, row: EntryRow, onFault: (error: unknown) => void): ReadEntry {
  const type = session.orgTypes.get(row.typeId);
  const kind = row.readsAs ?? kinds.get(row.kind);
  if (type === undefined || kind === undefined) throw justChanged();
  const isLink = row.associationTypeId !== null && row.readsAs === null;
  return {
    seq: row.seq,
    kind,
    typeName: type.name,
    recordId: row.recordId,
    version: row.currentVersion ?? row.version,
    changed: changedOf(session, type, row, onFault),
    link: isLink ? linkOf(session, row, row.associationTypeId) : undefined,
    atMs: row.at.getTime(),
    principalId: row.principalId,
    requestId: row.requestId,
  };
}

/** Dates and computed values that the service keeps are left out. */
function changedOf(
  session: Session,
  type: ObjectType,
  row: EntryRow,
  onFault: (error: unknown) => void,
): Readonly<Record<string, Json>> | undefined {
  const text = row.readsAs === 'record.restored' ? row.current : row.readsAs === null ? row.changed : null;
  if (text === null || row.kind === entryKinds['record.deleted']) return undefined;
  const visible = session.catalog.objectTypes.get(type.name)?.properties ?? type.properties;
  const values = Object.entries(JSON.parse(asString(text)) as Record<string, Json>).filter(([name]) => {
    const property = type.properties.get(name);
    if (property === undefined) throw justChanged();
    return visible.has(name) && !isKeptByService(property);
  });
  // An update is stored with the former values; for any other entry all values are new.
  const isDifference = row.kind === entryKinds['record.updated'];
  const changes = isDifference ? (values as Changes) : values.map(([name, value]) => [name, { new: value }] as const);
  const { leftOut } = row;
  if (leftOut === null || row.readsAs !== null) return Object.fromEntries(changes);
  const missing = (name: string) => onFault(new MissingValue(row, name));
  return Object.fromEntries(
    changes.map(([name, change]) => [name, completed(change, leftOut[name], () => missing(name))]),
  );
}

type Change = { readonly old?: Json; readonly new?: Json };
type Changes = readonly (readonly [name: string, change: Change])[];

/** Puts back the values that the entry leaves out, which are null in it. Any other value than a long one is not the same. */
function completed(change: Change, left: Change | undefined, onMissing: () => void): Change {
  if (left === undefined) return change;
  const whole: { old?: Json; new?: Json } = {};
  for (const side of ['old', 'new'] as const) {
    const value = change[side] ?? left[side];
    if (!(side in change)) continue;
    if (value !== undefined && (change[side] !== null || isLong(value))) whole[side] = value;
    else onMissing();
  }
  return whole;
}

function linkOf({ orgCatalog, orgTypes, caller }: Session, row: EntryRow, associationTypeId: number): ReadLink {
  const association = orgCatalog.associationNames.get(associationTypeId);
  if (association === undefined) throw justChanged();
  const targetType = orgTypes.get(row.targetTypeId ?? 0)?.name ?? association.hiddenTarget;
  if (targetType === undefined) throw justChanged();
  return { associationType: association.name, targetType, targetId: row.targetId ?? String(caller.orgId) };
}

/** A process learns of a new type or property within a second. Until then it does not know the name. */
function justChanged() {
  return overloaded("The org's schema has just changed.");
}
