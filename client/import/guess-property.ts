// Guesses the property of a column: by names, labels and the names that other programs use, as far as its cells do not tell
// otherwise. A header that could mean two properties is not guessed.
import { type Fit, fitOf, isContradicted, isDoubtful, valuesOf } from './cells-fit.ts';
import type { DescribedProperty, DescribedType, Money } from './described-type.ts';
import {
  bareName,
  joined,
  singular,
  type Words,
  withoutCurrency,
  withoutPlace,
  withoutType,
  wordsOf,
} from './header-words.ts';
import { knownNames } from './known-names.ts';

export interface Column {
  readonly header: string;
  readonly cells: readonly string[];
  /** Whether the file is one of refused rows, whose cells tell what is wrong with them, and not what they are. */
  readonly isOfRefused: boolean;
}

export interface PropertyGuess {
  readonly property: DescribedProperty;
  /** Of several columns for one property, the one with the lowest rank gets it. */
  readonly rank: number;
  readonly isSure: boolean;
  /** The currency that the header names. */
  readonly currency?: string;
}

/** A column that is left out for a reason. */
export interface LeftOut {
  readonly why: string;
}

type GuessProperty = (column: Column) => PropertyGuess | LeftOut | undefined;

export function propertyGuesser(type: DescribedType, money: Money): GuessProperty {
  const exact = new Map(type.properties.map((property) => [property.name, property]));
  const books = [namesOf(type), knownOf(type)];
  return (column) => {
    const named = exact.get(column.header.trim());
    if (named !== undefined) return { property: named, rank: 0, isSure: true };
    let leftOut: LeftOut | undefined;
    for (const [level, book] of books.entries()) {
      for (const [place, key] of keysOf(type, column.header, money).entries()) {
        const meant = (book.get(key.text) ?? []).filter(({ property }) => key.suits(property));
        const found = choose(column, meant, key, money);
        if (found !== undefined && 'property' in found) {
          return { ...found, rank: found.rank + level * 10 + (place === 0 ? 0 : 1) };
        }
        leftOut ??= found;
      }
    }
    return leftOut;
  };
}

interface Entry {
  readonly property: DescribedProperty;
  readonly rank: number;
  readonly isSure: boolean;
}
type Book = ReadonlyMap<string, readonly Entry[]>;

/**
 * Full names come first, then names without their prefix, then labels: the label of one property may be the name of
 * another.
 */
function namesOf({ properties }: DescribedType): Book {
  const book = new Map<string, Entry[]>();
  const texts = [({ name }: DescribedProperty) => name, bareName, ({ label }: DescribedProperty) => label];
  for (const textOf of texts) {
    const step = new Map<string, Entry[]>();
    for (const property of properties) add(step, textOf(property), { property, rank: 0, isSure: true });
    for (const [key, entries] of step) if (!book.has(key)) book.set(key, entries);
  }
  return book;
}

function knownOf({ name, properties }: DescribedType): Book {
  const book = new Map<string, Entry[]>();
  for (const property of properties) {
    for (const [place, { text, isSure }] of knownNames(name, property.name).entries()) {
      add(book, text, { property, rank: place / 1_000 + (isSure ? 0 : 2), isSure });
    }
  }
  return book;
}

function add(book: Map<string, Entry[]>, text: string, entry: Entry): void {
  const key = joined(wordsOf(text));
  const known = book.get(key) ?? [];
  if (key !== '' && !known.some(({ property }) => property === entry.property)) book.set(key, [...known, entry]);
}

interface Key {
  readonly text: string;
  readonly suits: (property: DescribedProperty) => boolean;
  /** The currencies that the header may mean, as it writes them. */
  readonly unit?: { readonly currencies: readonly string[]; readonly written: string };
}

/** A number with a currency in its own name is one in that currency. */
function namesCurrency({ label }: DescribedProperty, { written }: NonNullable<Key['unit']>): boolean {
  return label.includes(written);
}

/** What to look up: all of the header, then less and less of it. */
function keysOf(type: DescribedType, header: string, money: Money): readonly Key[] {
  const words = wordsOf(header);
  const bare = withoutType(type, words);
  const unit = withoutCurrency(header, money);
  const listed = [withoutPlace(words), withoutPlace(bare)];
  const keys = [
    ...withSingular([words, bare]).map((text) => ({ text, suits: () => true, ...(unit && { unit }) })),
    ...withSingular(listed).map((text) => ({ text, suits: isList })),
    ...(unit === undefined ? [] : withSingular([unit.words, withoutType(type, unit.words)])).map((text) => ({
      text,
      suits: isAmount,
      ...(unit && { unit }),
    })),
  ];
  return keys.filter(({ text }) => text !== '');
}

function withSingular(texts: readonly Words[]): readonly string[] {
  return texts.flatMap((words) => [joined(words), joined(words.map(singular))]);
}

function isList({ multiValued }: DescribedProperty): boolean {
  return multiValued;
}

function isAmount({ fieldType }: DescribedProperty): boolean {
  return fieldType === 'currency' || fieldType === 'number';
}

/** The only property that the cells do not speak against. */
function choose(
  { cells, isOfRefused }: Column,
  meant: readonly Entry[],
  { unit }: Key,
  money: Money,
): PropertyGuess | LeftOut | undefined {
  const [first] = meant;
  if (first === undefined) return undefined;
  const fits = meant.map((entry) => ({ entry, fit: fitOf(entry.property, cells) }));
  const fitting = isOfRefused ? fits : fits.filter(({ entry, fit }) => !isContradicted(entry.property, fit));
  const sure = fitting.filter(({ entry }) => entry.isSure);
  const possible = sure.length > 0 ? sure : fitting;
  const [only, other] = possible;
  if (other !== undefined) {
    return { why: `could be ${possible.map(({ entry: { property } }) => property.name).join(' or ')}` };
  }
  if (only === undefined) return { why: contradiction(first.property, fitOf(first.property, cells)) };
  const { property, rank, isSure } = only.entry;
  const guess = { property, rank, isSure: isSure && (isOfRefused || !isDoubtful(property, only.fit)) };
  const isPlain = unit === undefined || !isAmount(property);
  return isPlain || (property.fieldType === 'number' && namesCurrency(property, unit))
    ? guess
    : inCurrency(guess, unit, money);
}

function contradiction(property: DescribedProperty, { misfit = '' }: Fit): string {
  const example = misfit.length > 32 ? `${misfit.slice(0, 31)}…` : misfit;
  return `its cells are not ${valuesOf(property)}: ${JSON.stringify(example)}`;
}

/** Amounts are in the currency of their header; numbers only if that is the org's, in which they are. */
function inCurrency(guess: PropertyGuess, { currencies, written }: NonNullable<Key['unit']>, money: Money) {
  const { orgCurrency } = money;
  const currency = currencies.length === 1 ? currencies[0] : currencies.find((each) => each === orgCurrency);
  if (currency === undefined) return { why: `${written} may be ${currencies.join(', ')}` };
  if (guess.property.fieldType === 'currency') return { ...guess, currency };
  if (currency === orgCurrency) return guess;
  return { why: `its numbers are in ${currency}, and those of ${guess.property.name} in ${orgCurrency}` };
}
