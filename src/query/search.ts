// Parses the text of a search into words (contract 5), folded like the words of records.
import { limits } from '../base/limits.ts';
import { foldWords } from '../schema/indexing/search-words.ts';
import type { FaultList } from './fault-list.ts';

export function parseSearch(search: unknown, faults: FaultList): readonly string[] {
  if (typeof search !== 'string') return [];
  const words = new Set(foldWords(search));
  if (words.size <= limits.filterConditions) return [...words];
  const detail = `A search can have at most ${limits.filterConditions} words; this one has ${words.size}.`;
  faults.add({ pointer: '/search', reason: 'filter_too_large', detail });
  return [];
}
