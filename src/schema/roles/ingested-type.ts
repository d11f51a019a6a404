// An object type as ingest sees it. What a connected system brings is not what a client may write: of synced and
// generated types ingest makes whole records, of others it feeds a few properties that are read-only for everybody else.

import type { Nature, ObjectType, Property } from '../object-type.ts';
import { perType } from '../per-type.ts';
import { isKeptByService } from './kept-by-service.ts';

export interface IngestedType {
  /** How a line names its record: by the id that it has in the connected system, or by id or unique value of ours. */
  readonly namedBy: 'external_id' | 'record';
  /** The type with all that ingest does not bring as read-only, to check values against. */
  readonly type: ObjectType;
}

const broughtWhole: ReadonlySet<Nature> = new Set(['synced', 'synced_linkable', 'generated']);

const ingested = perType((type): { readonly found: IngestedType | undefined } => {
  if (broughtWhole.has(type.nature)) {
    const brought = (property: Property) => !isKeptByService(property);
    return { found: { namedBy: 'external_id', type: withWritable(type, brought) } };
  }
  const feeds = (property: Property) => property.ingested === true;
  const fed = [...type.properties.values()].some(feeds);
  return { found: fed ? { namedBy: 'record', type: withWritable(type, feeds) } : undefined };
});

/** Undefined for a type of which nothing comes by ingest. */
export function ingestedType(type: ObjectType): IngestedType | undefined {
  return ingested(type).found;
}

function withWritable(type: ObjectType, isWritable: (property: Property) => boolean): ObjectType {
  const properties = [...type.properties].map(
    ([name, property]) => [name, { ...property, readOnly: !isWritable(property) }] as const,
  );
  return { ...type, properties: new Map(properties) };
}
