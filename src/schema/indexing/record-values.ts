// How the values of a record are read by the name of a property. A name may be one that every object inherits, such as
// `constructor`, so only what the record itself holds counts.
import type { Json } from '../../base/json.ts';

/** The values of a record under the names of their properties; what is unset is absent or null. */
export type RecordValues = Readonly<Record<string, Json>>;

const none: readonly Json[] = [];

/** None, one, or the elements of a multi-valued property: no value of any field type is itself an array. */
export function valuesOf(properties: RecordValues, name: string): readonly Json[] {
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (value === undefined || value === null) return none;
  return Array.isArray(value) ? value : [value];
}
