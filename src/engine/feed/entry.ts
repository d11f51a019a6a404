// An entry of the change feed as the caller reads it: names instead of the numbers that are stored, and only the values
// that the caller's catalog has.
import { asString, type Json } from '../../base/json.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { isKeptByService } from '../../schema/roles/kept-by-service.ts';
import { type EntryKind, entryKind, entryKinds } from '../../store/feed/entries.ts';
import type { EntryRow } from '../../store/feed/pages.ts';
import { SchemaChanged } from '../process/schema-changed.ts';
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

/**
 * A long value that is missing is reported to `onFault`, and the entry is read without it. Undefined for an entry about what
 * the schema does not have any more: a type or an association type that was deleted.
 */
export function readEntry(session: Session, row: EntryRow, onFault: (error: unknown) => void): ReadEntry | undefined {
  const type = session.orgTypes.get(row.typeId);
  const kind = row.readsAs ?? entryKind(row.kind);
  if (type === undefined && row.typeId <= session.orgCatalog.lastId) return undefined;
  if (type === undefined || kind === undefined) throw new SchemaChanged();
  const isLink = row.associationTypeId !== null && row.readsAs === null;
  const link = isLink ? linkOf(session, row, row.associationTypeId) : undefined;
  const changed = changedOf(session, type, row, onFault);
  if (isLink && link === undefined) return undefined;
  return {
    seq: row.seq,
    kind,
    typeName: type.name,
    recordId: row.recordId,
    version: row.currentVersion ?? row.version,
    changed,
    link,
    atMs: row.at.getTime(),
    principalId: row.principalId,
    requestId: row.requestId,
  };
}

/** Entries whose values the service keeps for itself: who saw a deleted record, and from when a link was that is gone. */
const untold: readonly number[] = [entryKinds['record.deleted'], entryKinds['association.deleted']];

/** Dates and computed values that the service keeps are left out. */
function changedOf(
  session: Session,
  type: ObjectType,
  row: EntryRow,
  onFault: (error: unknown) => void,
): Readonly<Record<string, Json>> | undefined {
  const text = row.readsAs === 'record.restored' ? row.current : row.readsAs === null ? row.changed : null;
  if (text === null || untold.includes(row.kind)) return undefined;
  const visible = (session.catalog.objectTypes.get(type.name) ?? type).groups.byKey;
  const all = Object.entries(JSON.parse(asString(text)) as Record<string, Json>);
  const values = all.filter(([key]) => {
    const property = type.groups.byKey.get(key);
    if (property === undefined) throw new SchemaChanged();
    return visible.has(key) && !isKeptByService(property);
  });
  const nameOf = (key: string) => visible.get(key)?.name ?? key;
  // An update is stored with the former values; for any other entry all values are new.
  const isDifference = row.kind === entryKinds['record.updated'];
  const changes = isDifference ? (values as Changes) : values.map(([key, value]) => [key, { new: value }] as const);
  const leftOut = row.readsAs === null ? row.leftOut : null;
  const missing = (key: string) => onFault(new MissingValue(row, key));
  return Object.fromEntries(
    changes.map(([key, change]) => [nameOf(key), completed(change, leftOut?.[key], () => missing(key))]),
  );
}

type Change = { readonly old?: Json; readonly new?: Json };
type Changes = readonly (readonly [key: string, change: Change])[];

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

function linkOf(
  { orgCatalog, orgTypes, caller }: Session,
  row: EntryRow,
  associationTypeId: number,
): ReadLink | undefined {
  const association = orgCatalog.associationNames.get(associationTypeId);
  const targetTypeId = row.targetTypeId ?? 0;
  const targetType = orgTypes.get(targetTypeId)?.name ?? association?.hiddenTarget;
  if (association === undefined || targetType === undefined) {
    if (Math.max(associationTypeId, targetTypeId) > orgCatalog.lastId) throw new SchemaChanged();
    return undefined;
  }
  return { associationType: association.name, targetType, targetId: row.targetId ?? String(caller.orgId) };
}
