// Reads the values of a record by the key of a property. A key may be one that every object inherits, such as
// `constructor`, so only the record's own members count.
import type { Json } from '../../base/json.ts';

/** The values of a record by the keys of their properties; an unset value is absent or null. */
export type RecordValues = Readonly<Record<string, Json>>;

const none: readonly Json[] = [];

/** No value, one value, or the values of a multi-valued property. No single value is itself an array. */
export function valuesOf(properties: RecordValues, key: string): readonly Json[] {
  const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (value === undefined || value === null) return none;
  return Array.isArray(value) ? value : [value];
}
