// What the service keeps of each record by itself: its dates, and what is computed. Nobody writes it, merges it or
// brings it in, and the change feed does not tell of it.
import { everyTypesProperties } from '../builtin/declare.ts';
import type { Property } from '../object-type.ts';

const dates = new Set(everyTypesProperties.map(({ name }) => name));

export function isKeptByService({ name, computedFrom }: Property): boolean {
  return computedFrom.length > 0 || dates.has(name);
}
