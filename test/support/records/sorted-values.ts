// The values of a record as one text, to compare them.
import type { Json } from '../../../src/base/json.ts';

/** One text for one set of values, for any order of their members; the service's own dates are left out. */
export function sorted(values: Readonly<Record<string, Json>>): string {
  const order = (value: Json): Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  return Object.entries(values)
    .filter(([name]) => !/^svc_(created|updated|last_activity|last_used|last_seen)_at$/.test(name))
    .map(([name, value]) => JSON.stringify([name, Array.isArray(value) ? value.map(order) : order(value)]))
    .sort()
    .join();
}

/** The texts that are in the list before, each time. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}
