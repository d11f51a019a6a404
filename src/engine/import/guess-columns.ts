// Guesses the property of each column of a file from its header: by names, labels and common synonyms. A header that could
// mean two properties is not guessed. The plan shows every guess, and a person can decide otherwise.
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { synonymsOf } from './synonyms.ts';

/** The column of the errors file that says what was wrong with each row. No property has this name, and no import reads it. */
export const reasonsHeader = '_import_errors';

export interface GuessedColumn {
  readonly header: string;
  readonly property: Property | undefined;
  /** Of several columns for one property, the surest gets it. */
  readonly sureness: Sureness;
}

/** By name or label, by nearly the name or label, by a synonym: the surest first. */
export const surenesses = ['named', 'nearly', 'synonym'] as const;
type Sureness = (typeof surenesses)[number];

export function guessColumns(type: ObjectType, headers: readonly string[]): readonly GuessedColumn[] {
  const names = bookOf(type, [({ name }) => [name], (property) => [bareName(property)], ({ label }) => [label]]);
  const synonyms = bookOf(type, [({ name }) => synonymsOf(type.name, name)]);
  const books: Readonly<Record<Sureness, Book>> = { named: names, nearly: names, synonym: synonyms };
  return headers.map((header) => {
    const exact = type.properties.get(header.trim());
    if (exact !== undefined) return { header, property: exact, sureness: 'named' };
    const words = header === reasonsHeader ? [] : wordsOf(header);
    for (const sureness of surenesses) {
      for (const key of keysOf(type, words, sureness)) {
        const property = books[sureness].get(key);
        if (property !== undefined && property !== ambiguous) return { header, property, sureness };
      }
    }
    return { header, property: undefined, sureness: 'synonym' };
  });
}

type Book = ReadonlyMap<string, Property | typeof ambiguous>;
const ambiguous = Symbol('two properties');

/**
 * The possible texts of a header, each with the property that it means, or `ambiguous`. Full names come first, then names
 * without their prefix, then labels: the label of one property may be the name of another.
 */
function bookOf(type: ObjectType, texts: readonly ((property: Property) => readonly string[])[]): Book {
  const book = new Map<string, Property | typeof ambiguous>();
  for (const textsOf of texts) {
    const step = new Map<string, Property | typeof ambiguous>();
    for (const property of type.properties.values()) {
      for (const key of textsOf(property).map((text) => joined(wordsOf(text)))) {
        const known = step.get(key);
        step.set(key, known === undefined || known === property ? property : ambiguous);
      }
    }
    for (const [key, property] of step) if (key !== '' && !book.has(key)) book.set(key, property);
  }
  return book;
}

/** The lookup keys of a header: all of it, then in the singular, then without the name of the type. */
function keysOf(type: ObjectType, words: readonly string[], sureness: Sureness): readonly string[] {
  if (sureness === 'named') return [joined(words)];
  const bare = withoutType(type, words);
  return [joined(words), joined(words.map(singular)), joined(bare), joined(bare.map(singular))];
}

function withoutType(type: ObjectType, words: readonly string[]): readonly string[] {
  const own = [wordsOf(bareName(type)), wordsOf(type.label), wordsOf(type.pluralLabel)];
  const found = own.find((each) => each.length < words.length && each.every((word, index) => word === words[index]));
  return found === undefined ? words : words.slice(found.length);
}

function bareName({ name }: { readonly name: string }): string {
  return name.startsWith('svc_') ? name.slice(4) : name;
}

function joined(words: readonly string[]): string {
  return words.join('');
}

/** Ignores case, accents, spaces and punctuation; a capital letter inside a word begins a new one. */
export function wordsOf(text: string): readonly string[] {
  const folded = text
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') && word.length > 3 ? word.slice(0, -1) : word;
}
