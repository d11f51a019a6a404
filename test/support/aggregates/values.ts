// One aggregation over one group's values, exact (contract 5), and the answers of the service brought into the same form.
import { compareIntegers, meanOf, medianOf, parseDecimal, shortest, sumOf, writeDecimal } from './decimals.ts';
import { parseMoment } from './moments.ts';

export interface PropertyFacts {
  readonly name: string;
  readonly fieldType: string;
  readonly multiValued: boolean;
  readonly options: readonly string[];
}

/** Something with an order: compared part by part, texts by code points. Undefined comes last. */
export type Rank = readonly (bigint | string)[] | undefined;

/** By code points, which is not the order of UTF-16 that `<` gives. */
export function compareTexts(left: string, right: string): number {
  const [one, two] = [Array.from(left), Array.from(right)];
  for (const [index, character] of one.entries()) {
    const other = two[index];
    if (other === undefined) return 1;
    const order = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return one.length - two.length;
}

/** Functions whose value is a number whatever they count. */
export const numericFunctions: readonly string[] = ['count', 'count_distinct'];

export interface Computed {
  readonly json: unknown;
  readonly rank: Rank;
}

const nothing: Computed = { json: null, rank: undefined };

export function compute(name: string, facts: PropertyFacts | undefined, values: readonly unknown[]): Computed {
  if (name === 'count') return integer(values.length);
  if (facts === undefined) throw new Error(`${name} needs a property.`);
  if (name === 'count_distinct') return integer(new Set(values.map((value) => sameness(facts, value))).size);
  if (values.length === 0) return nothing;
  switch (facts.fieldType) {
    case 'number':
      return decimal(
        ofNumbers(
          name,
          values.map((value) => parseDecimal(String(value))),
        ),
      );
    case 'currency':
      return { json: ofCurrency(name, values as readonly Money[]), rank: undefined };
    case 'datetime': {
      const moments = values.map((value) => parseMoment(String(value))).sort(compareIntegers);
      const found = (name === 'min' ? moments[0] : moments.at(-1)) ?? 0n;
      return { json: `moment ${found}`, rank: [found] };
    }
    default: {
      const texts = values.map(String).sort(byLowerCase);
      const found = (name === 'min' ? texts[0] : texts.at(-1)) ?? '';
      return { json: found, rank: [found.toLowerCase()] };
    }
  }
}

function integer(value: number): Computed {
  return { json: String(value), rank: [parseDecimal(String(value), 16)] };
}

function decimal(text: string): Computed {
  return { json: text, rank: [parseDecimal(text, 16)] };
}

function byLowerCase(left: string, right: string): number {
  return compareTexts(left.toLowerCase(), right.toLowerCase()) || compareTexts(left, right);
}

function ofNumbers(name: string, values: readonly bigint[]): string {
  const sorted = [...values].sort(compareIntegers);
  switch (name) {
    case 'sum':
      return writeDecimal(sumOf(values));
    case 'avg':
      return meanOf(values);
    case 'median':
      return medianOf(values);
    case 'min':
      return writeDecimal(sorted[0] ?? 0n);
    case 'max':
      return writeDecimal(sorted.at(-1) ?? 0n);
    default:
      throw new Error(`Numbers have no ${name}.`);
  }
}

interface Money {
  readonly amount: string;
  readonly unit: string;
}

function ofCurrency(name: string, values: readonly Money[]): readonly Money[] {
  const units = [...new Set(values.map(({ unit }) => unit))].sort();
  return units.map((unit) => {
    const amounts = values.filter((each) => each.unit === unit).map(({ amount }) => parseDecimal(amount));
    return { amount: ofNumbers(name, amounts), unit };
  });
}

/** The same text for values that `eq` calls the same. */
function sameness({ fieldType }: PropertyFacts, value: unknown): string {
  switch (fieldType) {
    case 'text':
    case 'long_text':
    case 'email':
    case 'url':
    case 'domain':
      return String(value).toLowerCase();
    case 'number':
      return String(parseDecimal(String(value)));
    case 'currency': {
      const { amount, unit } = value as Money;
      return `${unit} ${parseDecimal(amount)}`;
    }
    case 'datetime':
      return String(parseMoment(String(value)));
    case 'phone': {
      const phone = value as { country_code: string; national_number: string };
      return `${phone.country_code} ${phone.national_number}`;
    }
    default:
      return String(value);
  }
}

/**
 * A value of an answer in the model's form. Sums and extremes of numbers count by value; avg, median and counts by their
 * text; the extreme of moments by its moment, and it must be a text that some record holds.
 */
export function normalised(
  name: string,
  facts: PropertyFacts | undefined,
  value: unknown,
  stored: ReadonlySet<unknown>,
): unknown {
  const extreme = ['sum', 'min', 'max'].includes(name);
  if (value === null || facts === undefined || numericFunctions.includes(name)) return value;
  if (facts.fieldType === 'number') return extreme ? shortest(value as string) : value;
  if (facts.fieldType === 'currency' && Array.isArray(value)) {
    return (value as readonly Money[]).map((each) => (extreme ? { ...each, amount: shortest(each.amount) } : each));
  }
  if (!stored.has(value)) return `${JSON.stringify(value)}, which no record holds`;
  return facts.fieldType === 'datetime' ? `moment ${parseMoment(value as string)}` : value;
}
