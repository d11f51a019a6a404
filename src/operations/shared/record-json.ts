// The JSON of a record and of the other end of a link. The values of a record are stored as text and are joined in without
// being parsed: they are answered exactly as they are stored, and reading a page costs no parsing.
import { isoText } from '../../base/clock.ts';
import type { Associated } from '../../engine/read/include.ts';
import type { ReadRecord } from '../../engine/read/records.ts';
import type { ObjectType } from '../../schema/object-type.ts';

/** `associations` is the text of the member of that name. Id, type name and version need no escaping. */
export function recordJson(type: ObjectType, record: ReadRecord, associations?: string): string {
  const { id, version, properties } = record;
  const included = associations === undefined ? '' : `,"associations":${associations}`;
  return `{"id":"${id}","object_type":"${type.name}","version":"${version}","properties":${properties}${included}}`;
}

export function associatedJson(item: Associated): string {
  const at = isoText(item.associatedAtMs);
  if ('record' in item) return `${recordJson(item.type, item.record).slice(0, -1)},"associated_at":"${at}"}`;
  return JSON.stringify({ id: item.id, object_type: item.type, title: item.title, associated_at: at });
}
