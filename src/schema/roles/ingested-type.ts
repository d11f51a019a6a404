// An object type as ingest sees it. Ingest writes other properties than clients do: whole records of synced and
// generated types, and a few properties of other types that are read-only for clients.
import type { Nature, ObjectType, Property } from '../object-type.ts';
import { isKeptByService } from './kept-by-service.ts';

export interface IngestedType {
  /** How a line names its record: by its id in the connected system, or by its own id or a unique value. */
  readonly namedBy: 'external_id' | 'record';
  /** The type for checking values: every property that ingest does not write is read-only. */
  readonly type: ObjectType;
}

/** The source of the external ids that ingest gives. */
export const ingestSource = 'ingest';

const ingestedAsWhole: ReadonlySet<Nature> = new Set(['synced', 'synced_linkable', 'generated']);

/** Undefined if ingest writes nothing of the type. */
export function ingestedType(type: ObjectType): IngestedType | undefined {
  if (ingestedAsWhole.has(type.nature)) {
    const isIngested = (property: Property) => !isKeptByService(property);
    return { namedBy: 'external_id', type: withWritable(type, isIngested) };
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
