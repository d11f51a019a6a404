// The properties that the service itself maintains: the dates of a record, and computed values. Clients, merges and
// ingest do not write them, and the change feed does not report them.
import { everyTypesProperties } from '../builtin/declare.ts';
import type { Property } from '../object-type.ts';

const dates = new Set(everyTypesProperties.map(({ name }) => name));

export function isKeptByService({ name, computedFrom }: Property): boolean {
  return computedFrom.length > 0 || dates.has(name);
}
