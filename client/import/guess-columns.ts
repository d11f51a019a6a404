// Guesses what the columns of a file are: properties, links to other records, ids of another system, the date of creation.
// It knows the headers and some cells, and nothing of the service, so that a page can use it as the import does. A guess
// that could be wrong says so; what is left out says why.
import { fitOf, isContradicted, isMoneyOrTime } from './cells-fit.ts';
import type { DescribedProperty, DescribedType, FileSample, Money } from './described-type.ts';
import { type LinkGuess, linkGuesser } from './guess-link.ts';
import { type Column, type LeftOut, type PropertyGuess, propertyGuesser } from './guess-property.ts';
import { joined, nounsOf, singular, withoutType, wordsOf } from './header-words.ts';
import { productOfIds, productsOf } from './known-products.ts';

/** The column of the errors file that says what was wrong with each row. No property has this name, and no import reads it. */
export const reasonsHeader = '_import_errors';

export type GuessedUse =
  | { readonly kind: 'property'; readonly property: string; readonly currency?: string }
  | { readonly kind: 'link'; readonly association: string; readonly by: string; readonly source?: string }
  | { readonly kind: 'external_id'; readonly source: string }
  | { readonly kind: 'created_at' }
  | { readonly kind: 'ignored'; readonly why: string };

interface GuessedColumn {
  readonly header: string;
  readonly use: GuessedUse;
  /** Whether it can hardly mean anything else. */
  readonly isSure: boolean;
}

/** What a person has decided already. */
interface Decided {
  readonly headers: ReadonlySet<string>;
  /** The subjects of these columns: see `subjectOf`. */
  readonly subjects: ReadonlySet<string>;
}

interface GuessRequest {
  readonly type: DescribedType;
  readonly file: FileSample;
  readonly money: Money;
  readonly decided: Decided;
}

/** One for each column; those that are decided are ignored. */
export function guessColumns({ type, file, money, decided }: GuessRequest): readonly GuessedColumn[] {
  const guess = guesser(type, file, money);
  const isOfRefused = file.headers.includes(reasonsHeader);
  const offers = file.headers.map((header, index): Offer => {
    if (decided.headers.has(header)) return leftOut('as the map says');
    if (header === reasonsHeader) return leftOut('holds the errors of an earlier import');
    return guess({ header, cells: file.rows.map((row) => row[index] ?? ''), isOfRefused });
  });
  return offers.map((offer, index) => ({
    header: file.headers[index] ?? '',
    ...chosen(offer, offers, { decided, type, headers: file.headers }),
  }));
}

/** What only one column can be, unless it is a list: the name of a property or of an association type, or the kind. */
export function subjectOf(use: GuessedUse): string | undefined {
  if (use.kind === 'ignored') return undefined;
  if (use.kind === 'property') return use.property;
  return use.kind === 'link' ? use.association : use.kind;
}

interface Offer {
  readonly use: GuessedUse;
  readonly isSure: boolean;
  readonly rank: number;
}

function leftOut(why: string): Offer {
  return { use: { kind: 'ignored', why }, isSure: true, rank: 0 };
}

/** A property, if it can be one; otherwise whatever else it may be. */
function guesser(type: DescribedType, { headers }: FileSample, money: Money): (column: Column) => Offer {
  const products = productsOf(headers);
  const toProperty = propertyGuesser(type, money);
  const toLink = linkGuesser(type, products);
  const asExternalId = (column: Column): Offer | undefined => {
    const name = ownNameOf(type, column.header);
    const product = productOfIds(
      products.filter(({ own }) => own.some((text) => joined(wordsOf(text)) === name)),
      column.cells,
    );
    const isWhole = product?.own.some((text) => joined(wordsOf(text)) === joined(wordsOf(column.header)));
    return (
      product && { use: { kind: 'external_id', source: product.source }, isSure: false, rank: isWhole === true ? 0 : 1 }
    );
  };
  return (column) => {
    const property = toProperty(column);
    if (property !== undefined && 'property' in property) return offerOf(property, column, type);
    const created = asDateOfCreation(type, column);
    if (created !== undefined) return created;
    const id = asExternalId(column);
    if (id !== undefined) return id;
    const link = toLink(column);
    if (link !== undefined && 'association' in link) return linkOffer(link);
    return leftOut((property ?? link ?? reasonFor(type, column))?.why ?? 'no matching property');
  };
}

