// The values without which a row is taken (`--bad-cells drop`).
import { type Json, pointerStep } from '../../base/json.ts';
import type { Fault } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';

/** A required or unique value is never left out, nor one by which the row is matched. */
export function mayDrop(type: ObjectType, match: string | undefined, { property = '' }: Fault): boolean {
  const found = type.properties.get(property);
  return found !== undefined && !found.required && !found.unique && property !== match;
}

/** Takes bad values out of a row: of a list, only the bad elements. */
export function removeBad(values: Record<string, Json>, faults: readonly Fault[]): void {
  for (const name of new Set(faults.map(({ property = '' }) => property))) {
    const own = faults.filter(({ property }) => property === name);
    const bad = new Set(own.map(({ pointer = '' }) => elementIndex(pointer, name)));
    const value = values[name];
    const good = Array.isArray(value) && !bad.has(undefined) ? value.filter((_, index) => !bad.has(index)) : [];
    if (good.length > 0) values[name] = good;
    else delete values[name];
  }
}

/** Undefined if the fault is about the value as a whole. */
function elementIndex(pointer: string, name: string): number | undefined {
  const [, index] = /^\/([0-9]+)/.exec(pointer.slice(`/properties${pointerStep(name)}`.length)) ?? [];
  return index === undefined ? undefined : Number(index);
}
