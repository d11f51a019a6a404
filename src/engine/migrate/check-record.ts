// Checks a record in a folder by the rules of import: every value by its field type, the id by its form and time; its size is
// bounded by that of a line. Values that the API keeps to itself are checked like the others. What the trash has may be older than the options
// of today.
import { parseGrant } from '../../access/grant.ts';
import { isoText } from '../../base/clock.ts';
import { idTimeMs } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { checkValues } from '../../schema/check-values.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { lastActivityProperty } from '../../schema/roles/last-activity.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { RecordLine } from './folder.ts';

export interface CheckedRecord {
  readonly id: string;
  readonly version: string;
  readonly updatedAtMs: number;
  readonly orgVisible: boolean;
  readonly deletedAt: string;
  readonly properties: Readonly<Record<string, Json>>;
}

/** The record, or why it is refused. */
type CheckRecord = (line: RecordLine) => CheckedRecord | string;

export function recordCheck(type: ObjectType, place: 'live' | 'trash'): CheckRecord {
  const stored = asStored(type);
  const removed = new Set(type.removed.map(({ key }) => key));
  return (line) => {
    const { id, version, shared_with_org: orgVisible, deleted_at: deletedAt = '' } = line;
    if ((deletedAt !== '') !== (place === 'trash'))
      return 'deleted_at belongs to records in the trash, and only to them';
    if (deletedAt !== '' && !isMoment(deletedAt)) return 'deleted_at is not a time';
    const { changes, faults } = checkValues(stored, line.properties, '');
    const fault = faults.find(
      ({ reason, property = '' }) => !(reason === 'unknown_option' && (place === 'trash' || removed.has(property))),
    );
    if (fault !== undefined) return `${fault.property ?? fault.pointer ?? ''}: ${fault.detail}`;
    const unset = [...changes].find(([, value]) => value === null);
    if (unset !== undefined) return `${unset[0]} has no value. Leave it out`;
    const properties = Object.fromEntries(changes);
    const [createdAt, updatedAt] = [properties['svc_created_at'], properties['svc_updated_at']];
    if (createdAt !== isoText(idTimeMs(id))) return 'svc_created_at is not the time in the id';
    if (typeof updatedAt !== 'string' || !isMoment(updatedAt) || updatedAt < createdAt) {
      return 'svc_updated_at is not a time after svc_created_at';
    }
    const wrong = grantFault(type, properties);
    if (wrong !== undefined) return wrong;
    return { id, version, updatedAtMs: Date.parse(updatedAt), orgVisible, deletedAt, properties };
  };
}

/** The type with everything that its records store, by the keys, as if all of it could be written. */
function asStored(type: ObjectType): ObjectType {
  const kept = [...type.groups.byKey].filter(
    ([key, { computed }]) => computed === undefined && key !== lastActivityProperty,
  );
  const properties = new Map(
    kept.map(([key, property]) => [key, { ...property, name: key, readOnly: false, required: false }]),
  );
  return type.with({ properties, removed: [] });
}

function isMoment(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && isoText(ms) === text;
}

/** A role whose grants nobody can read would let nobody in. */
function grantFault({ id }: ObjectType, { svc_grants: grants = [] }: CheckedRecord['properties']): string | undefined {
  if (id !== platformTypes.role) return undefined;
  for (const grant of grants as readonly string[]) {
    const read = parseGrant(grant);
    if ('wrong' in read) return `svc_grants: ${read.wrong}`;
  }
  return undefined;
}
