// An object type as ingest sees it. What a connected system brings is not what a client may write: of synced and
// generated types ingest makes whole records, of others it feeds a few properties that are read-only for everybody
// else.

import type { Nature, ObjectType, Property } from '../object-type.ts';
import { isKeptByService } from './kept-by-service.ts';

export interface IngestedType {
  /** How a line names its record: by the id that it has in the connected system, or by id or unique value of ours. */
  readonly namedBy: 'external_id' | 'record';
  /** The type with all that ingest does not bring as read-only, to check values against. */
  readonly type: ObjectType;
}

const broughtWhole: ReadonlySet<Nature> = new Set(['synced', 'synced_linkable', 'generated']);

/** Undefined for a type of which nothing comes by ingest. */
export function ingestedType(type: ObjectType): IngestedType | undefined {
  if (broughtWhole.has(type.nature)) {
    const isBrought = (property: Property) => !isKeptByService(property);
    return { namedBy: 'external_id', type: withWritable(type, isBrought) };
  }
  const isFed = (property: Property) => property.ingested === true;
  if (![...type.properties.values()].some(isFed)) return undefined;
  return { namedBy: 'record', type: withWritable(type, isFed) };
}

function withWritable(type: ObjectType, isWritable: (property: Property) => boolean): ObjectType {
  const properties = [...type.properties].map(
    ([name, property]) => [name, { ...property, readOnly: !isWritable(property) }] as const,
  );
  return type.with({ properties: new Map(properties) });
}
