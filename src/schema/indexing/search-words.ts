// The words by which a search finds a record (contract 5). A query's words are folded by the same function, so both
// sides agree on what a word is and where a long one is cut.

import type { ObjectType } from '../object-type.ts';
import { type RecordValues, valuesOf } from './record-values.ts';
import { firstCharacters } from './text-prefixes.ts';

/** A lexeme of PostgreSQL may have 2,046 bytes: 256 characters of 4 leave room for the org and the type in front. */
export const wordCharactersMax = 256;
/** A tsvector may have 1 MB. The words and what goes with each of them stay well below it. */
const recordBytesMax = 600_000;
/** What a word costs besides its own bytes: its entry, and the org and the type in front of it. */
const bytesPerWord = 24;

/** The distinct folded words of the record's searchable properties, as many as fit into one tsvector. */
export function searchWords(type: ObjectType, properties: RecordValues): readonly string[] {
  const words = new Set<string>();
  let room = recordBytesMax;
  for (const name of type.groups.searchable) {
    for (const text of valuesOf(properties, name)) {
      for (const word of foldWords(text as string)) {
        if (words.has(word)) continue;
        room -= Buffer.byteLength(word) + bytesPerWord;
        if (room < 0) return [...words];
        words.add(word);
      }
    }
  }
  return [...words];
}

const beyondAscii = /[\u0080-\uffff]/;
const asciiWord = /[a-z0-9]+/g;
const anyWord = /[\p{L}\p{N}]+/gu;

/** The words of a text in their order, accents and case folded away. */
export function foldWords(text: string): readonly string[] {
  const words = beyondAscii.test(text) ? fold(text).match(anyWord) : text.toLowerCase().match(asciiWord);
  return words?.map((word) => firstCharacters(word, wordCharactersMax)) ?? [];
}

/** Σ is lower-cased by its neighbours, beyond the word too; with one form for both, a word folds alike everywhere. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
}
