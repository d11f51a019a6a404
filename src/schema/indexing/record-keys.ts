// What a record puts into the index tables and into the table of unique values: the keys of its values.
import { hash } from 'node:crypto';
import type { Json } from '../../base/json.ts';
import type { IndexKind } from '../field-type.ts';
import type { ObjectType } from '../object-type.ts';
import { type RecordValues, valuesOf } from './record-values.ts';
import { firstBytes } from './text-prefixes.ts';

export interface IndexKey {
  readonly propertyId: number;
  readonly kind: IndexKind;
  /** null: the property is unset. */
  readonly value: string | null;
}

export interface UniqueKey {
  readonly propertyId: number;
  readonly property: string;
  readonly value: string;
}

/** One key per distinct value of each indexed property, and one that says "unset" where there is none. */
export function indexKeys(type: ObjectType, properties: RecordValues): readonly IndexKey[] {
  const keys: IndexKey[] = [];
  for (const { id, name, fieldType, index } of type.groups.indexed) {
    const values = valuesOf(properties, name);
    if (values.length === 0) keys.push({ propertyId: id, kind: index.kind, value: null });
    // Texts that differ can be one moment: values are told apart as the field type does it.
    for (const value of distinct(values, (value) => fieldType.key(value))) {
      keys.push({ propertyId: id, kind: index.kind, value: boundedKey(index.key(value)) });
    }
  }
  return keys;
}

/** One key per distinct value of each unique property. */
export function uniqueKeys(type: ObjectType, properties: RecordValues): readonly UniqueKey[] {
  const keys: UniqueKey[] = [];
  for (const { id, name, fieldType } of type.groups.unique) {
    for (const value of distinct(valuesOf(properties, name), (value) => fieldType.key(value))) {
      keys.push({ propertyId: id, property: name, value: boundedKey(fieldType.key(value)) });
    }
  }
  return keys;
}

/** A b-tree row may not pass 2,704 bytes: so many of a key, and a digest, stay below. */
const keyBytesMax = 2_400;

/** A long key is its beginning, which keeps most of the order, and a digest of the whole, which keeps it distinct. */
export function boundedKey(key: string): string {
  const start = keyStart(key);
  return start === key ? key : start + hash('sha256', key);
}

/** With what every key begins that begins with this one. */
export function keyStart(key: string): string {
  // No unit of UTF-16 has more than three bytes in UTF-8, so that most keys are not counted.
  return key.length * 3 <= keyBytesMax ? key : firstBytes(key, keyBytesMax);
}

function distinct(values: readonly Json[], key: (value: Json) => string): Iterable<Json> {
  return values.length < 2 ? values : new Map(values.map((value) => [key(value), value])).values();
}
