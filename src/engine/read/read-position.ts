// The position of a record in the order of a query, read from its values: the database need not return what it has ordered by.
import { asString, type Json } from '../../base/json.ts';
import type { SortKey } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import type { Property } from '../../schema/object-type.ts';
import type { FoundRecord } from '../../store/query/pages.ts';

/** Whether all values that records are ordered by are among those that are returned. */
export function canReadParts(sort: readonly SortKey[], omitted: readonly string[]): boolean {
  return sort.every(({ property }) => property.computed === undefined && !omitted.includes(property.key));
}

export function positionOf(sort: readonly SortKey[], { id, parts, properties }: FoundRecord): Position {
  if (parts !== null) return { id, parts };
  if (sort.length === 0) return { id, parts: [] };
  const values = JSON.parse(asString(properties)) as Readonly<Record<string, Json>>;
  return { id, parts: sort.flatMap(({ property }) => partsOf(property, values[property.name])) };
}

/** The texts that PostgreSQL would have returned, or others that mean the same to it. */
function partsOf({ fieldType, options }: Property, value: Json | undefined): readonly (string | null)[] {
  const { comparison, sortedByOptions } = fieldType;
  if (comparison === 'money') {
    const amount = value as { readonly amount: string; readonly unit: string } | undefined;
    return [amount?.unit ?? null, amount?.amount ?? null];
  }
  if (value === undefined) return [null];
  const text = String(value as string | boolean);
  if (sortedByOptions === true) {
    const place = options.findIndex((option) => option.value === text);
    return [place < 0 ? null : String(place + 1)];
  }
  return [comparison === 'folded' ? text.toLowerCase() : text];
}
