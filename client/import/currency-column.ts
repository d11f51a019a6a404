// Finds a column that looks like the currency of a file's amounts, about which nobody has decided: money is never guessed. An
// amount without a currency would be stored in that of the org, whatever the column says. The whole file is read for it
// before anything is written.
import { isCurrencyCode } from './cells/amount-cell.ts';
import { quoted } from './described.ts';
import type { CsvRow } from './files/csv-rows.ts';
import { wordsOf } from './header-words.ts';
import { readValue, unitOf, type ValueColumn } from './read-row.ts';

/** Words for a currency in headers. They are compared without case and accents. */
const currencyWords: ReadonlySet<string> = new Set(
  `currency currencies currencycode curr cur ccy 4217 iso4217 wahrung waehrung devise devises monnaie moneda divisa moeda
  valuta valuutta waluta`.split(/\s+/),
);

/**
 * A column with another header is known by one of these codes, if all of its values are codes. Other codes are names too
 * (BOB, RON), countries (CHE, SLE) or words (ALL, TRY).
 */
const unmistakable: ReadonlySet<string> = new Set(
  'USD EUR GBP JPY CHF CNY CAD AUD NZD SEK NOK DKK PLN CZK INR BRL'.split(' '),
);

/** An ignored column that may contain the currency of an amount. */
interface Suspect {
  readonly index: number;
  readonly header: string;
  /** Whether the header names a currency. */
  readonly isNamed: boolean;
  /** Whether one of its codes can only be a currency. */
  isUnmistakable: boolean;
  /** The first row in which an amount would be stored in another currency. */
  found: Mismatch | undefined;
}

interface Mismatch {
  readonly line: number;
  readonly code: string;
  readonly property: string;
  /** The cell of the amount, and the currency in which it would be stored. */
  readonly amount: string;
  readonly stored: string;
}

/** A column that is a currency nobody has spoken of. */
export interface CurrencyDoubt {
  readonly index: number;
  readonly header: string;
  readonly property: string;
  readonly sentence: string;
}

export class CurrencyWatch {
  readonly #amounts: readonly ValueColumn[];
  readonly #orgCurrency: string;
  #suspects: readonly Suspect[];

  /** `ignored` are the columns that nobody decided about; `amounts` have no column with their currency. */
  constructor(
    ignored: readonly { readonly index: number; readonly header: string }[],
    amounts: readonly ValueColumn[],
    orgCurrency: string,
  ) {
    this.#amounts = amounts;
    this.#orgCurrency = orgCurrency;
    this.#suspects = amounts.length === 0 ? [] : ignored.map(suspectOf);
  }

  /** Whether more rows could still change the outcome. */
  get isOpen(): boolean {
    return this.#suspects.length > 0;
  }

  /** Returns what is certain after this row. */
  see(row: CsvRow): CurrencyDoubt | undefined {
    let certain: CurrencyDoubt | undefined;
    this.#suspects = this.#suspects.filter((suspect) => {
      const stays = this.#stays(suspect, row);
      if (stays && suspect.isNamed) certain ??= doubtOf(suspect);
      return stays;
    });
    return certain;
  }

  /** After the last row. */
  end(): CurrencyDoubt | undefined {
    for (const suspect of this.#suspects) {
      const doubt = suspect.isUnmistakable ? doubtOf(suspect) : undefined;
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  }

  /** Whether the column may still be one of currencies after this row. */
  #stays(suspect: Suspect, row: CsvRow): boolean {
    const cell = (row.cells[suspect.index] ?? '').trim();
    if (cell === '') return true;
    const code = codeIn(cell);
    if (code === undefined) return suspect.isNamed;
    suspect.isUnmistakable ||= unmistakable.has(code);
    suspect.found ??= this.#mismatchIn(row, code);
    return true;
  }

  #mismatchIn({ cells, line }: CsvRow, code: string): Mismatch | undefined {
    for (const column of this.#amounts) {
      const amount = cells[column.index] ?? '';
      const reading = readValue(column, amount, cells, this.#orgCurrency);
      // A cell that cannot be read is refused with its row.
      const values = 'fault' in reading ? [] : [reading.value].flat();
      const stored = values.map(unitOf).find((unit) => unit !== undefined && unit !== code);
      if (stored !== undefined) return { line, code, property: column.property.name, amount, stored };
    }
    return undefined;
  }
}

function suspectOf({ index, header }: { readonly index: number; readonly header: string }): Suspect {
  const isNamed = wordsOf(header).some((word) => currencyWords.has(word));
  return { index, header, isNamed, isUnmistakable: false, found: undefined };
}

/** A code is in capitals or in small letters: "Bob" is a name. */
function codeIn(cell: string): string | undefined {
  const code = cell.toUpperCase();
  return isCurrencyCode(code) && (cell === code || cell === cell.toLowerCase()) ? code : undefined;
}

function doubtOf({ index, header, found }: Suspect): CurrencyDoubt | undefined {
  if (found === undefined) return undefined;
  const { line, code, property, amount, stored } = found;
  const sentence =
    `The column ${quoted(header)} looks like the currency of ${property}, and nothing says so: ` +
    `line ${line} says ${code}, but ${quoted(amount)} would be stored in ${stored}.`;
  return { index, header, property, sentence };
}
