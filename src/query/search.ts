// From the text of a search to its words (contract 5). They are folded as the words of records are.
import { limits } from '../base/limits.ts';
import { foldWords } from '../schema/indexing/search-words.ts';
import type { FaultList } from './fault-list.ts';

export function parseSearch(search: unknown, faults: FaultList): readonly string[] {
  if (typeof search !== 'string') return [];
  const words = new Set(foldWords(search));
  if (words.size <= limits.filterConditions) return [...words];
  const detail = `A search has at most ${limits.filterConditions} words; this one has ${words.size}.`;
  faults.add({ pointer: '/search', reason: 'filter_too_large', detail });
  return [];
}
