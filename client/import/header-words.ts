// The words of a header, and what may be left out of them: plurals, the name of the type, numbers and places of several
// values ("E-mail 2 - Value", "Home phone"), and the currency of amounts ("Amount (USD)").
import type { DescribedType, Money } from './described-type.ts';

export type Words = readonly string[];

/** Ignores case, accents, spaces and punctuation; a capital letter inside a word begins a new one. */
export function wordsOf(text: string): Words {
  const folded = text
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function joined(words: Words): string {
  return words.join('');
}

export function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') && word.length > 3 ? word.slice(0, -1) : word;
}

/** The name without the prefix of built-in names. */
export function bareName({ name }: { readonly name: string }): string {
  return name.startsWith('svc_') ? name.slice(4) : name;
}

/** What other programs call records of the built-in types, and what a column with such records is called. */
const nouns: Readonly<Record<string, string>> = {
  svc_contact: 'contact|person|people|lead',
  svc_company: 'company|organization|organisation|account',
  svc_deal: 'deal|opportunity',
  svc_note: 'note|task',
};

/** The words that name the type, the longest first. */
export function nounsOf(type: Pick<DescribedType, 'name' | 'label' | 'pluralLabel'>): readonly Words[] {
  const others = Object.hasOwn(nouns, type.name) ? (nouns[type.name] as string).split('|') : [];
  const all = [bareName(type), type.label, type.pluralLabel, ...others].map(wordsOf).filter(({ length }) => length > 0);
  return all.toSorted((one, other) => other.length - one.length);
}

/** The words after a beginning; undefined if they do not begin so. */
export function after(words: Words, beginning: Words): Words | undefined {
  return beginning.every((word, index) => word === words[index]) ? words.slice(beginning.length) : undefined;
}

/** The words after the name of the type, which some programs put before all names: "Deal - Title", "Organization Name". */
export function withoutType(type: DescribedType, words: Words): Words {
  for (const noun of nounsOf(type)) {
    const rest = after(words, noun);
    // "Deal - Deal created" names it twice.
    if (rest !== undefined && rest.length > 0) return withoutType(type, rest);
  }
  return words;
}

/** Where an address or a number is in use, and which of several it is. */
const places = new Set(
  'work home mobile business office personal private direct main primary secondary alternate alternative other cell'.split(
    ' ',
  ),
);

/** The words that say what the values of a list are, without those that tell its values apart: "E-mail 2 - Value". */
export function withoutPlace(words: Words): Words {
  const numbered = words.some((word) => /^\d{1,2}$/.test(word));
  const kept = words.filter((word) => !places.has(word) && !/^\d{1,2}$/.test(word) && !(numbered && word === 'value'));
  // "Emails / Primary email" names the list twice.
  return kept.filter((word, index) => singular(word) !== singular(kept[index - 1] ?? ''));
}

/** A header that ends in a currency, without it; undefined if it does not. */
export function withoutCurrency(
  header: string,
  { currenciesOf }: Money,
): { readonly words: Words; readonly currencies: readonly string[]; readonly written: string } | undefined {
  const text = header.slice(0, 200).trim().replace(/\s+/g, ' ');
  const [, name = '', written = ''] = /^(.*?)(?: in)?[ ([]{1,2}([^ ()[\]]{1,4})[)\]]?$/.exec(text) ?? [];
  const currencies = /^[A-Z]{3}$|^\P{L}+$|\$$/u.test(written) ? currenciesOf(written) : undefined;
  return currencies === undefined ? undefined : { words: wordsOf(name), currencies, written };
}
