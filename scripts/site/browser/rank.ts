// Which entries of the index match the words of a search, the best first. An entry matches if every word is in it.

export type SearchEntry = readonly [kind: string, title: string, href: string, text: string];

const kinds: readonly string[] = ['Reference', 'Operation', 'Guide', 'Type', 'Property', 'Code', 'Reason', 'Member'];

export function rank(entries: readonly SearchEntry[], search: string): readonly SearchEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOfAll(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || order(one.entry) - order(other.entry))
    .map(({ entry }) => entry);
}

function scoreOfAll(entry: SearchEntry, words: readonly string[]): number {
  const scores = words.map((word) => scoreOf(entry, word));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** A whole title counts most, then the beginning of one, of a word in it, any part of it, and the text. */
function scoreOf([, title, , text]: SearchEntry, word: string): number {
  const name = title.toLowerCase();
  if (name === word) return 5;
  if (name.startsWith(word)) return 4;
  if (name.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) return 3;
  if (name.includes(word)) return 2;
  return text.toLowerCase().includes(word) ? 1 : 0;
}

function order([kind]: SearchEntry): number {
  return kinds.indexOf(kind);
}
