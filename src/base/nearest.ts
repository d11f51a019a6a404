// The nearest of a list of names to one that is not in it, for "did you mean". Whoever calls this passes only names
// that the reader may see.

/** The name at the smallest edit distance, if that is small enough to be a slip of the finger. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, given up as soon as it cannot be below `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + change),
      );
    }
    if (Math.min(...current) >= limit) return limit;
    previous = current;
  }
  return previous[right.length] ?? limit;
}
