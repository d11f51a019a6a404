// The keys of a record's values in the index tables and in the table of unique values.
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
  /** The name and the key of the property. */
  readonly property: string;
  readonly key: string;
  readonly value: string;
}

/** One key for each distinct value of an indexed property, or a key that says "unset" if it has none. */
export function indexKeys(type: ObjectType, properties: RecordValues): readonly IndexKey[] {
  const keys: IndexKey[] = [];
  for (const { id, key, fieldType, index } of type.groups.indexed) {
    const values = valuesOf(properties, key);
    if (values.length === 0) keys.push({ propertyId: id, kind: index.kind, value: null });
    // Different texts can mean the same time, so the field type decides which values are the same.
    for (const value of distinct(values, (value) => fieldType.key(value))) {
      keys.push({ propertyId: id, kind: index.kind, value: boundedKey(index.key(value)) });
    }
  }
  return keys;
}

/** One key for each distinct value of a unique property. */
export function uniqueKeys(type: ObjectType, properties: RecordValues): readonly UniqueKey[] {
  const keys: UniqueKey[] = [];
  for (const { id, name, key, fieldType } of type.groups.unique) {
    for (const value of distinct(valuesOf(properties, key), (value) => fieldType.key(value))) {
      keys.push({ propertyId: id, property: name, key, value: boundedKey(fieldType.key(value)) });
    }
  }
  return keys;
}

/** A b-tree row has at most 2,704 bytes: this part of a key and a digest fit in. */
const keyBytesMax = 2_400;

/** A long key is cut, which keeps most of the order, and gets a digest of the whole, which keeps it distinct. */
export function boundedKey(key: string): string {
  const start = keyStart(key);
  return start === key ? key : start + hash('sha256', key);
}

/** Whether the key is surely not one that was cut. */
export function isWholeKey(key: string): boolean {
  return key.length * 3 <= keyBytesMax;
}

/** Whether a record whose values have so many bytes may have a key that was cut. In lower case a text grows by half at most. */
export function mayHaveCutKeys(valueBytes: number): boolean {
  return valueBytes * 1.5 > keyBytesMax;
}

/** The common beginning of all bounded keys whose text begins with this one. */
export function keyStart(key: string): string {
  // A UTF-16 unit has at most three bytes in UTF-8, so the bytes of most keys need not be counted.
  return isWholeKey(key) ? key : firstBytes(key, keyBytesMax);
}

function distinct(values: readonly Json[], key: (value: Json) => string): Iterable<Json> {
  return values.length < 2 ? values : new Map(values.map((value) => [key(value), value])).values();
}
