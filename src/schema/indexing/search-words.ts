// The words by which a search finds a record (contract 5). The same function folds the words of queries, so both sides
// agree on what a word is and where a long one is cut.

import type { ObjectType } from '../object-type.ts';
import { type RecordValues, valuesOf } from './record-values.ts';
import { firstCharacters } from './text-prefixes.ts';

/** A lexeme of PostgreSQL has at most 2,046 bytes: 256 characters of 4 bytes leave room for org and type. */
export const wordCharactersMax = 256;
/** A tsvector has at most 1 MB. The words and their overhead stay well below it. */
const recordBytesMax = 600_000;
/** The overhead of a word: its entry, and its prefix of org and type. */
const bytesPerWord = 24;

/** The distinct folded words of the record's searchable properties, as many as fit in one tsvector. */
export function searchWords(type: ObjectType, properties: RecordValues): readonly string[] {
  return wordsOf(searchableTexts(type, properties));
}

/** The texts of a record whose words a search finds. */
export function searchableTexts(type: ObjectType, properties: RecordValues): readonly string[] {
  const texts: string[] = [];
  for (const key of type.groups.searchable) {
    for (const text of valuesOf(properties, key)) texts.push(text as string);
  }
  return texts;
}

export function wordsOf(texts: readonly string[]): readonly string[] {
  const words = new Words();
  for (const text of texts) words.add(text);
  return words.list;
}

/** The same, but yields after each text: a record can have a hundred thousand words. */
export function* wordSteps(texts: readonly string[]): Generator<undefined, readonly string[]> {
  const words = new Words();
  for (const text of texts) {
    words.add(text);
    yield;
  }
  return words.list;
}

class Words {
  readonly #words = new Set<string>();
  #room = recordBytesMax;

  get list(): readonly string[] {
    return [...this.#words];
  }

  add(text: string): void {
    if (this.#room < 0) return;
    for (const word of foldWords(text)) {
      if (this.#words.has(word)) continue;
      this.#room -= Buffer.byteLength(word) + bytesPerWord;
      if (this.#room < 0) return;
      this.#words.add(word);
    }
  }
}

const beyondAscii = /[\u0080-\uffff]/;
const asciiWord = /[a-z0-9]+/g;
const anyWord = /[\p{L}\p{N}]+/gu;

/** The words of a text in their order, without accents and in lower case. */
export function foldWords(text: string): readonly string[] {
  const words = beyondAscii.test(text) ? fold(text).match(anyWord) : text.toLowerCase().match(asciiWord);
  return words?.map((word) => firstCharacters(word, wordCharactersMax)) ?? [];
}

/** The lower case of Σ depends on its neighbours, even beyond the word. With one form for both, words fold alike. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
}
