// The nearest known name to a wrong one, for "did you mean". Callers pass only names that the reader may see.

/** The name at the smallest edit distance, if that is small enough for a typing error. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  // A name of two letters is at most two edits away from any other.
  let bestDistance = Math.min(Math.max(2, Math.floor(wanted.length / 3)) + 1, wanted.length);
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A quick lower bound of the edit distance: each edit corrects at most one letter on either side. */
function lettersApart(left: string, right: string): number {
  counts.fill(0);
  for (let index = 0; index < left.length; index++) {
    const letter = left.charCodeAt(index) & 63;
    counts[letter] = (counts[letter] ?? 0) + 1;
  }
  for (let index = 0; index < right.length; index++) {
    const letter = right.charCodeAt(index) & 63;
    counts[letter] = (counts[letter] ?? 0) - 1;
  }
  let more = 0;
  let less = 0;
  for (const count of counts) {
    if (count > 0) more += count;
    else less -= count;
  }
  return Math.max(more, less);
}

const counts = new Int16Array(64);

/** The Levenshtein distance; `limit` as soon as it cannot be less. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit || lettersApart(left, right) >= limit) return limit;
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
