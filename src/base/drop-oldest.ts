// Bounds a map by dropping its oldest entry.

/** Makes room for one more entry. Maps keep the order of insertion, so the first is the oldest. */
export function dropOldest<K, V>(map: Map<K, V>, bound: number): void {
  if (map.size < bound) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
