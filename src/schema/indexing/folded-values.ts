// The lower-case forms of a record's texts. They are stored beside its values, so that text is always compared by the
// rules of JavaScript, whatever PostgreSQL's locale and version of Unicode are.
import type { Json } from '../../base/json.ts';
import type { ObjectType } from '../object-type.ts';
import type { RecordValues } from './record-values.ts';

/** The folded values, in the shape of the record, for those that folding changes. */
export function foldedValues(type: ObjectType, properties: RecordValues): Readonly<Record<string, Json>> | undefined {
  let folded: Record<string, Json> | undefined;
  for (const key of type.groups.folded) {
    const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (value === undefined || value === null) continue;
    if (Array.isArray(value) ? value.every(isFolded) : isFolded(value)) continue;
    folded ??= Object.create(null) as Record<string, Json>;
    folded[key] = Array.isArray(value) ? value.map(fold) : fold(value);
  }
  return folded;
}

function fold(value: Json): string {
  return (value as string).toLowerCase();
}

function isFolded(value: Json): boolean {
  return fold(value) === value;
}