function offerOf({ property, rank, isSure, currency }: PropertyGuess, column: Column, type: DescribedType): Offer {
  const { name, readOnly } = property;
  if (readOnly) return readOnlyOffer(property, column, type);
  return { use: { kind: 'property', property: name, ...(currency && { currency }) }, isSure, rank };
}

/** The time at which the service makes a record is read-only, but other systems have made theirs at another. */
function readOnlyOffer({ name }: PropertyGuess['property'], column: Column, type: DescribedType): Offer {
  const created = column.header.trim() === name ? undefined : asDateOfCreation(type, column);
  return created ?? leftOut(`${name} is read-only`);
}

function linkOffer({ rank, ...link }: LinkGuess): Offer {
  return { use: { kind: 'link', ...link }, isSure: false, rank };
}

const creation = new Set(
  'create date|created date|created|created at|created on|created time|creation date|creation time|date created|time created|date added|added on|add time'
    .split('|')
    .map((text) => joined(wordsOf(text))),
);

const moment: DescribedProperty = {
  name: 'created_at',
  label: 'Created at',
  fieldType: 'datetime',
  multiValued: false,
  readOnly: true,
  options: [],
};

function asDateOfCreation(type: DescribedType, { header, cells }: Column): Offer | undefined {
  if (!creation.has(joined(withoutType(type, wordsOf(header))))) return undefined;
  const fit = fitOf(moment, cells);
  if (fit.fitting === 0 || isContradicted(moment, fit)) return undefined;
  return { use: { kind: 'created_at' }, isSure: false, rank: 0 };
}

/** The header without the name of the type, before or after it: "Contact ID", "Record ID - Contact". */
function ownNameOf(type: DescribedType, header: string): string {
  const words = withoutType(type, wordsOf(header)).map(singular);
  const noun = nounsOf(type).find((each) => joined(words).endsWith(joined(each)) && words.length > each.length);
  return joined(noun === undefined ? words : words.slice(0, -noun.length));
}

const wholeNames = new Set('name|fullname|contactname|displayname|personname|leadname|contact|person'.split('|'));
const currencyWords = /^(?:deal|opportunity|amount|value)*(?:currency|currencycode|currencyof(?:value|amount))$/;

/** Why a column is not understood, if that is known. */
function reasonFor(type: DescribedType, { header }: Column): LeftOut | undefined {
  const name = joined(withoutType(type, wordsOf(header)));
  const amount = type.properties.find(({ fieldType, readOnly }) => fieldType === 'currency' && !readOnly);
  if (amount !== undefined && currencyWords.test(name)) {
    return { why: `perhaps the currency of ${amount.name}, which only the map can say` };
  }
  const last = type.properties.find((property) => property.name === 'svc_last_name');
  if (last === undefined || !wholeNames.has(name)) return undefined;
  return { why: 'a whole name is not split: use columns for first and last name, or map it to svc_last_name' };
}

interface Others {
  readonly decided: Decided;
  readonly type: DescribedType;
  readonly headers: readonly string[];
}

/** The offer, unless another column, or a decision, is better. */
function chosen(
  offer: Offer,
  offers: readonly Offer[],
  { decided, type, headers }: Others,
): Omit<GuessedColumn, 'header'> {
  const { use, isSure } = offer;
  const subject = subjectOf(use);
  if (subject === undefined) return { use, isSure };
  if (decided.subjects.has(subject)) return { use: rivalOf(subject), isSure };
  const property = type.properties.find(({ name }) => name === subject);
  if (property?.multiValued === true) return { use, isSure };
  const rivals = offers.filter((each) => subjectOf(each.use) === subject);
  const best = Math.min(...rivals.map(({ rank }) => rank));
  const equals = rivals.filter(({ rank }) => rank === best);
  if (!equals.includes(offer)) return { use: rivalOf(subject), isSure };
  if (equals.length === 1) return { use, isSure };
  // Between two amounts, two dates or two columns of one name nobody can choose but a person.
  const first = equals[0] as Offer;
  const header = headers[offers.indexOf(offer)];
  const isTwice = headers.filter((each) => each === header).length > 1;
  if (isTwice || (property !== undefined && isMoneyOrTime(property))) return { use, isSure: false };
  return offer === first ? { use, isSure: false } : { use: rivalOf(subject), isSure };
}

const kinds: Readonly<Record<string, string>> = {
  external_id: 'has the id in another system',
  created_at: 'has the date of creation',
};

function rivalOf(subject: string): GuessedUse {
  return { kind: 'ignored', why: `another column ${kinds[subject] ?? `maps to ${subject}`}` };
}
