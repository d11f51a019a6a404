// A record in a unit of work: as it is stored, and as it will be. Rules change drafts; the unit writes the difference.
import { isoText } from '../../base/clock.ts';
import { idTimeMs } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import type { Changes } from '../../schema/check-values.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { StoredRecord } from '../../store/records/records.ts';

export type Properties = Readonly<Record<string, Json>>;
type Place = 'live' | 'trash';

/** Values, and their JSON text. */
export interface Printed {
  readonly properties: Properties;
  readonly text: string;
}

export interface Draft {
  /** As the org has it, for every caller: which values are indexed or unique does not depend on grants. */
  readonly type: ObjectType;
  readonly id: string;
  /** As the database has it; undefined while the record is not stored. */
  stored: { readonly place: Place; readonly record: StoredRecord } | undefined;
  place: Place;
  version: number;
  updatedAtMs: number;
  orgVisible: boolean;
  properties: Properties;
  /** The text of these values, once it was asked for. */
  printed: Printed | undefined;
}

/** The JSON text of a draft's values: it is stored, answered and put into the feed, but printed once. */
export function textOf(draft: Draft): string {
  return printedOf(draft).text;
}

export function printedOf(draft: Draft): Printed {
  if (draft.printed?.properties !== draft.properties) draft.printed = print(draft.properties);
  return draft.printed;
}

export function print(properties: Properties): Printed {
  return { properties, text: JSON.stringify(properties) };
}

export function newDraft(type: ObjectType, id: string, changes: Changes): Draft {
  const atMs = idTimeMs(id);
  const properties: Record<string, Json> = {};
  for (const [name, value] of changes) if (value !== null) properties[name] = value;
  properties['svc_created_at'] = properties['svc_updated_at'] = isoText(atMs);
  return {
    type,
    id,
    stored: undefined,
    place: 'live',
    version: 1,
    updatedAtMs: atMs,
    orgVisible: true,
    properties,
    printed: undefined,
  };
}

export function draftOf(type: ObjectType, place: Place, record: StoredRecord): Draft {
  const { id, version, updatedAtMs, orgVisible, properties } = record;
  return {
    type,
    id,
    stored: { place, record },
    place,
    version,
    updatedAtMs,
    orgVisible,
    properties,
    printed: undefined,
  };
}

/** Begins the next version, dated now; a clock that stepped back does not date it before the version that it follows. */
export function touch(draft: Draft, atMs: number): void {
  draft.version++;
  draft.updatedAtMs = Math.max(atMs, draft.updatedAtMs);
  draft.properties = { ...draft.properties, svc_updated_at: isoText(draft.updatedAtMs) };
}
