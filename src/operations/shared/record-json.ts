// The JSON of a record and of the other end of a link. The values of a record are stored as text and are joined in without
// being parsed: they are answered exactly as they are stored, and reading a page costs no parsing.
import { isoText } from '../../base/clock.ts';
import { asString, type TextPart } from '../../base/json.ts';
import type { Associated } from '../../engine/read/include.ts';
import type { ReadRecord } from '../../engine/read/records.ts';
import type { ObjectType } from '../../schema/object-type.ts';

/** Id, type name and version need no escaping. */
export function recordJson(type: Pick<ObjectType, 'name'>, record: ReadRecord): string {
  return recordParts(type, record).map(asString).join('');
}

/** The text of a record in parts, so that its values are not copied. `more` has the parts of further members. */
export function recordParts(
  { name }: Pick<ObjectType, 'name'>,
  { id, version, properties }: ReadRecord,
  more: readonly TextPart[] = [],
): readonly TextPart[] {
  return [headOf(name, id, version), properties, ...more, '}'];
}

/** The member with the linked records, from the parts of its value. */
export function associationsMember(value: readonly TextPart[]): readonly TextPart[] {
  return [',"associations":', ...value];
}

/** The member with the ids that the record has in other systems. */
export function externalIdsMember(given: readonly { readonly source: string; readonly externalId: string }[]): string {
  return `,"external_ids":${JSON.stringify(given.map(({ source, externalId: id }) => ({ source, id })))}`;
}

function headOf(type: string, id: string, version: string): string {
  return `{"id":"${id}","object_type":"${type}","version":"${version}","properties":`;
}

export function associatedParts(item: Associated): readonly TextPart[] {
  const at = isoText(item.associatedAtMs);
  if ('record' in item) {
    const { id, version, properties } = item.record;
    return [headOf(item.type.name, id, version), properties, `,"associated_at":"${at}"}`];
  }
  return [JSON.stringify({ id: item.id, object_type: item.type, title: item.title, associated_at: at })];
}
